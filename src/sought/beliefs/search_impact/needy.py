"""Which queries need new pages most?  Those asked often whose best results are poor.

neediness(q) = f(q)·improvability(x), x being the mean score of the best K results, with 0 for missing ones (S. Pandey,
C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §5.2 and §6.3).  Improvability is the number of fetched pages
that enter the best K of a query, y = exp(a + b·x), learned from earlier fetches since x was noted; until enough pages
have entered, it is the same for all queries.  Buckets without an improvement have no logarithm, so it is a Poisson
regression with log link, buckets weighted by their counts.
"""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sought.beliefs.entry_model import poisson_weights
from sought.beliefs.holdings import Holdings
from sought.beliefs.top_results import best_scores
from sought.index.statistics import Statistics
from sought.index.top import Top
from sought.record.commit import Commit
from sought.web.errors import BadInput
from sought.web.expression import brief
from sought.web.pages import Floats

BUCKETS = 20
_RIDGE = 1e-6  # if only the first bucket improved, the best slope would be infinite
_ALIKE = 1e-9  # scores that differ by less, relatively, are the same
_MIN = -700.0  # exp of which is above 0


class Buckets(NamedTuple):
    """Queries in order of x, in buckets of equal size except that equal x stay together: means and counts."""

    x: Floats
    improvement: Floats
    queries: NDArray[np.int64]


def _no_buckets() -> Buckets:
    return Buckets(np.zeros(0), np.zeros(0), np.zeros(0, np.int64))


@brief
@dataclass(frozen=True)
class Improvability:
    """exp(a + b·x), at most `most`, the improvement of the most improved query; 1 for all before it is fitted."""

    a: float = 0.0
    b: float = 0.0
    most: float = math.inf
    buckets: Buckets = field(default_factory=_no_buckets, compare=False, repr=False)

    def __call__(self, x: ArrayLike) -> Floats:
        exponent = self.a + self.b * np.asarray(x, np.float64)
        return np.exp(np.clip(exponent, _MIN, min(math.log(self.most), -_MIN)))


def fit_improvability(x: ArrayLike, improvement: ArrayLike, buckets: int = BUCKETS) -> Improvability:
    """Fit to mean scores of queries and the number of fetched pages that have entered their best results.

    Without any improvement all queries are equal: half a page for all of them together.
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


Numbers = NDArray[np.int64]

_ENOUGH = 200  # pages that have entered best results
_META = "improvability"


class ImprovabilitySupplier:
    """The learned improvability, kept in the store, because the pages that it was learned from will not enter again."""

    def __init__(self, holdings: Holdings) -> None:
        self.store = holdings.store
        self.curve = Improvability(*self.store.meta(_META, ()))
        self.noted: tuple[object, object] = (None, None)  # lists and statistics for which x was noted
        self.x = np.zeros(0)

    def take(self, committed: Commit) -> None:
        """The lists count what enters."""

    def update(self, top: Top, statistics: Statistics, x: Floats, asked: Numbers) -> Improvability:
        """The present curve; `x` are the mean scores of all queries, `asked` the queries that count.

        New statistics change all scores, so counting starts again.
        """
        if self.noted[0] is not top or self.noted[1] is not statistics:
            self._mark(top, statistics, x)
        elif int(top.entered[asked].sum()) >= max(_ENOUGH, len(asked) // 4):
            self.curve = fit_improvability(self.x[asked], top.entered[asked])
            self.store.put_meta(_META, [self.curve.a, self.curve.b, self.curve.most])
            self._mark(top, statistics, x)
        return self.curve

    def _mark(self, top: Top, statistics: Statistics, x: Floats) -> None:
        self.noted, self.x = (top, statistics), x
        top.forget_entered()


def mean_scores(top: Top, k: int, units: Floats) -> Floats:
    """Mean scores of the best k results of each query, in comparable units; missing ones count as 0."""
    total: Floats = best_scores(top, k).sum(axis=1, dtype=np.float64)
    return total / (k * units)


def neediest(neediness: Floats, most: int) -> Numbers:
    """At most `most` of the neediest queries in order, ties by number; queries without need are left out."""
    some = np.flatnonzero(neediness > 0)
    if not most:
        return some[:0]
    if len(some) > most:
        least = np.partition(neediness[some], len(some) - most)[len(some) - most]
        above, level = some[neediness[some] > least], some[neediness[some] == least]
        some = np.sort(np.concatenate([above, level[: most - len(above)]]))
    return some[np.argsort(-neediness[some], kind="stable")]
