"""When should a page be fetched that changes at known times, each with a known chance?

Wolf et al., Optimal Crawling Strategies for Web Search Engines, WWW 2002, §3.2: quasi-deterministic updates.
"""

import numpy as np
from numba import types

from sought.policy.estimator import Rows
from sought.policy.pages import Floats
from sought.policy.refresh.allotment import allotted_by_table
from sought.policy.refresh.schedule import scheduled_at, topped_up
from sought.web.compiled import cached, readable


def staleness(chance: Floats) -> Floats:
    """By page and number of fetches (0 to the number of slots): how many slots it is stale for, with the best times.

    `chance` is, by page and slot, how likely the page changes at the beginning of the slot.  A fetch in a slot comes
    after that; copies are fresh before the first slot.  Between two fetches the page is stale in a slot unless nothing
    has changed since the first.  Falls ever more slowly with the number of fetches.
    """
    pages, slots = chance.shape
    out, choice = np.empty((pages, slots + 1)), np.empty((slots + 1, slots + 1), np.int64)
    for i in range(pages):
        _solve(np.ascontiguousarray(chance[i]), out[i], choice)
    return out


def best_slots(chance: Floats, fetches: int) -> Rows:
    """The slots in which to fetch one page, so many times, in order."""
    slots = len(chance)
    choice = np.empty((slots + 1, slots + 1), np.int64)
    _solve(np.ascontiguousarray(chance), np.empty(slots + 1), choice)
    out, at = np.empty(fetches, np.int64), slots
    for nth in range(fetches, 0, -1):
        at = out[nth - 1] = choice[nth, at]
    return out


def plan_by_chances(chance: Floats, weight: Floats, per_slot: int) -> tuple[Rows, Rows]:
    """Page and slot of every fetch, so many a slot: the best numbers, what is left in turn, and times near the best."""
    slots = chance.shape[1]
    total = min(per_slot, len(chance)) * slots
    count = topped_up(allotted_by_table(staleness(chance), weight, total), total, slots)
    page = np.repeat(np.arange(len(count)), count)
    times = [best_slots(chance[i], int(count[i])) for i in np.flatnonzero(count)]
    return scheduled_at(page, np.concatenate([np.zeros(0), *times]), slots, per_slot)


@cached(types.void(readable(types.float64), types.float64[::1], types.int64[:, ::1]))
def _solve(chance: Floats, best: Floats, choice: Rows) -> None:
    """Dynamic programming over the slot of the n-th fetch; `choice[n, b]` is that of the n-th if slot b comes next.

    Slot number `slots` is the end of time.  Takes slots² steps for each number of fetches.
    """
    slots = len(chance)
    cost = np.zeros((slots + 1, slots + 1))  # of having the fetch before a slot, and the next in another
    for a in range(slots + 1):
        fresh = 1.0
        for b in range(a, slots):
            fresh *= 1.0 - chance[b]
            cost[a, b + 1] = cost[a, b] + 1.0 - fresh
    so_far = cost[0].copy()
    best[0] = so_far[slots]
    for n in range(1, slots + 1):
        after = np.full(slots + 1, np.inf)
        for b in range(n, slots + 1):
            for a in range(n - 1, b):
                if so_far[a] + cost[a + 1, b] < after[b]:
                    after[b], choice[n, b] = so_far[a] + cost[a + 1, b], a
        so_far = after
        best[n] = so_far[slots]
