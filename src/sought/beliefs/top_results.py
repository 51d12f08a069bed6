"""Which are the best results of every query, as of the last commit?"""

import numpy as np
from numpy.typing import NDArray

from sought.index.top import Top
from sought.record.measuring import Measuring


def top_of(measuring: Measuring, k: int) -> Top | None:
    """At least the best k results of each query; None without queries.

    From the first call on they are kept up with every page that is measured.  Lists that have become too short, because
    pages left, are filled up by scoring all pages again, after as many fetches as a hundredth of the pages.
    """
    measure = measuring.measure
    if measure is None:
        return None
    top = measure.top
    if top is None or top.k < k:
        top = measure.top = Top(len(measure.queries), k)
        matches = measuring.matches()
        floors = measure.lists.floors if measure.scorer.is_sum else None  # scores below are not known
        top.fill(matches.pages, matches.queries, matches.scores, measuring.ties(matches.pages.astype(np.int64)), floors)
        top.filled_at = measuring.sums.fetches
    elif measuring.sums.fetches - top.filled_at >= measuring.pages // 100 and top.short.any():
        matches, top.filled_at = measuring.matches(), measuring.sums.fetches
        top.mend(matches.pages, matches.queries, matches.scores, measuring.ties(matches.pages.astype(np.int64)))
    return top


def best_scores(top: Top, k: int, queries: NDArray[np.int64] | slice = slice(None)) -> NDArray[np.float32]:
    """The best k scores of queries, or of all, 0 where there are no more."""
    return np.where(np.arange(k) < top.size[queries, None], top.scores[queries, :k], np.float32(0))


def showing(top: Top, k: int, rates: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows among the best k results of a query, and the rate of the query: a pair for each query that is asked."""
    queries = np.flatnonzero(rates > 0)
    held = np.arange(k) < top.size[queries, None]
    rows = top.pages[queries, :k][held].astype(np.int64)
    return rows, np.repeat(rates[queries], np.minimum(top.size[queries], k))
