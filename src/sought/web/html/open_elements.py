"""Which elements are open here?  The stack of open elements of the HTML standard, and what it answers.

There is no tree: a row is an element that is open, with the zone of the text in it.  A search looks at REACH rows at
most, and rows are removed once, so that a page takes time in proportion to its size however deep it nests.
"""

import numpy as np

from sought.web.compiled import Bool, Int, compiled, noinline
from sought.web.html.tags import (
    ARTICLE,
    CELL,
    HEADING,
    IMPLIED,
    INERT,
    INLINE,
    MAIN,
    MATH,
    PART_IMPLIED,
    ROWS,
    SCOPE,
    SVG,
    TABLE,
    A,
    number,
)
from sought.web.html.tokens import Ints
from sought.web.html.zones import LIFELESS, NEUTRAL, SHARED, UNSEEN, zone_inside

MAX_OPEN = 65_536  # elements further in do not open: what is in them belongs to those around
REACH = 512  # rows that a search looks at
ROOM = 80  # rows kept free, so that whatever one tag opens has room

# Columns.  PLACE is the zone outside the element, PART_AT the row that set the mode, ID tells it from its copies.
TAG, BITS, ZONE, PLACE, MODE, PART_AT, ID = range(7)
COLUMNS = 7
# Insertion modes of the HTML standard.  Behind IN_TEMPLATE, nothing but frames is seen.
BEFORE_HEAD, IN_HEAD, HEAD_NOSCRIPT, AFTER_HEAD, IN_BODY, IN_CAPTION, IN_CELL, IN_TABLE, IN_ROWS, IN_ROW = range(10)
IN_COLGROUP, IN_TEMPLATE, IN_FRAMESET, AFTER_FRAMESET = range(10, 14)
# Counters of a pass: open elements, rows of formatting, identities given, the open form, open templates, what rules
# out frames, whether an old page asks for old rules, and which kinds of element have just been closed.
OPEN, FORMATS, IDS, FORM, TEMPLATES, FRAMES_OUT, QUIRKS, CLOSED = range(32, 40)

HTML, HEAD, BODY, P, TEMPLATE = (number(name) for name in ("html", "head", "body", "p", "template"))
_ASIDE, _NOSCRIPT, _FRAMESET, _TR = (number(name) for name in ("aside", "noscript", "frameset", "tr"))
_CAPTION, _COLGROUP, _A = (number(name) for name in ("caption", "colgroup", "a"))
LINK_CLOSED, HEADING_CLOSED, BLOCK_CLOSED = 1, 2, 4  # bits of CLOSED
OUTSIDE_HTML = SVG | MATH
TABLE_PARTS = TABLE | ROWS  # with a tag of <tr>: text and elements that are no part of a table go before it
_KIND = 15


@compiled
def copy_row(table: Ints, source: Int, target: Int) -> None:
    for column in range(table.shape[1]):
        table[target, column] = table[source, column]


@compiled
def clear_row(table: Ints, row: Int) -> None:
    for column in range(table.shape[1]):
        table[row, column] = 0


@compiled
def top(now: Ints) -> Int:
    return now[OPEN] - 1


@compiled
def mode(stack: Ints, now: Ints) -> Int:
    return stack[now[OPEN] - 1, MODE]


@compiled
def is_row(stack: Ints, at: Int) -> Bool:
    return stack[at, TAG] == _TR and stack[at, BITS] & OUTSIDE_HTML == 0


@compiled
def needs_foster_parent(stack: Ints, at: Int) -> Bool:
    """Whether this is a table, outside its cells: what does not belong there goes before the table."""
    return stack[at, BITS] & TABLE_PARTS != 0 or is_row(stack, at)


@compiled
def zone_within(stack: Ints, at: Int) -> Int:
    """The zone of text in this row; of text thrown out of a table, that around the table."""
    while at > 0 and needs_foster_parent(stack, at):
        if stack[at, BITS] & TABLE:
            return stack[at, PLACE]
        at -= 1
    return stack[at, ZONE]


@compiled
def zone(stack: Ints, now: Ints) -> Int:
    """The zone of text that comes now."""
    return zone_within(stack, now[OPEN] - 1)


