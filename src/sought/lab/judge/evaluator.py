"""How good are the answers now?  Quality, kept up to date while pages and their copies change.

Equal to `quality` of everything.  Only queries that a change has touched are worked out again, and what has not changed
of their lists is not sorted again.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.index.quality import AnswerShares, Matches, Tie, total
from sought.index.slabs import KEYS, OFFSETS, Keys, Offsets, Slabs, make_room, scatter
from sought.index.visibility import Floats, Visibility
from sought.lab.judge.evaluator_gains import add_attention, add_changes, ascending, moves_of
from sought.web.compiled import Bool, Int, cached, compiled, readable

Numbers = NDArray[np.uint32]
Scores = NDArray[np.float32]
Lists = tuple[Keys, Offsets, Offsets]

_32, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_TABLE = readable(types.float64)


class Evaluator:
    """The quality of a repository (`set_copy`) in face of the live Web (`set_live`); at first both are empty."""

    def __init__(
        self,
        weights: Floats,
        ties: Numbers,
        visibility: Visibility = Visibility(),  # noqa: B008  a frozen value
        tie: Tie = "hash",
        per_query_norm: bool = False,
    ) -> None:
        self._weights = weights
        self._visibility, self._tie, self._norm = visibility, tie, per_query_norm
        # Pages are renumbered, so that the larger number comes first among equal scores.
        numbers = np.empty(len(ties), np.uint32)
        numbers[np.lexsort((np.arange(len(ties)), ties))] = np.arange(len(ties))
        self._numbers = numbers
        self._copies, self._live = _Side(len(weights), numbers), _Side(len(weights), numbers)
        self._attained, self._ideal = np.zeros(len(weights)), np.zeros(len(weights))
        self._worth: Scores = np.zeros(len(ties), np.float32)

    def set_weights(self, weights: Floats) -> None:
        """Set f_q of the same queries."""
        if len(weights) != len(self._weights):
            raise ValueError(f"{len(weights)} weights for {len(self._weights)} queries")
        self._weights = weights

    def set_copy(self, page: int, queries: Numbers, scores: Scores) -> None:
        """The repository's copy of a page matches these queries and no others; none at all if it has no copy."""
        self._copies.set(page, queries, scores)

    def set_live(self, page: int, queries: Numbers, scores: Scores) -> None:
        """The live page matches these queries and no others; none at all if it is gone."""
        self._live.set(page, queries, scores)

    def set_copies(self, pages: Numbers, matches: Matches) -> None:
        """`set_copy` of many different pages; `matches` are of these only."""
        self._copies.set_all(pages, matches)

    def set_lives(self, pages: Numbers, matches: Matches) -> None:
        """`set_live` of many different pages; `matches` are of these only."""
        self._live.set_all(pages, matches)

    def quality(self) -> AnswerShares:
        """As things stand."""
        return total(*self.by_query(), self._weights, self._norm)

    def by_query(self) -> tuple[Floats, Floats]:
        """The attained and the ideal score of each query, before weights; valid until the next change."""
        dirty = np.union1d(self._copies.flush(), self._live.flush())
        longest = max(int(side.slabs.sizes[dirty].max(initial=0)) for side in (self._copies, self._live))
        tables = self._visibility.table(longest), self._visibility.sums(longest)
        lists = (*self._copies.slabs.arrays[:3], *self._live.slabs.arrays[:3])
        _work_out(dirty, *lists, *tables, self._tie == "mean", self._worth, self._attained, self._ideal)
        return self._attained, self._ideal

    def gains(self, pages: Numbers) -> Floats:
        """By how much the numerator would change if the copy of each page alone became its live version."""
        return self._changes(pages, self._live.rows(pages))

    def gains_of(self, pages: Numbers, matches: Matches) -> Floats:
        """The same, if the copy of each of these different pages matched as in `matches`."""
        order = np.argsort(pages)
        at = np.searchsorted(pages, matches.pages, sorter=order)
        if len(at) and not (at.max() < len(pages) and np.array_equal(pages[order[at]], matches.pages)):
            raise ValueError("matches of pages that are not asked about")
        return self._changes(pages, Matches(order[at].astype(np.uint32), matches.queries, matches.scores))

    def attention(self) -> Floats:
        """How much each live page would get of it, were all in step: Σ f_q·I(rank on the live Web)."""
        _, _, weights, sums, shift = self._up_to_date()
        attention = np.zeros(len(self._numbers))
        add_attention(*self._live.slabs.arrays[:3], weights, sums, shift, attention)
        return attention[self._numbers]

    def _changes(self, pages: Numbers, others: Matches) -> Floats:
        """`others` has places among `pages` for pages."""
        copies, lives, weights, sums, shift = self._up_to_date()
        moves = moves_of(self._copies.rows(pages), others, weights)
        changes = np.zeros(len(pages))
        numbers = self._numbers[pages]
        columns = moves.query, moves.page, moves.old, moves.new, numbers
        add_changes(*columns, *copies, *lives, weights, sums, shift, self._worth, changes)
        return changes

    def _up_to_date(self) -> tuple[Lists, Lists, Floats, Floats, np.uint64]:
        """Lists of both sides, the weight of a query, sums of visibility, how far keys are shifted to tie."""
        _, ideal = self.by_query()
        weights = self._weights / np.where(ideal, ideal, 1.0) if self._norm else self._weights
        sides = self._copies.slabs, self._live.slabs
        longest = max(int(slabs.sizes.max(initial=0)) for slabs in sides)
        copies, lives = (slabs.arrays[:3] for slabs in sides)
        return copies, lives, weights, self._visibility.sums(longest + 2), _32 if self._tie == "mean" else np.uint64(0)


