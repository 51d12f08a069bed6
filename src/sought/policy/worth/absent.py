"""Which pages were not there when they were last looked for, and are they there now?"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.policy.by_host import hosts_in
from sought.policy.estimator import PAGE, Fetches, Learner, Rows
from sought.policy.pages import Floats, Pages
from sought.policy.rates.history import YEAR, gaps, refetches
from sought.policy.slots import Slots, grown
from sought.web.compiled import cached, readable


class Absent:
    """How often in a row each page was looked for in vain; only of pages for which that ever was."""

    def __init__(self) -> None:
        self.slots = Slots()
        self._times = np.zeros(0)

    @property
    def times(self) -> Floats:
        """By slot."""
        return self._times[: self.slots.size]

    def learn(self, fetches: Fetches) -> Floats:
        """Take in fetches; returns how often each page had been looked for in vain before."""
        before, missed = np.zeros(len(fetches)), fetches.fate != PAGE
        which = np.flatnonzero(self.slots.have(fetches.row) | np.isin(fetches.row, fetches.row[missed]))
        slots = self.slots.of(fetches.row[which])
        self._times = grown(self._times, self.slots.size)
        before[which] = _counted(slots, missed[which], self._times)
        return before


@cached(types.float64[::1](readable(types.int64), readable(types.boolean), types.float64[::1]))
def _counted(slots: Rows, missed: NDArray[np.bool_], times: Floats) -> Floats:
    """Count on, and give the counts before."""
    before = np.empty(len(slots))
    for at in range(len(slots)):
        before[at] = times[slots[at]]
        times[slots[at]] = before[at] + 1.0 if missed[at] else 0.0
    return before


@dataclass(frozen=True)
class BackChance:
    """The probability that a page is there that was not when it was last looked for, and has been linked since.

    1 − e^{−bt} for the time t from the look until the link was seen last.  The rate b is that at which such pages came
    on its host, shrunk to that of all hosts; for one that was looked for in vain n times in a row, an n-th of it.
    Before anything is known it is one a year.  0 for all others.
    """

    goes_by_demand: ClassVar[bool] = False

    def learner(self) -> Learner:
        return _Backs()


class _Backs:
    """By row of what was looked for, until the next column says which host it is of; then sums by host."""

    def __init__(self) -> None:
        self.absent = Absent()
        self.waiting: list[tuple[Rows, Floats, NDArray[np.bool_]]] = []
        self.time, self.backs = np.zeros(0), np.zeros(0)
        self.chance: Floats = np.zeros(0)

    def learn(self, fetches: Fetches) -> None:
        before = self.absent.learn(fetches)
        which = (before > 0.0) & refetches(fetches) & (fetches.seen_gap < fetches.gap)
        if which.any():
            self.waiting.append((fetches.row[which], gaps(fetches, which), fetches.fate[which] == PAGE))

    def column(self, pages: Pages) -> Floats:
        hosts = hosts_in(pages)
        self.time, self.backs = (np.pad(each, (0, hosts - len(each))) for each in (self.time, self.backs))
        for rows, gap, back in self.waiting:
            np.add.at(self.time, pages.host[rows], gap)  # one by one: rounding does not tell of batches
            np.add.at(self.backs, pages.host[rows], back)
        self.waiting.clear()
        of_all = (self.backs.sum() + 1.0) / (self.time.sum() + YEAR)
        by_host = (self.backs + of_all * YEAR) / (self.time + YEAR)
        missed = (self.absent.times > 0.0) & ~pages.is_new[self.absent.slots.rows]
        rows, times = self.absent.slots.rows[missed], self.absent.times[missed]
        waited = np.maximum(pages.linked[rows] - pages.last_fetch[rows], 0.0)
        self.chance = np.zeros(len(pages))
        self.chance[rows] = -np.expm1(-by_host[pages.host[rows]] / times * waited)
        return self.chance

    def terms(self, row: int) -> dict[str, Any]:
        return {"linked_since": float(self.chance[row])} if self.chance[row] > 0.0 else {}
