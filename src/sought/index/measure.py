"""What did a fetch gain?  The change of the numerator of quality, query by query, measured while indexing.

Each page has a vector (vectors.py).  The caller passes the old and the new ones; `shift` finds the queries whose score
has changed, the ranks before and after, and the gain (Pandey & Olston 2005, §5).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import float32, float64, int32, uint32, void
from numpy.typing import NDArray

from sought.index.curves import Curves
from sought.index.exact import Exact
from sought.index.filing import FiledQueries, Filing
from sought.index.lists import HeldResults, Lists, ListsOf, no_held
from sought.index.matching import ABSENT, match
from sought.index.quality import Matches
from sought.index.scorers import BM25, Scorer
from sought.index.statistics import Floats, Statistics
from sought.index.top import Top
from sought.index.vectors import Vector, Vectors, Vocabulary, joined, no_vectors, translated
from sought.index.visibility import Visibility
from sought.web.compiled import cached

Rows = NDArray[np.int64]
Ties = NDArray[np.uint32]

_ROOM = 1 << 15
ESTIMATORS: dict[str, type[Any]] = {"Curves": Curves, "Exact": Exact}
REPORTED = 8  # queries reported for each page: those with the largest gains


class Changed(NamedTuple):
    """Pairs of page and query with their scores before and after; `page` counts within the batch."""

    page: NDArray[np.int32]
    query: NDArray[np.int32]
    before: NDArray[np.float32]
    after: NDArray[np.float32]

    def first(self, count: int) -> "Changed":
        return Changed(self.page[:count], self.query[:count], self.before[:count], self.after[:count])


class Gains(NamedTuple):
    """The gain of each page of a batch, and the queries that gained most.

    The queries reported for page i are the first `reported[i]` of row i of the other columns.
    """

    gain: Floats
    affected: NDArray[np.int32]
    reported: NDArray[np.int32]
    query: NDArray[np.int32]
    before: NDArray[np.float32]
    after: NDArray[np.float32]
    rank_before: NDArray[np.uint32]
    rank_after: NDArray[np.uint32]
    query_gain: NDArray[np.float32]


class EntryGains(NamedTuple):
    """What pages would add: in all, and the most for one query, which is `query` (-1: none)."""

    gain: Floats
    query: Rows
    most: Floats


class GainMeasure:
    """A workload, a scorer, and the results of each query.

    Order of use: `fill` with all pages; then for each batch a Counter counts terms while the index is updated, and
    `shift` takes the vectors before and after.  Statistics change only by `freeze`, after which `fill` is due.
    """

    def __init__(
        self,
        queries: Sequence[str],
        weights: Floats,
        vocabulary: Vocabulary | None = None,
        scorer: Scorer = BM25(),  # noqa: B008  a frozen value
        estimator: ListsOf = Curves(),  # noqa: B008  likewise
        visibility: Visibility = Visibility(),  # noqa: B008  likewise
    ) -> None:
        self.queries = queries
        self.weights = weights
        self.vocabulary = Vocabulary() if vocabulary is None else vocabulary
        self.scorer = scorer
        self.visibility = visibility
        self.top: Top | None = None  # set it before `fill` to know which pages are shown
        self.statistics = Statistics()
        self.filing = Filing(queries, self.vocabulary)
        self.lists: Lists = estimator.open(len(queries), visibility)
        self._no_floors = np.zeros(len(queries), np.float32)
        self._filed: tuple[FiledQueries, NDArray[np.float32], NDArray[np.float32]] | None = None
        self._bounds = np.zeros((0 if scorer.is_sum else len(queries), 4))
        self._terms = -1
        self._room = _room(_ROOM)

    @property
    def nbytes(self) -> int:
        """Memory of the queries, without the texts of queries and terms."""
        self._prepare(set())
        own: list[NDArray[Any]] = [self.weights, self._no_floors, self._bounds, *self._files()]
        own += [self._weights, self._term_scores, *([self._filed[2]] if self._filed else [])]
        top = 0 if self.top is None else self.top.nbytes
        return top + self.lists.nbytes + self.filing.nbytes + sum(column.nbytes for column in own)

    @property
    def _min_scores(self) -> NDArray[np.float32]:
        """Scores below which the lists need no changes."""
        return self.lists.floors if self.scorer.is_sum else self._no_floors  # floors are scores, not sums

    @property
    def worth(self) -> float:
        """The numerator of quality by the current copies; gains are its changes."""
        return float(np.sum(self.weights * self.lists.attention()))

    def freeze(self, statistics: Statistics) -> None:
        """Use these statistics from now on."""
        self.statistics = statistics
        self.filing.files = None
        self._terms = -1

    def fill(self, pages: Iterable[tuple[Rows, Ties, Vectors]]) -> int:
        """Replace all pages, passed in batches; returns how many pairs of page and query match."""
        queries, sums, ties, ranks, numbers = [], [], [], [], []
        for rows, hashes, vectors in pages:
            for found in self._changed(None, vectors, self._no_floors):
                queries.append(found.query.copy())
                sums.append(found.after.copy())
                ties.append(hashes[found.page])
                if self.top is not None:
                    numbers.append(rows[found.page].astype(np.uint32))
                if not self.scorer.is_sum:
                    ranks.append(self._importance(rows)[found.page])
        query, scores = _joined(queries, np.int32), _joined(sums, np.float32)
        if not self.scorer.is_sum:
            importance = _joined(ranks, np.float64)
            self._bound(query, scores, importance)
            scores = self.scorer.finish(query, scores, importance, self._bounds)
        tied = _joined(ties, np.uint32)
        self.lists.fill(query.view(np.uint32), scores, tied)
        if self.top is not None:
            self.top.fill(_joined(numbers, np.uint32), query.view(np.uint32), scores, tied, self._min_scores)
        return len(query)

    def shift(self, rows: Rows, ties: Ties, old: Vectors, new: Vectors) -> Gains:
        """Apply changes of pages, in this order (pages in a new language last); returns their gains."""
        gains = _no_gains(len(rows))
        floors = self._min_scores if self.top is None or not self.scorer.is_sum else self.top.floors
        for found in self._changed(old, new, floors):
            scored = self._finished(found, rows)
            changes = scored.query.view(np.uint32), scored.before, scored.after, ties[scored.page]
            shifts = self.lists.shift(*changes)
            if self.top is not None:
                self.top.shift(rows[scored.page].astype(np.uint32), *changes)
            _sum_gains(*scored, *shifts, self.weights, *gains)  # type: ignore[arg-type]  # columns in this order
        return gains

    def entry(self, rows: Rows, vectors: Vectors, times: Sequence[float] = (1.0,)) -> EntryGains:
        """What each of these pages would add to the answers if it entered now; nothing changes.

        Its scores are those of its vector times each of `times`, with equal probability.
        """
        gain, most, query = np.zeros(len(vectors)), np.zeros(len(vectors)), np.full(len(vectors), -1)
        for found in self._changed(None, vectors, self._no_floors):
            scored = self._finished(found, rows)
            queries, scores = scored.query.view(np.uint32), scored.after
            added = sum(self.lists.entry(queries, scores * np.float32(factor)) for factor in times)
            added *= self.weights[scored.query] / len(times)
            gain += np.bincount(scored.page, added, minlength=len(gain))
            order = np.argsort(added, kind="stable")  # of repeated assignments the last counts
            page, added = scored.page[order], added[order]
            more = added > most[page]
            most[page[more]], query[page[more]] = added[more], scored.query[order][more]
        return EntryGains(gain, query, most)

    def held(self, rows: Rows, ties: Ties, vectors: Vectors) -> HeldResults:
        """What each of these pages in the lists adds to the answers; nothing changes."""
        total = no_held(len(vectors))
        for found in self._changed(None, vectors, self._min_scores):
            scored = self._finished(found, rows)
            weighted = np.flatnonzero(self.weights[scored.query])
            page, query = scored.page[weighted], scored.query[weighted]
            each = self.lists.held(query.view(np.uint32), scored.after[weighted], ties[page])
            for whole, part in zip(total, each, strict=True):
                whole += np.bincount(page, self.weights[query] * part, minlength=len(whole))
        return total

    def ranks(self, found: Matches, ties: Ties) -> NDArray[np.uint32]:
        """The ranks of pages among the results of queries, by their scores; `ties` are those of the pairs."""
        return self.lists.shift(found.queries, found.scores, found.scores, ties).rank_after

    def matches(self, rows: Rows, vectors: Vectors) -> Matches:
        """The score of every query for these pages; nothing changes."""
        found: list[Matches] = []
        for each in self._changed(None, vectors, self._no_floors):
            pages, queries = rows[each.page].astype(np.uint32), each.query.astype(np.uint32)
            found.append(Matches(pages, queries, self._finished(each, rows).after.copy()))
        return concatenate(found)

    def _changed(self, old: Vectors | None, new: Vectors, floors: NDArray[np.float32]) -> Iterator[Changed]:
        """Changes in batches of bounded size; a batch is valid until the next one."""
        if old is None:
            yield from self._matched(no_vectors(len(new)), new, floors)
            return
        yield from self._matched(old, new, floors)
        for page in translated(old, new):
            yield self._translation(page, old[page], new[page])

    def _translation(self, page: int, old: Vector, new: Vector) -> Changed:
        """The changes of a page with a new language: both versions are matched by their own files."""
        sides = [
            [(c.query.copy(), c.after.copy()) for c in self._changed(None, joined([v]), self._no_floors)]
            for v in (old, new)
        ]
        (before, scores_before), (after, scores_after) = (
            (_joined([q for q, _ in side], np.int32), _joined([s for _, s in side], np.float32)) for side in sides
        )
        query, place = np.unique(np.concatenate([before, after]), return_inverse=True)
        scores = np.zeros((2, len(query)), np.float32)
        scores[0, place[: len(before)]], scores[1, place[len(before) :]] = scores_before, scores_after
        return Changed(np.full(len(query), page, np.int32), query, scores[0], scores[1])

    def _matched(self, old: Vectors, new: Vectors, floors: NDArray[np.float32]) -> Iterator[Changed]:
        self._prepare({*old.languages, *new.languages})
        files = self._files()
        filed = self._floors_of(files, floors)
        page, taken = 0, np.zeros(1, np.int64)
        while page < len(new):
            vectors = old.data, old.bounds, new.data, new.bounds
            scoring = self.scorer.kind, self._weights, self._lengths, filed
            reached = match(*vectors, page, *files, *scoring, self._term_scores, *self._room, taken)
            if reached == page and not taken[0]:
                self._room = _room(2 * len(self._room.page))
            page = reached
            if taken[0]:
                yield self._room.first(int(taken[0]))

    def _floors_of(self, files: FiledQueries, floors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Floors in the order of the files; computed once for each fill."""
        if floors is self._no_floors:
            return np.zeros(len(files.query), np.float32)
        if self._filed is None or self._filed[0] is not files or self._filed[1] is not floors:
            self._filed = files, floors, floors[files.query]
        return self._filed[2]

    def _files(self) -> FiledQueries:
        return self.filing.file(self.statistics.anywhere)

    def _prepare(self, languages: set[int]) -> None:
        """Prepare matching for these languages and for new terms of the vocabulary."""
        for language in languages:
            self.filing.read(language)
        if self._terms != len(self.vocabulary):
            self._terms = len(self.vocabulary)
            self._weights = self.scorer.weights(self.statistics, self._terms)
            self._lengths = self.scorer.lengths(self.statistics)
            self._term_scores = np.full((self._terms, 2), ABSENT)

    def _finished(self, found: Changed, rows: Rows) -> Changed:
        if self.scorer.is_sum:
            return found
        importance = self._importance(rows)[found.page]
        before, after = (
            self.scorer.finish(found.query, sums, importance, self._bounds) for sums in (found.before, found.after)
        )
        return Changed(found.page, found.query, before, after)

    def _importance(self, rows: Rows) -> Floats:
        known = self.statistics.importance
        held = rows < len(known)
        return np.where(held, known[np.where(held, rows, 0)], 0.0) if len(known) else np.zeros(len(rows))

    def _bound(self, query: NDArray[np.int32], total: NDArray[np.float32], importance: Floats) -> None:
        """Compute the least and largest sum and importance among the results of each query."""
        self._bounds = np.tile([np.inf, -np.inf, np.inf, -np.inf], (len(self.queries), 1))
        for column, values in ((0, total), (2, importance)):
            np.minimum.at(self._bounds[:, column], query, values)
            np.maximum.at(self._bounds[:, column + 1], query, values)
        self._bounds[np.isinf(self._bounds).any(axis=1)] = 0.0


