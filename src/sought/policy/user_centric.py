"""Known pages by the gain that a refresh is expected to bring now."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sought.beliefs.gain_rate import Form, GainRate
from sought.web.expression import brief
from sought.web.pages import NEVER, Floats, Pages, pieces

_MAX = float(np.finfo(np.float64).max)


@brief
@dataclass(frozen=True)
class UserCentric:
    """P = δQ · age (Pandey & Olston, User-Centric Web Crawling, WWW 2005, §5 and §6).

    δQ is the gain in quality of past refreshes of the page, per second of age (`GainRate`, whose parameters these are).
    Departures: ratios of sums instead of the printed mean of ratios, unless `delta="paper"`; a page never refreshed
    counts as an average one of its host; pages without expected gain come after all others, oldest copy first, and
    pages with negative gains (an exact gain can be negative) after those.

    P grows with age without bound and is the gain at this moment, not over the time the fresh copy lasts.  So it
    refreshes fast pages more often than is best for quality averaged over time (Olston & Pandey, WWW 2008).
    """

    paper: ClassVar[str] = "pandey-olston-2005"

    delta: Form = "ratio_of_sums"
    window: int = 0
    half_life: float = 0.0

    def __post_init__(self) -> None:
        _ = self.beliefs  # checks the parameters

    @property
    def beliefs(self) -> tuple[GainRate]:
        return (GainRate(self.delta, self.window, self.half_life),)

    def __call__(self, pages: Pages, now: float) -> Floats:
        rate = pages.belief(self.beliefs[0])
        value = np.full(len(pages), NEVER)
        for piece in pieces(len(pages)):
            last = pages.last_fetch[piece]
            known = ~np.isneginf(last)
            value[piece][known] = _priority(rate[piece][known], np.fmax(now - last[known], 0.0))
        return value


def _priority(rate: Floats, age: Floats) -> Floats:
    """rate · age; without expected gain a number in [-1, 0) that grows with age, and 2 less if the gain is negative."""
    with np.errstate(over="ignore", invalid="ignore"):
        priority = rate * age
    np.minimum(priority, _MAX, out=priority)
    idle = ~(priority > 0.0)
    order = -1.0 / (1.0 + age[idle])
    order -= np.where(rate[idle] >= 0.0, 0.0, 2.0)
    priority[idle] = order
    return priority
