"""Which formatting continues after its block was closed?

The list of active formatting elements of the HTML standard, its reconstruction, and the adoption agency algorithm:
`<p><b hidden>a<p>b</b>c` hides both a and b.  Text that a late end tag moves stays in the zone in which it was read.
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
MAX_ACTIVE = 64  # since the last marker; then the earliest is dropped
_MAX_EQUAL = 3  # so many equal elements are kept
_ROUNDS, _MAX_ADOPTED = 8, 3
# Columns.  A marker has tag 0.
_TAG, _BITS, _ID, _AT, _HASH = range(5)
COLUMNS = 5


@compiled
def _remove_row(formats: Ints, counters: Ints, row: Int) -> None:
    noinline()
    if formats[row, _BITS] & KIND == A:
        counters[CLOSED] |= LINK_CLOSED
    counters[FORMATS] -= 1
    for k in range(row, counters[FORMATS]):
        copy_row(formats, k + 1, k)


@compiled
def mark(formats: Ints, counters: Ints) -> None:
    if counters[FORMATS] < MAX_ROWS - 1:
        clear_row(formats, counters[FORMATS])
        counters[FORMATS] += 1


@compiled
def clear_to_marker(formats: Ints, counters: Ints) -> None:
    noinline()
    while counters[FORMATS] > 0:
        counters[FORMATS] -= 1
        if formats[counters[FORMATS], _BITS] & KIND == A:
            counters[CLOSED] |= LINK_CLOSED
        if formats[counters[FORMATS], _TAG] == 0:
            return


@compiled
def source_hash(data: Bytes, begin: Int, end: Int) -> Int:
    noinline()
    hashed = np.uint64(14695981039346656037)
    for i in range(begin, end):
        hashed = (hashed ^ np.uint64(data[i])) * np.uint64(1099511628211)
    return np.int64(hashed)


@compiled
def keep(stack: Ints, formats: Ints, counters: Ints, hashed: Int) -> None:
    """Add the innermost open element to the list."""
    noinline()
    if counters[FORMATS] >= MAX_ROWS - 1:
        return
    at, count, same, earliest = counters[OPEN] - 1, 0, 0, np.int64(-1)
    row = counters[FORMATS] - 1
    while row >= 0 and formats[row, _TAG] != 0:
        if formats[row, _TAG] == stack[at, TAG] and formats[row, _HASH] == hashed:
            same, earliest = same + 1, row
        count, row = count + 1, row - 1
    if same >= _MAX_EQUAL:
        _remove_row(formats, counters, earliest)
    elif count >= MAX_ACTIVE:
        _remove_row(formats, counters, row + 1)
    new = counters[FORMATS]
    bits = stack[at, BITS] if stack[at, ZONE] != LIFELESS else stack[at, BITS] & ~KIND  # inert content has no links
    formats[new, _TAG], formats[new, _BITS], formats[new, _ID] = stack[at, TAG], bits, stack[at, ID]
    formats[new, _AT], formats[new, _HASH] = at, hashed
    counters[FORMATS] += 1


@compiled
def _is_open(stack: Ints, formats: Ints, counters: Ints, row: Int) -> Bool:
    at = formats[row, _AT]
    return at < counters[OPEN] and stack[at, ID] == formats[row, _ID]


@compiled
def rebuild(stack: Ints, formats: Ints, counters: Ints, misplaced: bool) -> None:
    """Reopen formatting elements that a block has closed."""
    noinline()
    row = counters[FORMATS] - 1
    if row < 0 or formats[row, _TAG] == 0 or _is_open(stack, formats, counters, row):
        return
    while row > 0 and formats[row - 1, _TAG] != 0 and not _is_open(stack, formats, counters, row - 1):
        row -= 1
    while row < counters[FORMATS]:
        push(stack, counters, formats[row, _TAG], formats[row, _BITS], misplaced)
        formats[row, _AT], formats[row, _ID] = counters[OPEN] - 1, stack[counters[OPEN] - 1, ID]
        row += 1


@compiled
def active(formats: Ints, counters: Ints, tag: Int) -> Int:
    """The last row of this name since the last marker, or -1."""
    row = counters[FORMATS] - 1
    while row >= 0 and formats[row, _TAG] != 0:
        if formats[row, _TAG] == tag:
            return row
        row -= 1
    return np.int64(-1)


@compiled
def _row_of(formats: Ints, counters: Ints, identity: Int) -> Int:
    noinline()
    row, last = counters[FORMATS] - 1, max(counters[FORMATS] - REACH, 0)
    while row >= last:
        if formats[row, _ID] == identity and formats[row, _TAG] != 0:
            return row
        row -= 1
    return np.int64(-1)


@compiled
def _shift_rows(formats: Ints, counters: Ints, above: Int, by: Int) -> None:
    """Update positions: elements above a row of the stack have moved down."""
    noinline()
    row, last = counters[FORMATS] - 1, max(counters[FORMATS] - REACH, 0)
    while row >= last:
        if formats[row, _TAG] != 0 and formats[row, _AT] > above:
            formats[row, _AT] -= by
        row -= 1


@compiled
def remove(stack: Ints, formats: Ints, counters: Ints, at: Int) -> None:
    """Close one element, but not the elements in it; where they end, a block ends."""
    noinline()
    counters[OPEN] -= 1
    if not stack[at, BITS] & INLINE:
        stack[at + 1, BITS] &= ~INLINE
    for k in range(at, counters[OPEN]):
        copy_row(stack, k + 1, k)
    _shift_rows(formats, counters, at, 1)


@compiled
def forget_link(stack: Ints, formats: Ints, counters: Ints, identity: Int) -> None:
    """Drop a link that a new link has ended and that the adoption agency left open."""
    noinline()
    row = _row_of(formats, counters, identity)
    if row >= 0:
        _remove_row(formats, counters, row)
    at, last = counters[OPEN] - 1, max(counters[OPEN] - REACH, 1)
    while at >= last:
        if stack[at, ID] == identity:
            remove(stack, formats, counters, at)
            return
        at -= 1


@compiled
def identity_of(formats: Ints, row: Int) -> Int:
    return formats[row, _ID]


@compiled
def end_other(stack: Ints, counters: Ints, tag: Int) -> None:
    """Close the innermost element of this name, unless a block is between: for end tags without their own rule."""
    noinline()
    at = find(stack, counters, tag, SPECIAL)
    if at > 0:
        close_implied(stack, counters, tag)
        pop_to(stack, counters, min(at, counters[OPEN]))


@compiled
def adopt(stack: Ints, formats: Ints, counters: Ints, tag: Int) -> None:
    """Apply the end tag of a formatting element: the adoption agency algorithm."""
    noinline()
    at = counters[OPEN] - 1
    if stack[at, TAG] == tag and _row_of(formats, counters, stack[at, ID]) < 0:
        pop(stack, counters)
        return
    for _ in range(_ROUNDS):
        row = active(formats, counters, tag)
        if row < 0:
            end_other(stack, counters, tag)
            return
        if _adopt_once(stack, formats, counters, row):
            return


@compiled
def _adopt_once(stack: Ints, formats: Ints, counters: Ints, row: Int) -> Bool:
    """One round of it; returns whether it was the last."""
    noinline()
    if not _is_open(stack, formats, counters, row):
        _remove_row(formats, counters, row)
        return True
    block: Int = np.int64(-1)
    at, last = formats[row, _AT], counters[OPEN] - 1
    if last - at > REACH:
        return True
    for k in range(last, at, -1):
        if stack[k, BITS] & SCOPE:
            return True
        if stack[k, BITS] & SPECIAL:
            block = k
    if block < 0:
        pop_to(stack, counters, at)
        _remove_row(formats, counters, row)
        return True
    _move_block(stack, formats, counters, row, at, block)
    return False


@compiled
def _move_block(stack: Ints, formats: Ints, counters: Ints, row: Int, at: Int, block: Int) -> None:
    """Move a block out of the formatting element in row `at`, and open a copy of that element in the block."""
    noinline()
    tag, bits, hashed = stack[at, TAG], formats[row, _BITS], formats[row, _HASH]
    kept, bookmark = _keep_adopted(stack, formats, counters, at, block)
    row = _row_of(formats, counters, stack[at, ID])  # other rows may have been removed
    removed = block - at - 1 - kept
    first = at + removed + 1  # the first element that stays; they move down to `at`
    for k in range(first, block + 1):
        copy_row(stack, k, k - first + at)
    new = at + kept + 1
    for k in range(block + 1, counters[OPEN]):
        copy_row(stack, k, k - removed)
    counters[OPEN] -= removed
    counters[IDS] += 1
    copy_row(stack, new - 1, new)
    stack[new, TAG], stack[new, BITS], stack[new, ID] = tag, bits, counters[IDS]
    _shift_rows(formats, counters, block, removed)
    for k in range(at, new - 1):
        its_row = _row_of(formats, counters, stack[k, ID])
        if its_row >= 0:
            formats[its_row, _AT] = k
    _enter(formats, counters, row, bookmark, new, hashed)
    _find_zones(stack, counters, at)


@compiled
def _keep_adopted(stack: Ints, formats: Ints, counters: Ints, at: Int, block: Int) -> tuple[Int, Int]:
    """Keep the innermost formatting elements between the two, next to the block.

    Returns how many, and the ID after which the formatting element goes in the list.
    """
    noinline()
    kept, bookmark, seen, k = np.int64(0), np.int64(0), 0, block - 1
    while k > at:
        seen += 1
        row = _row_of(formats, counters, stack[k, ID])
        if row >= 0 and seen > _MAX_ADOPTED:
            _remove_row(formats, counters, row)
        elif row >= 0:
            counters[IDS] += 1
            stack[k, ID] = formats[row, _ID] = counters[IDS]
            bookmark = bookmark if kept else counters[IDS]
            kept += 1
            if block - kept > k:
                copy_row(stack, k, block - kept)
        k -= 1
    return kept, bookmark


@compiled
def _enter(formats: Ints, counters: Ints, row: Int, bookmark: Int, at: Int, hashed: Int) -> None:
    """Put the new formatting element in place of the old one in the list, or after the bookmark."""
    noinline()
    tag, bits = formats[row, _TAG], formats[row, _BITS]
    _remove_row(formats, counters, row)
    new = _row_of(formats, counters, bookmark) + 1 if bookmark else row
    k = counters[FORMATS]
    while k > new:
        copy_row(formats, k - 1, k)
        k -= 1
    formats[new, _TAG], formats[new, _BITS], formats[new, _ID] = tag, bits, counters[IDS]
    formats[new, _AT], formats[new, _HASH] = at, hashed
    counters[FORMATS] += 1


@compiled
def _find_zones(stack: Ints, counters: Ints, at: Int) -> None:
    """Recompute the zones of elements that were moved."""
    noinline()
    place = zone_within(stack, at - 1)
    for k in range(at, counters[OPEN]):
        stack[k, PLACE] = place
        stack[k, ZONE] = place = zone_inside(place, stack[k, BITS])
