"""Which elements are open?  The stack of open elements of the HTML standard.

There is no tree: a row is an open element, with the zone of the text in it.  A search reads REACH rows at most, and
every row is removed once, so time is linear in the size of the page, however deeply it nests.
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

MAX_OPEN = 65_536  # deeper elements are not opened: their content belongs to the elements around them
REACH = 512  # rows that a search reads
ROOM = 80  # rows kept free, so that whatever one tag opens has room

# Columns.  PLACE is the zone around the element, PART_AT the row that set the mode, ID is unique.
TAG, BITS, ZONE, PLACE, MODE, PART_AT, ID = range(7)
COLUMNS = 7
# Insertion modes of the HTML standard.  After IN_TEMPLATE only frames are visible.
BEFORE_HEAD, IN_HEAD, HEAD_NOSCRIPT, AFTER_HEAD, IN_BODY, IN_CAPTION, IN_CELL, IN_TABLE, IN_ROWS, IN_ROW = range(10)
IN_COLGROUP, IN_TEMPLATE, IN_FRAMESET, AFTER_FRAMESET = range(10, 14)
# Counters of a pass: open elements, active formatting rows, IDs given, the open form, open templates, whether frames
# are ruled out, quirks mode, and which kinds of element have just been closed.
OPEN, FORMATS, IDS, FORM, TEMPLATES, FRAMES_OUT, QUIRKS, CLOSED = range(32, 40)

HTML, HEAD, BODY, P, TEMPLATE = (number(name) for name in ("html", "head", "body", "p", "template"))
_ASIDE, _NOSCRIPT, _FRAMESET, _TR = (number(name) for name in ("aside", "noscript", "frameset", "tr"))
_CAPTION, _COLGROUP, _A = (number(name) for name in ("caption", "colgroup", "a"))
LINK_CLOSED, HEADING_CLOSED, BLOCK_CLOSED = 1, 2, 4  # bits of CLOSED
OUTSIDE_HTML = SVG | MATH
TABLE_PARTS = TABLE | ROWS  # and <tr>: other text and elements in these go before the table
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
def top(counters: Ints) -> Int:
    return counters[OPEN] - 1


@compiled
def mode(stack: Ints, counters: Ints) -> Int:
    return stack[counters[OPEN] - 1, MODE]


@compiled
def is_row(stack: Ints, at: Int) -> Bool:
    return stack[at, TAG] == _TR and stack[at, BITS] & OUTSIDE_HTML == 0


@compiled
def needs_foster_parent(stack: Ints, at: Int) -> Bool:
    """Whether this is a table outside its cells, so that misplaced content goes before the table ("foster parent")."""
    return stack[at, BITS] & TABLE_PARTS != 0 or is_row(stack, at)


@compiled
def zone_within(stack: Ints, at: Int) -> Int:
    """The zone of text in this row; for text misplaced in a table, the zone around the table."""
    while at > 0 and needs_foster_parent(stack, at):
        if stack[at, BITS] & TABLE:
            return stack[at, PLACE]
        at -= 1
    return stack[at, ZONE]


@compiled
def zone(stack: Ints, counters: Ints) -> Int:
    """The zone of text at the current position."""
    return zone_within(stack, counters[OPEN] - 1)


@compiled
def outer_zone(stack: Ints, counters: Ints, misplaced: bool) -> Int:
    """The zone around an element that starts at the current position."""
    noinline()
    return zone(stack, counters) if misplaced else stack[counters[OPEN] - 1, ZONE]


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
def push(stack: Ints, counters: Ints, tag: Int, bits: Int, misplaced: bool) -> None:
    """Open an element; if it is misplaced in a table, it goes before the table."""
    noinline()
    at, place = counters[OPEN], outer_zone(stack, counters, misplaced)
    if at >= MAX_OPEN - ROOM:
        return
    counters[IDS] += 1
    stack[at, TAG], stack[at, BITS], stack[at, ID] = tag, bits, counters[IDS]
    stack[at, PLACE], stack[at, ZONE] = place, zone_inside(place, bits)
    found = np.int64(-1) if bits & OUTSIDE_HTML else _mode_inside(stack, at, tag, bits)
    stack[at, MODE] = stack[at - 1, MODE] if found < 0 else found
    stack[at, PART_AT] = stack[at - 1, PART_AT] if found < 0 else at
    counters[OPEN] = at + 1
    counters[TEMPLATES] += tag == TEMPLATE and bits & OUTSIDE_HTML == 0


@compiled
def start_page(stack: Ints, counters: Ints) -> None:
    """Open <html>, whether or not its tag is there."""
    clear_row(stack, np.int64(0))
    stack[0, TAG], stack[0, BITS], stack[0, ZONE], stack[0, PLACE] = HTML, SCOPE, NEUTRAL, NEUTRAL
    stack[0, MODE] = BEFORE_HEAD
    counters[OPEN] = 1


@compiled
def pop_to(stack: Ints, counters: Ints, size: Int) -> None:
    """Close elements until `size` are open; <html> stays open."""
    noinline()
    size = max(size, 1)
    while counters[OPEN] > size:
        counters[OPEN] -= 1
        at = counters[OPEN]
        bits = stack[at, BITS]
        if not bits & INLINE:
            counters[CLOSED] |= BLOCK_CLOSED
        if bits & HEADING and stack[at, PLACE] != LIFELESS:
            counters[CLOSED] |= HEADING_CLOSED
        if bits & OUTSIDE_HTML:
            if bits & _KIND == A:
                counters[CLOSED] |= LINK_CLOSED
        elif stack[at, TAG] == TEMPLATE:
            counters[TEMPLATES] -= 1


@compiled
def pop(stack: Ints, counters: Ints) -> None:
    pop_to(stack, counters, counters[OPEN] - 1)


@compiled
def find(stack: Ints, counters: Ints, tag: Int, barrier: Int) -> Int:
    """The row of the innermost open HTML element of this name, up to a barrier; or -1."""
    return _find(stack, counters, np.int64(tag), np.int64(0), np.int64(barrier))


@compiled
def find_bits(stack: Ints, counters: Ints, bits: Int, barrier: Int) -> Int:
    """The same for any element that has one of these bits."""
    return _find(stack, counters, np.int64(0), np.int64(bits), np.int64(barrier))


@compiled
def _find(stack: Ints, counters: Ints, tag: Int, bits: Int, barrier: Int) -> Int:
    """By name or by bits; the other is 0, which no element has."""
    noinline()
    at = counters[OPEN] - 1
    last = max(at - REACH, 0)
    while at > last:
        if (stack[at, TAG] == tag and not stack[at, BITS] & OUTSIDE_HTML) or stack[at, BITS] & bits:
            return at
        if stack[at, BITS] & barrier:
            break
        at -= 1
    return np.int64(-1)


@compiled
def find_part(stack: Ints, counters: Ints, tag: Int) -> Int:
    """The row of the part of the innermost table that has this name, or of the table itself; or -1."""
    noinline()
    at = stack[counters[OPEN] - 1, PART_AT]
    last = max(at - REACH, 0)
    while at > last:
        if stack[at, TAG] == tag:
            return at
        if stack[at, BITS] & TABLE or stack[at, TAG] == TEMPLATE:
            break
        at = at - 1
    return np.int64(-1)


@compiled
def find_rows(stack: Ints, counters: Ints) -> Int:
    """The row of the open <tbody>, <tfoot> or <thead> of the innermost table, or -1."""
    noinline()
    at = stack[counters[OPEN] - 1, PART_AT]
    while at > 0 and not stack[at, BITS] & TABLE and stack[at, TAG] != TEMPLATE:
        if stack[at, BITS] & ROWS:
            return at
        at -= 1
    return np.int64(-1)


@compiled
def close_implied(stack: Ints, counters: Ints, but: Int) -> None:
    """Close elements that need no end tag, up to an element of the name `but`."""
    noinline()
    at = counters[OPEN] - 1
    while at > 0 and stack[at, BITS] & IMPLIED and stack[at, TAG] != but:
        pop(stack, counters)
        at = counters[OPEN] - 1


@compiled
def close_all_implied(stack: Ints, counters: Ints) -> None:
    noinline()
    while counters[OPEN] > 1 and stack[counters[OPEN] - 1, BITS] & (IMPLIED | PART_IMPLIED):
        pop(stack, counters)


@compiled
def clear_to(stack: Ints, counters: Ints, bits: Int) -> None:
    """Close elements up to one that has one of these bits."""
    noinline()
    while counters[OPEN] > 1 and not stack[counters[OPEN] - 1, BITS] & bits:
        pop(stack, counters)


@compiled
def clear_to_row(stack: Ints, counters: Ints) -> None:
    noinline()
    at = counters[OPEN] - 1
    while at > 0 and not is_row(stack, at) and not stack[at, BITS] & INERT:
        pop(stack, counters)
        at = counters[OPEN] - 1


@compiled
def close_found(stack: Ints, counters: Ints, at: Int) -> Bool:
    """Close the element in this row and all in it, if `at` is a row; return whether it is."""
    if at > 0:
        pop_to(stack, counters, at)
    return at > 0


@compiled
def hide(stack: Ints, counters: Ints, at: Int) -> None:
    """Hide an element whose second tag (<html> or <body>) has `hidden`, and all that is open in it."""
    noinline()
    while at < counters[OPEN]:
        if stack[at, ZONE] != LIFELESS:
            stack[at, ZONE] = UNSEEN
        if stack[at, PLACE] != LIFELESS:
            stack[at, PLACE] = UNSEEN
        at += 1


@compiled
def leave_menu(stack: Ints, counters: Ints, bits: Int) -> None:
    """End a menu that was left open when main content starts; an <article> in an <aside> does not end it."""
    noinline()
    at, last = counters[OPEN] - 1, max(counters[OPEN] - REACH, 1)
    while at >= last and stack[at, ZONE] == SHARED:
        if bits & ARTICLE and not bits & MAIN and stack[at, TAG] == _ASIDE:
            return
        at -= 1
    for k in range(at + 1, counters[OPEN]):
        stack[k, ZONE] = NEUTRAL
        stack[k, PLACE] = max(stack[k, PLACE], NEUTRAL)


@compiled
def foreign(stack: Ints, counters: Ints) -> Bool:
    """Whether the innermost open element is one of svg or math."""
    return stack[counters[OPEN] - 1, BITS] & OUTSIDE_HTML != 0


@compiled
def in_link(stack: Ints, counters: Ints) -> Bool:
    """Whether an <a> is open, of HTML or of svg."""
    at, last = counters[OPEN] - 1, max(counters[OPEN] - REACH, 0)
    while at > last and stack[at, TAG] != _A:
        at -= 1
    return at > last


@compiled
def in_scope(stack: Ints, counters: Ints, tag: Int) -> Int:
    return find(stack, counters, tag, SCOPE)
