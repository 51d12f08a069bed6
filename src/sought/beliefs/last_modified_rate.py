"""How often does a page change, if its server says when it was last modified?"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sought.beliefs.belief import Learner
from sought.beliefs.rate_history import DAY, NO_HISTORY, ChangeTallies, filled, gaps, rate_terms, refetches
from sought.beliefs.regular_rate import regular_rate
from sought.beliefs.slots import grown
from sought.record.fetches import Fetches
from sought.web.errors import BadInput
from sought.web.expression import brief
from sought.web.pages import Floats, Pages, pieces

_SECOND = 1.0  # precision of dates
_HALVINGS = 60


@brief
@dataclass(frozen=True)
class LastModifiedRate:
    """J. Cho, H. Garcia-Molina, Estimating Frequency of Change, ACM TOIT 2003, §6: changes over unchanged time.

    X of N fetches found the page changed.  T is the time from its last change to the fetch, or the whole gap if it had
    not changed: λ = X/ΣT, or, `corrected` for its bias, ((X − 1) − X/(N·ln(1 − X/N)))/ΣT; X − 1 on top if X = N.

    Departures: a date counts only if the page has changed and the date lies within the gap; any other change is one
    bit.  For a page with both, T of each bit is its expectation at the rate itself, 1/λ − w/(e^{λw} − 1) with the mean
    gap w of its bits.  A page without any such date, or with a single change in one fetch, which the correction makes
    0, has the rate of RegularRate.  T is at least a second a change.  A page without history has the mean rate of those
    on its host, else of all, else one change a year.  A page fetched twice costs 48 bytes.
    """

    corrected: bool = True
    goes_by_demand: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if type(self.corrected) is not bool:
            raise BadInput(f"LastModifiedRate: corrected is true or false, not {self.corrected!r}")

    def learner(self) -> Learner:
        return _LastModifiedRates(self.corrected)


class _LastModifiedRates:
    """By slot, beside the tallies: dated changes, time known to be without a change, gaps of undated changes."""

    def __init__(self, corrected: bool) -> None:
        self.corrected = corrected
        self.tallies = ChangeTallies()
        self.dated, self.without, self.undated_time = np.zeros(0), np.zeros(0), np.zeros(0)

    def learn(self, fetches: Fetches) -> None:
        which = refetches(fetches)
        gap, changed = gaps(fetches, which), fetches.changed[which]
        since = fetches.time[which] - fetches.modified[which]
        dated = changed & (since >= 0.0) & (since < gap)  # false for NaN
        slots = self.tallies.add(fetches.row[which], gap, changed)
        size = self.tallies.slots.size
        self.dated, self.without = grown(self.dated, size), grown(self.without, size)
        self.undated_time = grown(self.undated_time, size)
        np.add.at(self.dated, slots, dated.astype(np.float64))
        np.add.at(self.without, slots, np.where(dated, np.maximum(since, _SECOND), np.where(changed, 0.0, gap)))
        np.add.at(self.undated_time, slots, np.where(changed & ~dated, gap, 0.0))

    def column(self, pages: Pages) -> Floats:
        return filled(pages, self.tallies.slots.rows, self._rates())

    def terms(self, row: int) -> dict[str, Any]:
        """With the standard error of a count of so many changes, if there are dates."""
        slot = self.tallies.slots.find(row)
        if slot is None:
            return dict(NO_HISTORY)
        rate, changes = self._rates()[slot], self.tallies.changes[slot]
        dated = int(self.dated[slot])
        more = {"standard_error_a_day": float(rate / np.sqrt(changes)) * DAY} if dated else {}
        return rate_terms(rate, self.tallies.count[slot], changes, dated_changes=dated, **more)

    def _rates(self) -> Floats:
        out = regular_rate(self.tallies)
        for piece in pieces(len(out)):
            changes = self.tallies.changes[piece]
            top = corrected_changes(self.tallies.count[piece], changes) if self.corrected else changes
            dated = self.dated[: len(out)][piece]
            by_date = np.flatnonzero((dated > 0) & (top > 0))
            without, undated_time = self.without[piece][by_date], self.undated_time[piece][by_date]
            bits = changes[by_date] - dated[by_date]
            out[piece][by_date] = _mixed(top[by_date], without, bits, undated_time)
        return out


def corrected_changes(count: Floats, changes: Floats) -> Floats:
    """The number of changes that makes the estimate unbiased."""
    top = changes - 1.0
    some = (changes > 0) & (changes < count)
    top[some] -= changes[some] / (count[some] * np.log1p(-changes[some] / count[some]))
    top[changes == 0] = 0.0
    return top


def _mixed(top: Floats, without: Floats, bits: Floats, undated_time: Floats) -> Floats:
    """λ = top/(T + Σ expected T of bits at λ), by bisection: an expected T is from 0 to half its gap."""
    low, high = top / (without + undated_time / 2), top / without
    length = undated_time / np.maximum(bits, 1.0)
    for _ in range(_HALVINGS if bits.any() else 0):
        middle = (low + high) / 2
        x = np.minimum(middle * length, 500.0)
        left = np.divide(x, np.expm1(x), out=np.ones_like(x), where=x > 0)
        is_low = middle * without + bits * (1 - left) < top
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    return low
