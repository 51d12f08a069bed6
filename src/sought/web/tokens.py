"""Where do tags, comments and raw text begin and end?  The tokens of HTML, read from bytes by compiled code."""

import numpy as np
from numpy.typing import NDArray

from sought.web.compiled import Bool, Int, compiled
from sought.web.tags import MIX

LT, GT, SLASH, EQUALS, BANG, DASH, AMP, HASH, SEMICOLON = b"<>/=!-&#;"
NAMES, ATTRIBUTES, SAID = range(3)  # the first counters of a scan
HAS_HIDDEN, HAS_FONT, HAS_HTML, SELF_CLOSED = 1, 2, 4, 8  # what the attributes of a tag told (SAID)

_MIX = np.uint64(MIX)
_HIDDEN, _COLOR, _FACE, _SIZE, _ENCODING = (
    np.uint64(int.from_bytes(name, "little")) for name in (b"hidden", b"color", b"face", b"size", b"encoding")
)

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]


@compiled
def _is_space(c: Int) -> Bool:
    return c == 32 or (9 <= c <= 13 and c != 11)


@compiled
def is_letter(c: Int) -> Bool:
    return 97 <= c | 32 <= 122


@compiled
def _lower(c: Int) -> Int:
    return c + 32 if 65 <= c <= 90 else c


@compiled
def _mixed(h: Int, word: Int) -> Int:
    h = (h ^ word) * _MIX
    return h ^ (h >> np.uint64(29))


@compiled
def read_name(data: Bytes, at: Int, attribute: bool, seed: Int) -> tuple[Int, Int, Int, Int]:
    """Where a name ends, its first sixteen bytes in two words, and a hash of it all."""
    low, high, rest, i = np.uint64(0), np.uint64(0), seed, at
    while i < data.size:
        c = np.uint64(_lower(data[i]))
        if c in (GT, SLASH) or _is_space(c) or (attribute and c == EQUALS and i > at):
            break
        if i - at < 8:
            low |= c << np.uint64(8 * (i - at))
        elif i - at < 16:
            high |= c << np.uint64(8 * (i - at - 8))
        else:
            rest = _mixed(rest, c)
        i += 1
    return i, low, high, _mixed(_mixed(rest, low), high)


@compiled
def kind(low: Int, high: Int, size: Int, table: NDArray[np.uint64]) -> Int:
    if size > 16:
        return 0
    at = ((low ^ (high * np.uint64(31))) * _MIX) >> np.uint64(54)
    while table[at, 0]:
        if table[at, 0] == low and table[at, 1] == high:
            return np.int64(table[at, 2])
        at = (at + np.uint64(1)) % np.uint64(len(table))
    return 0


@compiled
def note_name(names: NDArray[np.uint32], mixed: Int, count: Ints) -> None:
    mark = np.uint32(mixed >> np.uint64(32)) | np.uint32(1)
    at = np.int64(mixed & np.uint64(names.size - 1))
    for _ in range(32):
        if names[at] == mark:
            return
        if names[at] == 0:
            names[at] = mark
            break
        at = (at + 1) & (names.size - 1)
    count[NAMES] += 1


@compiled
def _skip_spaces(data: Bytes, i: Int) -> Int:
    while i < data.size and _is_space(data[i]):
        i += 1
    return i


@compiled
def find_byte(data: Bytes, i: Int, wanted: Int) -> Int:
    while i < data.size and data[i] != wanted:
        i += 1
    return i


@compiled
def _value_end(data: Bytes, i: Int) -> Int:
    """Behind an attribute's value, quoted or bare."""
    if i < data.size and data[i] in (34, 39):
        return find_byte(data, i + 1, data[i]) + 1
    while i < data.size and not _is_space(data[i]) and data[i] != GT:
        i += 1
    return i


@compiled
def _said(low: Int, value_size: Int) -> Int:
    if low == _HIDDEN:
        return HAS_HIDDEN
    if low in (_COLOR, _FACE, _SIZE):
        return HAS_FONT
    # text/html or application/xhtml+xml, with or without quotes: of the encodings in use only these have such lengths
    return HAS_HTML if low == _ENCODING and value_size in (9, 11, 21, 23) else 0


@compiled
def read_attributes(data: Bytes, i: Int, names: NDArray[np.uint32], seed: Int, count: Ints) -> Int:
    """Behind the tag's `>`, or beyond the end of the page if there is none."""
    count[ATTRIBUTES] = count[SAID] = 0
    while True:
        while i < data.size and (_is_space(data[i]) or data[i] == SLASH):
            i += 1
        if i >= data.size:
            return data.size + 1
        if data[i] == GT:
            count[SAID] |= SELF_CLOSED if data[i - 1] == SLASH else 0
            return i + 1
        start = i
        i, low, _, mixed = read_name(data, i, True, seed)
        note_name(names, mixed, count)
        named, i = i - start, _skip_spaces(data, i)
        value = i
        if i < data.size and data[i] == EQUALS:
            value = _skip_spaces(data, i + 1)
            i = _value_end(data, value)
        count[ATTRIBUTES] += 1
        count[SAID] |= _said(low, i - value) if named <= 8 else 0


@compiled
def stands(data: Bytes, i: Int, first: Int, second: Int, third: Int) -> Bool:
    return i + 2 < data.size and data[i] == first and data[i + 1] == second and data[i + 2] == third


@compiled
def comment_end(data: Bytes, i: Int) -> Int:
    """Behind the `<!--` comment that starts at i; an unclosed one takes the rest of the page."""
    if i + 4 < data.size and data[i + 4] == GT:
        return i + 5
    i += 5 if i + 5 < data.size and data[i + 4] == DASH and data[i + 5] == GT else 6
    while i < data.size:
        i = find_byte(data, i, GT)
        if i >= data.size:
            break
        if data[i - 1] == DASH and data[i - 2] == DASH:
            return i + 1
        if data[i - 1] == BANG and data[i - 2] == DASH and data[i - 3] == DASH:
            return i + 1
        i += 1
    return data.size


@compiled
def _matches(data: Bytes, at: Int, start: Int, end: Int) -> Bool:
    """Whether the name in data[start:end] stands at `at` too, as a whole."""
    size = end - start
    if at + size > data.size:
        return False
    for k in range(size):
        if _lower(data[at + k]) != _lower(data[start + k]):
            return False
    after = at + size
    return after == data.size or data[after] == GT or data[after] == SLASH or _is_space(data[after])


@compiled
def raw_end(data: Bytes, i: Int, start: Int, end: Int, script: bool) -> Int:
    """Where the end tag of a raw text element stands; scripts may hide theirs in `<!-- <script>`."""
    hiding = 0
    while i < data.size:
        if script and hiding and stands(data, i, DASH, DASH, GT):
            hiding = 0
        elif data[i] == LT:
            if i + 1 < data.size and data[i + 1] == SLASH and _matches(data, i + 2, start, end):
                if hiding < 2:
                    return i
                hiding = 1
            elif script and hiding == 1 and _matches(data, i + 1, start, end):
                hiding = 2
            elif script and not hiding and stands(data, i + 1, BANG, DASH, DASH):
                hiding = 1
                i += 1
        i += 1
    return data.size


@compiled
def hash_bytes(data: Bytes, i: Int, end: Int, seed: Int) -> Int:
    mixed = seed
    for at in range(i, end):
        mixed = _mixed(mixed, np.uint64(data[at]))
    return mixed
