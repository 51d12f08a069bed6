"""How often does a page change, if it is fetched at irregular times?"""

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


@brief
@dataclass(frozen=True)
class IntervalRate:
    """Maximum likelihood: Σ w/(e^{λw} − 1) over gaps w that ended with a change = Σ w over those that did not.

    J. Cho, H. Garcia-Molina, Estimating Frequency of Change, ACM TOIT 2003, §5; as used by A. Kolobov et al., Staying
    up to Date with Online Content Changes Using Reinforcement Learning for Scheduling, NeurIPS 2019: smoothed by half
    a gap that ended with a change and half a gap that did not, and kept in [0.0005, 7] changes a day.

    Departures: these halves are as long as the page's own mean gap (with one length for all pages, a page fetched once
    a year would seem to change as often as the others are fetched).  The last `window` findings count, unchanged ones
    in a row as one.  A page without history has the mean rate of those on its host, else of all, else one change a
    year.  A page fetched twice costs 4·window + 36 bytes.
    """

    window: int = 32
    goes_by_demand: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_whole("IntervalRate: window", self.window, 1, MAX_WINDOW)

    def learner(self) -> Learner:
        return _IntervalRates(RecentFindings(self.window, merged=True), _solve)


class _IntervalRates(RecentRates):
    def terms(self, row: int) -> dict[str, Any]:
        """With the standard error by the curvature of the likelihood."""
        recent, slot = self.recent, self.recent.tallies.slots.find(row)
        if slot is None:
            return dict(NO_HISTORY)
        rate = self.rates()[slot]
        findings, length = recent.kept(slot), recent.mean_gap[slot]
        gap = np.append(findings[findings > 0], length)
        weight = np.append(np.ones(len(gap) - 1), 0.5)
        curvature = np.sum(weight * (gap / (2 * np.sinh(np.minimum(rate * gap, 500.0) / 2))) ** 2)
        error = float(1 / np.sqrt(curvature)) * DAY
        return rate_terms(rate, recent.tallies.count[slot], recent.tallies.changes[slot], standard_error_a_day=error)


@cached(types.void(types.float32[:, ::1], types.int32[::1], readable(types.float64), types.float64[::1]))
def _solve(ring: NDArray[np.float32], written: NDArray[np.int32], mean_gap: Floats, rate: Floats) -> None:
    """Fill in rates that are not known.

    Left minus right side falls and is convex: Newton's method started below the solution rises to it.  It starts at the
    solution for w/(e^{λw} − 1) ≈ 1/λ − w/2, which is never too high.
    """
    for slot in range(len(mean_gap)):
        if not np.isnan(rate[slot]):
            continue
        findings = ring[slot, : min(written[slot], ring.shape[1])]
        length = mean_gap[slot]
        changes, changed, unchanged = 0.5, 0.5 * length, 0.5 * length
        for finding in findings:
            if finding > 0:
                changes, changed = changes + 1.0, changed + finding
            else:
                unchanged -= finding
        guess = changes / (unchanged + changed / 2)
        for _ in range(_STEPS):
            term = length / np.expm1(guess * length)
            left, slope = 0.5 * term, 0.5 * term * (length + term)
            for finding in findings:
                if finding > 0:
                    term = finding / np.expm1(guess * finding)
                    left, slope = left + term, slope + term * (finding + term)
            step = (left - unchanged) / slope
            guess += step
            if not step > 1e-14 * guess:  # solved, as far as rounding lets it
                break
        rate[slot] = min(max(guess, MIN_RATE), MAX_RATE)
