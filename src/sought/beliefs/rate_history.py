"""What do estimators of change rates have in common?

Which fetches say something of a rate, what is believed of pages that were not fetched twice, and how a rate is told to
people.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.by_host import hosts_in, spread
from sought.beliefs.slots import Slots, grown
from sought.record.fetches import Fetches
from sought.web.pages import Floats, Pages, Rows

DAY = 86400.0
YEAR = 365.25 * DAY
ONE_A_YEAR = 1 / YEAR  # of all pages, as long as no page at all was fetched twice
_MIN_GAP, _MAX_GAP = 1e-6, 100 * YEAR  # times are kept to the microsecond; nothing is a century old


def refetches(fetches: Fetches) -> NDArray[np.bool_]:
    """Which fetches tell whether a page has changed over a known time: not the first, and not one at once again."""
    return np.isfinite(fetches.time) & np.isfinite(fetches.gap) & (fetches.gap >= _MIN_GAP)


def gaps(fetches: Fetches, which: NDArray[np.bool_]) -> Floats:
    """Seconds since the fetch before; one over a century counts as a century."""
    return np.minimum(fetches.gap[which], _MAX_GAP)


def filled(pages: Pages, rows: Rows, rates: Floats) -> Floats:
    """The rates of some rows; the others get the mean rate of these on their host, else of all, else one a year."""
    if not len(rows):
        return np.full(len(pages), ONE_A_YEAR)
    hosts, host = hosts_in(pages), pages.host[rows]
    mean, count = np.full(hosts, rates.mean()), np.bincount(host, minlength=hosts)
    np.divide(np.bincount(host, rates, hosts), count, out=mean, where=count > 0)
    out = spread(mean, pages.host)
    out[rows] = rates
    return out


def rate_terms(rate: float, fetches: float, changes: float, **more: Any) -> dict[str, Any]:
    """A rate and what it comes from; `fetches` are those after which it was known whether the page had changed."""
    return {"rate_a_day": float(rate) * DAY, "fetches": int(fetches), "changes": int(changes), **more}


NO_HISTORY: dict[str, Any] = {"fetches": 0, "changes": 0}  # the terms of a row without history


# ---- How often was a page looked at again, after how long, and how often had it changed?


class ChangeTallies:
    """Three numbers (24 bytes) for each page that was fetched twice."""

    def __init__(self) -> None:
        self.slots = Slots()
        self._count, self._changes, self._time = np.zeros(0), np.zeros(0), np.zeros(0)

    def add(self, rows: Rows, gap: Floats, changed: NDArray[np.bool_]) -> Rows:
        """One fetch after the other; gives their slots."""
        slots = self.slots.assign(rows)
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
