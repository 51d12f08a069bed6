"""Which pages were not there when they were last looked for?"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.policy.estimator import PAGE, Fetches, Rows
from sought.policy.pages import Floats
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
