"""Known pages at the frequencies at which the fewest copies are stale."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sought.beliefs.significant_rate import SignificantRate
from sought.policy.solvers.planning import Form, by_plan, check_plan, planned
from sought.web.checks import check_share
from sought.web.expression import brief
from sought.web.pages import Floats, Pages


@brief
@dataclass(frozen=True)
class StalenessBased:
    """SBR as in S. Pandey and C. Olston, User-Centric Web Crawling, WWW 2005, §6.2: optimal freshness by large changes.

    A copy is stale if more than `tau` of its shingles differ from the live page (`SignificantRate`).  With "fractions",
    pages are fetched at the optimal frequencies of Cho & Garcia-Molina (solvers/frequencies.py); with "integer", a
    whole number of times in a horizon of `slots` cycles of `cycle` seconds, at most once in each
    (solvers/allotment.py).  With tau = 1 nothing is ever stale, as printed: then the oldest copy comes first.

    Departures: rates are those of the past, not of the weeks to come.  The budget is the crawl's pace; while that is
    not known, one fetch a page and month.  Instead of slots fixed in advance, the page comes first of which the largest
    share of its interval has passed.  Pages without a fetch in the plan, because they change too fast or not at all,
    share the remaining fetches, the oldest copy first.
    """

    paper: ClassVar[str] = "pandey-olston-2005"

    tau: float = 0.5
    form: Form = "fractions"
    slots: int = 48
    cycle: float = 604800.0
    needs: ClassVar[str] = "scipy"

    def __post_init__(self) -> None:
        check_share("StalenessBased: tau", self.tau)
        check_plan("StalenessBased", self.form, self.slots, self.cycle)

    @property
    def beliefs(self) -> tuple[SignificantRate]:
        return (SignificantRate(self.tau),)

    def __call__(self, pages: Pages, now: float) -> Floats:
        solve = planned(self.form, self.slots, self.cycle, pages.key[~pages.is_new])
        return by_plan(pages, now, pages.belief(self.beliefs[0]), np.ones(len(pages)), solve)
