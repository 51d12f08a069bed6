"""How often does a page change, given its fetches and the rates of similar pages?"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Belief, Learner
from sought.beliefs.by_host import hosts_in
from sought.beliefs.clusters.clustering import Cluster
from sought.beliefs.rate_evidence import Evidence
from sought.beliefs.rate_history import DAY, gaps, rate_terms, refetches
from sought.beliefs.rate_prior import Prior, fitted
from sought.record.fetches import Fetches
from sought.web.checks import check_choice
from sought.web.errors import BadInput
from sought.web.expression import brief
from sought.web.pages import Floats, Pages, Rows, pieces

GroupedBy = Literal["same", "host", "cluster"]


@brief
@dataclass(frozen=True)
class BayesRate:
    """The posterior mean of a page's rate given all its fetches, with a Gamma prior for its host or cluster.

    The likelihood Π (1 − e^{−λw})^o · e^{−λw(1 − o)} of gaps w and bits o (Cho & Garcia-Molina, ACM TOIT 2003) is kept
    at 64 rates from 0.0005 to 24 a day.  The prior is fitted to all pages (empirical Bayes; rate_prior.py): the "same"
    for all, or with a mean for each "host" or "cluster" that is shrunk to that of all.  So a page fetched once has the
    rate of similar pages, and pages that are rarely fetched share evidence.

    With a `half_life` in seconds, evidence counts half as much as evidence that much later; the latest fetch of a page
    counts in full, so evidence does not fade between fetches.

    A page without history has the mean of its prior; one change a year, if no page has any.  A page fetched twice
    costs 36 bytes, one seen to change 256 more; a column is nine passes over the latter.
    Departures: pages in no cluster have the prior of their host; the variation within all groups is the same, so the
    Gammas of well-known groups have one shape.
    """

    prior: GroupedBy = "host"
    half_life: float = 0.0
    goes_by_demand: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_choice("BayesRate: prior", self.prior, get_args(GroupedBy))
        if type(self.half_life) not in (int, float) or not (self.half_life == 0 or 1 <= self.half_life < np.inf):
            raise BadInput(f"BayesRate: half_life is a number of seconds from 1, or 0 for none, not {self.half_life!r}")

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        return (Cluster(),) if self.prior == "cluster" else ()

    def learner(self) -> Learner:
        return _BayesRates(self)


@dataclass(frozen=True, slots=True)
class _Grouping:
    """A prior for the rows that are in a group; those of a number below 0 are in none."""

    by: str
    group: NDArray[Any]
    prior: Prior


class _BayesRates:
    """Evidence, and the priors as of the last column; a row has that of the first grouping that contains it."""

    def __init__(self, estimator: BayesRate) -> None:
        self.by = estimator.prior
        self.evidence = Evidence(estimator.half_life)
        self.groupings: list[_Grouping] = []

    def learn(self, fetches: Fetches) -> None:
        which = refetches(fetches)
        self.evidence.add(fetches.row[which], fetches.time[which], gaps(fetches, which), fetches.changed[which])

    def column(self, pages: Pages) -> Floats:
        rows = self.evidence.slots.rows
        self.groupings = [self._grouping(by, pages) for by in _groupings(self.by)]
        out = np.empty(len(pages))
        for piece in pieces(len(pages)):
            out[piece] = self._prior(piece)[1]
        shape, mean = self._prior(rows)
        out[rows] = self.evidence.moments(shape, shape / mean)[0]
        return out

    def terms(self, row: int) -> dict[str, Any]:
        if not self.groupings:
            return {}
        shape, mean = (float(each[0]) for each in self._prior(np.array([row])))
        slot = self.evidence.slots.find(row)
        rate, low, high = self.evidence.interval(slot, shape, shape / mean)
        fetches, changes = self.evidence.counts[slot] if slot is not None else (0, 0)
        by = next(each.by for each in self.groupings if each.group[row] >= 0)
        interval = (low * DAY, high * DAY)
        return rate_terms(rate, fetches, changes, interval_a_day=interval, prior_a_day=mean * DAY, prior_of=by)

    def _grouping(self, by: str, pages: Pages) -> _Grouping:
        group, count = _groups(by, pages)
        of_slots = group[self.evidence.slots.rows].astype(np.int64)
        in_none = of_slots < 0
        prior = fitted(self.evidence, np.where(in_none, count, of_slots), count + 1)  # those in none inform the mean
        return _Grouping(by, group, prior)

    def _prior(self, rows: Rows | slice) -> tuple[Floats, Floats]:
        """Shape and mean, for some rows."""
        shape, mean = np.zeros(0), np.zeros(0)
        for grouping in reversed(self.groupings):
            group = grouping.group[rows].astype(np.int64)
            if not len(mean):
                shape, mean = np.empty(len(group)), np.empty(len(group))
            known = group >= 0
            shape[known], mean[known] = grouping.prior.shape[group[known]], grouping.prior.mean[group[known]]
        return shape, mean


def _groupings(by: GroupedBy) -> tuple[str, ...]:
    """The groupings to use, in order of preference."""
    return {"same": ("all pages",), "host": ("host",), "cluster": ("cluster", "host")}[by]


def _groups(by: str, pages: Pages) -> tuple[NDArray[Any], int]:
    """The group of each row, and the number of groups."""
    if by == "host":
        return pages.host, hosts_in(pages)
    if by == "cluster":
        cluster = pages.belief(Cluster())
        return cluster, int(cluster.max(initial=-1.0)) + 1
    return np.broadcast_to(np.uint8(0), len(pages)), 1
