"""All matches of a world's versions in the order of results: lists of any repository are then read, not sorted."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sought.lab.world import NOTHING, Numbers

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
        bits = scores.view(np.uint32).astype(np.uint64)  # positive floats are ordered like their bits
        order = np.argsort(~(bits << np.uint64(32) | ties[versions].astype(np.uint64)))
        order = order[np.argsort(queries[order], kind="stable")]
        pairs = versions * count + queries
        return Ranked(queries[order], versions[order].astype(np.uint32), scores[order], pairs, scores, count)

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
        at = np.searchsorted(self.pairs, wanted)
        found = at < len(self.pairs)
        found[found] = self.pairs[at[found]] == wanted[found]
        scores = np.zeros(len(wanted), np.float32)
        scores[found] = self.scores[at[found]]
        return scores


def places(lists: NDArray[np.uint32]) -> Numbers:
    """How many stand before each in its list, where a list is a run of equal numbers."""
    at = np.arange(len(lists))
    starts = np.ones(len(lists), np.bool_)
    starts[1:] = lists[1:] != lists[:-1]
    return at - np.maximum.accumulate(np.where(starts, at, 0))
