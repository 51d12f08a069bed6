"""How much do the answers lose while the copy of an edited page is stale?"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.beliefs.belief import Belief, Learner
from sought.beliefs.by_host import hosts_in, spread
from sought.beliefs.folder import Folder
from sought.beliefs.presence import SearchValue
from sought.beliefs.rate_history import refetches
from sought.beliefs.slots import Slots, grown
from sought.record.fetches import PAGE, Fetches
from sought.web.compiled import cached, readable
from sought.web.expression import brief
from sought.web.pages import Floats, Pages, Rows

_SHARE = 0.02  # of a page's search value: the prior cost of an edit
_PRIOR_COUNT = 10.0  # prior edits of an average page, for a host and for a directory
_OWN = 3.0  # prior edits of a page


@brief
@dataclass(frozen=True)
class EditLoss:
    """The expected gain of fetching an edited page: the mean of its own edits, shrunk to a share of its SearchValue.

    The share is that of its directory, if edits were measured there, shrunk to that of its host, shrunk to that of all.
    """

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        return (SearchValue(), Folder())

    def learner(self) -> Learner:
        return _Losses()


class _Losses:
    """Edits and their gains, for every page that was seen to be edited."""

    def __init__(self) -> None:
        self.slots, self.absent = Slots(), Absent()
        self.gain, self.edits = np.zeros(0), np.zeros(0)

    def learn(self, fetches: Fetches) -> None:
        which = refetches(fetches) & ~self.absent.learn(fetches)
        which &= fetches.changed & (fetches.fate == PAGE) & np.isfinite(fetches.gain)
        slots = self.slots.assign(fetches.row[which])
        self.gain, self.edits = grown(self.gain, self.slots.size), grown(self.edits, self.slots.size)
        np.add.at(self.gain, slots, np.maximum(fetches.gain[which], 0.0))
        np.add.at(self.edits, slots, 1.0)

    def column(self, pages: Pages) -> Floats:
        value, rows, hosts = pages.belief(SearchValue()), self.slots.rows, hosts_in(pages)
        gain, edits, host = self.gain[: len(rows)], self.edits[: len(rows)], pages.host[rows]
        at_stake = edits * value[rows]
        few = _PRIOR_COUNT * value.sum() / max(1, np.count_nonzero(value))
        of_all = (gain.sum() + _SHARE * few) / (at_stake.sum() + few) if few else 0.0
        gains, stakes = np.bincount(host, gain, hosts), np.bincount(host, at_stake, hosts)
        share = (gains + of_all * few) / (stakes + few) if few else np.zeros(hosts)
        loss = spread(share, pages.host)
        if few and len(rows):
            folder = pages.belief(Folder())
            names, group = np.unique(folder[rows], return_inverse=True)
            at = np.minimum(np.searchsorted(names, folder), len(names) - 1)
            gains, stakes = (np.bincount(group, each)[at] for each in (gain, at_stake))
            loss = np.where(names[at] == folder, (gains + loss * few) / (stakes + few), loss)
        loss *= value
        loss[rows] = (gain + _OWN * loss[rows]) / (edits + _OWN)
        return loss

    def terms(self, row: int) -> dict[str, Any]:
        slot = self.slots.find(row)
        return {} if slot is None else {"edits": int(self.edits[slot]), "gained": float(self.gain[slot])}


class Absent:
    """For every page that was ever found missing, whether it was missing at its last fetch."""

    def __init__(self) -> None:
        self.slots = Slots()
        self._is_missing = np.zeros(0, np.bool_)

    def learn(self, fetches: Fetches) -> NDArray[np.bool_]:
        """Learn from fetches; returns which pages were missing at the previous fetch."""
        was_missing, missed = np.zeros(len(fetches), np.bool_), fetches.fate != PAGE
        which = np.flatnonzero(self.slots.have(fetches.row) | np.isin(fetches.row, fetches.row[missed]))
        slots = self.slots.assign(fetches.row[which])
        self._is_missing = grown(self._is_missing, self.slots.size)
        was_missing[which] = _noted(slots, missed[which], self._is_missing)
        return was_missing


@cached(types.boolean[::1](readable(types.int64), readable(types.boolean), types.boolean[::1]))
def _noted(slots: Rows, missed: NDArray[np.bool_], is_missing: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Update `is_missing` fetch by fetch; returns its values before."""
    before = np.empty(len(slots), np.bool_)
    for at in range(len(slots)):
        before[at] = is_missing[slots[at]]
        is_missing[slots[at]] = missed[at]
    return before
