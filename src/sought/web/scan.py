"""Is this HTML safe to parse, and what can be read on it?  One linear pass over the bytes.

Parsers that build a tree take time beyond linear on hostile pages: deep nesting, many attributes on a tag, formatting
elements that are re-opened in every block, many different names.  The scan reads tokens as a browser does, follows the
open elements (`tree`), and refuses before any tree is built.  On the way it collects the visible text.
"""

import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sought.web import tags, tokens
from sought.web import tree as trees
from sought.web.compiled import Bool, Int, cached, compiled
from sought.web.tags import FORMAT, HIDDEN, IMAGE, INLINE, PLAIN, ROOT, SCRIPT, TABLE, TAGS
from sought.web.tokens import (
    AMP,
    ATTRIBUTES,
    BANG,
    DASH,
    GT,
    HASH,
    LT,
    NAMES,
    SAID,
    SEMICOLON,
    SLASH,
    Bytes,
    Ints,
    comment_end,
    find_byte,
    hash_bytes,
    is_letter,
    kind,
    note_name,
    raw_end,
    read_attributes,
    read_name,
    stands,
)
from sought.web.tree import CROSSED, MAX_DEPTH, MISSING, NOW, REMADE, UNSEEN, Tree

# Chosen by timing the parser on the worst page each bound still accepts: at most about a second for 5 MB.
MAX_ATTRIBUTES = 512  # on one tag; a parser compares each with each
MAX_TAGS = 1_000_000
MAX_WORK = 100_000_000  # tags × depth
MAX_NAMES = 16_384  # different attribute and unknown tag names; a parser keeps them in a table of fixed size
MAX_REMADE = 300_000  # formatting elements re-opened
MAX_CROSSED = 10_000  # formatting elements closed across a block
_MAX_REFERENCES = 300_000  # rare character references that are resolved; beyond, all stay as they are

REASONS = ("", "nesting", "attributes", "tags", "names", "formatting")

# Counters of a scan, after those of the tokens.
_REASON, _OUT, _SPACE, _TAGS, _IMAGES, _TABLES, _OUTSIDE, _ROOT_ATTRIBUTES, _WORK, _REACH, _SEEN = range(3, 14)

_SEED = np.uint64(int.from_bytes(os.urandom(8), "little"))  # nobody can prepare names that look equal to us
_REFERENCES = np.array(
    [int.from_bytes(name, "little") for name in (b"lt", b"gt", b"amp", b"quot", b"nbsp", b"apos")], np.uint64
)
_REFERENT = np.array([60, 62, 0, 34, 32, 39])

Words = NDArray[np.uint64]
Names = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Scan:
    """What one pass over the bytes tells.

    `work` is tags × depth and `reach` bytes of text × depth: what it costs to look up from each to the root.
    """

    refused: str
    text: str  # visible text, white space collapsed
    tags: int
    work: int
    reach: int
    images: int
    tables: int
    outside: int  # bytes that are not tags or comments
    seen: int  # bits of all start tags (`tags`)


