"""Is this text visible, and is it main content?  Zones, and the main text by them."""

import numpy as np

from sought.web.compiled import Int, compiled
from sought.web.html.tags import ARTICLE, BOILERPLATE, HEADER, HIDDEN, INERT, MAIN, SHADOW

# SHARED: navigation and boilerplate; OWN: main content.  UNSEEN: invisible text; LIFELESS: inert, links too.
SHARED, NEUTRAL, OWN, UNSEEN, LIFELESS = range(5)


@compiled
def zone_inside(outer: Int, bits: Int) -> Int:
    inner = outer
    if outer == LIFELESS or bits & SHADOW:
        inner = outer
    elif bits & INERT:
        inner = np.int64(LIFELESS)
    elif outer == UNSEEN or bits & HIDDEN:
        inner = np.int64(UNSEEN)
    elif bits & MAIN or (bits & ARTICLE and outer == NEUTRAL):
        inner = np.int64(OWN)
    elif bits & BOILERPLATE or (bits & HEADER and outer == NEUTRAL):
        inner = np.int64(SHARED)
    return inner


MAX_PARTS = 10_000  # a page with more parts than this has no main text

Part = tuple[int, int, int]  # begin, end, zone
Starts = list[list[int]]  # where text of another zone begins, and the zone


def main_text(text: bytes, starts: Starts) -> bytes:
    """The parts of a text in the zones of main content; all of it if the page has only one zone."""
    if len({zone for _, zone in starts}) < 2:
        return text
    ends = [begin for begin, _ in starts[1:]] + [len(text)]
    parts = [(begin, end, zone) for (begin, zone), end in zip(starts, ends, strict=True)]
    least = _least_zone(parts, len(text))
    return b"".join(text[begin:end] for begin, end, zone in parts if zone >= least).strip()


def _least_zone(parts: list[Part], size: int) -> int:
    """The least zone that counts as main content.

    <main> and <article> count if they have a quarter of the text outside menus: some pages have only a teaser or a
    comment in an <article>.  Menus are left out if a twentieth of the text remains: some pages are one menu.
    """
    own = sum(end - begin for begin, end, zone in parts if zone == OWN)
    neutral = sum(end - begin for begin, end, zone in parts if zone == NEUTRAL)
    if 20 * (own + neutral) < size:
        return SHARED
    return OWN if own and 3 * own >= neutral else NEUTRAL
