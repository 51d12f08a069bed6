"""Quality: visible score of the answers, over what it would be if every copy were up to date and no page missing.

    Q = Σ_q f_q·attained_q / Σ_q f_q·ideal_q

S. Pandey, C. Olston, User-Centric Web Crawling, WWW 2005, eq. 5 (index/quality.py).  Where the ideal is 0, Q = 1.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sought.lab.measures.measure import Floats, When, check_choice, named
from sought.lab.replay.run import Run
from sought.lab.worlds.demand import Part
from sought.web.expression import brief

Weeks = Literal["all", "bulk", "ordinary"]
BULK = 5


@brief
@dataclass(frozen=True)
class Quality:
    """Before or after the fetches of a unit, by the judged or the known demand.

    `weeks` are all, bulk (with far more changes than others) or ordinary.
    """

    when: When = "after"
    part: Part = "judged"
    weeks: Weeks = "all"

    def __post_init__(self) -> None:
        check_choice("when", self.when, get_args(When))
        check_choice("part", self.part, get_args(Part))
        check_choice("weeks", self.weeks, get_args(Weeks))

    @property
    def name(self) -> str:
        weeks = self.weeks * (self.weeks != "all")
        return named("quality", "known" * (self.part == "known"), "before" * (self.when == "before"), weeks)

    def __call__(self, run: Run) -> Floats:
        weights = run.weights(self.part)
        answers = run.answers.after if self.when == "after" else run.answers.before
        values = ratio((weights * answers).sum(axis=1), (weights * run.answers.ideal).sum(axis=1))
        if self.weeks == "all":
            return values
        return np.where(is_bulk(run) == (self.weeks == "bulk"), values, np.nan)


def is_bulk(run: Run) -> NDArray[np.bool_]:
    """Whether in a unit more than five times as many versions begin as in the median one of those in which any do."""
    times, moments = run.world.versions.time, run.moments
    begun = np.array([np.count_nonzero((times > t - run.world.unit) & (times <= t)) for t in moments.tolist()])
    some = begun[begun > 0]
    is_bulk: NDArray[np.bool_] = begun > BULK * float(np.median(some) if len(some) else 0.0)
    return is_bulk & (moments > run.world.start)


def ratio(reached: Floats, ideal: Floats) -> Floats:
    """Quality; 1 where the ideal is 0."""
    return np.divide(reached, ideal, out=np.ones_like(ideal), where=ideal > 0)


MEASURES = (
    Quality(),
    Quality("before"),
    Quality(part="known"),
    Quality("before", "known"),
    Quality(weeks="bulk"),
    Quality(weeks="ordinary"),
)
