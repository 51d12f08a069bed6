"""How much higher do pages score than their names alone?

A page says more of what its address and the links to it say, or something else.  So the score of a page never fetched
is that of its names, times one of a few numbers that are as likely as each other: quantiles of what was seen with pages
in hand.
"""

import numpy as np
from numpy.typing import NDArray

from sought.index.quality import Matches

USUAL: tuple[float, ...] = (1.0, 1.75, 2.0, 2.1, 2.3)  # while little was seen
_QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)
_PAGES = 1000  # that are compared: those of the lowest keys, which are hashes
_ENOUGH = 100.0  # pairs of page and query: with fewer it is as usual

Rows = NDArray[np.int64]


def sample(rows: Rows, keys: NDArray[np.uint64]) -> Rows:
    """Some of the rows, the same ones as long as they are there."""
    return rows if len(rows) <= _PAGES else np.sort(rows[np.argpartition(keys, _PAGES)[:_PAGES]])


def times_of(named: Matches, found: Matches, weights: NDArray[np.float64]) -> tuple[float, ...]:
    """What pages score for the queries that their names match, beside these; high scores count for more."""
    names, pages = _pairs(named), _pairs(found)
    order = np.argsort(pages)
    at = np.minimum(np.searchsorted(pages, names, sorter=order), max(len(pages) - 1, 0))
    score = np.zeros(len(names))
    if len(pages):
        is_same = pages[order[at]] == names
        score[is_same] = found.scores[order[at]][is_same]
    used = (named.scores > 0.0) & (weights[named.queries] > 0.0)
    counts = weights[named.queries][used] * named.scores[used]
    if not len(counts) or counts.sum() ** 2 < _ENOUGH * np.sum(counts**2):
        return USUAL
    times = score[used] / named.scores[used]
    order = np.argsort(times, kind="stable")
    upto = np.cumsum(counts[order])
    return tuple(times[order[np.searchsorted(upto, np.array(_QUANTILES) * upto[-1])]].tolist())


def _pairs(matches: Matches) -> NDArray[np.uint64]:
    """One number for page and query."""
    pairs: NDArray[np.uint64] = (matches.pages.astype(np.uint64) << np.uint64(32)) | matches.queries
    return pairs
