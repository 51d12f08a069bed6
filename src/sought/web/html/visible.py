"""How is source text shown?  White space collapsed, character references resolved."""

import re
from html.entities import html5

import numpy as np

from sought.web.compiled import Bool, Int, compiled, noinline
from sought.web.html.tags import word
from sought.web.html.tokens import Bytes, Ints, is_letter

OUT, SPACED = range(2)  # the first counters of a pass: bytes written, and whether the last of them was a space
AMP, HASH, SEMICOLON = b"&#;"
NO_BYTE = 256

_MAX_REFERENCES = 300_000  # rare character references that are resolved; if there are more, none is
_MAX_VALUE = 32_768  # bytes of an attribute
_SPACE_AROUND = "".join(map(chr, range(33)))  # as the URL standard has it
_LONGEST_OPEN = max(len(name) for name in html5 if not name.endswith(";"))
_REFERENCES = np.array([word(name) for name in ("lt", "gt", "amp", "quot", "nbsp", "apos")], np.uint64)
_REFERENT = np.array([60, 62, 0, 34, 32, 39])
_OTHER, _SPACE, _ODD = np.arange(3, dtype=np.uint64)
_CLASS = np.array(
    [_ODD if c in b"\0<&\xc2\xe1\xe2\xe3" else _SPACE if c <= 32 else _OTHER for c in range(256)], np.uint64
)
# Bytes written for U+FFFD, which would need more room than the NUL it replaces, and for an `&` that is text.
_UNKNOWN, _AND = 1, 0
_WIDE = 256  # added to a code beyond ASCII, to tell it from a byte that is copied
# What numbers 128–159 mean: characters of windows-1252, where there are any.
_WINDOWS = np.array([ord(bytes([c]).decode("cp1252", "ignore") or chr(c)) for c in range(128, 160)])


_REFERENCE = re.compile(r"&(?:#(?:[xX]([0-9a-fA-F]+)|([0-9]+));?|([A-Za-z][A-Za-z0-9]{1,31};?))")


def is_resolved(written: bytes) -> bool:
    return b"&" not in written and b"\0" not in written and b"\1" not in written


def resolved(written: bytes) -> str:
    """Written text as a string, with the rarer character references."""
    text = written.decode("utf-8", "replace")
    if b"&" in written and written.count(b"&") <= _MAX_REFERENCES:
        text = " ".join(_REFERENCE.sub(_character, text).split())
    return text if is_resolved(written) else text.replace("\0", "&").replace("\1", "\ufffd")


def raw_text(source: bytes) -> str:
    """Text with all its character references, as in a <title>."""
    return _REFERENCE.sub(_character, source.decode("utf-8", "replace").replace("\0", "\ufffd"))


def _character(match: re.Match[str]) -> str:
    hexadecimal, decimal, name = match.groups()
    return _named(name) if name else numbered(hexadecimal or decimal, 16 if hexadecimal else 10)


def _named(name: str) -> str:
    """Resolve the longest known name at the start."""
    if name in html5:
        return html5[name]
    for size in range(min(len(name) - 1, _LONGEST_OPEN), 1, -1):
        if name[:size] in html5:
            return html5[name[:size]] + name[size:]
    return "&" + name


def numbered(digits: str, base: int) -> str:
    """The character of a number, by the HTML standard's rules for invalid ones."""
    digits = digits.lstrip("0")
    code = int(digits, base) if 0 < len(digits) < 9 else -1
    if 128 <= code < 160:
        return chr(_WINDOWS[code - 128])
    return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\ufffd"


# In an attribute a name without semicolon counts only at the end of a word: `?a=1&copy=2` has no reference.
_IN_ATTRIBUTE = re.compile(r"&(?:#(?:[xX]([0-9a-fA-F]+)|([0-9]+));?|([A-Za-z][A-Za-z0-9]{1,31}(?:;|(?![A-Za-z0-9=]))))")


def attribute(source: bytes) -> str:
    """The value of an attribute, without white space around it; empty if it is absurdly long."""
    if len(source) > _MAX_VALUE:
        return ""
    text = source.decode("utf-8", "replace").replace("\0", "\ufffd")
    return (_IN_ATTRIBUTE.sub(_attribute_character, text) if "&" in text else text).strip(_SPACE_AROUND)


def _attribute_character(match: re.Match[str]) -> str:
    name = match[3]
    return html5.get(name, match[0]) if name else _character(match)


