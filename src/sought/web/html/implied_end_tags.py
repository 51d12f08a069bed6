"""Which open elements does a start tag in the body close?  Tree construction of the HTML standard."""

import numpy as np

from sought.web.compiled import Int, compiled, noinline
from sought.web.html.formatting import active, adopt, forget_link, identity_of
from sought.web.html.open_elements import (
    BITS,
    OUTSIDE_HTML,
    QUIRKS,
    REACH,
    TAG,
    P,
    close_found,
    close_implied,
    find,
    in_scope,
    leave_menu,
    pop,
    pop_to,
    top,
)
from sought.web.html.tags import (
    ARTICLE,
    BLOCK,
    BUTTON,
    FORMATTING,
    HEADING,
    MAIN,
    SCOPE,
    SPECIAL,
    TABLE,
    number,
)
from sought.web.html.tokens import Ints

_ADDRESS, _DIV, _LI, _DD, _DT = (number(name) for name in ("address", "div", "li", "dd", "dt"))
_SELECT, _OPTION, _OPTGROUP, _HR, _INPUT = (number(name) for name in ("select", "option", "optgroup", "hr", "input"))
_RB, _RTC, _RP, _RT, _RUBY = (number(name) for name in ("rb", "rtc", "rp", "rt", "ruby"))
_LINK, _BUTTON = number("a"), number("button")


@compiled
def close_for_start(stack: Ints, formats: Ints, counters: Ints, tag: Int, bits: Int) -> None:
    """Close the elements that a start tag in the body closes."""
    noinline()
    if bits & (MAIN | ARTICLE):
        leave_menu(stack, counters, bits)
    if tag == _LI:
        _close_item(stack, counters, tag, tag)
    elif tag in (_DD, _DT):
        _close_item(stack, counters, np.int64(_DD), np.int64(_DT))
    if bits & BLOCK or (bits & TABLE and not counters[QUIRKS]):
        _close_p(stack, counters)
    if bits & HEADING:
        if stack[top(counters), BITS] & HEADING:
            pop(stack, counters)
    elif bits & FORMATTING:
        if tag == _LINK:
            _end_link(stack, formats, counters)
    elif tag == _BUTTON:
        at = in_scope(stack, counters, tag)
        if at > 0:
            pop_to(stack, counters, at)
    else:
        _close_options(stack, counters, tag)


@compiled
def _close_p(stack: Ints, counters: Ints) -> None:
    at = find(stack, counters, P, SCOPE | BUTTON)
    if at > 0:
        pop_to(stack, counters, at)


@compiled
def _close_options(stack: Ints, counters: Ints, tag: Int) -> None:
    """Options, and parts of ruby."""
    noinline()
    if tag in (_OPTION, _OPTGROUP, _HR):
        if in_scope(stack, counters, np.int64(_SELECT)) > 0:
            close_implied(stack, counters, np.int64(_OPTGROUP if tag == _OPTION else 0))
        elif tag != _HR and stack[top(counters), TAG] == _OPTION:
            pop(stack, counters)
    elif tag == _INPUT:
        close_found(stack, counters, in_scope(stack, counters, np.int64(_SELECT)))
    elif tag in (_RB, _RTC, _RP, _RT) and in_scope(stack, counters, np.int64(_RUBY)) > 0:
        close_implied(stack, counters, np.int64(_RTC if tag in (_RP, _RT) else 0))


@compiled
def _close_item(stack: Ints, counters: Ints, one: Int, other: Int) -> None:
    """End the item before, unless a block is between."""
    noinline()
    at, last = top(counters), max(top(counters) - REACH, 0)
    while at > last:
        tag, bits = stack[at, TAG], stack[at, BITS]
        if (tag in (one, other)) and not bits & OUTSIDE_HTML:
            pop_to(stack, counters, at)
            return
        if bits & SPECIAL and tag not in (_ADDRESS, _DIV, P):
            return
        at -= 1


@compiled
def _end_link(stack: Ints, formats: Ints, counters: Ints) -> None:
    """End the open link: links do not nest."""
    noinline()
    row = active(formats, counters, np.int64(_LINK))
    if row >= 0:
        identity = identity_of(formats, row)
        adopt(stack, formats, counters, np.int64(_LINK))
        forget_link(stack, formats, counters, identity)
