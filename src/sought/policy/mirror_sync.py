"""Known pages at rates that are learned by experiment, without a model of change."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.ages import known_only
from sought.beliefs.probes import PeriodStart, ProbedGain, ProbeShare
from sought.web.checks import check_positive, check_share
from sought.web.errors import BadInput
from sought.web.expression import brief
from sought.web.pages import Floats, Pages

_MONTH = 30 * 86400.0
_LONG = 1e12  # seconds
_MIN_SHARE = 1e-9  # of a period: a probe does not come at once
_HALVINGS = 60


@brief
@dataclass(frozen=True)
class MirrorSync:
    """MirrorSync of Kolobov, Bubeck & Zimmert (Online Learning for Active Cache Synchronization, ICML 2020).

    Mirror descent with a log barrier, in its lazy form: the period of a page is 1/r = μ - `step`·(sum of its gains),
    where μ is such that all rates sum to pages.pace / (1 + `probes`), and every rate is between `least` and `most`
    times the average one (1/16 and 15 in the published code, for Poisson changes).  Gains, which are gradients, come
    from probes; a share `probes` of periods has one (`ProbedGain`).  The cost of a copy is 1 if it is stale.

    Value: the share of the time to the next fetch, planned or probe, that has passed.  Departures: pages advance
    independently instead of in rounds, so gradients are weighted by time.  Steps shrink with the square root of time
    instead of being chosen for a known end.  Samples are not divided by `probes`, so that more probes do not make
    larger steps.  A probe refreshes the copy, as every fetch does.  If the pace is not known, it is one fetch a page
    and month.  Steps above 1 can do much harm before they do good.  The method needs very many fetches a page: use it
    as a reference for models, not for crawling.
    """

    probes: float = 0.05
    step: float = 1.0
    least: float = 1 / 16
    most: float = 15.0

    def __post_init__(self) -> None:
        _ = self.beliefs  # says what is wrong with `probes`
        check_positive("MirrorSync: step", self.step)
        check_share("MirrorSync: least", self.least)
        check_positive("MirrorSync: most", self.most)
        if not 0.0 < self.least <= 1.0 <= self.most:
            raise BadInput("MirrorSync: least is above 0 and at most 1, most at least 1: times the average rate")

    @property
    def beliefs(self) -> tuple[ProbedGain, PeriodStart, ProbeShare]:
        return ProbedGain(self.probes), PeriodStart(self.probes), ProbeShare(self.probes)

    def __call__(self, pages: Pages, now: float) -> Floats:
        _, began, share = (pages.belief(belief) for belief in self.beliefs)
        began = np.where(np.isfinite(began), began, pages.last_fetch)
        age = np.clip(now - np.where(pages.is_new, now, began), 0.0, _LONG)
        return known_only(pages, age / (self.periods(pages) * np.clip(share, _MIN_SHARE, 1.0)))

    def periods(self, pages: Pages) -> Floats:
        """Seconds between planned fetches of each page."""
        known = ~pages.is_new
        mean = (1.0 + self.probes) * np.count_nonzero(known) / pages.pace if pages.pace > 0.0 else _MONTH
        mean = min(max(mean, 1.0), _LONG)
        with np.errstate(over="ignore"):
            gain = np.clip(pages.belief(self.beliefs[0]) * (self.step / mean**1.5), -1e6, 1e6)
        shortest, longest = 1.0 / self.most, 1.0 / self.least
        level = _level(*np.unique(gain[known], return_counts=True), shortest, longest)
        periods: Floats = mean * np.clip(level - gain, shortest, longest)
        return periods


def _level(gain: Floats, count: NDArray[np.int64], shortest: float, longest: float) -> float:
    """μ, in mean periods: level - gain are then periods whose rates average 1."""
    if not len(gain):
        return 1.0
    low, high = float(gain[0]) + shortest, float(gain[-1]) + longest  # all as often as allowed, all as rarely
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if np.sum(count / np.clip(middle - gain, shortest, longest)) > np.sum(count):
            low = middle
        else:
            high = middle
    return high
