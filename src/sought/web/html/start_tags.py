"""What becomes of a start tag?  Tree construction of the HTML standard."""

import numpy as np

from sought.web.compiled import Int, compiled, noinline
from sought.web.html.foreign_tags import is_html, leave_foreign
from sought.web.html.formatting import adopt, keep, mark, rebuild
from sought.web.html.implied_end_tags import close_for_start
from sought.web.html.open_elements import (
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
    IN_FRAMESET,
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
    TEMPLATES,
    close_found,
    foreign,
    hide,
    in_scope,
    mode,
    pop_to,
    push,
    top,
)
from sought.web.html.table_tags import (
    AGAIN,
    EMPTY,
    IGNORED,
    OPENED,
    close_cell,
    close_table,
    in_colgroup,
    part_in_row,
    part_in_rows,
    part_in_table,
)
from sought.web.html.tags import BITS as TAG_BITS
from sought.web.html.tags import (
    BREAKOUT,
    CELL,
    FOREIGN,
    FORMATTING,
    HEAD_CONTENT,
    HIDDEN,
    MARKER,
    NO_FRAMESET,
    NO_REBUILD,
    PART,
    ROWS,
    SELF_CLOSING,
    TABLE,
    TYPE_HIDDEN,
    VOID,
    number,
)
from sought.web.html.tokens import Ints

MISPLACED = 4  # added to the outcome of a start tag that is misplaced in a table

_FORM, _NOBR, _TR, _SELECT, _INPUT, _COL = (number(name) for name in ("form", "nobr", "tr", "select", "input", "col"))
_FRAMESET, _FRAME, _NOFRAMES = (number(name) for name in ("frameset", "frame", "noframes"))
_NOSCRIPT, _CAPTION, _COLGROUP = (number(name) for name in ("noscript", "caption", "colgroup"))
_HEAD_NOSCRIPT_TAGS = tuple(number(name) for name in ("basefont", "bgsound", "link", "meta", "noframes", "style"))
_TABLE_HEAD_TAGS = tuple(number(name) for name in ("style", "script", "template"))
_HEAD_BITS, _BODY_BITS, _NOSCRIPT_BITS = (TAG_BITS[name] for name in ("head", "body", "noscript"))


@compiled
def start(stack: Ints, formats: Ints, counters: Ints, tag: Int, bits: Int) -> Int:
    """Close and open elements as a start tag requires, except its own; return the outcome for that."""
    noinline()
    outcome: Int = np.int64(AGAIN)
    for _ in range(REACH):  # every round but the last closes or opens something
        if foreign(stack, counters) and not is_html(stack, counters, tag):
            outcome = _foreign(stack, counters, tag, bits)
        else:
            outcome = _by_mode(stack, formats, counters, tag, bits)
        if outcome != AGAIN:
            break
    return outcome


@compiled
def _foreign(stack: Ints, counters: Ints, tag: Int, bits: Int) -> Int:
    if bits & BREAKOUT:
        leave_foreign(stack, counters)
        return np.int64(AGAIN)
    return np.int64(EMPTY if bits & SELF_CLOSING else OPENED)


@compiled
def _by_mode(stack: Ints, formats: Ints, counters: Ints, tag: Int, bits: Int) -> Int:
    noinline()
    here = mode(stack, counters)
    if here <= AFTER_HEAD:
        outcome = _before_body(stack, counters, tag, bits, here)
    elif here == IN_BODY:
        outcome = _in_body(stack, formats, counters, tag, bits, False)
    elif here in (IN_CELL, IN_CAPTION):
        outcome = _in_cell(stack, formats, counters, tag, bits)
    elif here <= IN_COLGROUP:
        outcome = _in_table(stack, formats, counters, tag, bits, here)
    elif here == IN_TEMPLATE:
        outcome = _in_template(stack, counters, tag, bits)
    else:
        outcome = _in_frameset(counters, stack, tag, here)
    return np.int64(outcome)


@compiled
def open_next(stack: Ints, counters: Ints) -> None:
    """Go one insertion mode on, from before the head towards the body, for content that does not belong here.

    A <noscript> of the head stays open in the body: by the standard it would end and its content be visible.
    """
    noinline()
    here = mode(stack, counters)
    if here == BEFORE_HEAD:
        push(stack, counters, HEAD, np.int64(_HEAD_BITS), False)
    elif here == AFTER_HEAD:
        push(stack, counters, BODY, np.int64(_BODY_BITS), False)
    else:
        pop_to(stack, counters, 1)
        stack[0, MODE] = AFTER_HEAD
        if here == HEAD_NOSCRIPT:
            push(stack, counters, BODY, np.int64(_BODY_BITS), False)
            push(stack, counters, np.int64(_NOSCRIPT), np.int64(_NOSCRIPT_BITS), False)


@compiled
def _before_body(stack: Ints, counters: Ints, tag: Int, bits: Int, here: Int) -> Int:
    noinline()
    if tag == HTML:
        return _merge_attributes(stack, counters, bits, 0)
    if here == HEAD_NOSCRIPT:
        if tag in _HEAD_NOSCRIPT_TAGS:
            return np.int64(EMPTY if bits & VOID else OPENED)
        if tag in (HEAD, _NOSCRIPT):
            return np.int64(IGNORED)
    elif here == BEFORE_HEAD and tag == HEAD:
        return np.int64(OPENED)
    elif here != BEFORE_HEAD:
        if bits & HEAD_CONTENT or (here == IN_HEAD and tag == _NOSCRIPT):
            return np.int64(EMPTY if bits & VOID else OPENED)
        if tag == HEAD:
            return np.int64(IGNORED)
        if here == AFTER_HEAD and (tag in (BODY, _FRAMESET)):
            counters[FRAMES_OUT] |= tag == BODY
            return np.int64(OPENED)
    open_next(stack, counters)
    return np.int64(AGAIN)


