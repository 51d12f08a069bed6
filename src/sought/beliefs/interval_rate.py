"""What did the last fetches of a page find, and after how long?"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.beliefs.belief import Learner
from sought.beliefs.rate_history import DAY, NO_HISTORY, ChangeTallies, filled, gaps, rate_terms, refetches
from sought.beliefs.slots import grown
from sought.record.fetches import Fetches
from sought.web.checks import check_whole
from sought.web.compiled import Bool, cached, readable
from sought.web.expression import brief
from sought.web.pages import Floats, Pages, Rows

MAX_WINDOW = 64


class Recent:
    """For each page a ring of its last `window` findings: the gap if it had changed, minus the gap if not.

    `merged`: unchanged findings in a row are one, for they say together what one fetch after all that time would say.
    A page fetched twice costs 4·window + 36 bytes.  `rate` keeps what was made of a page's ring, NaN if nothing was
    since it was last fetched.
    """

    def __init__(self, window: int, *, merged: bool) -> None:
        self.merged = merged
        self.tallies = ChangeTallies()
        self.ring = np.zeros((0, window), np.float32)
        self.written = np.zeros(0, np.int32)
        self.rate = np.zeros(0)

    def add(self, rows: Rows, gap: Floats, changed: NDArray[np.bool_]) -> None:
        slots = self.tallies.add(rows, gap, changed)
        size = self.tallies.slots.size
        self.ring, self.written = grown(self.ring, size), grown(self.written, size)
        self.rate = grown(self.rate, size)
        self.rate[slots] = np.nan
        _remember(slots, gap, changed, self.ring, self.written, self.merged)

    @property
    def mean_gap(self) -> Floats:
        """Of all fetches of the page of each slot."""
        return self.tallies.time / self.tallies.count

    def kept(self, slot: int) -> Floats:
        """A page's findings, in no order."""
        return self.ring[slot, : self.written[slot]].astype(np.float64)


Solve = Callable[[NDArray[np.float32], NDArray[np.int32], Floats, Floats], None]


class RecentRates:
    """A learner of rates by recent findings: `solve(ring, written, mean gaps, rates)` fills in rates that are NaN."""

    def __init__(self, recent: Recent, solve: Solve) -> None:
        self.recent = recent
        self.solve = solve

    def learn(self, fetches: Fetches) -> None:
        which = refetches(fetches)
        self.recent.add(fetches.row[which], gaps(fetches, which), fetches.changed[which])

    def column(self, pages: Pages) -> Floats:
        return filled(pages, self.recent.tallies.slots.rows, self.rates())

    def rates(self) -> Floats:
        """Changes a second, by slot."""
        recent = self.recent
        self.solve(recent.ring, recent.written, recent.mean_gap, recent.rate)
        return recent.rate[: recent.tallies.slots.size]


@cached(
    types.void(
        readable(types.int64),
        readable(types.float64),
        readable(types.boolean),
        types.float32[:, ::1],
        types.int32[::1],
        types.boolean,
    )
)
def _remember(
    slots: Rows,
    gap: Floats,
    changed: NDArray[np.bool_],
    ring: NDArray[np.float32],
    written: NDArray[np.int32],
    merged: Bool,
) -> None:
    window = ring.shape[1]
    for i in range(len(slots)):
        findings, count = ring[slots[i]], written[slots[i]]
        newest = (count - 1) % window
        if merged and not changed[i] and count and findings[newest] < 0:
            findings[newest] -= gap[i]
        else:
            findings[count % window] = gap[i] if changed[i] else -gap[i]
            written[slots[i]] += 1


# ---- How often does a page change, if it is looked at at any times?


LEAST, MOST = 0.0005 / DAY, 7.0 / DAY
_STEPS = 100


@brief
@dataclass(frozen=True)
class IntervalRate:
    """Maximum likelihood: Σ w/(e^{λw} − 1) over gaps w that ended with a change = Σ w over those that did not.

    J. Cho, H. Garcia-Molina, Estimating Frequency of Change, ACM TOIT 2003, §5; as used by A. Kolobov et al., Staying
    up to Date with Online Content Changes Using Reinforcement Learning for Scheduling, NeurIPS 2019: smoothed by half
    a gap that ended with a change and half a gap that did not, and kept in [0.0005, 7] changes a day.

    Departures: these halves are as long as the page's own mean gap (with one length for all, a page looked at once a
    year that had changed would seem to change as often as others are looked at).  The last `window` findings count,
    unchanged ones in a row as one.  A page without history has the mean rate of those on its host, else of all, else
    one change a year.  A page fetched twice costs 4·window + 36 bytes.
    """

    window: int = 32
    goes_by_demand: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_whole("IntervalRate: window", self.window, 1, MAX_WINDOW)

    def learner(self) -> Learner:
        return _IntervalRates(Recent(self.window, merged=True), _solve)


class _IntervalRates(RecentRates):
    def terms(self, row: int) -> dict[str, Any]:
        """The error is by the curvature of the likelihood."""
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

    Left minus right side falls and is convex: Newton's method started below the solution goes up to it.  It starts
    where w/(e^{λw} − 1) ≈ 1/λ − w/2, which is never too high.
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
            part = length / np.expm1(guess * length)
            left, slope = 0.5 * part, 0.5 * part * (length + part)
            for finding in findings:
                if finding > 0:
                    part = finding / np.expm1(guess * finding)
                    left, slope = left + part, slope + part * (finding + part)
            step = (left - unchanged) / slope
            guess += step
            if not step > 1e-14 * guess:  # solved, as far as rounding lets it
                break
        rate[slot] = min(max(guess, LEAST), MOST)
