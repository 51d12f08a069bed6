"""When should a page be fetched that changes at known times, each with a known chance?

Wolf et al., Optimal Crawling Strategies for Web Search Engines, WWW 2002, §3.2: quasi-deterministic updates.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.web.compiled import cached, readable
from sought.web.pages import Floats, Rows

Choices = NDArray[np.int16]  # by page, number of fetches and the slot after


def plan_by_chances(chance: Floats, weight: Floats, per_slot: int) -> tuple[Rows, Rows]:
    """Page and slot of every fetch, slot by slot, so many in each: the best numbers, at the best times or soon after.

    Departures: a fetch is never before its best time, where it would miss the change it is for, so this is no
    transportation problem.  If more pages are due than there is room for, the heaviest go first and the others wait.
    What is left goes round.  16,000 pages in 48 slots: a quarter of a second of CPU time if changes are certain, 1.5 if
    none is.
    """
    pages, slots = chance.shape
    per_slot = min(per_slot, pages)
    some = np.flatnonzero((weight > 0.0) & chance.any(axis=1))
    table, choice = solved(chance[some])
    page, slot = chosen_slots(choice, allotted_by_table(table, weight[some], per_slot * slots))
    due = np.zeros((slots, pages), np.bool_)
    due[slot, some[page]] = True
    out = np.empty(per_slot * slots, np.int64)
    _serve(due, np.argsort(-weight, kind="stable"), per_slot, out)
    return out, np.repeat(np.arange(slots), per_slot)


def allotted_by_table(staleness: Floats, weight: Floats, total: int) -> Rows:
    """The best number of fetches of each page, `total` together.

    `staleness` is by page (row) and number of fetches (column), and convex in the latter.
    """
    gain = weight[:, None] * (staleness[:, :-1] - staleness[:, 1:])
    page, _ = np.nonzero(gain > 0.0)
    first = np.lexsort((page, -gain[gain > 0.0]))[: max(0, total)]
    return np.bincount(page[first], minlength=len(gain)).astype(np.int64)


def solved(chance: Floats) -> tuple[Floats, Choices]:
    """For how many slots a page is stale, with the best times, by page and number of fetches; and what tells these.

    `chance` is, by page and slot, how likely the page changes at the beginning of the slot.  A fetch in a slot comes
    after that; copies are fresh before the first slot.  Between two fetches the page is stale in a slot unless nothing
    has changed since the first.  Falls ever more slowly with the number of fetches; times are known up to the number
    at which it is 0.
    """
    pages, slots = chance.shape
    table, choice = np.zeros((pages, slots + 1)), np.zeros((pages, slots + 1, slots + 1), np.int16)
    _solve(np.ascontiguousarray(chance, np.float64), table, choice)
    return table, choice


def chosen_slots(choice: Choices, count: Rows) -> tuple[Rows, Rows]:
    """Page and slot of every fetch, page by page in order of time, if each page is fetched so often."""
    out = np.empty(int(count.sum()), np.int64)
    _trace(choice, count, out)
    return np.repeat(np.arange(len(count)), count), out


_TABLE, _CHOICES, _COUNTS = types.float64[:, ::1], types.int16[:, :, ::1], readable(types.int64)


@cached(types.void(_TABLE, _TABLE, _CHOICES))
def _solve(chance: Floats, best: Floats, choice: Choices) -> None:
    """Dynamic programming over the slot of the n-th fetch; `choice[i, n, b]` is that of the n-th if slot b comes next.

    Slot number `slots` is the end of time.  Takes slots² steps for each number of fetches.
    """
    pages, slots = chance.shape
    cost = np.zeros((slots + 1, slots + 1))  # of having the fetch before a slot, and the next in another
    so_far, after = np.empty(slots + 1), np.empty(slots + 1)
    for i in range(pages):
        for a in range(slots + 1):
            fresh = 1.0
            for b in range(a, slots):
                fresh *= 1.0 - chance[i, b]
                cost[a, b + 1] = cost[a, b] + 1.0 - fresh
        so_far[:] = cost[0]
        best[i, 0] = so_far[slots]
        for n in range(1, slots + 1):
            if best[i, n - 1] == 0.0:
                break
            after[:] = np.inf
            for b in range(n, slots + 1):
                for a in range(n - 1, b):
                    if so_far[a] + cost[a + 1, b] < after[b]:
                        after[b], choice[i, n, b] = so_far[a] + cost[a + 1, b], a
            so_far[:] = after
            best[i, n] = so_far[slots]


@cached(types.void(_CHOICES, _COUNTS, types.int64[::1]))
def _trace(choice: Choices, count: Rows, out: Rows) -> None:
    """Slots of each page, from the last fetch to the first."""
    end = 0
    for i in range(len(count)):
        end += count[i]
        at = choice.shape[2] - 1
        for n in range(count[i], 0, -1):
            at = choice[i, n, at]
            out[end - count[i] + n - 1] = at


@cached(types.void(types.boolean[:, ::1], _COUNTS, types.int64, types.int64[::1]))
def _serve(due: NDArray[np.bool_], order: Rows, per_slot: int, out: Rows) -> None:
    """Pages slot by slot: those that are due or still wait, in this order, then the others in rotation."""
    slots, pages = due.shape
    waits, latest = np.zeros(pages, np.bool_), np.full(pages, -1)
    at, following = 0, 0
    for slot in range(slots):
        end = at + per_slot
        for page in order:
            waits[page] |= due[slot, page]
            if waits[page] and at < end:
                out[at], latest[page], waits[page] = page, slot, False
                at += 1
        while at < end:
            if latest[following] != slot:
                out[at], latest[following] = following, slot
                at += 1
            following = (following + 1) % pages
