"""In which slot of time should each fetch of a plan be made, if every slot has room for so many?

Wolf et al., Optimal Crawling Strategies for Web Search Engines, WWW 2002, §4: a transportation problem, fetches with
ideal times to slots.
"""

import numpy as np
from numba import types

from sought.policy.solvers.allotment import allotted
from sought.web.compiled import cached, readable
from sought.web.errors import BadInput
from sought.web.pages import Floats, Rows


def plan(rate: Floats, weight: Floats, per_slot: int, slots: int) -> tuple[Rows, Rows]:
    """Page and slot of every fetch: `per_slot` in each of the `slots`, which begin with fresh copies.

    Numbers of fetches as in `allotted` (`rate` is changes a slot), the rest in rotation, times as in `scheduled`.
    """
    total = min(per_slot, len(rate)) * slots
    return scheduled(topped_up(allotted(rate, weight, total, slots), total, slots), slots, per_slot)


def topped_up(count: Rows, total: int, slots: int) -> Rows:
    """Fetches still missing from `total` go to pages that have room for more in so many slots, in equal parts."""
    count, missing = count.copy(), total - int(count.sum())
    while missing > 0 and (count < slots).any():
        pages = np.flatnonzero(count < slots)[:missing]
        more = np.minimum(slots - count[pages], max(1, missing // len(pages)))
        count[pages] += more
        missing -= int(more.sum())
    return count


def scheduled(count: Rows, slots: int, capacity: int) -> tuple[Rows, Rows]:
    """Page and slot of every fetch, slot by slot; fetch j of x has its ideal time at j/(x+1) of the horizon."""
    page = np.repeat(np.arange(len(count)), count)
    first = np.repeat(np.cumsum(count) - count, count)
    time = (np.arange(len(page)) - first + 1) / (count[page] + 1.0) * slots
    return scheduled_at(page, time, slots, capacity)


def scheduled_at(page: Rows, time: Floats, slots: int, capacity: int) -> tuple[Rows, Rows]:
    """The same for any ideal times.

    In order of ideal time they fill the slots one after the other: with costs that are convex in the distance from the
    ideal time no schedule is better (costs are then a Monge array).  Departures: slots that are not needed whole are
    used evenly; a page comes once in a slot, and where its next fetch would fall into the same, another one takes its
    place and it is the first of the next slot.
    """
    count = np.bincount(page, minlength=1)
    if len(page) > slots * capacity or count.max() > slots:
        raise BadInput(
            f"{len(page):,} fetches, {count.max():,} of one page, do not fit {slots:,} slots of {capacity:,}"
        )
    bounds = len(page) * np.arange(slots + 1) // slots
    out = np.empty(len(page), np.int64)
    _fill(page[np.argsort(time, kind="stable")], count, bounds, out)
    return out, np.repeat(np.arange(slots), np.diff(bounds))


_READ, _WRITE = readable(types.int64), types.int64[::1]


@cached(types.void(_READ, _READ, _READ, _WRITE))
def _fill(queue: Rows, count: Rows, bounds: Rows, out: Rows) -> None:
    """Pages slot by slot.

    A page with as many fetches left as there are slots must come in each of them, so it comes first.  With this there
    are always enough other pages: slots are equally long, but for one.
    """
    slots, pages, at = len(bounds) - 1, len(count), 0
    left = count.copy()
    owed, ahead = (
        np.zeros(pages, np.int64),
        np.zeros(pages, np.int64),
    )  # left over from the queue; taken before its turn
    latest = np.full(pages, -1)
    for slot in range(slots):
        end = bounds[slot]
        for urgent in (True, False):
            for page in range(pages):
                due = left[page] == slots - slot if urgent else owed[page] > 0
                if not due or latest[page] == slot or end == bounds[slot + 1]:
                    continue
                out[end], latest[page] = page, slot
                end += 1
                left[page] -= 1
                if owed[page] > 0:
                    owed[page] -= 1
                else:
                    ahead[page] += 1
        while end < bounds[slot + 1]:
            page = queue[at]
            at += 1
            if ahead[page] > 0:
                ahead[page] -= 1
            elif latest[page] == slot:
                owed[page] += 1
            else:
                out[end], latest[page] = page, slot
                end += 1
                left[page] -= 1
