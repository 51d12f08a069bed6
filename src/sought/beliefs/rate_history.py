"""What do estimators of change rates share?

Which fetches count, the rate of pages that were not fetched twice, terms for people, and counts of changes.
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
ONE_A_YEAR = 1 / YEAR  # the rate of all pages before any page was fetched twice
_MIN_GAP, _MAX_GAP = 1e-6, 100 * YEAR  # times have a precision of a microsecond


def refetches(fetches: Fetches) -> NDArray[np.bool_]:
    """Which fetches show whether a page has changed in a known time: not the first, and not one right after another."""
    return np.isfinite(fetches.time) & np.isfinite(fetches.gap) & (fetches.gap >= _MIN_GAP)


def gaps(fetches: Fetches, which: NDArray[np.bool_]) -> Floats:
    """Seconds since the previous fetch, at most a century."""
    return np.minimum(fetches.gap[which], _MAX_GAP)


def filled(pages: Pages, rows: Rows, rates: Floats) -> Floats:
    """The rates of `rows`; other rows get the mean rate of these on their host, else of all, else one a year."""
    if not len(rows):
        return np.full(len(pages), ONE_A_YEAR)
    hosts, host = hosts_in(pages), pages.host[rows]
    mean, count = np.full(hosts, rates.mean()), np.bincount(host, minlength=hosts)
    np.divide(np.bincount(host, rates, hosts), count, out=mean, where=count > 0)
    out = spread(mean, pages.host)
    out[rows] = rates
    return out


def rate_terms(rate: float, fetches: float, changes: float, **more: Any) -> dict[str, Any]:
    """A rate and its basis; `fetches` are those that showed whether the page had changed."""
    return {"rate_a_day": float(rate) * DAY, "fetches": int(fetches), "changes": int(changes), **more}


NO_HISTORY: dict[str, Any] = {"fetches": 0, "changes": 0}  # the terms of a row without history


class ChangeTallies:
    """For each page that was fetched twice: fetches, changes and the time between them; 24 bytes a page."""

    def __init__(self) -> None:
        self.slots = Slots()
        self._count, self._changes, self._time = np.zeros(0), np.zeros(0), np.zeros(0)

    def add(self, rows: Rows, gap: Floats, changed: NDArray[np.bool_]) -> Rows:
        """Add fetches one by one; returns their slots."""
        slots = self.slots.assign(rows)
        self._count, self._changes = grown(self._count, self.slots.size), grown(self._changes, self.slots.size)
        self._time = grown(self._time, self.slots.size)
        np.add.at(self._count, slots, 1.0)
        np.add.at(self._changes, slots, changed.astype(np.float64))
        np.add.at(self._time, slots, gap)
        return slots

    @property
    def count(self) -> Floats:
        """Fetches after the first, by slot."""
        return self._count[: self.slots.size]

    @property
    def changes(self) -> Floats:
        """Fetches that found the page changed, by slot."""
        return self._changes[: self.slots.size]

    @property
    def time(self) -> Floats:
        """Summed seconds between fetches, by slot."""
        return self._time[: self.slots.size]