def scan(html: bytes) -> Scan:
    """Scan HTML in UTF-8."""
    data = np.frombuffer(html, np.uint8)
    names = np.zeros(1 << min(max((len(html) // 2).bit_length(), 8), 15), np.uint32)
    out = np.empty(len(html) + 8, np.uint8)
    count = np.zeros(14, np.int64)
    _RUN(data, TAGS, names, _SEED, trees.plant(), out, count)
    text = _resolved(out[: count[_OUT]].tobytes().decode("utf-8", "replace"))
    return Scan(
        REASONS[count[_REASON]],
        text,
        *(int(count[i]) for i in (_TAGS, _WORK, _REACH, _IMAGES, _TABLES, _OUTSIDE, _SEEN)),
    )


def _resolved(text: str) -> str:
    """The rarer character references; NUL is an `&` that is no more one of them."""
    if 0 < text.count("&") <= _MAX_REFERENCES:
        text = " ".join(unescape(text).split())
    return text.replace("\0", "&")


@compiled
def _copy(data: Bytes, i: Int, end: Int, out: Bytes, count: Ints) -> None:
    """Text goes out, white space collapsed and the usual character references resolved."""
    at, space = count[_OUT], count[_SPACE]
    while i < end:
        code: Int = np.int64(data[i])
        width: Int = 1
        if code == AMP:
            code, width = _reference(data, i, end)
        elif 0xC2 <= code <= 0xE3 and _is_wide_space(data, i, end):
            code, width = 32, 2 if code == 0xC2 else 3
        i += width
        if 0 < code <= 32 or (code == 0 and data[i - width] == 0):
            space = 1
            continue
        if space:
            if at:
                out[at] = 32
                at += 1
            space = 0
        if code == 0xFFFD:
            out[at], out[at + 1], out[at + 2] = 0xEF, 0xBF, 0xBD
            at += 3
        else:
            out[at] = code
            at += 1
    count[_OUT], count[_SPACE] = at, space


@compiled
def _is_wide_space(data: Bytes, i: Int, end: Int) -> Bool:
    """U+0085, U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F and U+3000, as in Python."""
    second, third = np.int64(data[i + 1]) if i + 1 < end else 0, np.int64(data[i + 2]) if i + 2 < end else 0
    if data[i] == 0xC2:
        return second in (0x85, 0xA0)
    if data[i] == 0xE2:
        general = second == 0x80 and (third <= 0x8A or third in (0xA8, 0xA9, 0xAF))
        return general or (second == 0x81 and third == 0x9F)
    return (data[i] == 0xE3 and second == 0x80 and third == 0x80) or (
        data[i] == 0xE1 and second == 0x9A and third == 0x80
    )


@compiled
def _reference(data: Bytes, i: Int, end: Int) -> tuple[Int, Int]:
    """The byte a character reference stands for, and its width.

    An `&` that is text becomes NUL, which no text has, so that the references left to Python are resolved only once.
    A number too long for any character becomes U+FFFD: Python would raise.
    """
    next_ = data[i + 1] if i + 1 < end else 32
    if next_ == HASH:
        return _number(data, i, end)
    if not is_letter(next_):
        return 0, 1
    name, shift, j = np.uint64(0), np.uint64(0), i + 1
    while j < end and j < i + 6 and data[j] != SEMICOLON:
        name |= np.uint64(data[j]) << shift
        shift += np.uint64(8)
        j += 1
    if j < end and data[j] == SEMICOLON:
        for k in range(len(_REFERENCES)):
            if name == _REFERENCES[k]:
                return _REFERENT[k], j + 1 - i
    return np.int64(AMP), 1


@compiled
def _number(data: Bytes, i: Int, end: Int) -> tuple[Int, Int]:
    """ASCII characters by number, decimal or hexadecimal; others are left to Python unless they are too long for it."""
    j = i + 2
    base = 16 if j < end and data[j] | 32 == 120 else 10
    j += base == 16
    code: Int = 0
    while j < end:
        digit = _digit(np.int64(data[j]))
        if digit >= base:
            break
        code, j = min(code * base + digit, 1 << 24), j + 1
    closed = j < end and data[j] == SEMICOLON
    if closed and 32 <= code < 127:
        return 0 if code == AMP else code, j + 1 - i
    return (0xFFFD, j - i + closed) if j - i > 11 else (np.int64(AMP), 1)


@compiled
def _digit(c: Int) -> Int:
    return c - 48 if 48 <= c <= 57 else (c | 32) - 87 if 97 <= c | 32 <= 102 else 99


@compiled
def _text(tree: Tree, data: Bytes, i: Int, end: Int, out: Bytes, count: Ints) -> None:
    count[_OUTSIDE] += end - i
    count[_REACH] += (end - i) * trees.depth(tree)
    if tree[NOW, MISSING]:
        trees.reopen(tree)
    if not trees.inside(tree) & UNSEEN:
        _copy(data, i, end, out, count)


@compiled
def _judge(tree: Tree, count: Ints) -> None:
    if trees.depth(tree) > MAX_DEPTH or count[_WORK] > MAX_WORK:
        count[_REASON] = 1
    elif count[ATTRIBUTES] > MAX_ATTRIBUTES or count[_ROOT_ATTRIBUTES] > MAX_ATTRIBUTES:
        count[_REASON] = 2
    elif count[_TAGS] > MAX_TAGS:
        count[_REASON] = 3
    elif count[NAMES] > MAX_NAMES:
        count[_REASON] = 4
    elif tree[NOW, REMADE] > MAX_REMADE or tree[NOW, CROSSED] > MAX_CROSSED:
        count[_REASON] = 5


@compiled
def _read_tag(
    data: Bytes, at: Int, table: Words, names: Names, seed: Int, tree: Tree, count: Ints
) -> tuple[Int, Int, Int, Int]:
    """Where the tag's name and the tag end, the name in one word, and its bits."""
    name_end, low, high, mixed = read_name(data, at, False, seed)
    end = read_attributes(data, name_end, names, seed, count)
    bits = kind(low, high, name_end - at, table)
    if not bits:
        note_name(names, mixed, count)
    if not bits & INLINE:
        count[_SPACE] = 1
    count[_TAGS] += 1
    count[_WORK] += trees.depth(tree)
    return name_end, end, np.int64(low if name_end - at <= 8 else mixed), bits


@compiled
def _start_tag(data: Bytes, i: Int, table: Words, names: Names, seed: Int, tree: Tree, out: Bytes, count: Ints) -> Int:
    """Read the start tag at i, and the whole content of a raw text element; where to go on."""
    name_end, end, name, bits = _read_tag(data, i + 1, table, names, seed, tree, count)
    if end > data.size:
        return data.size
    count[_SEEN] |= bits
    count[_IMAGES] += bits & IMAGE != 0
    count[_TABLES] += bits & TABLE != 0
    if bits & ROOT:  # attributes of a second <html> or <body> are added to the first
        count[_ROOT_ATTRIBUTES] += count[ATTRIBUTES]
    source = hash_bytes(data, i, end, seed) if bits & FORMAT else seed
    raw = trees.start(tree, name, bits, count[SAID], np.int64(source))
    _judge(tree, count)
    if not raw:
        return end
    stop = data.size if bits & PLAIN else raw_end(data, end, i + 1, name_end, bits & SCRIPT != 0)
    if bits & HIDDEN:
        count[_OUTSIDE] += stop - end
    else:
        _text(tree, data, end, stop, out, count)
    return stop


@compiled
def _end_tag(data: Bytes, i: Int, table: Words, names: Names, seed: Int, tree: Tree, count: Ints) -> Int:
    _, end, name, bits = _read_tag(data, i + 2, table, names, seed, tree, count)
    if end > data.size:
        return data.size
    trees.end(tree, name, bits)
    _judge(tree, count)
    return end


@compiled
def _declaration(tree: Tree, data: Bytes, i: Int, out: Bytes, count: Ints) -> Int:
    """Comments, and what is read as one: `<!x>`, `<?x>`, `</ >`; in svg and math also CDATA, which is text."""
    if stands(data, i + 1, BANG, DASH, DASH):
        return comment_end(data, i)
    foreign = trees.inside(tree) & (trees.IN_SVG | trees.IN_MATH)
    # <![CDATA[
    if (
        foreign
        and stands(data, i + 1, BANG, 91, 67)
        and stands(data, i + 4, 68, 65, 84)
        and stands(data, i + 6, 84, 65, 91)
    ):
        end = i + 9
        while end < data.size and not stands(data, end, 93, 93, GT):
            end += 1
        _text(tree, data, min(i + 9, data.size), min(end, data.size), out, count)
        return end + 3
    return find_byte(data, i + 1, GT) + 1


@compiled
def _scan(data: Bytes, table: Words, names: Names, seed: Int, tree: Tree, out: Bytes, count: Ints) -> None:
    i: Int = np.int64(0)  # a plain 0 is a type of its own to numba: everything would be compiled twice
    while i < data.size and not count[_REASON]:
        if data[i] != LT:
            end = find_byte(data, i, LT)
            _text(tree, data, i, end, out, count)
            i = end
            continue
        next_ = data[i + 1] if i + 1 < data.size else 0
        if is_letter(next_):
            i = _start_tag(data, i, table, names, seed, tree, out, count)
        elif next_ == SLASH and i + 2 < data.size and is_letter(data[i + 2]):
            i = _end_tag(data, i, table, names, seed, tree, count)
        elif next_ in (SLASH, BANG, 63):
            i = _declaration(tree, data, i, out, count)
        else:
            _text(tree, data, i, i + 1, out, count)
            i += 1


def _machine_code(rules: int) -> Callable[[Bytes, Words, Names, Int, Tree, Bytes, Ints], None]:
    """The scan, compiled.  The cache watches this file only: `rules` tells it of changes in the others."""

    @cached
    def run(data: Bytes, table: Words, names: Names, seed: Int, tree: Tree, out: Bytes, count: Ints) -> None:
        _scan(data, table, names, seed ^ np.uint64(rules), tree, out, count)

    return run


_RUN = _machine_code(zlib.crc32(b"".join(Path(str(part.__file__)).read_bytes() for part in (tags, tokens, trees))))
