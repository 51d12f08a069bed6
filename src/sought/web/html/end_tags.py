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
def end(stack: Ints, formats: Ints, now: Ints, tag: Int, bits: Int) -> None:
    """An end tag; one that ends nothing changes nothing."""
    noinline()
    if foreign(stack, now) and _ended_foreign(stack, now, tag):
        return
    for _ in range(REACH):  # every round but the last closes or opens something
        if _by_mode(stack, formats, now, tag, bits) == _DONE:
            return


@compiled
def _ended_foreign(stack: Ints, now: Ints, tag: Int) -> bool:
    """Close an element of svg or math; whether that was all.  Else the rules of HTML decide."""
    noinline()
    if tag in (P, _BR):
        leave_foreign(stack, now)
        return False
    at, last = top(now), max(top(now) - REACH, 0)
    while at > last and stack[at, BITS_OF] & OUTSIDE_HTML:
        if stack[at, TAG] == tag:
            pop_to(stack, now, at)
            return True
        at -= 1
    return bool(at <= last)


@compiled
def _by_mode(stack: Ints, formats: Ints, now: Ints, tag: Int, bits: Int) -> Int:
    noinline()
    here = mode(stack, now)
    if tag == TEMPLATE and here not in (BEFORE_HEAD, HEAD_NOSCRIPT):
        _end_template(stack, formats, now)
        return np.int64(_DONE)
    if here <= AFTER_HEAD:
        return _before_body(stack, now, tag, here)
    if here in (IN_CELL, IN_CAPTION):
        return _in_cell(stack, formats, now, tag, bits, here)
    if here == IN_COLGROUP:
        return _in_colgroup(stack, now, tag)
    if here in (IN_TABLE, IN_ROWS, IN_ROW):
        return _in_table(stack, formats, now, tag, bits, here)
    if here == IN_BODY:
        _in_body(stack, formats, now, tag, bits)
    elif here > IN_TEMPLATE and tag == _FRAMESET:
        _end_frameset(stack, now)
    return np.int64(_DONE)


@compiled
def _end_template(stack: Ints, formats: Ints, now: Ints) -> None:
    noinline()
    if now[TEMPLATES]:
        close_all_implied(stack, now)
        at = top(now)
        while at > 0 and (stack[at, TAG] != TEMPLATE or stack[at, BITS_OF] & OUTSIDE_HTML):
            at -= 1
        pop_to(stack, now, at)
        clear_to_marker(formats, now)


@compiled
def _before_body(stack: Ints, now: Ints, tag: Int, here: Int) -> Int:
    noinline()
    if here == HEAD_NOSCRIPT and tag == _NOSCRIPT:
        pop(stack, now)
        return np.int64(_DONE)
    if here == IN_HEAD and tag == HEAD:
        open_next(stack, now)
        return np.int64(_DONE)
    others = here != HEAD_NOSCRIPT and (tag in (BODY, HTML) or (tag == HEAD and here == BEFORE_HEAD))
    if tag == _BR or others:
        open_next(stack, now)
        return np.int64(_AGAIN)
    return np.int64(_DONE)


@compiled
def _end_frameset(stack: Ints, now: Ints) -> None:
    if now[OPEN] > 1:
        pop(stack, now)
        if now[OPEN] == 1:
            stack[0, MODE] = AFTER_FRAMESET


@compiled
def _in_cell(stack: Ints, formats: Ints, now: Ints, tag: Int, bits: Int, here: Int) -> Int:
    noinline()
    if not bits & (PART | TABLE) and tag != BODY and tag != HTML:
        _in_body(stack, formats, now, tag, bits)
        return np.int64(_DONE)
    own = bits & CELL if here == IN_CELL else tag == _CAPTION
    if own:
        if find_part(stack, now, tag) > 0:
            pop_to(stack, now, find_part(stack, now, tag))
            clear_to_marker(formats, now)
        return np.int64(_DONE)
    ends_cell = here == IN_CELL and (bits & ROWS or tag == _TR) and find_part(stack, now, tag) > 0
    if bits & TABLE or ends_cell:
        if here == IN_CELL and bits & TABLE and find_part(stack, now, tag) < 0:
            return np.int64(_DONE)
        close_cell(stack, formats, now)
        return np.int64(_AGAIN)
    return np.int64(_DONE)


@compiled
def _in_colgroup(stack: Ints, now: Ints, tag: Int) -> Int:
    if tag == _COL:
        return np.int64(_DONE)
    closed = close_colgroup(stack, now)
    return np.int64(_AGAIN if closed and tag != _COLGROUP else _DONE)


@compiled
def _in_table(stack: Ints, formats: Ints, now: Ints, tag: Int, bits: Int, here: Int) -> Int:
    noinline()
    if bits & TABLE:
        close_table(stack, now)
    elif bits & PART:
        if here == IN_ROW and (tag == _TR or bits & ROWS):
            return _part_in_row(stack, now, tag)
        if here == IN_ROWS and bits & ROWS:
            close_found(stack, now, find_part(stack, now, tag))
    elif tag != BODY and tag != HTML:
        _in_body(stack, formats, now, tag, bits)
    return np.int64(_DONE)


@compiled
def _part_in_row(stack: Ints, now: Ints, tag: Int) -> Int:
    if tag == _TR:
        close_row(stack, now)
        return np.int64(_DONE)
    found = find_part(stack, now, tag) > 0 and close_row(stack, now)
    return np.int64(_AGAIN if found else _DONE)


@compiled
def _in_body(stack: Ints, formats: Ints, now: Ints, tag: Int, bits: Int) -> None:
    noinline()
    if bits & FORMATTING:
        adopt(stack, formats, now, tag)
    elif bits & CONTAINER:
        _end_container(stack, now, tag)
    elif bits & MARKER:  # those of tables have rules of their own
        if not bits & PART and _end_container(stack, now, tag):
            clear_to_marker(formats, now)
    elif bits & HEADING:
        close_found(stack, now, find_bits(stack, now, np.int64(HEADING), np.int64(SCOPE)))
    elif tag == P:
        close_found(stack, now, find(stack, now, tag, SCOPE | BUTTON))
    elif tag in (_LI, _DD, _DT):
        close_found(stack, now, find(stack, now, tag, SCOPE | LIST if tag == _LI else SCOPE))
    elif tag == _FORM:
        _end_form(stack, formats, now)
    elif tag == _BR:
        rebuild(stack, formats, now, True)
        now[FRAMES_OUT] = 1
    elif tag != BODY and tag != HTML:
        end_other(stack, now, tag)


@compiled
def _end_container(stack: Ints, now: Ints, tag: Int) -> bool:
    return bool(close_found(stack, now, in_scope(stack, now, tag)))


@compiled
def _end_form(stack: Ints, formats: Ints, now: Ints) -> None:
    """A form may end before what is open in it does."""
    noinline()
    if now[TEMPLATES]:
        _end_container(stack, now, np.int64(_FORM))
        return
    identity, now[FORM] = now[FORM], 0
    at, last = top(now), max(top(now) - REACH, 0)
    while identity and at > last:
        if stack[at, ID] == identity:
            close_implied(stack, now, np.int64(0))
            if at < now[OPEN]:
                remove(stack, formats, now, at)
            return
        if stack[at, BITS_OF] & SCOPE:
            return
        at -= 1
