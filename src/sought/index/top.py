"""Which pages does each query show?  Its best results, updated with the index.

The sketch of a query (S. Pandey, C. Olston, Crawl ordering by search impact, 2008): only the first k results matter.
Twice as many are kept, so that pages that leave do not empty the list.

Of equal scores the larger tie comes first, then the larger page, as everywhere.
"""

import numpy as np
from numba import boolean, float32, int32, int64, uint32, uint64
from numpy.typing import NDArray

from sought.index.lists import Numbers, Scores, check
from sought.index.visibility import Floats, Visibility
from sought.web.compiled import Bool, Int, cached, compiled, readable
from sought.web.errors import BadInput

Keys = NDArray[np.uint64]
Counts = NDArray[np.int32]
Key = tuple[Int, Int]  # a sort key: bits of score and tie, then the page
State = tuple[Numbers, Scores, Numbers, Counts, Counts, Counts, Keys, Numbers, Scores]

_32, _1 = np.uint64(32), np.uint64(1)
_NUMBERS, _SCORES = readable(uint32), readable(float32)
_GRID, _SCORE_GRID = uint32[:, ::1], float32[:, ::1]


class Top:
    """The best results of query q are the first size[q] of row q of pages, scores and ties, best first.

    `entered` counts the pages that shifts have brought among the first k.  Results below `floors` are ignored, because
    their changes may not be passed.  Invariant: every other result better than the query's edge is in the list, and
    `_hidden` is the number of those that are not.
    """

    def __init__(self, queries: int, k: int = 10) -> None:
        if type(k) is not int or k < 1:
            raise BadInput(f"k is a number of results, at least 1, not {k!r}")
        self.k = k
        self.filled_at = 0  # for the caller: the position at which the lists were last complete
        self.pages: Numbers = np.zeros((queries, 2 * k), np.uint32)
        self.scores: Scores = np.zeros((queries, 2 * k), np.float32)
        self.ties: Numbers = np.zeros((queries, 2 * k), np.uint32)
        self.size: Counts = np.zeros(queries, np.int32)
        self.entered: Counts = np.zeros(queries, np.int32)
        self.floors: Scores = np.zeros(queries, np.float32)
        self._hidden: Counts = np.zeros(queries, np.int32)
        self._edge: Keys = np.zeros(queries, np.uint64)
        self._edge_page: Numbers = np.zeros(queries, np.uint32)

    def __len__(self) -> int:
        return len(self.size)

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in self._state)

    @property
    def short(self) -> NDArray[np.bool_]:
        """Queries with fewer than k known results although there may be more: they need `mend`."""
        return (self.size < self.k) & ((self._hidden > 0) | (self.floors > 0))

    def fill(
        self, pages: Numbers, queries: Numbers, scores: Scores, ties: Numbers, floors: Scores | None = None
    ) -> None:
        """Replace all results by the best of these, in any order.

        Later changes below `floors` need not be passed; floors are lowered where they would hide current results.
        """
        check(len(self), queries, scores, ties, pages)
        for column in (self.size, self._hidden, self._edge, self._edge_page):
            column[:] = 0
        self.floors = np.zeros(len(self), np.float32)
        self._run(pages, queries, np.zeros_like(scores), scores, ties, False)
        if floors is not None and floors.any():
            self.floors = np.minimum(floors, self.floor(2 * self.k))
            known = (scores >= self.floors[queries]) & (scores > 0)
            self._hidden[:] = np.bincount(queries[known], minlength=len(self)) - self.size

    def shift(self, pages: Numbers, queries: Numbers, before: Scores, after: Scores, ties: Numbers) -> None:
        """Apply changes of scores, one after the other; score 0: the page is not in the list."""
        check(len(self), queries, before, after, ties, pages)
        self._run(pages, queries, before, after, ties, True)

    def mend(self, pages: Numbers, queries: Numbers, scores: Scores, ties: Numbers) -> None:
        """Set the best results of short queries; all results of these queries must be passed.

        From now on, every change of these queries must be passed.
        """
        check(len(self), queries, scores, ties, pages)
        short = self.short
        for column in (self.size, self._hidden, self._edge, self._edge_page):
            column[short] = 0
        self.floors = np.where(short, np.float32(0), self.floors)
        these = np.flatnonzero(short[queries])
        columns = pages[these], queries[these], np.zeros(len(these), np.float32), scores[these], ties[these]
        self._run(*columns, False)

    def forget_entered(self) -> None:
        """Reset the counts of pages that entered the first k results."""
        self.entered[:] = 0

    def floor(self, rank: int | None = None) -> Scores:
        """The score of each query's k-th result, or at another rank up to 2k; 0 if there are fewer."""
        at = (self.k if rank is None else rank) - 1
        return np.where(self.size > at, self.scores[:, at], np.float32(0))

    def mean(self) -> Floats:
        """The mean score of each query's first k results; missing ones score 0."""
        mean: Floats = np.where(self._shown, self.scores[:, : self.k], np.float32(0)).mean(axis=1, dtype=np.float64)
        return mean

    def views(self, weights: Floats, rows: int) -> Floats:
        """How often each page is shown: the sum of weights of queries that have it among the first k results."""
        return self._seen(weights, np.ones(self.k), rows)

    def clicks(self, weights: Floats, visibility: Visibility, rows: int) -> Floats:
        """How often each page is seen: the sum of weights times the visibility of its rank."""
        return self._seen(weights, visibility.table(self.k)[1:], rows)

    @property
    def _shown(self) -> NDArray[np.bool_]:
        return np.arange(self.k) < self.size[:, None]

    def _seen(self, weights: Floats, by_rank: Floats, rows: int) -> Floats:
        shown = self._shown
        pages = self.pages[:, : self.k][shown]
        if len(pages) and int(pages.max()) >= rows:
            raise IndexError(f"page {int(pages.max())} of {rows}")
        return np.bincount(pages, (weights[:, None] * by_rank)[shown], minlength=rows).astype(np.float64)

    @property
    def _state(self) -> State:
        lists = self.pages, self.scores, self.ties
        return *lists, self.size, self.entered, self._hidden, self._edge, self._edge_page, self.floors

    def _run(self, pages: Numbers, queries: Numbers, before: Scores, after: Scores, ties: Numbers, count: bool) -> None:
        missing = _shift(pages, queries, before, after, ties, count, self.k, *self._state)
        if missing >= 0:
            raise ValueError(f"query {queries[missing]} has no page {pages[missing]} with score {before[missing]}")


