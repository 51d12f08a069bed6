"""Where do tags, comments and raw text begin and end?  The tokens of HTML, read from bytes by compiled code."""

import numpy as np
from numpy.typing import NDArray

from sought.web.compiled import Bool, Int, compiled, noinline
from sought.web.html.tags import ATTRIBUTES, MIX, Table

LT, GT, SLASH, EQUALS, BANG, DASH, QUESTION = b"<>/=!-?"
_LF, _CR = b"\n\r"
_MIX = np.uint64(MIX)
_LONG = np.uint64(0x8080808080808080)  # marks a name that is too long for the table
_NO_NAME = 0xFF  # replaces NUL in a name: no known name has one

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]


@compiled
def is_space(c: Int) -> Bool:
    return c == 32 or (9 <= c <= 13 and c != 11)


@compiled
def behind_newline(data: Bytes, at: Int) -> Int:
    """Where to go on if a newline here is none of the text, as behind <pre>."""
    if at + 1 < data.size and data[at] == _CR and data[at + 1] == _LF:
        return at + 2
    return at + 1 if at < data.size and data[at] in (_LF, _CR) else at


@compiled
def is_letter(c: Int) -> Bool:
    return 97 <= c | 32 <= 122


@compiled
def _lower(c: Int) -> Int:
    return c + 32 if 65 <= c <= 90 else c


@compiled
def read_name(data: Bytes, at: Int, attribute: bool) -> tuple[Int, Int, Int]:
    """Where a name ends, and two words that identify it: its bytes if there are at most sixteen, else a hash."""
    noinline()
    low, high, i = np.uint64(0), np.uint64(0), at
    while i < data.size:
        c = np.uint64(_lower(data[i]))
        if c in (GT, SLASH) or is_space(c) or (attribute and c == EQUALS and i > at):
            break
        c = c if c else np.uint64(_NO_NAME)
        if i - at < 8:
            low |= c << np.uint64(8 * (i - at))
        elif i - at < 16:
            high |= c << np.uint64(8 * (i - at - 8))
        else:
            high = (high ^ c) * _MIX | _LONG
        i += 1
    return i, low, high


@compiled
def look_up(low: Int, high: Int, table: Table) -> Int:
    """The entry of a name in a table, or 0."""
    noinline()
    at = ((low ^ (high * np.uint64(31))) * _MIX) >> np.uint64(54)
    while table[at, 0]:
        if table[at, 0] == low and table[at, 1] == high:
            return np.int64(table[at, 2])
        at = (at + np.uint64(1)) % np.uint64(len(table))
    return np.int64(0)


@compiled
def _skip_spaces(data: Bytes, i: Int) -> Int:
    while i < data.size and is_space(data[i]):
        i += 1
    return i


@compiled
def find_byte(data: Bytes, i: Int, wanted: Int) -> Int:
    while i < data.size and data[i] != wanted:
        i += 1
    return i


@compiled
def _read_value(data: Bytes, i: Int) -> tuple[Int, Int, Int]:
    """Where an attribute's value begins and ends, without its quotes, and where to go on."""
    if i < data.size and (data[i] == 34 or data[i] == 39):
        end = find_byte(data, i + 1, data[i])
        return i + 1, end, end + 1
    end = i
    while end < data.size and not is_space(data[end]) and data[end] != GT:
        end += 1
    return i, end, end


@compiled
def read_attributes(data: Bytes, i: Int, values: Ints, serial: Int) -> tuple[Int, bool]:
    """Read to the tag's `>`; return the position after it (beyond the page if there is none) and if it is self-closing.

    `values` gets serial, begin and end of known attributes.  Of equal names the first counts.
    """
    noinline()
    while True:
        start = i
        while i < data.size and (is_space(data[i]) or data[i] == SLASH):
            i += 1
        if i >= data.size:
            return data.size + 1, False
        if data[i] == GT:
            return i + 1, i > start and data[i - 1] == SLASH
        i, low, high = read_name(data, i, True)
        i = _skip_spaces(data, i)
        begin = end = i
        if i < data.size and data[i] == EQUALS:
            begin, end, i = _read_value(data, _skip_spaces(data, i + 1))
        place = look_up(low, high, ATTRIBUTES)
        if place and values[place, 0] != serial:
            values[place, 0], values[place, 1], values[place, 2] = serial, begin, end


@compiled
def matches_at(data: Bytes, i: Int, first: Int, second: Int, third: Int) -> Bool:
    return i + 2 < data.size and data[i] == first and data[i + 1] == second and data[i + 2] == third


@compiled
def comment_end(data: Bytes, i: Int) -> Int:
    """The position after the comment that starts at i; an unclosed one takes the rest of the page."""
    noinline()
    if i + 4 < data.size and data[i + 4] == GT:
        return i + 5
    begin = i
    i += 5 if i + 5 < data.size and data[i + 4] == DASH and data[i + 5] == GT else 6
    while i < data.size:
        i = find_byte(data, i, GT)
        if i >= data.size:
            break
        if data[i - 1] == DASH and data[i - 2] == DASH:
            return i + 1
        if i > begin + 6 and data[i - 1] == BANG and data[i - 2] == DASH and data[i - 3] == DASH:
            return i + 1
        i += 1
    return data.size


@compiled
def cdata_end(data: Bytes, i: Int) -> Int:
    """Where the CDATA section that starts at i ends with `]]>`; i itself if there is no section."""
    noinline()
    if not (
        matches_at(data, i + 1, BANG, 91, 67)
        and matches_at(data, i + 4, 68, 65, 84)
        and matches_at(data, i + 6, 84, 65, 91)
    ):
        return i
    i += 9
    while i < data.size and not matches_at(data, i, 93, 93, GT):
        i += 1
    return i


@compiled
def _matches(data: Bytes, at: Int, start: Int, end: Int) -> Bool:
    """Whether the name in data[start:end] is at `at`, too, as a whole."""
    size = end - start
    if at + size > data.size:
        return False
    for k in range(size):
        if _lower(data[at + k]) != _lower(data[start + k]):
            return False
    after = at + size
    return after == data.size or data[after] == GT or data[after] == SLASH or is_space(data[after])


@compiled
def raw_end(data: Bytes, i: Int, start: Int, end: Int, script: bool) -> Int:
    """The position of the end tag of a raw text element; scripts may hide theirs in `<!-- <script>`."""
    noinline()
    hiding = 0
    while i < data.size:
        if script and hiding and matches_at(data, i, DASH, DASH, GT):
            hiding = 0
        elif data[i] == LT:
            if i + 1 < data.size and data[i + 1] == SLASH and _matches(data, i + 2, start, end):
                if hiding < 2:
                    return i
                hiding = 1
            elif script and hiding == 1 and _matches(data, i + 1, start, end):
                hiding = 2
            elif script and not hiding and matches_at(data, i + 1, BANG, DASH, DASH):
                hiding = 1
                i += 1
        i += 1
    return data.size
