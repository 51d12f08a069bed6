"""What does text close and open before it is written?  Tree construction of the HTML standard, for characters."""

from sought.web.compiled import Int, apart, compiled
from sought.web.html.formatting import rebuild
from sought.web.html.open_elements import (
    AFTER_HEAD,
    BITS,
    CLOSED,
    FRAMES_OUT,
    IN_BODY,
    IN_COLGROUP,
    IN_TEMPLATE,
    LINK_CLOSED,
    OUTSIDE_HTML,
    in_link,
    mode,
    throws_out,
    top,
)
from sought.web.html.records import LINK_OPEN
from sought.web.html.start_tags import open_next
from sought.web.html.table_tags import close_colgroup
from sought.web.html.tags import HTML_POINT, TEXT_POINT
from sought.web.html.tokens import Bytes, Ints, is_space


@compiled
def is_blank(data: Bytes, i: Int, end: Int, stop: Int) -> bool:
    while i < end and data[i] != stop:
        if not (is_space(data[i]) or data[i] == 0):
            return False
        i += 1
    return True


@compiled
def is_foreign(stack: Ints, now: Ints) -> bool:
    """Whether text is of svg or math, where NUL is a character."""
    around = stack[top(now), BITS]
    return bool(around & OUTSIDE_HTML and not around & (TEXT_POINT | HTML_POINT))


@compiled
def admitted(blank: bool, stack: Ints, formats: Ints, now: Ints) -> bool:
    """Make way for text; whether there may be any."""
    apart()
    here = mode(stack, now)
    if not blank:
        while here <= AFTER_HEAD:
            open_next(stack, now)
            here = mode(stack, now)
        if here == IN_COLGROUP:
            if not close_colgroup(stack, now):
                return False
            here = mode(stack, now)
        now[FRAMES_OUT] = 1
    if is_foreign(stack, now):
        return True
    if here >= IN_BODY and here <= IN_TEMPLATE and here != IN_COLGROUP and not (blank and throws_out(stack, top(now))):
        rebuild(stack, formats, now, True)
    return bool(here <= IN_TEMPLATE)


@compiled
def leave_link(stack: Ints, now: Ints) -> None:
    """A table may have closed the element of a link that goes on behind the table: what is here is not in it."""
    if now[LINK_OPEN] and not in_link(stack, now):
        now[CLOSED] |= LINK_CLOSED
