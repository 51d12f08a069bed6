"""What does an end tag close?  Tree construction of the HTML standard."""

import numpy as np

from sought.web.compiled import Int, compiled, noinline
from sought.web.html.foreign_tags import leave_foreign
from sought.web.html.formatting import adopt, clear_to_marker, end_other, rebuild, remove
from sought.web.html.open_elements import (
    AFTER_FRAMESET,
    AFTER_HEAD,
    BEFORE_HEAD,
    BODY,
    FORM,
    FRAMES_OUT,
    HEAD,
    HEAD_NOSCRIPT,
    HTML,
    ID,
    IN_BODY,
    IN_CAPTION,
    IN_CELL,
    IN_COLGROUP,
    IN_HEAD,
    IN_ROW,
    IN_ROWS,
    IN_TABLE,
    IN_TEMPLATE,
    MODE,
    OPEN,
    OUTSIDE_HTML,
    REACH,
    TAG,
    TEMPLATE,
    TEMPLATES,
    P,
    close_all_implied,
    close_found,
    close_implied,
    find,
    find_bits,
    find_part,
    foreign,
    in_scope,
    mode,
    pop,
    pop_to,
    top,
)
from sought.web.html.open_elements import BITS as BITS_OF
from sought.web.html.start_tags import open_next
from sought.web.html.table_tags import close_cell, close_colgroup, close_row, close_table
from sought.web.html.tags import (
    BUTTON,
    CELL,
    CONTAINER,
    FORMATTING,
    HEADING,
    LIST,
    MARKER,
    PART,
    ROWS,
    SCOPE,
    TABLE,
    number,
)
from sought.web.html.tokens import Ints

_BR, _NOSCRIPT, _FORM, _LI, _DD, _DT, _FRAMESET = (
    number(name) for name in ("br", "noscript", "form", "li", "dd", "dt", "frameset")
)
_CAPTION, _COLGROUP, _COL, _TR = (number(name) for name in ("caption", "colgroup", "col", "tr"))
_DONE, _AGAIN = 0, 1


@compiled
def end(stack: Ints, formats: Ints, counters: Ints, tag: Int, bits: Int) -> None:
    """Apply an end tag; one that closes no element changes nothing."""
    noinline()
    if foreign(stack, counters) and _ended_foreign(stack, counters, tag):
        return
    for _ in range(REACH):  # every round but the last closes or opens something
        if _by_mode(stack, formats, counters, tag, bits) == _DONE:
            return


@compiled
def _ended_foreign(stack: Ints, counters: Ints, tag: Int) -> bool:
    """Close an element of svg or math and return True; False: the rules of HTML decide."""
    noinline()
    if tag in (P, _BR):
        leave_foreign(stack, counters)
        return False
    at, last = top(counters), max(top(counters) - REACH, 0)
    while at > last and stack[at, BITS_OF] & OUTSIDE_HTML:
        if stack[at, TAG] == tag:
            pop_to(stack, counters, at)
            return True
        at -= 1
    return bool(at <= last)


@compiled
def _by_mode(stack: Ints, formats: Ints, counters: Ints, tag: Int, bits: Int) -> Int:
    noinline()
    here = mode(stack, counters)
    if tag == TEMPLATE and here not in (BEFORE_HEAD, HEAD_NOSCRIPT):
        _end_template(stack, formats, counters)
        return np.int64(_DONE)
    if here <= AFTER_HEAD:
        return _before_body(stack, counters, tag, here)
    if here in (IN_CELL, IN_CAPTION):
        return _in_cell(stack, formats, counters, tag, bits, here)
    if here == IN_COLGROUP:
        return _in_colgroup(stack, counters, tag)
    if here in (IN_TABLE, IN_ROWS, IN_ROW):
        return _in_table(stack, formats, counters, tag, bits, here)
    if here == IN_BODY:
        _in_body(stack, formats, counters, tag, bits)
    elif here > IN_TEMPLATE and tag == _FRAMESET:
        _end_frameset(stack, counters)
    return np.int64(_DONE)


@compiled
def _end_template(stack: Ints, formats: Ints, counters: Ints) -> None:
    noinline()
    if counters[TEMPLATES]:
        close_all_implied(stack, counters)
        at = top(counters)
        while at > 0 and (stack[at, TAG] != TEMPLATE or stack[at, BITS_OF] & OUTSIDE_HTML):
            at -= 1
        pop_to(stack, counters, at)
        clear_to_marker(formats, counters)


