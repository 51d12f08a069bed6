"""How often does a page change, if the expected number of changes is to be the one observed?"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.beliefs.belief import Learner
from sought.beliefs.rate_history import DAY, NO_HISTORY, rate_terms
from sought.beliefs.recent_findings import MAX_RATE, MAX_WINDOW, MIN_RATE, RecentFindings, RecentRates
from sought.web.checks import check_whole
from sought.web.compiled import cached, readable
from sought.web.expression import brief
from sought.web.pages import Floats

_STEPS = 100
_HALVINGS = 60  # every digit of a float


@brief
@dataclass(frozen=True)
class MomentRate:
    """Moment matching: Σ (1 − e^{−λw}) over all gaps w = the number of gaps that ended with a change.

    U. Upadhyay, R. Busa-Fekete, W. Kotłowski, D. Pál, B. Szörényi, Learning to Crawl, AAAI 2020, §4.  Its bounds are
    those of a sum of independent bits (Hoeffding) and hold for any gaps.

    Departures: smoothed and bounded as IntervalRate is, by half a gap of each kind, each as long as the page's mean
    gap, and to [0.0005, 7] changes a day.  The last `window` fetches count.  A page without history has the mean rate
    of those on its host, else of all, else one change a year.  A page fetched twice costs 4·window + 36 bytes.
    """

    window: int = 32
    goes_by_demand: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_whole("MomentRate: window", self.window, 1, MAX_WINDOW)

    def learner(self) -> Learner:
        return _MomentRates(RecentFindings(self.window, merged=False), _solve)


class _MomentRates(RecentRates):
    def terms(self, row: int) -> dict[str, Any]:
        """With an interval that holds the rate with a probability of at least 0.8; without an upper end if any is."""
        recent, slot = self.recent, self.recent.tallies.slots.find(row)
        if slot is None:
            return dict(NO_HISTORY)
        interval = _interval(recent.kept(slot))
        fetches, changes = recent.tallies.count[slot], recent.tallies.changes[slot]
        return rate_terms(self.rates()[slot], fetches, changes, interval_a_day=interval)


def _interval(findings: Floats) -> tuple[float, float | None]:
    gap, changes, count = np.abs(findings), float(np.sum(findings > 0)), len(findings)
    spread = float(np.sqrt(count * np.log(10.0) / 2))  # Hoeffding: a sum of bits is further off with probability 0.2
    low = _root(gap, changes - spread) if changes > spread else 0.0
    return low * DAY, _root(gap, changes + spread) * DAY if changes + spread < count else None


def _root(gap: Floats, target: float) -> float:
    """The rate at which `target` changes are expected."""
    low, high = 0.0, float(-np.log1p(-target / len(gap)) / gap.min()) * 1.01  # enough if all gaps were the shortest
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if np.sum(-np.expm1(-middle * gap)) < target else (low, middle)
    return high


@cached(types.void(types.float32[:, ::1], types.int32[::1], readable(types.float64), types.float64[::1]))
def _solve(ring: NDArray[np.float32], written: NDArray[np.int32], mean_gap: Floats, rate: Floats) -> None:
    """Fill in rates that are not known.

    The expected number of changes rises and is concave in the rate: Newton's method started below the solution rises to
    it.  It starts at changes / time, which is never too high.
    """
    for slot in range(len(mean_gap)):
        if not np.isnan(rate[slot]):
            continue
        findings = ring[slot, : min(written[slot], ring.shape[1])]
        length = mean_gap[slot]
        changes, time = 0.5, length
        for finding in findings:
            changes += 1.0 if finding > 0 else 0.0
            time += abs(finding)
        guess = changes / time
        for _ in range(_STEPS):
            fresh = np.exp(-guess * length)
            expected, slope = -np.expm1(-guess * length), length * fresh
            for finding in findings:
                gap = abs(finding)
                expected -= np.expm1(-guess * gap)
                slope += gap * np.exp(-guess * gap)
            step = (changes - expected) / slope
            guess += step
            if not step > 1e-14 * guess:  # solved, as far as rounding lets it
                break
        rate[slot] = min(max(guess, MIN_RATE), MAX_RATE)
