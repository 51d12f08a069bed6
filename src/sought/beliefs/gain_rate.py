"""How fast does a copy lose value?  The gain of refreshes per second since the previous fetch."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.beliefs.belief import Learner
from sought.beliefs.by_host import hosts_in, spread
from sought.beliefs.slots import Slots, grown
from sought.record.fetches import Fetches
from sought.web.compiled import cached, readable
from sought.web.errors import BadInput
from sought.web.expression import brief
from sought.web.pages import Floats, Pages, Rows

Form = Literal["ratio_of_sums", "paper"]
MAX_WINDOW = 64
_MIN_GAP = 1e-6  # seconds; times are kept to the microsecond, so a shorter one is none
_TOP, _BOTTOM, _TIME = range(3)


@brief
@dataclass(frozen=True)
class GainRate:
    """δQ of Pandey & Olston (User-Centric Web Crawling, WWW 2005, §6.1): gain per second of age.

    `paper` is the mean of gain/gap over a page's refreshes, as printed.  If changes come at random, it is too high
    after short gaps, without bound, so the default is `ratio_of_sums`: Σ gain / Σ gap.

    The last `window` refreshes count (0: all), or each counts half as much as one `half_life` seconds later (0: all
    alike); not both.  A fetch without a gap does not count.  A page without measurements has the mean of its host by
    the same form (sums over all its refreshes that count), else that of all hosts, else 0.
    """

    form: Form = "ratio_of_sums"
    window: int = 0
    half_life: float = 0.0

    def __post_init__(self) -> None:
        if self.form not in ("ratio_of_sums", "paper"):
            raise BadInput(f"a gain per second is by 'ratio_of_sums' or as in the 'paper', not {self.form!r}")
        if type(self.window) is not int or not 0 <= self.window <= MAX_WINDOW:
            raise BadInput(f"window is a whole number from 0 (all) to {MAX_WINDOW}, not {self.window!r}")
        if type(self.half_life) not in (int, float) or not (self.half_life == 0 or 1 <= self.half_life < np.inf):
            raise BadInput(f"half_life is a number of seconds from 1, or 0 for none, not {self.half_life!r}")
        if self.window and self.half_life:
            raise BadInput("window and half_life are two ways to forget: set one of them")

    def learner(self) -> Learner:
        return _GainRates(self)


class _GainRates:
    """For each measured row the sums whose quotient is its rate, as of its latest measurement.

    Sums fade when the next measurement comes, not as time passes: so the quotient does not depend on when it is read.
    """

    def __init__(self, estimator: GainRate) -> None:
        self.is_paper = estimator.form == "paper"
        self.half_life = estimator.half_life or np.inf
        self.slots = Slots()
        self.sums = np.zeros((0, 3))
        self.recent = np.zeros((0, estimator.window, 2))
        self.count = np.zeros(0, np.int64)

    def learn(self, fetches: Fetches) -> None:
        measures = np.isfinite(fetches.gap) & (fetches.gap >= _MIN_GAP) & np.isfinite(fetches.gain)
        slots = self.slots.assign(fetches.row[measures])
        gap, gain = fetches.gap[measures], fetches.gain[measures]
        top, bottom = (gain / gap, np.ones(len(gap))) if self.is_paper else (gain, gap)
        self.sums = grown(self.sums, self.slots.size)
        if self.recent.shape[1]:
            self.recent, self.count = grown(self.recent, self.slots.size), grown(self.count, self.slots.size)
            _add_to_window(slots, top, bottom, self.sums, self.recent, self.count)
        else:
            _add(slots, fetches.time[measures], top, bottom, self.sums, self.half_life)

    def column(self, pages: Pages) -> Floats:
        rows = self.slots.rows
        if not len(rows):
            return np.zeros(len(pages))
        out = spread(self._of_hosts(pages.host[rows], hosts_in(pages)), pages.host)
        out[rows] = self.sums[: len(rows), _TOP] / self.sums[: len(rows), _BOTTOM]
        return out

    def _of_hosts(self, host: NDArray[np.uint32], hosts: int) -> Floats:
        """The rate of every host, or that of all hosts if nothing was measured on it.

        Sums are as of the latest measurement on the host, so that those of a host that was not visited for long do not
        vanish.
        """
        top, bottom, time = self.sums[: len(host)].T
        latest = np.full(hosts, -np.inf)
        np.maximum.at(latest, host, time)
        weight = np.exp2((time - latest[host]) / self.half_life)
        tops, bottoms = (np.bincount(host, sums * weight, hosts) for sums in (top, bottom))
        weight = np.exp2((time - time.max()) / self.half_life)
        rate = np.full(hosts, np.sum(top * weight) / np.sum(bottom * weight))
        np.divide(tops, bottoms, out=rate, where=bottoms > 0)
        return rate


_SUMS = types.float64[:, ::1]
_READ = readable(types.float64)


@cached(types.void(readable(types.int64), _READ, _READ, _READ, _SUMS, types.float64))
def _add(slots: Rows, time: Floats, top: Floats, bottom: Floats, sums: Floats, half_life: float) -> None:
    """Add measurements one by one; one that comes after a later one has the weight that it would have had."""
    for i in range(len(slots)):
        row = sums[slots[i]]
        latest = max(row[_TIME], time[i])
        fade, weight = np.exp2((row[_TIME] - latest) / half_life), np.exp2((time[i] - latest) / half_life)
        row[_TOP] = row[_TOP] * fade + top[i] * weight
        row[_BOTTOM] = row[_BOTTOM] * fade + bottom[i] * weight
        row[_TIME] = latest


@cached(types.void(readable(types.int64), _READ, _READ, _SUMS, types.float64[:, :, ::1], types.int64[::1]))
def _add_to_window(slots: Rows, top: Floats, bottom: Floats, sums: Floats, recent: Floats, count: Rows) -> None:
    """Add measurements one by one; sums are computed anew, for subtracting the oldest would leave rounding errors."""
    window = recent.shape[1]
    for i in range(len(slots)):
        slot = slots[i]
        at = count[slot] % window
        recent[slot, at, _TOP], recent[slot, at, _BOTTOM] = top[i], bottom[i]
        count[slot] += 1
        sums[slot] = 0.0
        for k in range(min(count[slot], window)):
            sums[slot, _TOP] += recent[slot, k, _TOP]
            sums[slot, _BOTTOM] += recent[slot, k, _BOTTOM]
