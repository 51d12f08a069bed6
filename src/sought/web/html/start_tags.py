"""Where does an element go that starts here, and what does its start close?  Tree construction of the HTML standard."""

import numpy as np

from sought.web.compiled import Int, compiled, noinline
from sought.web.html.foreign_tags import is_html, leave_foreign
from sought.web.html.formatting import active, adopt, forget_link, identity_of, keep, mark, rebuild
from sought.web.html.open_elements import (
    AFTER_HEAD,
    BEFORE_HEAD,
    BITS,
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
    QUIRKS,
    REACH,
    TAG,
    TEMPLATES,
    P,
    close_found,
    close_implied,
    find,
    foreign,
    hide,
    in_scope,
    leave_menu,
    mode,
    pop,
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
from sought.web.html.tags import (
    ARTICLE,
    BLOCK,
    BREAKOUT,
    BUTTON,
    CELL,
    FOREIGN,
    FORMATTING,
    HEAD_CONTENT,
    HEADING,
    HIDDEN,
    MAIN,
    MARKER,
    NO_FRAMESET,
    NO_REBUILD,
    PART,
    ROWS,
    SCOPE,
    SELF_CLOSING,
    SPECIAL,
    TABLE,
    TYPE_HIDDEN,
    VOID,
    number,
)
from sought.web.html.tags import BITS as TAG_BITS
from sought.web.html.tokens import Ints

MISPLACED = 4  # added to what becomes of a start tag: it is in a table, where it does not belong

_ADDRESS, _DIV, _LI, _DD, _DT, _FORM, _NOBR, _TR = (
    number(name) for name in ("address", "div", "li", "dd", "dt", "form", "nobr", "tr")
)
_SELECT, _OPTION, _OPTGROUP, _HR, _INPUT, _COL, _FRAMESET, _FRAME = (
    number(name) for name in ("select", "option", "optgroup", "hr", "input", "col", "frameset", "frame")
)
_RB, _RTC, _RP, _RT, _RUBY, _NOSCRIPT, _NOFRAMES, _CAPTION, _COLGROUP = (
    number(name) for name in ("rb", "rtc", "rp", "rt", "ruby", "noscript", "noframes", "caption", "colgroup")
)
_LINK, _BUTTON = number("a"), number("button")
_HEAD_NOSCRIPT_TAGS = tuple(number(name) for name in ("basefont", "bgsound", "link", "meta", "noframes", "style"))
_TABLE_HEAD_TAGS = tuple(number(name) for name in ("style", "script", "template"))
_HEAD_BITS, _BODY_BITS, _NOSCRIPT_BITS = (TAG_BITS[name] for name in ("head", "body", "noscript"))


@compiled
def start(stack: Ints, formats: Ints, now: Ints, tag: Int, bits: Int) -> Int:
    """Close and open what a start tag does, except its own element; what becomes of that."""
    noinline()
    found: Int = np.int64(AGAIN)
    for _ in range(REACH):  # every round but the last closes or opens something
        if foreign(stack, now) and not is_html(stack, now, tag):
            found = _foreign(stack, now, tag, bits)
        else:
            found = _by_mode(stack, formats, now, tag, bits)
        if found != AGAIN:
            break
    return found


@compiled
def _foreign(stack: Ints, now: Ints, tag: Int, bits: Int) -> Int:
    if bits & BREAKOUT:
        leave_foreign(stack, now)
        return np.int64(AGAIN)
    return np.int64(EMPTY if bits & SELF_CLOSING else OPENED)


@compiled
def _by_mode(stack: Ints, formats: Ints, now: Ints, tag: Int, bits: Int) -> Int:
    noinline()
    here = mode(stack, now)
    if here <= AFTER_HEAD:
        found = _before_body(stack, now, tag, bits, here)
    elif here == IN_BODY:
        found = _in_body(stack, formats, now, tag, bits, False)
    elif here in (IN_CELL, IN_CAPTION):
        found = _in_cell(stack, formats, now, tag, bits)
    elif here <= IN_COLGROUP:
        found = _in_table(stack, formats, now, tag, bits, here)
    elif here == IN_TEMPLATE:
        found = _in_template(stack, now, tag, bits)
    else:
        found = _in_frameset(now, stack, tag, here)
    return np.int64(found)


@compiled
def open_next(stack: Ints, now: Ints) -> None:
    """What comes does not belong here: one step on, from before the head into the body.

    A <noscript> of the head goes on in the body: by the standard it ends, and what it holds would be seen.
    """
    noinline()
    here = mode(stack, now)
    if here == BEFORE_HEAD:
        push(stack, now, HEAD, np.int64(_HEAD_BITS), False)
    elif here == AFTER_HEAD:
        push(stack, now, BODY, np.int64(_BODY_BITS), False)
    else:
        pop_to(stack, now, 1)
        stack[0, MODE] = AFTER_HEAD
        if here == HEAD_NOSCRIPT:
            push(stack, now, BODY, np.int64(_BODY_BITS), False)
            push(stack, now, np.int64(_NOSCRIPT), np.int64(_NOSCRIPT_BITS), False)


@compiled
def _before_body(stack: Ints, now: Ints, tag: Int, bits: Int, here: Int) -> Int:
    noinline()
    if tag == HTML:
        return _merged(stack, now, bits, 0)
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
            now[FRAMES_OUT] |= tag == BODY
            return np.int64(OPENED)
    open_next(stack, now)
    return np.int64(AGAIN)


@compiled
def _merged(stack: Ints, now: Ints, bits: Int, at: Int) -> Int:
    """A second <html> or <body> adds its attributes to the first."""
    if bits & HIDDEN and not now[TEMPLATES]:
        hide(stack, now, at)
    return np.int64(IGNORED)


@compiled
def _close_p(stack: Ints, now: Ints) -> None:
    at = find(stack, now, P, SCOPE | BUTTON)
    if at > 0:
        pop_to(stack, now, at)


@compiled
def _in_body(stack: Ints, formats: Ints, now: Ints, tag: Int, bits: Int, misplaced: bool) -> Int:
    noinline()
    if bits & PART or tag in (HEAD, _FRAME):
        return np.int64(IGNORED)
    if tag in (HTML, BODY):
        return _second(stack, now, tag, bits)
    if tag == _FRAMESET:
        return _frames(stack, now)
    if bits & NO_FRAMESET and not bits & TYPE_HIDDEN:
        now[FRAMES_OUT] = 1
    if tag == _FORM and now[FORM] and not now[TEMPLATES]:
        return np.int64(IGNORED)
    if tag == _SELECT and close_found(stack, now, in_scope(stack, now, tag)):
        return np.int64(IGNORED)
    _make_way(stack, formats, now, tag, bits)
    if not bits & NO_REBUILD:
        rebuild(stack, formats, now, misplaced)
        if tag == _NOBR and in_scope(stack, now, tag) > 0:
            adopt(stack, formats, now, tag)
            rebuild(stack, formats, now, misplaced)
    empty = bits & VOID or (bits & FOREIGN and bits & SELF_CLOSING)
    return np.int64((EMPTY if empty else OPENED) + MISPLACED * misplaced)


@compiled
def _second(stack: Ints, now: Ints, tag: Int, bits: Int) -> Int:
    noinline()
    if tag == HTML:
        return _merged(stack, now, bits, 0)
    if now[OPEN] > 1 and stack[1, TAG] == BODY and not now[TEMPLATES]:
        now[FRAMES_OUT] = 1
        return _merged(stack, now, bits, 1)
    return np.int64(IGNORED)


@compiled
def _frames(stack: Ints, now: Ints) -> Int:
    """A <frameset> replaces a <body> in which nothing is to be seen."""
    noinline()
    if now[FRAMES_OUT] or now[OPEN] < 2 or stack[1, TAG] != BODY:
        return np.int64(IGNORED)
    pop_to(stack, now, 1)
    return np.int64(OPENED)


@compiled
def _make_way(stack: Ints, formats: Ints, now: Ints, tag: Int, bits: Int) -> None:
    """Close what a start tag in the body closes."""
    noinline()
    if bits & (MAIN | ARTICLE):
        leave_menu(stack, now, bits)
    if tag == _LI:
        _close_item(stack, now, tag, tag)
    elif tag in (_DD, _DT):
        _close_item(stack, now, np.int64(_DD), np.int64(_DT))
    if bits & BLOCK or (bits & TABLE and not now[QUIRKS]):
        _close_p(stack, now)
    if bits & HEADING:
        if stack[top(now), BITS] & HEADING:
            pop(stack, now)
    elif bits & FORMATTING:
        if tag == _LINK:
            _end_link(stack, formats, now)
    elif tag == _BUTTON:
        at = in_scope(stack, now, tag)
        if at > 0:
            pop_to(stack, now, at)
    else:
        _make_way_for_choices(stack, now, tag)


@compiled
def _make_way_for_choices(stack: Ints, now: Ints, tag: Int) -> None:
    """Options, and what is alike: parts of ruby."""
    noinline()
    if tag in (_OPTION, _OPTGROUP, _HR):
        if in_scope(stack, now, np.int64(_SELECT)) > 0:
            close_implied(stack, now, np.int64(_OPTGROUP if tag == _OPTION else 0))
        elif tag != _HR and stack[top(now), TAG] == _OPTION:
            pop(stack, now)
    elif tag == _INPUT:
        close_found(stack, now, in_scope(stack, now, np.int64(_SELECT)))
    elif tag in (_RB, _RTC, _RP, _RT) and in_scope(stack, now, np.int64(_RUBY)) > 0:
        close_implied(stack, now, np.int64(_RTC if tag in (_RP, _RT) else 0))


@compiled
def _close_item(stack: Ints, now: Ints, one: Int, other: Int) -> None:
    """An item ends the one before it, unless a block is between."""
    noinline()
    at, last = top(now), max(top(now) - REACH, 0)
    while at > last:
        tag, bits = stack[at, TAG], stack[at, BITS]
        if (tag in (one, other)) and not bits & OUTSIDE_HTML:
            pop_to(stack, now, at)
            return
        if bits & SPECIAL and tag not in (_ADDRESS, _DIV, P):
            return
        at -= 1


@compiled
def _end_link(stack: Ints, formats: Ints, now: Ints) -> None:
    """Links do not nest: a new one ends the open one."""
    noinline()
    row = active(formats, now, np.int64(_LINK))
    if row >= 0:
        identity = identity_of(formats, row)
        adopt(stack, formats, now, np.int64(_LINK))
        forget_link(stack, formats, now, identity)


@compiled
def _in_cell(stack: Ints, formats: Ints, now: Ints, tag: Int, bits: Int) -> Int:
    if bits & PART:
        close_cell(stack, formats, now)
        return np.int64(AGAIN)
    return _in_body(stack, formats, now, tag, bits, False)


@compiled
def _in_table(stack: Ints, formats: Ints, now: Ints, tag: Int, bits: Int, here: Int) -> Int:
    noinline()
    if here == IN_COLGROUP:
        return _merged(stack, now, bits, 0) if tag == HTML else in_colgroup(stack, now, tag)
    if bits & PART:
        if here == IN_TABLE:
            return part_in_table(stack, now, tag, bits)
        if here == IN_ROWS:
            return part_in_rows(stack, now, tag, bits)
        return part_in_row(stack, now, bits)
    if bits & TABLE:
        return np.int64(AGAIN if close_table(stack, now) else IGNORED)
    if tag in _TABLE_HEAD_TAGS:
        return np.int64(OPENED)
    if tag == _INPUT and bits & TYPE_HIDDEN:
        return np.int64(EMPTY)
    if tag == _FORM:
        return _form_in_table(now)
    return _in_body(stack, formats, now, tag, bits, True)


@compiled
def _form_in_table(now: Ints) -> Int:
    """It is empty, and no other form may start until its end tag."""
    if now[FORM] or now[TEMPLATES]:
        return np.int64(IGNORED)
    now[FORM] = -1
    return np.int64(EMPTY)


@compiled
def _in_template(stack: Ints, now: Ints, tag: Int, bits: Int) -> Int:
    """The first tag in a template that is not of a head tells what the template is part of."""
    noinline()
    if bits & HEAD_CONTENT:
        return np.int64(EMPTY if bits & VOID else OPENED)
    found = IN_BODY
    if bits & ROWS or tag in (_CAPTION, _COLGROUP):
        found = IN_TABLE
    elif tag == _COL:
        found = IN_COLGROUP
    elif tag == _TR:
        found = IN_ROWS
    elif bits & CELL:
        found = IN_ROW
    stack[top(now), MODE] = found
    return np.int64(AGAIN)


@compiled
def _in_frameset(now: Ints, stack: Ints, tag: Int, here: Int) -> Int:
    noinline()
    if tag == _NOFRAMES:
        return np.int64(OPENED)
    if here == IN_FRAMESET and tag == _FRAMESET:
        return np.int64(OPENED)
    return np.int64(EMPTY if here == IN_FRAMESET and tag == _FRAME else IGNORED)


@compiled
def open_element(stack: Ints, formats: Ints, now: Ints, tag: Int, bits: Int, misplaced: bool, hashed: Int) -> None:
    """Open the element of a start tag, and remember of it what is to be remembered."""
    noinline()
    push(stack, now, tag, bits, misplaced)
    if bits & OUTSIDE_HTML:
        return
    if tag == _FORM and not now[TEMPLATES]:
        now[FORM] = stack[top(now), ID]
    if bits & MARKER:
        mark(formats, now)
    elif bits & FORMATTING:
        keep(stack, formats, now, hashed)
