"""freshness@k: the visible share of the first k results that is up to date.

    default  Σ_{r≤n} W(r)·F(p_r) / Σ_{r≤n} W(r),  n = min(k, length of the list)
    printed  (1/k)·Σ_{r≤n} W(r)·F(p_r),  with W scaled so that Σ_{r≤k} W(r) = 1

Q. Tan, P. Mitra, Clustering-based Incremental Web Crawling, TOIS 2010, eq. 15–16.  As printed it cannot exceed 1/k.
Lists are those of the repository after the fetches of a unit.  The mean is over the queries that are asked and have
results, each counted once, or (weighted) as often as it is asked.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from sought.lab.measures.measure import Floats, check_choice, check_depth, named
from sought.lab.measures.reading import ReadCopies
from sought.lab.replay.run import Run
from sought.web.expression import brief

Form = Literal["default", "printed"]


@brief
@dataclass(frozen=True)
class FreshnessAt:
    """NaN for units in which no query that is asked has results."""

    k: int = 10
    form: Form = "default"
    weighted: bool = False

    def __post_init__(self) -> None:
        check_depth(self.k)
        check_choice("form", self.form, get_args(Form))

    @property
    def name(self) -> str:
        return named(f"freshness@{self.k}", "printed" * (self.form == "printed"), "weighted" * self.weighted)

    def __call__(self, run: Run) -> Floats:
        reading, asked = ReadCopies(run.world), run.weights("judged")
        seen, queries = run.judge.visibility.table(self.k), len(run.judge.demand)
        values = np.zeros(len(run.moments))
        for moment in run.walk():
            top = run.judge.ranked.lists(run.searchable(moment.after)).top(self.k)
            page = run.world.versions.page[top.version]
            fresh = ~reading.stale(moment.after, moment.live)[page]
            met = np.bincount(top.query, seen[top.rank], queries).astype(np.float64)
            sums = np.bincount(top.query, seen[top.rank] * fresh, queries).astype(np.float64)
            per = met if self.form == "default" else np.where(met > 0, self.k * seen.sum(), 0.0)
            values[moment.unit] = mean_over_queries(sums, per, asked[moment.unit], self.weighted)
        return values


def mean_over_queries(sums: Floats, per: Floats, asked: Floats, weighted: bool) -> float:
    """The mean of sums/per over the queries that are asked, without those where `per` is 0."""
    counted = (asked > 0) & (per > 0)
    weights = asked[counted] if weighted else np.ones(np.count_nonzero(counted))
    total = float(weights.sum())
    return float((weights * (sums[counted] / per[counted])).sum()) / total if total else np.nan


MEASURES = (
    FreshnessAt(),
    FreshnessAt(form="printed"),
)
