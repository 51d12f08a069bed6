"""Which pages went, when, and what does that say of others?"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.policy.estimator import MOVED, PAGE, Fetches, Rows
from sought.policy.pages import Floats

WEEK = 7 * 86400.0
TOGETHER = 8 * WEEK  # pages of one directory that are found gone within it went together


class Deaths(NamedTuple):
    """Pages found gone or moved, in the order of time: when, when each was last seen alive, and whether it moved."""

    row: Rows
    time: Floats
    seen: Floats
    moved: NDArray[np.bool_]

    def since(self, time: float) -> "Deaths":
        return self.of(np.flatnonzero(self.time > time))

    def of(self, which: Rows) -> "Deaths":
        return Deaths(self.row[which], self.time[which], self.seen[which], self.moved[which])


class DeathLog:
    """All of them; a page that was gone before and still is counts once."""

    def __init__(self) -> None:
        none = np.zeros(0)
        self._found = [Deaths(np.zeros(0, np.int64), none, none, np.zeros(0, np.bool_))]

    def learn(self, fetches: Fetches) -> None:
        died = np.flatnonzero((fetches.fate != PAGE) & fetches.changed & np.isfinite(fetches.gap))
        if len(died):
            time, moved = fetches.time[died], fetches.fate[died] == MOVED
            self._found.append(Deaths(fetches.row[died], time, time - fetches.seen_gap[died], moved))

    def all(self) -> Deaths:
        """In the order of time, whatever they were learnt in."""
        if len(self._found) > 1:
            joined = Deaths(*map(np.concatenate, zip(*self._found, strict=True)))
            self._found = [joined.of(np.lexsort((joined.row, joined.time)))]
        return self._found[0]


def first_of_their_kind(deaths: Deaths, folder: Floats) -> NDArray[np.bool_]:
    """Whether no other page of the directory had been found gone shortly before; `folder` is that of each death."""
    order = np.lexsort((deaths.time, folder))
    same = np.diff(folder[order], prepend=np.nan) == 0
    near = np.diff(deaths.time[order], prepend=-np.inf) < TOGETHER
    first = np.empty(len(order), np.bool_)
    first[order] = ~(same & near)
    return first