def _room(size: int) -> Changed:
    numbers, scores = np.empty((2, size), np.int32), np.empty((2, size), np.float32)
    return Changed(numbers[0], numbers[1], scores[0], scores[1])


def concatenate(found: Sequence[Matches]) -> Matches:
    """Matches end to end."""
    return Matches(
        _joined([each.pages for each in found], np.uint32),
        _joined([each.queries for each in found], np.uint32),
        _joined([each.scores for each in found], np.float32),
    )


def _joined(parts: list[NDArray[Any]], kind: type) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, kind), *parts])


def _no_gains(pages: int) -> Gains:
    def reported(kind: type[Any]) -> NDArray[Any]:
        return np.zeros((pages, REPORTED), kind)

    return Gains(
        gain=np.zeros(pages),
        affected=np.zeros(pages, np.int32),
        reported=np.zeros(pages, np.int32),
        query=reported(np.int32),
        before=reported(np.float32),
        after=reported(np.float32),
        rank_before=reported(np.uint32),
        rank_after=reported(np.uint32),
        query_gain=reported(np.float32),
    )


@cached(
    void(
        *(int32[::1], int32[::1], float32[::1], float32[::1]),
        *(uint32[::1], uint32[::1], float64[::1], float64[::1]),
        *(float64[::1], int32[::1], int32[::1], int32[:, ::1]),
        *(float32[:, ::1], float32[:, ::1], uint32[:, ::1], uint32[:, ::1], float32[:, ::1]),
    )
)
def _sum_gains(
    page: NDArray[np.int32],
    query: NDArray[np.int32],
    before: NDArray[np.float32],
    after: NDArray[np.float32],
    rank_before: NDArray[np.uint32],
    rank_after: NDArray[np.uint32],
    gain: Floats,
    weights: Floats,
    total: Floats,
    affected: NDArray[np.int32],
    reported: NDArray[np.int32],
    top_query: NDArray[np.int32],
    top_before: NDArray[np.float32],
    top_after: NDArray[np.float32],
    top_rank_before: NDArray[np.uint32],
    top_rank_after: NDArray[np.uint32],
    top_gain: NDArray[np.float32],
) -> None:
    """Sum the weighted gains of each page, and keep the largest."""
    for i in range(len(page)):
        if before[i] == after[i]:  # different sums may have the same score
            continue
        p, weighted = page[i], weights[query[i]] * gain[i]
        total[p] += weighted
        affected[p] += 1
        slot = reported[p]
        if slot < REPORTED:
            reported[p] += 1
        else:
            slot = 0
            for k in range(1, REPORTED):
                if top_gain[p, k] < top_gain[p, slot]:
                    slot = k
            if weighted <= top_gain[p, slot]:
                continue
        top_query[p, slot], top_gain[p, slot] = query[i], weighted
        top_before[p, slot], top_after[p, slot] = before[i], after[i]
        top_rank_before[p, slot], top_rank_after[p, slot] = rank_before[i], rank_after[i]