@compiled
def _bits(score: Int) -> Int:
    return np.uint64(np.float32(score).view(np.uint32))


@compiled
def _above(key: Key, other: Key) -> Bool:
    return key[0] > other[0] or (key[0] == other[0] and key[1] > other[1])


@compiled
def _key(query: Int, at: Int, state: State) -> Key:
    return _bits(state[1][query, at]) << _32 | np.uint64(state[2][query, at]), np.uint64(state[0][query, at])


@compiled
def _write(query: Int, at: Int, page: Int, score: Int, tie: Int, state: State) -> None:
    state[0][query, at], state[1][query, at], state[2][query, at] = page, score, tie


@compiled
def _copy_result(query: Int, at: Int, to: Int, state: State) -> None:
    _write(query, to, state[0][query, at], state[1][query, at], state[2][query, at], state)


@compiled
def _set_edge(query: Int, key: Key, state: State) -> None:
    state[6][query], state[7][query] = key


@compiled
def _leave(query: Int, page: Int, key: Key, state: State) -> Int:
    """Remove a result; returns its index, `room` if it was hidden, -1 if there is none."""
    size, hidden, room = state[3], state[5], np.int64(state[0].shape[1])
    for at in range(size[query]):
        if state[0][query, at] == page:
            for k in range(at + 1, size[query]):
                _copy_result(query, k, k - 1, state)
            size[query] -= 1
            return np.int64(at)
    if not hidden[query] or _above(key, (state[6][query], np.uint64(state[7][query]))):
        return np.int64(-1)
    hidden[query] -= 1
    if not hidden[query]:  # nothing is hidden any more: every result is kept again
        _set_edge(query, (np.uint64(0), np.uint64(0)), state)
    return room


@compiled
def _enter(query: Int, page: Int, score: Int, tie: Int, key: Key, state: State) -> Int:
    """Insert a result; returns its index, or `room` if it is hidden."""
    size, hidden, room = state[3], state[5], np.int64(state[0].shape[1])
    if not _above(key, (state[6][query], np.uint64(state[7][query]))):
        hidden[query] += 1
        return room
    if size[query] == room:
        hidden[query] += 1
        last = _key(query, room - 1, state)
        if _above(last, key):
            _set_edge(query, key, state)
            return room
        _set_edge(query, last, state)
        size[query] -= 1
    at = np.int64(size[query])
    while at and _above(key, _key(query, at - 1, state)):
        _copy_result(query, at - 1, at, state)
        at -= 1
    _write(query, at, page, score, tie, state)
    size[query] += 1
    return at


@cached(
    int64(
        *(_NUMBERS, _NUMBERS, _SCORES, _SCORES, _NUMBERS, boolean, int64),
        *(_GRID, _SCORE_GRID, _GRID, int32[::1], int32[::1], int32[::1]),
        *(uint64[::1], uint32[::1], _SCORES),
    )
)
def _shift(
    pages: Numbers,
    queries: Numbers,
    before: Scores,
    after: Scores,
    ties: Numbers,
    count: Bool,
    k: Int,
    top_pages: Numbers,
    top_scores: Scores,
    top_ties: Numbers,
    size: Counts,
    entered: Counts,
    hidden: Counts,
    edge: Keys,
    edge_page: Numbers,
    floors: Scores,
) -> Int:
    """Returns -1, or the index of a change whose result is missing."""
    state = (top_pages, top_scores, top_ties, size, entered, hidden, edge, edge_page, floors)
    for i in range(queries.size):
        query, page, tie, was = queries[i], np.uint64(pages[i]), np.uint64(ties[i]), k
        if before[i] and before[i] >= floors[query]:
            was = _leave(query, page, (_bits(before[i]) << _32 | tie, page), state)
            if was < 0:
                return i
        if after[i] and after[i] >= floors[query]:
            at = _enter(query, page, after[i], tie, (_bits(after[i]) << _32 | tie, page), state)
            entered[query] += count and at < k <= was
    return -1
