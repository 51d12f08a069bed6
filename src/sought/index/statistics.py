"""What do scores depend on besides the page itself?  Frozen statistics of all pages.

They change only when they are recomputed on purpose: if they changed with every page, the scores of other pages would
change, too, and a change of quality could not be attributed to a fetch.
"""

from dataclasses import dataclass, field

import numpy as np
from numba import int64, uint32
from numpy.typing import NDArray

from sought.index.vectors import EACH, FIELDS, HEAD, Vector, Vectors
from sought.web.compiled import cached, readable

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Statistics:
    """The number of pages, the terms in each field, and for each term how many pages have it in each field.

    `importance` is that of each row, in-links or PageRank, for scorers that need it.
    """

    pages: int = 0
    lengths: NDArray[np.int64] = field(default_factory=lambda: np.zeros(FIELDS, np.int64))
    frequency: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, FIELDS + 1), np.int64))
    importance: Floats = field(default_factory=lambda: np.zeros(0))

    @property
    def anywhere(self) -> NDArray[np.int64]:
        """How many pages have each term in any field."""
        return self.frequency[:, FIELDS]

    def of_terms(self, count: int) -> NDArray[np.int64]:
        """The frequencies of the first `count` terms; newer terms are on no page."""
        known = np.zeros((count, FIELDS + 1), np.int64)
        kept = min(count, len(self.frequency))
        known[:kept] = self.frequency[:kept]
        return known


class Census:
    """Computes statistics from batches of vectors."""

    def __init__(self, terms: int) -> None:
        self._pages = 0
        self._lengths = np.zeros(FIELDS, np.int64)
        self._frequency = np.zeros((terms, FIELDS + 1), np.int64)

    def add(self, vectors: Vectors) -> None:
        self._pages += int(_take(vectors.data, vectors.bounds, self._lengths, self._frequency))

    def statistics(self, importance: Floats | None = None) -> Statistics:
        return Statistics(
            self._pages, self._lengths, self._frequency, np.zeros(0) if importance is None else importance
        )


@cached(int64(readable(uint32), readable(int64), int64[::1], int64[:, ::1]))
def _take(data: Vector, bounds: NDArray[np.int64], lengths: NDArray[np.int64], frequency: NDArray[np.int64]) -> int:
    """Add vectors to the counts; returns how many are not empty."""
    pages = 0
    for p in range(len(bounds) - 1):
        if bounds[p] == bounds[p + 1]:
            continue
        pages += 1
        for f in range(FIELDS):
            lengths[f] += data[bounds[p] + 1 + f]
        for at in range(bounds[p] + HEAD, bounds[p + 1], EACH):
            term = data[at]
            for f in range(FIELDS):
                if (data[at + 1 + (f >> 1)] >> (16 * (f & 1))) & 0xFFFF:
                    frequency[term, f] += 1
            frequency[term, FIELDS] += 1
    return pages
