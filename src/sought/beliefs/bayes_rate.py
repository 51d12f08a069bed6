"""How often does a page change, given how others like it do?"""

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

Whose = Literal["same", "host", "cluster"]


@brief
@dataclass(frozen=True)
class BayesRate:
    """The mean of a page's rate given all its fetches; before, rates are Gamma distributed as on its host or cluster.

    The likelihood Π (1 − e^{−λw})^o · e^{−λw(1 − o)} of gaps w and bits o (Cho & Garcia-Molina, ACM TOIT 2003) is kept
    at 64 rates from 0.0005 to 24 a day.  The prior is fitted to all pages (empirical Bayes; prior.py): the "same" for
    all, or with a mean for each "host" or "cluster" that is shrunk to that of all.  So a page fetched once changes as
    its likes do, and evidence is shared where each page is seen rarely.

    With a `half_life` in seconds evidence counts half as much as evidence that much later, and for the page's latest
    fetch in full: it does not fade while nobody looks.

    A page without history has the mean of its prior; one change a year, if no page has any.  A page fetched twice
    costs 36 bytes, one seen to change 256 more; a column is nine passes over the latter.
    Departures: pages in no cluster have the prior of their host; pages of all groups differ equally among themselves,
    so the Gammas of well-known groups have one shape.
    """

    prior: Whose = "host"
    half_life: float = 0.0
    goes_by_demand: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_choice("BayesRate: prior", self.prior, get_args(Whose))
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

    whose: str
    group: NDArray[Any]
    prior: Prior


class _BayesRates:
    """Evidence, and the priors as they were when the column was asked for last; the first that knows a row is its."""

    def __init__(self, estimator: BayesRate) -> None:
        self.whose = estimator.prior
        self.evidence = Evidence(estimator.half_life)
        self.groupings: list[_Grouping] = []

    def learn(self, fetches: Fetches) -> None:
        which = refetches(fetches)
        self.evidence.add(fetches.row[which], fetches.time[which], gaps(fetches, which), fetches.changed[which])

    def column(self, pages: Pages) -> Floats:
        rows = self.evidence.slots.rows
        self.groupings = [self._grouping(whose, pages) for whose in _asked_of(self.whose)]
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
        whose = next(each.whose for each in self.groupings if each.group[row] >= 0)
        interval = (low * DAY, high * DAY)
        return rate_terms(rate, fetches, changes, interval_a_day=interval, prior_a_day=mean * DAY, prior_of=whose)

    def _grouping(self, whose: str, pages: Pages) -> _Grouping:
        group, count = _groups(whose, pages)
        of_slots = group[self.evidence.slots.rows].astype(np.int64)
        in_none = of_slots < 0
        prior = fitted(self.evidence, np.where(in_none, count, of_slots), count + 1)  # they say something of all
        return _Grouping(whose, group, prior)

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


def _asked_of(whose: Whose) -> tuple[str, ...]:
    return {"same": ("all pages",), "host": ("host",), "cluster": ("cluster", "host")}[whose]


def _groups(whose: str, pages: Pages) -> tuple[NDArray[Any], int]:
    """The group of each row, and how many there are."""
    if whose == "host":
        return pages.host, hosts_in(pages)
    if whose == "cluster":
        cluster = pages.belief(Cluster())
        return cluster, int(cluster.max(initial=-1.0)) + 1
    return np.broadcast_to(np.uint8(0), len(pages)), 1
