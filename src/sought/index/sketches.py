"""How would uncrawled pages rank in a query's list?  A sketch of the list, for each query of a batch.

A sketch has the scores of the best crawled results, and the matching uncrawled pages, whose scores are guessed.  The
impact of a page is Σ f(q)·V(R(p, q)), R being its rank among crawled and uncrawled ones (S. Pandey, C. Olston, Crawl
Ordering by Search Impact, WSDM 2008, §3).  The best c pages to fetch are those of largest impact, for impacts are
additive.

All ways to compute impacts use the same order.  Score 0 is no result: it has no rank and displaces no page.  Of equal
scores the larger tie comes first; of equal ties crawled pages do, then those that come first in the sketch.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.index.lists import Numbers, Scores
from sought.index.slabs import KEYS, Keys, Offsets
from sought.index.visibility import Floats
from sought.web.compiled import Int, cached, compiled, readable
from sought.web.errors import BadInput

K = 10  # results that are seen

_32 = np.uint64(32)
_MATRIX = types.uint64[:, ::1]


def top_k(k: int = K) -> Floats:
    """V(r) = 1 for r ≤ k, as item r - 1: the visibility of the practical policy."""
    if k < 1:
        raise BadInput(f"k must be at least 1, not {k}")
    return np.ones(k)


@dataclass(frozen=True, eq=False)
class Sketches:
    """Query q has weight f(q), and uncrawled candidates bounds[q] to bounds[q + 1]: pages by row, with their ties.

    `crawled` has the best crawled results of each query in a row, best first, then 0; at least as many as are visible.
    The guessed scores of candidates are arguments of each function.
    """

    weights: Floats
    crawled: Scores
    crawled_ties: Numbers
    bounds: Offsets
    rows: NDArray[np.int64]
    ties: Numbers

    def __post_init__(self) -> None:
        queries, pairs = len(self.weights), len(self.rows)
        if self.crawled.ndim != 2 or len(self.crawled) != queries or self.crawled_ties.shape != self.crawled.shape:
            raise ValueError("crawled scores and their ties must have a row for each query")
        if len(self.bounds) != queries + 1 or self.bounds[0] != 0 or self.bounds[-1] != pairs:
            raise ValueError("the bounds of queries must go from 0 to the number of candidates")
        if (np.diff(self.bounds) < 0).any() or len(self.ties) != pairs:
            raise ValueError("columns of candidates do not fit together")
        if not are_valid_scores(self.crawled) or (self.crawled_keys[:, :-1] < self.crawled_keys[:, 1:]).any():
            raise ValueError("crawled scores must be finite, not negative, and the best first (of equals, by ties)")

    def __len__(self) -> int:
        return len(self.weights)

    @cached_property
    def crawled_keys(self) -> Keys:
        """Sort keys of crawled results: a larger key comes first.  0 where there are no more."""
        return np.where(self.crawled > 0, keys(self.crawled, self.crawled_ties), np.uint64(0))

    @property
    def pair_weights(self) -> Floats:
        """The weight f(q) of each candidate's query."""
        return np.repeat(self.weights, np.diff(self.bounds))

    def check_seen(self, value: Floats) -> None:
        if not len(value) or self.crawled.shape[1] < len(value):
            raise ValueError(f"{self.crawled.shape[1]} crawled results are known, of which {len(value)} are seen")

    def check_pairs(self, *columns: NDArray[Any]) -> None:
        if any(column.shape != self.ties.shape for column in columns):
            raise ValueError("a column must have one item for each candidate")


def impact_by_page(rows: NDArray[np.int64], impact: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Sum the impacts of candidates by page: the sorted rows of pages with any, and their sums."""
    some = np.flatnonzero(impact)  # few: those that queries would show
    pages, place = np.unique(rows[some], return_inverse=True)
    return pages, np.bincount(place, impact[some], len(pages)).astype(np.float64)  # bincount of nothing gives integers


def are_valid_scores(scores: Scores) -> bool:
    """Whether scores are finite and not negative, which compiled code does not check."""
    return bool(np.isfinite(scores).all() and (scores >= 0).all())


def keys(scores: Scores, ties: Numbers) -> Keys:
    """Sort keys: bits of the score, then of the tie (positive floats are ordered like their bits)."""
    bits = np.ascontiguousarray(scores + np.float32(0), np.float32).view(np.uint32)  # + 0 turns -0 into 0
    return bits.astype(np.uint64) << _32 | ties


def scalar_impact(sketches: Sketches, scores: Scores, k: int = K) -> Floats:
    """f(q)·T(p, q) of each candidate, T being 1 if it is among the k best of its sketch, by these scores."""
    return sketches.pair_weights * (scalar_ranks(sketches, scores, k) > 0)


def scalar_ranks(sketches: Sketches, scores: Scores, k: int = K) -> NDArray[np.int32]:
    """The rank of each candidate among the k best of its sketch, 0 if it is none of them."""
    sketches.check_seen(top_k(k))
    sketches.check_pairs(scores)
    if not are_valid_scores(scores):
        raise ValueError("scores must be finite and not negative")
    ranks = np.zeros(len(scores), np.int32)
    _scalar(sketches.crawled_keys, sketches.bounds, keys(scores, sketches.ties), k, ranks)
    return ranks


@compiled
def enter_best(best: Keys, who: Offsets, size: Int, key: Int, candidate: Int) -> Int:
    """Insert a result into the list of the best, if it belongs there; returns the size of the list.

    Few results do: a worse score costs one comparison.  So a sorted list is faster than a heap.
    """
    if size == best.size:
        if key <= best[size - 1]:
            return size
        size -= 1
    place = size
    while place > 0 and best[place - 1] < key:
        best[place], who[place] = best[place - 1], who[place - 1]
        place -= 1
    best[place], who[place] = key, candidate
    return size + 1


@compiled
def begin_best(crawled: Keys, best: Keys, who: Offsets) -> Int:
    """Start the list of the best with the crawled pages; returns its size."""
    size = 0
    while size < best.size and crawled[size]:
        best[size], who[size] = crawled[size], -1
        size += 1
    return size


@cached(types.void(_MATRIX, readable(types.int64), KEYS, types.int64, types.int32[::1]))
def _scalar(crawled: Keys, bounds: Offsets, candidates: Keys, k: int, ranks: NDArray[np.int32]) -> None:
    best, who = np.empty(k, np.uint64), np.empty(k, np.int64)
    for query in range(len(crawled)):
        size = begin_best(crawled[query], best, who)
        for i in range(bounds[query], bounds[query + 1]):
            if candidates[i] >> np.uint64(32):
                size = enter_best(best, who, size, candidates[i], i)
        for place in range(size):
            if who[place] >= 0:
                ranks[who[place]] = place + 1