@compiled
def _before_body(stack: Ints, counters: Ints, tag: Int, here: Int) -> Int:
    noinline()
    if here == HEAD_NOSCRIPT and tag == _NOSCRIPT:
        pop(stack, counters)
        return np.int64(_DONE)
    if here == IN_HEAD and tag == HEAD:
        open_next(stack, counters)
        return np.int64(_DONE)
    opens_next = here != HEAD_NOSCRIPT and (tag in (BODY, HTML) or (tag == HEAD and here == BEFORE_HEAD))
    if tag == _BR or opens_next:
        open_next(stack, counters)
        return np.int64(_AGAIN)
    return np.int64(_DONE)


@compiled
def _end_frameset(stack: Ints, counters: Ints) -> None:
    if counters[OPEN] > 1:
        pop(stack, counters)
        if counters[OPEN] == 1:
            stack[0, MODE] = AFTER_FRAMESET


@compiled
def _in_cell(stack: Ints, formats: Ints, counters: Ints, tag: Int, bits: Int, here: Int) -> Int:
    noinline()
    if not bits & (PART | TABLE) and tag != BODY and tag != HTML:
        _in_body(stack, formats, counters, tag, bits)
        return np.int64(_DONE)
    own = bits & CELL if here == IN_CELL else tag == _CAPTION
    if own:
        if find_part(stack, counters, tag) > 0:
            pop_to(stack, counters, find_part(stack, counters, tag))
            clear_to_marker(formats, counters)
        return np.int64(_DONE)
    ends_cell = here == IN_CELL and (bits & ROWS or tag == _TR) and find_part(stack, counters, tag) > 0
    if bits & TABLE or ends_cell:
        if here == IN_CELL and bits & TABLE and find_part(stack, counters, tag) < 0:
            return np.int64(_DONE)
        close_cell(stack, formats, counters)
        return np.int64(_AGAIN)
    return np.int64(_DONE)


@compiled
def _in_colgroup(stack: Ints, counters: Ints, tag: Int) -> Int:
    if tag == _COL:
        return np.int64(_DONE)
    closed = close_colgroup(stack, counters)
    return np.int64(_AGAIN if closed and tag != _COLGROUP else _DONE)


@compiled
def _in_table(stack: Ints, formats: Ints, counters: Ints, tag: Int, bits: Int, here: Int) -> Int:
    noinline()
    if bits & TABLE:
        close_table(stack, counters)
    elif bits & PART:
        if here == IN_ROW and (tag == _TR or bits & ROWS):
            return _part_in_row(stack, counters, tag)
        if here == IN_ROWS and bits & ROWS:
            close_found(stack, counters, find_part(stack, counters, tag))
    elif tag != BODY and tag != HTML:
        _in_body(stack, formats, counters, tag, bits)
    return np.int64(_DONE)


@compiled
def _part_in_row(stack: Ints, counters: Ints, tag: Int) -> Int:
    if tag == _TR:
        close_row(stack, counters)
        return np.int64(_DONE)
    found = find_part(stack, counters, tag) > 0 and close_row(stack, counters)
    return np.int64(_AGAIN if found else _DONE)


@compiled
def _in_body(stack: Ints, formats: Ints, counters: Ints, tag: Int, bits: Int) -> None:
    noinline()
    if bits & FORMATTING:
        adopt(stack, formats, counters, tag)
    elif bits & CONTAINER:
        _end_container(stack, counters, tag)
    elif bits & MARKER:  # parts of tables have their own rules
        if not bits & PART and _end_container(stack, counters, tag):
            clear_to_marker(formats, counters)
    elif bits & HEADING:
        close_found(stack, counters, find_bits(stack, counters, np.int64(HEADING), np.int64(SCOPE)))
    elif tag == P:
        close_found(stack, counters, find(stack, counters, tag, SCOPE | BUTTON))
    elif tag in (_LI, _DD, _DT):
        close_found(stack, counters, find(stack, counters, tag, SCOPE | LIST if tag == _LI else SCOPE))
    elif tag == _FORM:
        _end_form(stack, formats, counters)
    elif tag == _BR:
        rebuild(stack, formats, counters, True)
        counters[FRAMES_OUT] = 1
    elif tag != BODY and tag != HTML:
        end_other(stack, counters, tag)


@compiled
def _end_container(stack: Ints, counters: Ints, tag: Int) -> bool:
    return bool(close_found(stack, counters, in_scope(stack, counters, tag)))


@compiled
def _end_form(stack: Ints, formats: Ints, counters: Ints) -> None:
    """Close a form; elements open in it may stay open."""
    noinline()
    if counters[TEMPLATES]:
        _end_container(stack, counters, np.int64(_FORM))
        return
    identity, counters[FORM] = counters[FORM], 0
    at, last = top(counters), max(top(counters) - REACH, 0)
    while identity and at > last:
        if stack[at, ID] == identity:
            close_implied(stack, counters, np.int64(0))
            if at < counters[OPEN]:
                remove(stack, formats, counters, at)
            return
        if stack[at, BITS_OF] & SCOPE:
            return
        at -= 1
