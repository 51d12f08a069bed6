"""How many new pages will enter the best results of a query?  The fewer, the better those are already.

Improvability as a function of the mean score of a query's best K results, y = exp(a + b·x), learned from what earlier
fetches have improved (S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §5.2 and §6.3).  Means of
buckets that did not improve have no logarithm, so it is a Poisson regression with log link, buckets weighted by
their counts.
"""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sought.policy.pages import Floats
from sought.policy.poisson_regression import poisson_weights
from sought.web.errors import BadInput
from sought.web.expression import brief

BUCKETS = 20
_RIDGE = 1e-6  # where only the first bucket improved, the best slope would be infinite
_ALIKE = 1e-9  # scores that differ by less, relatively, are the same
_LEAST = -700.0  # exp of which is above 0


class Buckets(NamedTuple):
    """Queries in order of x, as many in each bucket but for equal x, which stay together: means, and how many."""

    x: Floats
    improvement: Floats
    queries: NDArray[np.int64]


def _no_buckets() -> Buckets:
    return Buckets(np.zeros(0), np.zeros(0), np.zeros(0, np.int64))


@brief
@dataclass(frozen=True)
class Improvability:
    """exp(a + b·x), and not above `most`, what the most improved query has improved; 1 for all if nothing is known."""

    a: float = 0.0
    b: float = 0.0
    most: float = math.inf
    buckets: Buckets = field(default_factory=_no_buckets, compare=False, repr=False)

    def __call__(self, x: ArrayLike) -> Floats:
        exponent = self.a + self.b * np.asarray(x, np.float64)
        return np.exp(np.clip(exponent, _LEAST, min(math.log(self.most), -_LEAST)))


def fit_improvability(x: ArrayLike, improvement: ArrayLike, buckets: int = BUCKETS) -> Improvability:
    """From queries' mean scores and the number of fetched pages that have entered their best results.

    Without any improvement all queries are equal: half a page among all of them.
    """
    if buckets < 1:
        raise BadInput(f"buckets of queries are at least 1, not {buckets}")
    scores, gained = np.asarray(x, np.float64), np.asarray(improvement, np.float64)
    if scores.shape != gained.shape or scores.ndim != 1:
        raise BadInput(f"mean scores of shape {scores.shape} do not fit improvements of shape {gained.shape}")
    known = np.isfinite(scores) & np.isfinite(gained)
    if not known.any():
        return Improvability()
    means = _bucketed(scores[known], np.fmax(gained[known], 0.0), buckets)
    most = max(float(gained[known].max()), 0.5 / float(means.queries.sum()))
    return Improvability(*_fitted(means), most, means)


def _bucketed(x: Floats, improvement: Floats, buckets: int) -> Buckets:
    bucket = np.searchsorted(np.sort(x), x) * buckets // len(x)
    count = np.bincount(bucket)
    held = np.flatnonzero(count)
    sum_x, improved = (np.bincount(bucket, values)[held] for values in (x, improvement))
    return Buckets(sum_x / count[held], improved / count[held], count[held])


def _fitted(means: Buckets) -> tuple[float, float]:
    middle = float(np.average(means.x, weights=means.queries))
    spread = math.sqrt(float(np.average((means.x - middle) ** 2, weights=means.queries)))
    level = float(np.average(means.improvement, weights=means.queries))
    if level == 0.0:
        return math.log(0.5 / float(means.queries.sum())), 0.0
    if spread <= _ALIKE * float(np.abs(means.x).max()):
        return math.log(level), 0.0
    x = np.stack([np.ones(len(means.x)), (means.x - middle) / spread], axis=1)
    at, slope = poisson_weights(x, means.improvement / level, means.queries.astype(np.float64), np.array([0.0, _RIDGE]))
    slope /= spread
    return float(at + math.log(level) - slope * middle), float(slope)