@compiled
def _merge_attributes(stack: Ints, counters: Ints, bits: Int, at: Int) -> Int:
    """Add the attributes of a second <html> or <body> to the first."""
    if bits & HIDDEN and not counters[TEMPLATES]:
        hide(stack, counters, at)
    return np.int64(IGNORED)


@compiled
def _in_body(stack: Ints, formats: Ints, counters: Ints, tag: Int, bits: Int, misplaced: bool) -> Int:
    noinline()
    if bits & PART or tag in (HEAD, _FRAME):
        return np.int64(IGNORED)
    if tag in (HTML, BODY):
        return _repeated(stack, counters, tag, bits)
    if tag == _FRAMESET:
        return _start_frameset(stack, counters)
    if bits & NO_FRAMESET and not bits & TYPE_HIDDEN:
        counters[FRAMES_OUT] = 1
    if tag == _FORM and counters[FORM] and not counters[TEMPLATES]:
        return np.int64(IGNORED)
    if tag == _SELECT and close_found(stack, counters, in_scope(stack, counters, tag)):
        return np.int64(IGNORED)
    close_for_start(stack, formats, counters, tag, bits)
    if not bits & NO_REBUILD:
        rebuild(stack, formats, counters, misplaced)
        if tag == _NOBR and in_scope(stack, counters, tag) > 0:
            adopt(stack, formats, counters, tag)
            rebuild(stack, formats, counters, misplaced)
    empty = bits & VOID or (bits & FOREIGN and bits & SELF_CLOSING)
    return np.int64((EMPTY if empty else OPENED) + MISPLACED * misplaced)


@compiled
def _repeated(stack: Ints, counters: Ints, tag: Int, bits: Int) -> Int:
    noinline()
    if tag == HTML:
        return _merge_attributes(stack, counters, bits, 0)
    if counters[OPEN] > 1 and stack[1, TAG] == BODY and not counters[TEMPLATES]:
        counters[FRAMES_OUT] = 1
        return _merge_attributes(stack, counters, bits, 1)
    return np.int64(IGNORED)


@compiled
def _start_frameset(stack: Ints, counters: Ints) -> Int:
    """A <frameset> replaces a <body> in which nothing is visible."""
    noinline()
    if counters[FRAMES_OUT] or counters[OPEN] < 2 or stack[1, TAG] != BODY:
        return np.int64(IGNORED)
    pop_to(stack, counters, 1)
    return np.int64(OPENED)


@compiled
def _in_cell(stack: Ints, formats: Ints, counters: Ints, tag: Int, bits: Int) -> Int:
    if bits & PART:
        close_cell(stack, formats, counters)
        return np.int64(AGAIN)
    return _in_body(stack, formats, counters, tag, bits, False)


@compiled
def _in_table(stack: Ints, formats: Ints, counters: Ints, tag: Int, bits: Int, here: Int) -> Int:
    noinline()
    if here == IN_COLGROUP:
        return _merge_attributes(stack, counters, bits, 0) if tag == HTML else in_colgroup(stack, counters, tag)
    if bits & PART:
        if here == IN_TABLE:
            return part_in_table(stack, counters, tag, bits)
        if here == IN_ROWS:
            return part_in_rows(stack, counters, tag, bits)
        return part_in_row(stack, counters, bits)
    if bits & TABLE:
        return np.int64(AGAIN if close_table(stack, counters) else IGNORED)
    if tag in _TABLE_HEAD_TAGS:
        return np.int64(OPENED)
    if tag == _INPUT and bits & TYPE_HIDDEN:
        return np.int64(EMPTY)
    if tag == _FORM:
        return _form_in_table(counters)
    return _in_body(stack, formats, counters, tag, bits, True)


@compiled
def _form_in_table(counters: Ints) -> Int:
    """The form is empty, and no other form may start until its end tag."""
    if counters[FORM] or counters[TEMPLATES]:
        return np.int64(IGNORED)
    counters[FORM] = -1
    return np.int64(EMPTY)


@compiled
def _in_template(stack: Ints, counters: Ints, tag: Int, bits: Int) -> Int:
    """The first tag in a template that is no head content decides the template's insertion mode."""
    noinline()
    if bits & HEAD_CONTENT:
        return np.int64(EMPTY if bits & VOID else OPENED)
    inner_mode = IN_BODY
    if bits & ROWS or tag in (_CAPTION, _COLGROUP):
        inner_mode = IN_TABLE
    elif tag == _COL:
        inner_mode = IN_COLGROUP
    elif tag == _TR:
        inner_mode = IN_ROWS
    elif bits & CELL:
        inner_mode = IN_ROW
    stack[top(counters), MODE] = inner_mode
    return np.int64(AGAIN)


@compiled
def _in_frameset(counters: Ints, stack: Ints, tag: Int, here: Int) -> Int:
    noinline()
    if tag == _NOFRAMES:
        return np.int64(OPENED)
    if here == IN_FRAMESET and tag == _FRAMESET:
        return np.int64(OPENED)
    return np.int64(EMPTY if here == IN_FRAMESET and tag == _FRAME else IGNORED)


@compiled
def open_element(stack: Ints, formats: Ints, counters: Ints, tag: Int, bits: Int, misplaced: bool, hashed: Int) -> None:
    """Open the element of a start tag; remember a form, a marker or a formatting element."""
    noinline()
    push(stack, counters, tag, bits, misplaced)
    if bits & OUTSIDE_HTML:
        return
    if tag == _FORM and not counters[TEMPLATES]:
        counters[FORM] = stack[top(counters), ID]
    if bits & MARKER:
        mark(formats, counters)
    elif bits & FORMATTING:
        keep(stack, formats, counters, hashed)
