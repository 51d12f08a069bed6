"""Which uncrawled pages have the largest impact together, if all scores are as bad as possible?

Each candidate's score lies in an interval.  For a set C of pages the adversary's best play is all of C at their lower
ends and all others at their upper ends, equal scores against C; who of C stands where makes no difference to the sum.
That is easy to evaluate.  To choose C is NP-hard (S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008,
§4.1, Theorems 1 and 2), for the sum is super-additive: two pages alone in a list, fetched together, have V(1) + V(2)
for sure, and V(2) each alone.  So few pages are tried in all ways; many are chosen greedily, where a pair counts as a
step if it brings more for each of its pages than any single page does, and swapped as long as that helps.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.index.lists import Scores
from sought.index.sketches import Sketches, are_valid_scores
from sought.index.slabs import Offsets
from sought.index.visibility import Floats
from sought.web.compiled import Bool, Int, cached, compiled, readable

MOST_TRIED = 15  # pages of which every choice is tried
_LEAST = 1e-12  # of all there is: what counts as better, so that rounding does not

Marks = NDArray[np.uint8]
Tables = Any  # what `WorstCase.tables` gives
State = Any  # marks, what queries have, what flips bring, and which of these are stale: of pages, of queries
Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class WorstCase:
    """Sketches in which the score of each candidate is from `low` to `high`; value[r - 1] is V(r), 0 beyond.

    A page is a candidate of a query at most once.
    """

    sketches: Sketches
    low: Scores
    high: Scores
    value: Floats

    def __post_init__(self) -> None:
        self.sketches.check_seen(self.value)
        self.sketches.check_pairs(self.low, self.high)
        if not are_valid_scores(self.low) or not are_valid_scores(self.high) or (self.low > self.high).any():
            raise ValueError("intervals of scores must be finite, not negative, and the lower end first")
        pairs = np.stack([self._queries, self.sketches.rows])
        if np.unique(pairs, axis=1).shape != pairs.shape:
            raise ValueError("a page is a candidate of a query twice")
        if (self.value < 0).any() or (np.diff(self.value) > 0).any():
            raise ValueError("visibility must not be negative, nor rise with the rank")

    @cached_property
    def rows(self) -> Rows:
        """Those of all uncrawled pages, ascending."""
        return np.unique(self.sketches.rows)

    @cached_property
    def tables(self) -> tuple[NDArray[Any], ...]:
        """What compiled code reads.  Pages are numbers here, in the order of `rows`."""
        sketches = self.sketches
        page = np.searchsorted(self.rows, sketches.rows)
        query = self._queries
        by_low, by_high = np.lexsort((page, -self.low, query)), np.lexsort((page, -self.high, query))
        by_page = np.lexsort((query, page))
        places = np.searchsorted(page[by_page], np.arange(len(self.rows) + 1))
        crawled = np.ascontiguousarray(sketches.crawled, np.float32)
        columns = sketches.weights, crawled, sketches.bounds, np.ascontiguousarray(self.value, np.float64)
        lows, highs = (page[by_low], self.low[by_low]), (page[by_high], self.high[by_high])
        return *columns, *lows, *highs, places.astype(np.int64), query[by_page]

    @property
    def _queries(self) -> NDArray[np.int64]:
        """That of each candidate."""
        return np.repeat(np.arange(len(self.sketches)), np.diff(self.sketches.bounds))

    def ranks(self) -> NDArray[np.int64]:
        """The worst rank of each candidate, if it is the only page fetched; 0 if it may be no result at all.

        It is right as far down as crawled results are known.
        """
        sketches, ranks = self.sketches, np.zeros(len(self.low), np.int64)
        for query in range(len(sketches)):
            here = slice(int(sketches.bounds[query]), int(sketches.bounds[query + 1]))
            low, high = self.low[here], self.high[here]
            rivals = np.sort(np.concatenate([sketches.crawled[query], high]))
            before = len(rivals) - np.searchsorted(rivals, low)  # itself too, for its score is as high: that is the 1
            ranks[here] = np.where(low > 0, before, 0)
        return ranks

    def impact(self, chosen: Rows) -> float:
        """That of these pages together.  Time: Σ n log n over the sketches, once; then Σ n."""
        return float(_impact(self._marks(chosen), *self.tables))

    def choose(self, c: int) -> Rows:
        """Rows of c pages (all, if there are fewer), ascending: the best choice of few pages, a good one of many."""
        c = max(0, min(c, len(self.rows)))
        return self._best(c) if len(self.rows) <= MOST_TRIED else self.greedy(c)

    def greedy(self, c: int) -> Rows:
        """A choice of c pages that no swap of one for another makes better."""
        marks = np.zeros(len(self.rows), np.uint8)
        _greedy(marks, max(0, min(c, len(self.rows))), *self.tables)
        return self.rows[marks > 0]

    def _best(self, c: int) -> Rows:
        """The first of the best, in the order of rows."""
        marks, most, best = np.zeros(len(self.rows), np.uint8), -1.0, list[int]()
        for pages in map(list, combinations(range(len(marks)), c)):
            marks[:] = 0
            marks[pages] = 1
            impact = float(_impact(marks, *self.tables))
            if impact > most + _LEAST * max(1.0, most):
                most, best = impact, pages
        return self.rows[np.array(best, np.int64)]

    def _marks(self, chosen: Rows) -> Marks:
        if not np.isin(chosen, self.rows).all():
            raise IndexError("a chosen page is no candidate of any query")
        return np.isin(self.rows, chosen).astype(np.uint8)


@compiled
def _of_query(query: Int, marks: Marks, tables: Tables) -> float:
    """f(q)·Σ V(rank) of the pages marked: they come down the list by their lower ends, behind all rivals."""
    weights, crawled, bounds, value, low_page, low, high_page, high, _, _ = tables
    total, place, known, rival = 0.0, 0, 0, bounds[query]
    for i in range(bounds[query], bounds[query + 1]):
        if not marks[low_page[i]]:
            continue
        if low[i] <= 0:
            break
        while known < crawled.shape[1] and crawled[query, known] >= low[i]:
            known, place = known + 1, place + 1
        while rival < bounds[query + 1] and high[rival] >= low[i]:
            place += 1 - marks[high_page[rival]]
            rival += 1
        if place >= value.size:
            break
        total += value[place]
        place += 1
    return float(weights[query] * total)


@compiled
def _flip(page: Int, marks: Marks) -> None:
    marks[page] = 1 - marks[page]


@compiled
def _alone(page: Int, marks: Marks, now: Floats, tables: Tables) -> float:
    """The effect of flipping a page.  `now` is what each query has."""
    places, queries = tables[8], tables[9]
    _flip(page, marks)
    change = 0.0
    for i in range(places[page], places[page + 1]):
        change += _of_query(queries[i], marks, tables) - now[queries[i]]
    _flip(page, marks)
    return change


@compiled
def _together(one: Int, other: Int, marks: Marks, now: Floats, tables: Tables) -> float:
    """The effect of flipping two pages beyond that of each: only queries of both matter."""
    places, queries = tables[8], tables[9]
    more, i, j = 0.0, places[one], places[other]
    while i < places[one + 1] and j < places[other + 1]:
        query = queries[i]
        if query == queries[j]:
            _flip(one, marks)
            more -= _of_query(query, marks, tables)
            _flip(other, marks)
            more += _of_query(query, marks, tables)
            _flip(one, marks)
            more -= _of_query(query, marks, tables)
            _flip(other, marks)
            more += now[query]
        i, j = i + (query <= queries[j]), j + (queries[j] <= query)
    return more


@compiled
def _settle(page: Int, state: State, tables: Tables) -> None:
    """Flip a page for good, and mark what is to be reckoned again: pages it shares a query with, and their queries."""
    marks, now, _, stale_page, stale_query = state
    bounds, low_page, places, queries = tables[2], tables[4], tables[8], tables[9]
    _flip(page, marks)
    for i in range(places[page], places[page + 1]):
        now[queries[i]] = _of_query(queries[i], marks, tables)
        for k in range(bounds[queries[i]], bounds[queries[i] + 1]):
            near = low_page[k]
            if not stale_page[near]:
                stale_page[near] = 1
                for m in range(places[near], places[near + 1]):
                    stale_query[queries[m]] = 1


@compiled
def _refresh(state: State, tables: Tables) -> None:
    marks, now, alone, stale_page, _ = state
    for page in range(marks.size):
        if stale_page[page]:
            alone[page], stale_page[page] = _alone(page, marks, now, tables), 0


@compiled
def _near(query: Int, marks: Marks, near: Offsets, tables: Tables) -> Int:
    """Pages not marked of which two together may do what none does alone; returns how many.

    They may stand before a page that is seen once two of its rivals are gone; so they are K + 2 at most.
    """
    _, crawled, bounds, value, low_page, low, high_page, high, _, _ = tables
    place, known, rival, reached = 0, 0, bounds[query], np.float32(np.inf)
    for i in range(bounds[query], bounds[query + 1]):
        while known < crawled.shape[1] and crawled[query, known] >= low[i]:
            known, place = known + 1, place + 1
        while rival < bounds[query + 1] and high[rival] >= low[i]:
            place += 1 - marks[high_page[rival]]
            rival += 1
        marked = marks[low_page[i]]
        if low[i] <= 0 or place - (1 - marked) > value.size + 1:
            break
        reached = low[i]
        place += marked
    count = 0
    for i in range(bounds[query], bounds[query + 1]):
        if high[i] < reached:
            break
        if not marks[high_page[i]]:
            near[count] = high_page[i]
            count += 1
    return count


@compiled
def _best_pair(query: Int, near: Offsets, pair: Offsets, state: State, tables: Tables) -> float:
    """The two pages of a query that bring the most together, and what that is."""
    marks, now, alone, _, _ = state
    most, count = 0.0, _near(query, marks, near, tables)
    for i in range(count):
        for j in range(i):
            change = alone[near[i]] + alone[near[j]] + _together(near[i], near[j], marks, now, tables)
            if change > most:
                most, pair[0], pair[1] = change, near[i], near[j]
    return most


@compiled
def _swap(least: float, state: State, tables: Tables) -> Bool:
    """Go through all swaps once, and do those that help; whether there were any."""
    marks, now, alone, _, _ = state
    swapped = False
    for one in range(marks.size):
        other = 0
        while marks[one] and other < marks.size:
            if not marks[other]:
                change = alone[one] + alone[other] + _together(one, other, marks, now, tables)
                if change > least:
                    _settle(one, state, tables)
                    _settle(other, state, tables)
                    _refresh(state, tables)
                    swapped = True
            other += 1
    return swapped


_TABLES = (
    *(readable(types.float64), types.float32[:, ::1], readable(types.int64), readable(types.float64)),
    *(readable(types.int64), readable(types.float32), readable(types.int64), readable(types.float32)),
    *(readable(types.int64), readable(types.int64)),
)


@cached(types.float64(types.uint8[::1], *_TABLES))
def _impact(
    marks: Marks,
    weights: Floats,
    crawled: Scores,
    bounds: Offsets,
    value: Floats,
    low_page: Offsets,
    low: Scores,
    high_page: Offsets,
    high: Scores,
    places: Offsets,
    queries: Offsets,
) -> float:
    tables = weights, crawled, bounds, value, low_page, low, high_page, high, places, queries
    total = 0.0
    for query in range(weights.size):
        total += _of_query(query, marks, tables)
    return total


@cached(types.void(types.uint8[::1], types.int64, *_TABLES))
def _greedy(
    marks: Marks,
    c: int,
    weights: Floats,
    crawled: Scores,
    bounds: Offsets,
    value: Floats,
    low_page: Offsets,
    low: Scores,
    high_page: Offsets,
    high: Scores,
    places: Offsets,
    queries: Offsets,
) -> None:
    tables = weights, crawled, bounds, value, low_page, low, high_page, high, places, queries
    now, alone, in_pairs = np.zeros(weights.size), np.zeros(marks.size), np.zeros(weights.size)
    pairs, near = np.zeros((weights.size, 2), np.int64), np.empty(value.size + 2, np.int64)
    stale_page, stale_query = np.ones(marks.size, np.uint8), np.ones(weights.size, np.uint8)
    state = marks, now, alone, stale_page, stale_query
    while c > 0:
        _refresh(state, tables)
        best, first, second = -1.0, -1, -1
        for page in range(marks.size):
            if not marks[page] and alone[page] > best:
                best, first, second = alone[page], page, page
        for query in range(weights.size if c > 1 else 0):
            if stale_query[query]:
                in_pairs[query], stale_query[query] = _best_pair(query, near, pairs[query], state, tables), 0
            if in_pairs[query] / 2 > best:
                best, first, second = in_pairs[query] / 2, pairs[query, 0], pairs[query, 1]
        _settle(first, state, tables)
        c -= 1
        if second != first:
            _settle(second, state, tables)
            c -= 1
    _refresh(state, tables)
    least = _LEAST * (1 + weights.sum() * value.sum())
    while _swap(least, state, tables):
        pass
