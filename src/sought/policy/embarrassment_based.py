"""Known pages at the frequencies at which people see the fewest stale copies."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sought.beliefs.regular_rate import RegularRate
from sought.beliefs.significant_rate import SignificantShare
from sought.beliefs.views import Views
from sought.policy.solvers.planning import Form, by_plan, check_plan, planned
from sought.web.checks import check_share
from sought.web.expression import brief
from sought.web.pages import Floats, Pages


@brief
@dataclass(frozen=True)
class EmbarrassmentBased:
    """EBR as in S. Pandey and C. Olston, User-Centric Web Crawling, WWW 2005, §6.2.

    The rule is that of J. Wolf et al., Optimal Crawling Strategies for Web Search Engines, WWW 2002, with random
    changes.  A stale copy costs the more, the more often the page is seen (`Views`) and the larger the share of its
    changes that affect at least `tau` of its shingles (`SignificantShare`).  `form`, `slots` and `cycle` are as for
    StalenessBased; the schedule for known times of change is in lab/replay/known_changes.py.

    Departures: those of StalenessBased.  Pages that nobody sees, and pages never seen to change much, have weight 0:
    they share the remaining fetches round-robin.
    """

    paper: ClassVar[str] = "pandey-olston-2005"

    tau: float = 0.5
    form: Form = "fractions"
    slots: int = 48
    cycle: float = 604800.0
    needs: ClassVar[str] = "scipy"

    def __post_init__(self) -> None:
        check_share("EmbarrassmentBased: tau", self.tau)
        check_plan("EmbarrassmentBased", self.form, self.slots, self.cycle)

    @property
    def beliefs(self) -> tuple[RegularRate, SignificantShare, Views]:
        return RegularRate(), SignificantShare(self.tau), Views()

    def __call__(self, pages: Pages, now: float) -> Floats:
        rate, large, seen = (pages.belief(belief) for belief in self.beliefs)
        with np.errstate(over="ignore", invalid="ignore"):
            weight = np.clip(large, 0.0, 1.0) * seen
        solve = planned(self.form, self.slots, self.cycle, pages.key[~pages.is_new])
        return by_plan(pages, now, rate, weight, solve)
