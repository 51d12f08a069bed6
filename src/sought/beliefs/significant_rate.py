"""How often does a page change much, and which share of its changes is large?"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sought.beliefs.belief import Learner
from sought.beliefs.rate_history import refetches
from sought.beliefs.regular_rate import Regular
from sought.beliefs.slots import Slots, grown
from sought.record.fetches import Fetches
from sought.web.checks import check_share
from sought.web.expression import brief
from sought.web.pages import Floats, Pages


@brief
@dataclass(frozen=True)
class SignificantRate:
    """The rate of changes that make a copy stale: more than `tau` of the page's shingles differ.

    S. Pandey, C. Olston, User-Centric Web Crawling, WWW 2005, §6.2 (staleness-based refreshing), by the estimator of
    RegularRate.  As printed a change counts if it *exceeds* tau; with tau = 1 none does, and every rate is 0.

    Departures: those of RegularRate, and its cost.
    """

    tau: float = 0.5
    goes_by_demand: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_share("SignificantRate: tau", self.tau)

    def learner(self) -> Learner:
        return Regular(lambda fetches: fetches.changed & (fetches.difference > self.tau))


@brief
@dataclass(frozen=True)
class SignificantShare:
    """d(p), the share of a page's updates in which at least `tau` of its shingles differ.

    S. Pandey, C. Olston, User-Centric Web Crawling, WWW 2005, §6.2 (embarrassment-based refreshing; J. Wolf et al.,
    Optimal Crawling Strategies for Web Search Engines, WWW 2002).  As printed a change counts if it is tau *or more*.
    0 for a page that was never seen to change; other pages cost 16 bytes.

    Departures: none.
    """

    tau: float = 0.5
    goes_by_demand: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_share("SignificantShare: tau", self.tau)

    def learner(self) -> Learner:
        return _Shares(self.tau)


class _Shares:
    def __init__(self, tau: float) -> None:
        self.tau = tau
        self.slots = Slots()
        self.updates, self.significant = np.zeros(0), np.zeros(0)

    def learn(self, fetches: Fetches) -> None:
        which = refetches(fetches) & fetches.changed
        slots = self.slots.assign(fetches.row[which])
        self.updates, self.significant = (grown(each, self.slots.size) for each in (self.updates, self.significant))
        np.add.at(self.updates, slots, 1.0)
        np.add.at(self.significant, slots, (fetches.difference[which] >= self.tau).astype(np.float64))

    def column(self, pages: Pages) -> Floats:
        out, size = np.zeros(len(pages)), self.slots.size
        out[self.slots.rows] = self.significant[:size] / self.updates[:size]
        return out

    def terms(self, row: int) -> dict[str, Any]:
        slot = self.slots.find(row)
        if slot is None:
            return {"changes": 0}
        return {"changes": int(self.updates[slot]), "significant": int(self.significant[slot])}
