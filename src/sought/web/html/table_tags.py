"""What do tags in a table, outside its cells, close and open?  The rules for tables of the HTML standard."""

import numpy as np

from sought.web.compiled import Bool, Int, compiled, noinline
from sought.web.html.formatting import clear_to_marker
from sought.web.html.open_elements import (
    BITS,
    PART_AT,
    TAG,
    TEMPLATE,
    clear_to,
    clear_to_row,
    close_found,
    find_part,
    find_rows,
    pop,
    pop_to,
    push,
    top,
)
from sought.web.html.tags import BITS as TAG_BITS
from sought.web.html.tags import CELL, INERT, ROWS, TABLE, number
from sought.web.html.tokens import Ints

# What becomes of a start tag.
IGNORED, EMPTY, OPENED, AGAIN = range(4)
_COL, _COLGROUP, _TBODY, _TR = (number(name) for name in ("col", "colgroup", "tbody", "tr"))
_COLGROUP_BITS, _ROWS_BITS, _TR_BITS = (TAG_BITS[name] for name in ("colgroup", "tbody", "tr"))


@compiled
def close_cell(stack: Ints, formats: Ints, now: Ints) -> None:
    """The cell or caption that is open ends."""
    noinline()
    pop_to(stack, now, stack[top(now), PART_AT])
    clear_to_marker(formats, now)


@compiled
def close_table(stack: Ints, now: Ints) -> Bool:
    """End the innermost table; whether there is one."""
    noinline()
    at = top(now)
    while at > 0 and not stack[at, BITS] & (TABLE | INERT):
        at -= 1
    found = at > 0 and stack[at, BITS] & TABLE != 0
    if found:
        pop_to(stack, now, at)
    return found


@compiled
def part_in_table(stack: Ints, now: Ints, tag: Int, bits: Int) -> Int:
    noinline()
    clear_to(stack, now, TABLE | INERT)
    if tag == _COL:
        push(stack, now, np.int64(_COLGROUP), np.int64(_COLGROUP_BITS), False)
        return np.int64(AGAIN)
    if bits & CELL or tag == _TR:
        push(stack, now, np.int64(_TBODY), np.int64(_ROWS_BITS), False)
        return np.int64(AGAIN)
    return np.int64(OPENED)


@compiled
def part_in_rows(stack: Ints, now: Ints, tag: Int, bits: Int) -> Int:
    noinline()
    if tag != _TR and not bits & CELL:
        return np.int64(AGAIN if close_rows(stack, now) else IGNORED)
    clear_to(stack, now, ROWS | INERT)
    if tag == _TR:
        return np.int64(OPENED)
    push(stack, now, np.int64(_TR), np.int64(_TR_BITS), False)
    return np.int64(AGAIN)


@compiled
def part_in_row(stack: Ints, now: Ints, bits: Int) -> Int:
    noinline()
    if not bits & CELL:
        return np.int64(AGAIN if close_row(stack, now) else IGNORED)
    clear_to_row(stack, now)
    return np.int64(OPENED)


@compiled
def close_rows(stack: Ints, now: Ints) -> Bool:
    """End the open <tbody>, <tfoot> or <thead>; whether there is one."""
    return close_found(stack, now, find_rows(stack, now))


@compiled
def close_row(stack: Ints, now: Ints) -> Bool:
    return close_found(stack, now, find_part(stack, now, np.int64(_TR)))


@compiled
def in_colgroup(stack: Ints, now: Ints, tag: Int) -> Int:
    noinline()
    if tag == _COL:
        return np.int64(EMPTY)
    if tag == TEMPLATE:
        return np.int64(OPENED)
    return np.int64(AGAIN if close_colgroup(stack, now) else IGNORED)


@compiled
def close_colgroup(stack: Ints, now: Ints) -> Bool:
    if stack[top(now), TAG] != _COLGROUP:
        return False
    pop(stack, now)
    return True