@compiled
def outer_zone(stack: Ints, now: Ints, misplaced: bool) -> Int:
    """The zone that an element which comes now is in."""
    noinline()
    return zone(stack, now) if misplaced else stack[now[OPEN] - 1, ZONE]


@compiled
def _mode_inside(stack: Ints, at: Int, tag: Int, bits: Int) -> Int:
    """The insertion mode that an element sets, or -1."""
    noinline()
    found = -1
    if bits & TABLE:
        found = IN_TABLE
    elif bits & CELL:
        found = IN_CELL
    elif bits & ROWS:
        found = IN_ROWS
    elif tag == _TR:
        found = IN_ROW
    elif tag == TEMPLATE:
        found = IN_TEMPLATE
    elif tag == _CAPTION:
        found = IN_CAPTION
    elif tag == _COLGROUP:
        found = IN_COLGROUP
    elif tag == BODY:
        found = IN_BODY
    return np.int64(found) if found >= 0 else _head_mode(stack, at, tag)


@compiled
def _head_mode(stack: Ints, at: Int, tag: Int) -> Int:
    if tag == HEAD:
        return np.int64(IN_HEAD)
    if tag == _FRAMESET:
        return np.int64(IN_FRAMESET)
    inside_head = tag == _NOSCRIPT and stack[at - 1, MODE] == IN_HEAD
    return np.int64(HEAD_NOSCRIPT if inside_head else -1)


@compiled
def push(stack: Ints, now: Ints, tag: Int, bits: Int, misplaced: bool) -> None:
    """Open an element; one that is misplaced in a table stands before it."""
    noinline()
    at, place = now[OPEN], outer_zone(stack, now, misplaced)
    if at >= MAX_OPEN - ROOM:
        return
    now[IDS] += 1
    stack[at, TAG], stack[at, BITS], stack[at, ID] = tag, bits, now[IDS]
    stack[at, PLACE], stack[at, ZONE] = place, zone_inside(place, bits)
    found = np.int64(-1) if bits & OUTSIDE_HTML else _mode_inside(stack, at, tag, bits)
    stack[at, MODE] = stack[at - 1, MODE] if found < 0 else found
    stack[at, PART_AT] = stack[at - 1, PART_AT] if found < 0 else at
    now[OPEN] = at + 1
    now[TEMPLATES] += tag == TEMPLATE and bits & OUTSIDE_HTML == 0


@compiled
def start_page(stack: Ints, now: Ints) -> None:
    """Open <html>, whether its tag comes or not."""
    clear_row(stack, np.int64(0))
    stack[0, TAG], stack[0, BITS], stack[0, ZONE], stack[0, PLACE] = HTML, SCOPE, NEUTRAL, NEUTRAL
    stack[0, MODE] = BEFORE_HEAD
    now[OPEN] = 1


@compiled
def pop_to(stack: Ints, now: Ints, size: Int) -> None:
    """Close all but so many elements; <html> stays."""
    noinline()
    size = max(size, 1)
    while now[OPEN] > size:
        now[OPEN] -= 1
        at = now[OPEN]
        bits = stack[at, BITS]
        if not bits & INLINE:
            now[CLOSED] |= BLOCK_CLOSED
        if bits & HEADING and stack[at, PLACE] != LIFELESS:
            now[CLOSED] |= HEADING_CLOSED
        if bits & OUTSIDE_HTML:
            if bits & _KIND == A:
                now[CLOSED] |= LINK_CLOSED
        elif stack[at, TAG] == TEMPLATE:
            now[TEMPLATES] -= 1


@compiled
def pop(stack: Ints, now: Ints) -> None:
    pop_to(stack, now, now[OPEN] - 1)


@compiled
def find(stack: Ints, now: Ints, tag: Int, barrier: Int) -> Int:
    """The row of the innermost open HTML element of this name, up to a barrier; or -1."""
    noinline()
    at = now[OPEN] - 1
    last = max(at - REACH, 0)
    while at > last:
        if stack[at, TAG] == tag and not stack[at, BITS] & OUTSIDE_HTML:
            return at
        if stack[at, BITS] & barrier:
            break
        at -= 1
    return np.int64(-1)


