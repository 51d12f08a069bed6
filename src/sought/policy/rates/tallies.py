"""How often was a page looked at again, after how long, and how often had it changed?"""

import numpy as np
from numpy.typing import NDArray

from sought.policy.estimator import Rows
from sought.policy.pages import Floats
from sought.policy.slots import Slots, grown


class Tallies:
    """Three numbers (24 bytes) for each page that was fetched twice."""

    def __init__(self) -> None:
        self.slots = Slots()
        self._count, self._changes, self._time = np.zeros(0), np.zeros(0), np.zeros(0)

    def add(self, rows: Rows, gap: Floats, changed: NDArray[np.bool_]) -> Rows:
        """One fetch after the other; gives their slots."""
        slots = self.slots.of(rows)
        self._count, self._changes = grown(self._count, self.slots.size), grown(self._changes, self.slots.size)
        self._time = grown(self._time, self.slots.size)
        np.add.at(self._count, slots, 1.0)
        np.add.at(self._changes, slots, changed.astype(np.float64))
        np.add.at(self._time, slots, gap)
        return slots

    @property
    def count(self) -> Floats:
        """Fetches of the page of each slot that came after another."""
        return self._count[: self.slots.size]

    @property
    def changes(self) -> Floats:
        """How many of them found it changed."""
        return self._changes[: self.slots.size]

    @property
    def time(self) -> Floats:
        """The seconds between them, in all."""
        return self._time[: self.slots.size]