class _Side:
    """Either the copies or the live pages.

    `_rows` says what each page matches.  Changes wait in `_waiting`, as lists, scores and renumbered pages, until they
    are entered into the slabs; of several changes of one page for one query the last counts, and score 0 takes it out.
    """

    def __init__(self, queries: int, numbers: Numbers) -> None:
        self.slabs = Slabs(queries)
        self._numbers = numbers
        self._rows: dict[int, tuple[Numbers, Scores]] = {}
        self._waiting: list[tuple[Numbers, Scores, int]] = []
        self._marks: Offsets = np.zeros(len(numbers), np.int64)

    def set(self, page: int, queries: Numbers, scores: Scores) -> None:
        order = np.argsort(queries)
        self._set(page, queries[order], scores[order])

    def set_all(self, pages: Numbers, matches: Matches) -> None:
        pairs, scores = ascending(matches)
        owners, queries = (pairs >> _32).astype(np.uint32), (pairs & _LOW).astype(np.uint32)
        starts, stops = (np.searchsorted(owners, pages, side) for side in ("left", "right"))
        if int((stops - starts).sum()) != len(owners):
            raise ValueError("matches of pages that are not to be set, or pages to be set twice")
        for page, start, stop in zip(pages.tolist(), starts.tolist(), stops.tolist(), strict=True):
            self._set(page, queries[start:stop].copy(), scores[start:stop].copy())

    def rows(self, pages: Numbers) -> Matches:
        """What these pages match; in place of each page is its place among them."""
        none = np.zeros(0, np.uint32), np.zeros(0, np.float32)
        rows = [self._rows.get(page, none) for page in pages.tolist()]
        places = np.repeat(np.arange(len(rows), dtype=np.uint32), [len(queries) for queries, _ in rows])
        queries, scores = (np.concatenate([none[i], *(row[i] for row in rows)]) for i in (0, 1))
        return Matches(places, queries, scores)

    def flush(self) -> Offsets:
        """Enter the changes that wait; returns the lists they touch."""
        if not self._waiting:
            return np.zeros(0, np.int64)
        lists = np.concatenate([queries for queries, _, _ in self._waiting])
        scores = np.concatenate([scores for _, scores, _ in self._waiting])
        lengths = [len(queries) for queries, _, _ in self._waiting]
        low = np.repeat(np.array([number for _, _, number in self._waiting], np.uint32), lengths)
        self._waiting.clear()
        counts = np.bincount(lists, minlength=len(self.slabs))
        stops = np.cumsum(counts)
        changes = np.empty(len(lists), np.uint64)
        scatter(lists, scores.view(np.uint32), low, stops - counts, changes)
        dirty = np.flatnonzero(counts)
        self._enter(dirty, ~changes, stops[dirty] - counts[dirty], stops[dirty])
        return dirty

    def _set(self, page: int, queries: Numbers, scores: Scores) -> None:
        """The queries ascend."""
        if len(queries) and int(queries[-1]) >= len(self.slabs):
            raise IndexError(f"query {int(queries[-1])} of {len(self.slabs)}")
        number = int(self._numbers[page])
        old_queries, old_scores = self._rows.get(page, (queries[:0], scores[:0]))
        if np.array_equal(queries, old_queries) and np.array_equal(scores, old_scores):
            return
        self._waiting += (old_queries, np.zeros_like(old_scores), number), (queries, scores, number)
        self._rows[page] = queries, scores

    def _enter(self, dirty: Offsets, changes: Keys, starts: Offsets, stops: Offsets) -> None:
        done = 0
        while done < len(dirty):
            done = _enter(dirty, changes, starts, stops, *self.slabs.arrays, self._marks, done)
            if done < len(dirty):
                need = int(self.slabs.sizes[dirty[done]] + stops[done] - starts[done])
                self.slabs.grow(2 * need + 4)