@compiled
def find_bits(stack: Ints, now: Ints, bits: Int, barrier: Int) -> Int:
    """The same for any element that has one of these bits."""
    noinline()
    at = now[OPEN] - 1
    last = max(at - REACH, 0)
    while at > last:
        if stack[at, BITS] & bits:
            return at
        if stack[at, BITS] & barrier:
            break
        at -= 1
    return np.int64(-1)


@compiled
def find_part(stack: Ints, now: Ints, tag: Int) -> Int:
    """The row of the part of the innermost table that has this name, or of the table itself; or -1."""
    noinline()
    at = stack[now[OPEN] - 1, PART_AT]
    last = max(at - REACH, 0)
    while at > last:
        if stack[at, TAG] == tag:
            return at
        if stack[at, BITS] & TABLE or stack[at, TAG] == TEMPLATE:
            break
        at = at - 1
    return np.int64(-1)


@compiled
def find_rows(stack: Ints, now: Ints) -> Int:
    """The row of the open <tbody>, <tfoot> or <thead> of the innermost table, or -1."""
    noinline()
    at = stack[now[OPEN] - 1, PART_AT]
    while at > 0 and not stack[at, BITS] & TABLE and stack[at, TAG] != TEMPLATE:
        if stack[at, BITS] & ROWS:
            return at
        at -= 1
    return np.int64(-1)


@compiled
def close_implied(stack: Ints, now: Ints, but: Int) -> None:
    """Close what needs no end tag, up to an element of the name `but`."""
    noinline()
    at = now[OPEN] - 1
    while at > 0 and stack[at, BITS] & IMPLIED and stack[at, TAG] != but:
        pop(stack, now)
        at = now[OPEN] - 1


@compiled
def close_all_implied(stack: Ints, now: Ints) -> None:
    noinline()
    while now[OPEN] > 1 and stack[now[OPEN] - 1, BITS] & (IMPLIED | PART_IMPLIED):
        pop(stack, now)


@compiled
def clear_to(stack: Ints, now: Ints, bits: Int) -> None:
    """Close elements up to one that has one of these bits."""
    noinline()
    while now[OPEN] > 1 and not stack[now[OPEN] - 1, BITS] & bits:
        pop(stack, now)


@compiled
def clear_to_row(stack: Ints, now: Ints) -> None:
    noinline()
    at = now[OPEN] - 1
    while at > 0 and not is_row(stack, at) and not stack[at, BITS] & INERT:
        pop(stack, now)
        at = now[OPEN] - 1


@compiled
def close_found(stack: Ints, now: Ints, at: Int) -> Bool:
    """Close the element in this row, if it is one, and all in it."""
    if at > 0:
        pop_to(stack, now, at)
    return at > 0


@compiled
def hide(stack: Ints, now: Ints, at: Int) -> None:
    """A second <html> or <body> tag says `hidden`: so is all that is open in the element."""
    noinline()
    while at < now[OPEN]:
        if stack[at, ZONE] != LIFELESS:
            stack[at, ZONE] = UNSEEN
        if stack[at, PLACE] != LIFELESS:
            stack[at, PLACE] = UNSEEN
        at += 1


@compiled
def leave_menu(stack: Ints, now: Ints, bits: Int) -> None:
    """What the page is about ends a menu that was left open; an <article> in an <aside> does not."""
    noinline()
    at, last = now[OPEN] - 1, max(now[OPEN] - REACH, 1)
    while at >= last and stack[at, ZONE] == SHARED:
        if bits & ARTICLE and not bits & MAIN and stack[at, TAG] == _ASIDE:
            return
        at -= 1
    for k in range(at + 1, now[OPEN]):
        stack[k, ZONE] = NEUTRAL
        stack[k, PLACE] = max(stack[k, PLACE], NEUTRAL)


@compiled
def foreign(stack: Ints, now: Ints) -> Bool:
    """Whether the innermost open element is one of svg or math."""
    return stack[now[OPEN] - 1, BITS] & OUTSIDE_HTML != 0


@compiled
def in_link(stack: Ints, now: Ints) -> Bool:
    """Whether an <a> is open, of HTML or of svg."""
    at, last = now[OPEN] - 1, max(now[OPEN] - REACH, 0)
    while at > last and stack[at, TAG] != _A:
        at -= 1
    return at > last


@compiled
def in_scope(stack: Ints, now: Ints, tag: Int) -> Int:
    return find(stack, now, tag, SCOPE)
