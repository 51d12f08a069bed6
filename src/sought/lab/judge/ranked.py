"""All matches of a world's versions in the order of results: lists of any repository are then read, not sorted."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sought.index.slabs import scatter
from sought.lab.worlds.world import NOTHING, Numbers

Floats = NDArray[np.float64]
Scores = NDArray[np.float32]


@dataclass(frozen=True)
class Results:
    """Lists of results one after the other, each from rank 1 on: one item of each column a result."""

    query: NDArray[np.uint32]
    version: NDArray[np.uint32]
    score: Scores
    rank: Numbers

    def top(self, k: int) -> "Results":
        """The first k of every list."""
        kept = self.rank <= k
        return Results(self.query[kept], self.version[kept], self.score[kept], self.rank[kept])


@dataclass(frozen=True)
class Ranked:
    """Columns are ordered by query, then as results are: by score, the larger tie first among equals.

    `pairs` are version and query of every match as one number, ascending, and `scores` go with these.
    """

    query: NDArray[np.uint32]
    version: NDArray[np.uint32]
    score: Scores
    pairs: Numbers
    scores: Scores
    queries: int

    @staticmethod
    def of(versions: Numbers, queries: NDArray[np.uint32], scores: Scores, ties: Numbers, count: int) -> "Ranked":
        """Of matches that ascend by version, then by query; `ties` order versions of equal score, the largest first."""
        by_tie = np.argsort(ties, kind="stable")
        place = np.empty(len(ties), np.uint32)
        place[by_tie] = np.arange(len(ties))
        sizes = np.bincount(queries, minlength=count)
        stops = np.cumsum(sizes)
        keys = np.empty(len(queries), np.uint64)
        scatter(queries, scores.view(np.uint32), place[versions], stops - sizes, keys)
        for start, stop in zip((stops - sizes).tolist(), stops.tolist(), strict=True):
            keys[start:stop].sort()
        np.invert(keys, out=keys)
        return Ranked(
            np.repeat(np.arange(count, dtype=np.uint32), sizes),
            by_tie.astype(np.uint32)[keys & np.uint64(0xFFFFFFFF)],
            (keys >> np.uint64(32)).astype(np.uint32).view(np.float32),
            versions * count + queries,
            scores,
            count,
        )

    def lists(self, versions: Numbers) -> Results:
        """What everybody would be shown if these were the versions of the pages; NOTHING is not shown."""
        held = np.zeros(1 + max(int(self.version.max(initial=0)), int(versions.max(initial=0))), np.bool_)
        held[versions[versions != NOTHING]] = True
        at = np.flatnonzero(held[self.version])
        query = self.query[at]
        return Results(query, self.version[at], self.score[at], places(query) + 1)

    def scores_of(self, versions: Numbers, queries: NDArray[np.uint32]) -> Scores:
        """How well each of these versions answers the query beside it; 0 if it does not."""
        wanted = np.where(versions == NOTHING, NOTHING, versions * self.queries + queries)
        order = np.argsort(wanted)  # those that ascend are found many times as fast
        wanted = wanted[order]
        at = np.searchsorted(self.pairs, wanted)
        found = at < len(self.pairs)
        found[found] = self.pairs[at[found]] == wanted[found]
        scores = np.zeros(len(wanted), np.float32)
        scores[order[found]] = self.scores[at[found]]
        return scores


def places(lists: NDArray[np.uint32]) -> Numbers:
    """How many stand before each in its list, where a list is a run of equal numbers."""
    at = np.arange(len(lists))
    starts = np.ones(len(lists), np.bool_)
    starts[1:] = lists[1:] != lists[:-1]
    return at - np.maximum.accumulate(np.where(starts, at, 0))
