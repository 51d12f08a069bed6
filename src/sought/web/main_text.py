"""Which part of a page's text is the page's own?"""

from sought.web.compiled import Int, compiled
from sought.web.records import MAIN, TEXT, Buffers
from sought.web.tokens import Ints
from sought.web.visible import OUT
from sought.web.zones import NEUTRAL, OWN, SHARED

PARTS, MAIN_SIZE = range(2, 4)  # counters of a pass; a part is where text of one zone begins, and the zone


@compiled
def note_part(parts: Ints, begin: Int, place: Int, now: Ints) -> None:
    """Text from here on is in this zone."""
    last = now[PARTS] - 1
    if now[OUT] > begin and (last < 0 or parts[last, 1] != place):
        parts[last + 1, 0], parts[last + 1, 1] = begin, place
        now[PARTS] += 1


@compiled
def _part(parts: Ints, k: Int, now: Ints) -> tuple[Int, Int]:
    return parts[k, 0], parts[k + 1, 0] if k + 1 < now[PARTS] else now[OUT]


@compiled
def _least_zone(parts: Ints, now: Ints) -> Int:
    """The zone from which on text is main text.

    <main> and <article> are believed if they hold a quarter of what is outside menus: some pages have only a teaser or
    a comment in an <article>.  Menus are left out if a twentieth of the text remains: some pages are all in one.
    """
    own = neutral = 0
    for k in range(now[PARTS]):
        begin, stop = _part(parts, k, now)
        own += stop - begin if parts[k, 1] == OWN else 0
        neutral += stop - begin if parts[k, 1] == NEUTRAL else 0
    if 20 * (own + neutral) < now[OUT]:
        return SHARED
    return OWN if own and 3 * own >= neutral else NEUTRAL


@compiled
def write_main(buffers: Buffers, parts: Ints, now: Ints) -> None:
    """Copy the main text, unless it is all of the text."""
    least, at, left_out = _least_zone(parts, now), 0, False
    for k in range(now[PARTS]):
        begin, stop = _part(parts, k, now)
        if parts[k, 1] < least:
            left_out = True
            continue
        for i in range(begin, stop):
            buffers[MAIN, at] = buffers[TEXT, i]
            at += 1
    at -= 1 if at and buffers[MAIN, at - 1] == 32 else 0
    now[MAIN_SIZE] = at if left_out else -1
