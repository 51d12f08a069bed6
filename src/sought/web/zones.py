"""Is this text seen, and is it the page's own?  The open blocks, and the few open elements that decide it.

No tree is kept: of blocks that need an end tag only the names, of others nothing, unless they hide what is in them.
Those are open until as many end tags of their name as start tags have come, or a block around them ends.  Where end
tags are missing that is close to what a browser makes of the page.
"""

import numpy as np

from sought.web.compiled import Int, compiled
from sought.web.tags import (
    ARTICLE,
    BLOCK,
    BODY,
    BOILERPLATE,
    HEADER,
    HIDDEN,
    INERT,
    MAIN,
    NESTED,
    word,
)
from sought.web.tokens import Ints

MAX_DEPTH = 512  # as Chrome and Firefox; beyond, a page is hostile or broken
MAX_OPEN = 32  # that matter; those further in do not change anything any more

# Zones, in the order of how much their text is the page's own; those from UNSEEN on have no text.
SHARED, NEUTRAL, OWN, UNSEEN, LIFELESS = range(5)
# A row of the stack: an element that changed the zone, with the depth below which it is closed, and how many of its
# name are open in it; and, in the last column, the name of the block that is open at this depth.  The last row counts.
_NAME, _ZONE, _DEPTH, _COUNT, _BLOCK = range(5)
_OPEN, _NOW, DEPTH = range(3)
COUNTERS = MAX_DEPTH + 2
_ASIDE, _P, _TABLE = (np.int64(word(name)) for name in ("aside", "p", "table"))


def no_zones() -> Ints:
    zones = np.empty((COUNTERS + 1, 5), np.int64)
    zones[COUNTERS] = 0
    zones[COUNTERS, _NOW] = NEUTRAL
    return zones


@compiled
def zone(zones: Ints) -> Int:
    return zones[COUNTERS, _NOW]


@compiled
def _pop_to(zones: Ints, size: Int) -> None:
    zones[COUNTERS, _OPEN] = size
    zones[COUNTERS, _NOW] = zones[size - 1, _ZONE] if size else NEUTRAL


@compiled
def _make_way(zones: Ints, bits: Int) -> None:
    """A block ends a <p>; what the page is about ends a menu that was left open."""
    top = zones[COUNTERS, _OPEN] - 1
    if bits & BLOCK and zones[top, _NAME] == _P:
        _pop_to(zones, top)
    while bits & (MAIN | ARTICLE) and zone(zones) == SHARED:
        top = zones[COUNTERS, _OPEN] - 1
        if bits & ARTICLE and zones[top, _NAME] == _ASIDE:
            break
        _pop_to(zones, top)


@compiled
def _zone_inside(outer: Int, bits: Int, hidden: bool, main: bool) -> Int:
    inner = outer
    if outer >= UNSEEN:
        inner = outer
    elif bits & INERT:
        inner = LIFELESS
    elif bits & HIDDEN or hidden:
        inner = UNSEEN
    elif bits & MAIN or main or (bits & ARTICLE and outer == NEUTRAL):
        inner = OWN
    elif bits & BOILERPLATE or (bits & HEADER and outer == NEUTRAL):
        inner = SHARED
    return inner


@compiled
def start(zones: Ints, name: Int, bits: Int, hidden: bool, main: bool) -> None:
    """An element with content starts."""
    if zones[COUNTERS, _OPEN]:
        _make_way(zones, bits)
    if bits & NESTED:
        zones[zones[COUNTERS, DEPTH], _BLOCK] = name
        zones[COUNTERS, DEPTH] += 1
    size, outer = zones[COUNTERS, _OPEN], zone(zones)
    inner = _zone_inside(outer, bits, hidden, main)
    if inner != outer and size < MAX_OPEN:
        zones[size, _NAME], zones[size, _ZONE] = name, inner
        zones[size, _DEPTH], zones[size, _COUNT] = zones[COUNTERS, DEPTH], 1
        _pop_to(zones, size + 1)
    elif not bits & NESTED:
        at = _find(zones, name)
        if at >= 0:
            zones[at, _COUNT] += 1


@compiled
def _find(zones: Ints, name: Int) -> Int:
    for at in range(zones[COUNTERS, _OPEN] - 1, -1, -1):
        if zones[at, _NAME] == name:
            return at
    return -1


@compiled
def _end_block(zones: Ints, name: Int) -> None:
    """Close the innermost block of this name, and all in it; end tags in a table do not reach out of it."""
    for at in range(zones[COUNTERS, DEPTH] - 1, -1, -1):
        if zones[at, _BLOCK] == name:
            zones[COUNTERS, DEPTH] = at
            while zones[COUNTERS, _OPEN] and zones[zones[COUNTERS, _OPEN] - 1, _DEPTH] > at:
                _pop_to(zones, zones[COUNTERS, _OPEN] - 1)
            return
        if zones[at, _BLOCK] == _TABLE:
            return


@compiled
def end(zones: Ints, name: Int, bits: Int) -> None:
    """An end tag; one that ends nothing changes nothing."""
    if bits & NESTED:
        _end_block(zones, name)
    elif bits & BODY:
        zones[COUNTERS, DEPTH] = 0
        _pop_to(zones, 0)
    else:
        at = _find(zones, name)
        if at >= 0:
            zones[at, _COUNT] -= 1
            if zones[at, _COUNT] == 0:
                _pop_to(zones, at)
