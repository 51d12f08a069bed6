"""Which pages were not there when they were last looked for?"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.policy.estimator import PAGE, Fetches, Rows
from sought.policy.slots import Slots, grown
from sought.web.compiled import cached, readable


class Absent:
    """Of every page that ever was not there, whether it was when it was last looked for."""

    def __init__(self) -> None:
        self.slots = Slots()
        self._is_missing = np.zeros(0, np.bool_)

    def learn(self, fetches: Fetches) -> NDArray[np.bool_]:
        """Take in fetches; returns which pages had not been there at the fetch before."""
        was_missing, missed = np.zeros(len(fetches), np.bool_), fetches.fate != PAGE
        which = np.flatnonzero(self.slots.have(fetches.row) | np.isin(fetches.row, fetches.row[missed]))
        slots = self.slots.of(fetches.row[which])
        self._is_missing = grown(self._is_missing, self.slots.size)
        was_missing[which] = _noted(slots, missed[which], self._is_missing)
        return was_missing


@cached(types.boolean[::1](readable(types.int64), readable(types.boolean), types.boolean[::1]))
def _noted(slots: Rows, missed: NDArray[np.bool_], is_missing: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Go on to what was seen, and give what was before."""
    before = np.empty(len(slots), np.bool_)
    for at in range(len(slots)):
        before[at] = is_missing[slots[at]]
        is_missing[slots[at]] = missed[at]
    return before
