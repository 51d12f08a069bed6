"""Which formatting goes on behind the block it was left open in?  The list of active formatting elements of the HTML
standard, its reconstruction, and the adoption agency algorithm: `<p><b hidden>a<p>b</b>c` hides both a and b.

What a late end tag moves is not read again: text stays in the zone that it was read in.
"""

import numpy as np

from sought.web.compiled import Bool, Int, compiled, noinline
from sought.web.html.open_elements import (
    BITS,
    CLOSED,
    FORMATS,
    ID,
    IDS,
    LINK_CLOSED,
    OPEN,
    PLACE,
    REACH,
    TAG,
    ZONE,
    clear_row,
    close_implied,
    copy_row,
    find,
    pop,
    pop_to,
    push,
    zone_within,
)
from sought.web.html.tags import INLINE, KIND, SCOPE, SPECIAL, A
from sought.web.html.tokens import Bytes, Ints
from sought.web.html.zones import LIFELESS, zone_inside

MAX_ROWS = 8192
MAX_ACTIVE = 64  # since the last marker; the earliest goes
_SAME = 3  # of equal elements no more are kept
_ROUNDS, _ADOPTED = 8, 3
# Columns.  A marker has the name zero.
_TAG, _BITS, _ID, _AT, _HASH = range(5)
COLUMNS = 5


@compiled
def _remove_row(formats: Ints, now: Ints, row: Int) -> None:
    noinline()
    if formats[row, _BITS] & KIND == A:
        now[CLOSED] |= LINK_CLOSED
    now[FORMATS] -= 1
    for k in range(row, now[FORMATS]):
        copy_row(formats, k + 1, k)


@compiled
def mark(formats: Ints, now: Ints) -> None:
    if now[FORMATS] < MAX_ROWS - 1:
        clear_row(formats, now[FORMATS])
        now[FORMATS] += 1


@compiled
def clear_to_marker(formats: Ints, now: Ints) -> None:
    noinline()
    while now[FORMATS] > 0:
        now[FORMATS] -= 1
        if formats[now[FORMATS], _BITS] & KIND == A:
            now[CLOSED] |= LINK_CLOSED
        if formats[now[FORMATS], _TAG] == 0:
            return


@compiled
def source_hash(data: Bytes, begin: Int, end: Int) -> Int:
    noinline()
    found = np.uint64(14695981039346656037)
    for i in range(begin, end):
        found = (found ^ np.uint64(data[i])) * np.uint64(1099511628211)
    return np.int64(found)


@compiled
def keep(stack: Ints, formats: Ints, now: Ints, hashed: Int) -> None:
    """The innermost open element is a formatting one."""
    noinline()
    if now[FORMATS] >= MAX_ROWS - 1:
        return
    at, count, same, earliest = now[OPEN] - 1, 0, 0, np.int64(-1)
    row = now[FORMATS] - 1
    while row >= 0 and formats[row, _TAG] != 0:
        if formats[row, _TAG] == stack[at, TAG] and formats[row, _HASH] == hashed:
            same, earliest = same + 1, row
        count, row = count + 1, row - 1
    if same >= _SAME:
        _remove_row(formats, now, earliest)
    elif count >= MAX_ACTIVE:
        _remove_row(formats, now, row + 1)
    new = now[FORMATS]
    bits = stack[at, BITS] if stack[at, ZONE] != LIFELESS else stack[at, BITS] & ~KIND  # there are no links there
    formats[new, _TAG], formats[new, _BITS], formats[new, _ID] = stack[at, TAG], bits, stack[at, ID]
    formats[new, _AT], formats[new, _HASH] = at, hashed
    now[FORMATS] += 1


@compiled
def _is_open(stack: Ints, formats: Ints, now: Ints, row: Int) -> Bool:
    at = formats[row, _AT]
    return at < now[OPEN] and stack[at, ID] == formats[row, _ID]


@compiled
def rebuild(stack: Ints, formats: Ints, now: Ints, misplaced: bool) -> None:
    """Open formatting elements again that a block has closed."""
    noinline()
    row = now[FORMATS] - 1
    if row < 0 or formats[row, _TAG] == 0 or _is_open(stack, formats, now, row):
        return
    while row > 0 and formats[row - 1, _TAG] != 0 and not _is_open(stack, formats, now, row - 1):
        row -= 1
    while row < now[FORMATS]:
        push(stack, now, formats[row, _TAG], formats[row, _BITS], misplaced)
        formats[row, _AT], formats[row, _ID] = now[OPEN] - 1, stack[now[OPEN] - 1, ID]
        row += 1


@compiled
def active(formats: Ints, now: Ints, tag: Int) -> Int:
    """The last row of this name since the last marker, or -1."""
    row = now[FORMATS] - 1
    while row >= 0 and formats[row, _TAG] != 0:
        if formats[row, _TAG] == tag:
            return row
        row -= 1
    return np.int64(-1)


@compiled
def _row_of(formats: Ints, now: Ints, identity: Int) -> Int:
    noinline()
    row, last = now[FORMATS] - 1, max(now[FORMATS] - REACH, 0)
    while row >= last:
        if formats[row, _ID] == identity and formats[row, _TAG] != 0:
            return row
        row -= 1
    return np.int64(-1)


@compiled
def _moved(formats: Ints, now: Ints, above: Int, by: Int) -> None:
    """Elements above a row of the stack have moved down."""
    noinline()
    row, last = now[FORMATS] - 1, max(now[FORMATS] - REACH, 0)
    while row >= last:
        if formats[row, _TAG] != 0 and formats[row, _AT] > above:
            formats[row, _AT] -= by
        row -= 1