@compiled
def _drop_marked(items: Keys, start: Int, size: Int, marks: Offsets) -> Int:
    """Take the items of marked pages out of a list; how many stay."""
    kept = start
    for k in range(start, start + size):
        items[kept] = items[k]
        kept += marks[items[k] & _LOW] == 0
    return kept - start


@compiled
def _merge(items: Keys, start: Int, size: Int, fresh: Keys) -> None:
    """Enter ascending keys into a descending list behind which there is room, from its end."""
    at, k = start + size + fresh.size - 1, start + size - 1
    for key in fresh:
        while k >= start and items[k] < key:
            items[at] = items[k]
            at, k = at - 1, k - 1
        items[at] = key
        at -= 1


@cached(types.int64(OFFSETS, KEYS, OFFSETS, OFFSETS, KEYS, OFFSETS, OFFSETS, OFFSETS, OFFSETS, OFFSETS, types.int64))
def _enter(
    dirty: Offsets,
    changes: Keys,
    firsts: Offsets,
    stops: Offsets,
    items: Keys,
    starts: Offsets,
    sizes: Offsets,
    rooms: Offsets,
    end: Offsets,
    marks: Offsets,
    done: Int,
) -> Int:
    """Change the lists dirty[done:]; returns how far it came before the array was full.  To begin again is harmless."""
    for i in range(done, dirty.size):
        query, first, stop = dirty[i], firsts[i], stops[i]
        for c in range(first, stop):
            marks[changes[c] & _LOW] = c + 1
        fresh, count = np.empty(stop - first, np.uint64), 0
        for c in range(first, stop):
            if changes[c] >> _32 and marks[changes[c] & _LOW] == c + 1:
                fresh[count] = changes[c]
                count += 1
        sizes[query] = _drop_marked(items, starts[query], sizes[query], marks)
        for c in range(first, stop):
            marks[changes[c] & _LOW] = 0
        if not make_room(sizes[query] + count, query, (items, starts, sizes, rooms, end)):
            return i
        fresh = fresh[:count]
        fresh.sort()
        _merge(items, starts[query], sizes[query], fresh)
        sizes[query] += count
    return dirty.size


@compiled
def _score(key: Int) -> float:
    return np.float64(np.uint32(key >> _32).view(np.float32))


@compiled
def _attention(items: Keys, start: Int, size: Int, worth: Scores, seen: Floats, sums: Floats, mean: Bool) -> float:
    """Σ I(rank)·worth over a list; equal scores share their visibility if `mean`."""
    total, k = 0.0, 0
    while k < size:
        stop = k + 1
        while mean and stop < size and items[start + stop] >> _32 == items[start + k] >> _32:
            stop += 1
        visibility = (sums[stop] - sums[k]) / (stop - k) if mean else seen[stop]
        for at in range(k, stop):
            total += visibility * np.float64(worth[items[start + at] & _LOW])
        k = stop
    return total


_LISTS = (KEYS, OFFSETS, OFFSETS)


@cached(
    types.void(OFFSETS, *_LISTS, *_LISTS, _TABLE, _TABLE, types.boolean, types.float32[::1], *[types.float64[::1]] * 2)
)
def _work_out(
    dirty: Offsets,
    copies: Keys,
    copy_starts: Offsets,
    copy_sizes: Offsets,
    lives: Keys,
    live_starts: Offsets,
    live_sizes: Offsets,
    seen: Floats,
    sums: Floats,
    mean: Bool,
    worth: Scores,
    qualities: Floats,
    ideal: Floats,
) -> None:
    """The attained and the ideal score of each dirty query.  `worth` is 0 before and after."""
    for query in dirty:
        start, size = live_starts[query], live_sizes[query]
        for k in range(start, start + size):
            worth[lives[k] & _LOW] = np.float32(_score(lives[k]))
        ideal[query] = _attention(lives, start, size, worth, seen, sums, mean)
        qualities[query] = _attention(copies, copy_starts[query], copy_sizes[query], worth, seen, sums, mean)
        for k in range(start, start + size):
            worth[lives[k] & _LOW] = 0.0
