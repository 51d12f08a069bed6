"""What do tags in a table, outside its cells, close and open?  The HTML standard's rules for tables."""

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

# Outcomes of a start tag.
IGNORED, EMPTY, OPENED, AGAIN = range(4)
_COL, _COLGROUP, _TBODY, _TR = (number(name) for name in ("col", "colgroup", "tbody", "tr"))
_COLGROUP_BITS, _ROWS_BITS, _TR_BITS = (TAG_BITS[name] for name in ("colgroup", "tbody", "tr"))


@compiled
def close_cell(stack: Ints, formats: Ints, counters: Ints) -> None:
    """Close the open cell or caption."""
    noinline()
    pop_to(stack, counters, stack[top(counters), PART_AT])
    clear_to_marker(formats, counters)


@compiled
def close_table(stack: Ints, counters: Ints) -> Bool:
    """Close the innermost table; return whether there is one."""
    noinline()
    at = top(counters)
    while at > 0 and not stack[at, BITS] & (TABLE | INERT):
        at -= 1
    found = at > 0 and stack[at, BITS] & TABLE != 0
    if found:
        pop_to(stack, counters, at)
    return found


@compiled
def part_in_table(stack: Ints, counters: Ints, tag: Int, bits: Int) -> Int:
    noinline()
    clear_to(stack, counters, TABLE | INERT)
    if tag == _COL:
        push(stack, counters, np.int64(_COLGROUP), np.int64(_COLGROUP_BITS), False)
        return np.int64(AGAIN)
    if bits & CELL or tag == _TR:
        push(stack, counters, np.int64(_TBODY), np.int64(_ROWS_BITS), False)
        return np.int64(AGAIN)
    return np.int64(OPENED)


@compiled
def part_in_rows(stack: Ints, counters: Ints, tag: Int, bits: Int) -> Int:
    noinline()
    if tag != _TR and not bits & CELL:
        return np.int64(AGAIN if close_rows(stack, counters) else IGNORED)
    clear_to(stack, counters, ROWS | INERT)
    if tag == _TR:
        return np.int64(OPENED)
    push(stack, counters, np.int64(_TR), np.int64(_TR_BITS), False)
    return np.int64(AGAIN)


@compiled
def part_in_row(stack: Ints, counters: Ints, bits: Int) -> Int:
    noinline()
    if not bits & CELL:
        return np.int64(AGAIN if close_row(stack, counters) else IGNORED)
    clear_to_row(stack, counters)
    return np.int64(OPENED)


@compiled
def close_rows(stack: Ints, counters: Ints) -> Bool:
    """Close the open <tbody>, <tfoot> or <thead>; return whether there is one."""
    return close_found(stack, counters, find_rows(stack, counters))


@compiled
def close_row(stack: Ints, counters: Ints) -> Bool:
    return close_found(stack, counters, find_part(stack, counters, np.int64(_TR)))


@compiled
def in_colgroup(stack: Ints, counters: Ints, tag: Int) -> Int:
    noinline()
    if tag == _COL:
        return np.int64(EMPTY)
    if tag == TEMPLATE:
        return np.int64(OPENED)
    return np.int64(AGAIN if close_colgroup(stack, counters) else IGNORED)


@compiled
def close_colgroup(stack: Ints, counters: Ints) -> Bool:
    if stack[top(counters), TAG] != _COLGROUP:
        return False
    pop(stack, counters)
    return True
