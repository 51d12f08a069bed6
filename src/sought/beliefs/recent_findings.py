"""What did the last fetches of a page find, and after how long?  For rates that are estimated from recent findings."""

from collections.abc import Callable

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.beliefs.rate_history import DAY, ChangeTallies, filled, gaps, refetches
from sought.beliefs.slots import grown
from sought.record.fetches import Fetches
from sought.web.compiled import Bool, cached, readable
from sought.web.pages import Floats, Pages, Rows

MAX_WINDOW = 64
MIN_RATE, MAX_RATE = 0.0005 / DAY, 7.0 / DAY


class RecentFindings:
    """For each page a ring of its last `window` findings: the gap if it had changed, minus the gap if not.

    `merged`: unchanged findings in a row are stored as one, because they are equivalent to one fetch after all that
    time.  A page fetched twice costs 4·window + 36 bytes.  `rate` caches the rate computed from a page's ring; it is
    NaN after a fetch.
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
        """The mean gap over all fetches of the page, by slot."""
        return self.tallies.time / self.tallies.count

    def kept(self, slot: int) -> Floats:
        """A page's findings, in no order."""
        return self.ring[slot, : self.written[slot]].astype(np.float64)


Solve = Callable[[NDArray[np.float32], NDArray[np.int32], Floats, Floats], None]


class RecentRates:
    """A learner of rates by recent findings: `solve(ring, written, mean gaps, rates)` fills in rates that are NaN."""

    def __init__(self, recent: RecentFindings, solve: Solve) -> None:
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
