"""What does text close and open, and is it allowed here?  Tree construction of the HTML standard, for characters."""

from sought.web.compiled import Int, compiled, noinline
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
    needs_foster_parent,
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
def is_foreign(stack: Ints, counters: Ints) -> bool:
    """Whether text is of svg or math, where NUL is a character."""
    around = stack[top(counters), BITS]
    return bool(around & OUTSIDE_HTML and not around & (TEXT_POINT | HTML_POINT))


@compiled
def admit_text(blank: bool, stack: Ints, formats: Ints, counters: Ints) -> bool:
    """Close and open elements for text; return whether text is allowed here."""
    noinline()
    here = mode(stack, counters)
    if not blank:
        while here <= AFTER_HEAD:
            open_next(stack, counters)
            here = mode(stack, counters)
        if here == IN_COLGROUP:
            if not close_colgroup(stack, counters):
                return False
            here = mode(stack, counters)
        counters[FRAMES_OUT] = 1
    if is_foreign(stack, counters):
        return True
    if (
        here >= IN_BODY
        and here <= IN_TEMPLATE
        and here != IN_COLGROUP
        and not (blank and needs_foster_parent(stack, top(counters)))
    ):
        rebuild(stack, formats, counters, True)
    return bool(here <= IN_TEMPLATE)


@compiled
def leave_link(stack: Ints, counters: Ints) -> None:
    """End the open link if a table has closed its element: this text is not in it."""
    if counters[LINK_OPEN] and not in_link(stack, counters):
        counters[CLOSED] |= LINK_CLOSED