@compiled
def copy(data: Bytes, i: Int, end: Int, stop: Int, nul: bool, literal: bool, out: Bytes, counters: Ints) -> Int:
    """Write text up to the byte `stop` and return its position.  No branch on white space: it is unpredictable.

    `nul`: write NUL as U+FFFD, else drop it.  `literal`: do not resolve character references.
    """
    noinline()
    at: Int = np.uint64(counters[OUT])  # unsigned: compiled code checks whether signed indices are negative
    spaced: Int = np.uint64(counters[SPACED])
    i, end, one = np.uint64(i), np.uint64(end), np.uint64(1)
    while i < end:
        c = data[i]
        kind: Int = _CLASS[c]
        if kind != _ODD:
            out[at] = np.uint8(32) if kind else c
            at += one - (kind & spaced)
            spaced = kind
            i += one
            continue
        if c == stop:
            break
        if c == 0:
            i += one
            if nul:
                out[at] = _UNKNOWN
                at, spaced = at + one, _OTHER
            continue
        if c == AMP:
            code, width = _reference(data, np.int64(i), np.int64(end), literal)
        else:
            code, width = _beyond_ascii(data, np.int64(i), np.int64(end))
        i += np.uint64(width)
        if code >= 256:
            at = _write(np.uint32(code), out, at)
            spaced = _OTHER
            continue
        kind = np.uint64(code == 32)
        out[at] = code
        at += one - (kind & spaced)
        spaced = kind
    counters[OUT], counters[SPACED] = np.int64(at), np.int64(spaced)
    return np.int64(i)


@compiled
def separate(out: Bytes, counters: Ints) -> None:
    """Separate what comes next from the word before."""
    if not counters[SPACED]:
        out[counters[OUT]] = 32
        counters[OUT] += 1
        counters[SPACED] = 1


@compiled
def _beyond_ascii(data: Bytes, i: Int, end: Int) -> tuple[Int, Int]:
    """A space and its width for Unicode white space (as Python defines it); else the byte itself."""
    first, second, third = data[i], data[i + 1] if i + 1 < end else 0, data[i + 2] if i + 2 < end else 0
    if first == 0xC2 and (second == 0xA0 or second == 0x85):  # U+00A0, U+0085
        return np.int64(32), np.int64(2)
    general = first == 0xE2 and second == 0x80 and (0x80 <= third <= 0x8A or third in (0xA8, 0xA9, 0xAF))
    mathematical = first == 0xE2 and second == 0x81 and third == 0x9F
    other = (first == 0xE3 and second == 0x80 and third == 0x80) or (first == 0xE1 and second == 0x9A and third == 0x80)
    if general or mathematical or other:  # U+2000–200A, 2028, 2029, 202F; U+205F; U+3000, U+1680
        return np.int64(32), np.int64(3)
    return np.int64(first), np.int64(1)


@compiled
def _reference(data: Bytes, i: Int, end: Int, literal: bool) -> tuple[Int, Int]:
    """The character of a reference, and its width.  Rare names are left to Python.

    An `&` that is text becomes NUL, which no text has, so that references left to Python are resolved only once.
    """
    noinline()
    next_ = data[i + 1] if i + 1 < end else 32
    if next_ == HASH and not literal:
        return _number(data, i, end)
    if literal or not is_letter(next_):
        return np.int64(_AND), np.int64(1)
    name, shift, j = np.uint64(0), np.uint64(0), i + 1
    while j < end and j < i + 6 and data[j] != SEMICOLON:
        name |= np.uint64(data[j]) << shift
        shift += np.uint64(8)
        j += 1
    if j < end and data[j] == SEMICOLON:
        for k in range(len(_REFERENCES)):
            if name == _REFERENCES[k]:
                return np.int64(_REFERENT[k]), np.int64(j + 1 - i)
    return np.int64(AMP), np.int64(1)


@compiled
def _number(data: Bytes, i: Int, end: Int) -> tuple[Int, Int]:
    """The character of `&#…`: a byte, or beyond ASCII its number plus _WIDE."""
    noinline()
    code: Int = np.int64(0)
    hexadecimal = i + 2 < end and data[i + 2] | 32 == 120
    base, j = (16, i + 3) if hexadecimal else (10, i + 2)
    first = j
    while j < end:
        digit = _digit(data[j])
        if digit >= base:
            break
        code, j = min(code * base + digit, np.int64(1 << 24)), j + 1
    if j == first:
        return np.int64(_AND), np.int64(1)
    width = j - i + (j < end and data[j] == SEMICOLON)
    if 128 <= code < 160:
        code = np.int64(_WINDOWS[code - 128])
    if code == 0 or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return np.int64(_UNKNOWN), np.int64(width)
    if code <= 32 or _is_wide_space(code):
        return np.int64(32), np.int64(width)
    return np.int64(_AND if code == AMP else code if code < 128 else code + _WIDE), np.int64(width)


@compiled
def _digit(c: Int) -> Int:
    if 48 <= c <= 57:
        return np.int64(c) - 48
    return np.int64(c | 32) - 87 if 97 <= c | 32 <= 102 else np.int64(99)


@compiled
def _is_wide_space(code: Int) -> Bool:
    return code in (0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000) or 0x2000 <= code <= 0x200A


@compiled
def _write(wide: Int, out: Bytes, at: Int) -> Int:
    """Write a character beyond ASCII in UTF-8; return the end."""
    noinline()
    code, one = np.uint32(wide - _WIDE), np.uint64(1)
    if code < 0x800:
        out[at] = 0xC0 | code >> 6
    else:
        if code < 0x10000:
            out[at] = 0xE0 | code >> 12
        else:
            out[at] = 0xF0 | code >> 18
            at += one
            out[at] = 0x80 | (code >> 12 & 63)
        at += one
        out[at] = 0x80 | (code >> 6 & 63)
    at += one
    out[at] = 0x80 | (code & 63)
    return at + one