@compiled
def remove(stack: Ints, formats: Ints, now: Ints, at: Int) -> None:
    """Close one element and none of those in it; where they end, a block ends."""
    noinline()
    now[OPEN] -= 1
    if not stack[at, BITS] & INLINE:
        stack[at + 1, BITS] &= ~INLINE
    for k in range(at, now[OPEN]):
        copy_row(stack, k + 1, k)
    _moved(formats, now, at, 1)


@compiled
def forget_link(stack: Ints, formats: Ints, now: Ints, identity: Int) -> None:
    """A link that a new one has ended, and that the adoption agency left open, is over."""
    noinline()
    row = _row_of(formats, now, identity)
    if row >= 0:
        _remove_row(formats, now, row)
    at, last = now[OPEN] - 1, max(now[OPEN] - REACH, 1)
    while at >= last:
        if stack[at, ID] == identity:
            remove(stack, formats, now, at)
            return
        at -= 1


@compiled
def identity_of(formats: Ints, row: Int) -> Int:
    return formats[row, _ID]


@compiled
def end_other(stack: Ints, now: Ints, tag: Int) -> None:
    """An end tag that has no rule of its own closes the innermost element of its name, unless a block is between."""
    noinline()
    at = find(stack, now, tag, SPECIAL)
    if at > 0:
        close_implied(stack, now, tag)
        pop_to(stack, now, min(at, now[OPEN]))


@compiled
def adopt(stack: Ints, formats: Ints, now: Ints, tag: Int) -> None:
    """The end tag of a formatting element."""
    noinline()
    at = now[OPEN] - 1
    if stack[at, TAG] == tag and _row_of(formats, now, stack[at, ID]) < 0:
        pop(stack, now)
        return
    for _ in range(_ROUNDS):
        row = active(formats, now, tag)
        if row < 0:
            end_other(stack, now, tag)
            return
        if _adopt_once(stack, formats, now, row):
            return


@compiled
def _adopt_once(stack: Ints, formats: Ints, now: Ints, row: Int) -> Bool:
    """One round; whether it was the last."""
    noinline()
    if not _is_open(stack, formats, now, row):
        _remove_row(formats, now, row)
        return True
    block: Int = np.int64(-1)
    at, last = formats[row, _AT], now[OPEN] - 1
    if last - at > REACH:
        return True
    for k in range(last, at, -1):
        if stack[k, BITS] & SCOPE:
            return True
        if stack[k, BITS] & SPECIAL:
            block = k
    if block < 0:
        pop_to(stack, now, at)
        _remove_row(formats, now, row)
        return True
    _move_block(stack, formats, now, row, at, block)
    return False


@compiled
def _move_block(stack: Ints, formats: Ints, now: Ints, row: Int, at: Int, block: Int) -> None:
    """Take a block out of the formatting element in row `at`, and put that into the block, around what is to come."""
    noinline()
    tag, bits, hashed = stack[at, TAG], formats[row, _BITS], formats[row, _HASH]
    kept, bookmark = _keep_adopted(stack, formats, now, at, block)
    row = _row_of(formats, now, stack[at, ID])  # other rows may have gone
    removed = block - at - 1 - kept
    first = at + removed + 1  # the first element that stays; they move down to `at`
    for k in range(first, block + 1):
        copy_row(stack, k, k - first + at)
    new = at + kept + 1
    for k in range(block + 1, now[OPEN]):
        copy_row(stack, k, k - removed)
    now[OPEN] -= removed
    now[IDS] += 1
    copy_row(stack, new - 1, new)
    stack[new, TAG], stack[new, BITS], stack[new, ID] = tag, bits, now[IDS]
    _moved(formats, now, block, removed)
    for k in range(at, new - 1):
        its_row = _row_of(formats, now, stack[k, ID])
        if its_row >= 0:
            formats[its_row, _AT] = k
    _enter(formats, now, row, bookmark, new, hashed)
    _find_zones(stack, now, at)


@compiled
def _keep_adopted(stack: Ints, formats: Ints, now: Ints, at: Int, block: Int) -> tuple[Int, Int]:
    """Of the elements between, the innermost formatting ones stay, next to the block: how many, and the identity behind
    which the formatting element goes in the list.
    """
    noinline()
    kept, bookmark, seen, k = np.int64(0), np.int64(0), 0, block - 1
    while k > at:
        seen += 1
        row = _row_of(formats, now, stack[k, ID])
        if row >= 0 and seen > _ADOPTED:
            _remove_row(formats, now, row)
        elif row >= 0:
            now[IDS] += 1
            stack[k, ID] = formats[row, _ID] = now[IDS]
            bookmark = bookmark if kept else now[IDS]
            kept += 1
            if block - kept > k:
                copy_row(stack, k, block - kept)
        k -= 1
    return kept, bookmark


@compiled
def _enter(formats: Ints, now: Ints, row: Int, bookmark: Int, at: Int, hashed: Int) -> None:
    """The new formatting element takes the place of the old one in the list, or that behind the bookmark."""
    noinline()
    tag, bits = formats[row, _TAG], formats[row, _BITS]
    _remove_row(formats, now, row)
    new = _row_of(formats, now, bookmark) + 1 if bookmark else row
    k = now[FORMATS]
    while k > new:
        copy_row(formats, k - 1, k)
        k -= 1
    formats[new, _TAG], formats[new, _BITS], formats[new, _ID] = tag, bits, now[IDS]
    formats[new, _AT], formats[new, _HASH] = at, hashed
    now[FORMATS] += 1


@compiled
def _find_zones(stack: Ints, now: Ints, at: Int) -> None:
    """Zones of elements that are in other ones now."""
    noinline()
    place = zone_within(stack, at - 1)
    for k in range(at, now[OPEN]):
        stack[k, PLACE] = place
        stack[k, ZONE] = place = zone_inside(place, stack[k, BITS])
