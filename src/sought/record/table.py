"""What is known about every URL?  One row of NumPy columns for each.

States of a row:

    NEW     known, never fetched
    LIVE    the last answer brought a page; a copy is in the archive
    ALIAS   another row (`alias`) has the page: by a redirect, a canonical link or as a duplicate (`reason`)
    GONE    the server says there is no such page (404, 410, or a page with status 200 that says so)
    FAILED  fetched without success, no copy; tried again from `not_before` on
    DENIED  robots.txt forbids it; checked again from `not_before` on
    DEAD    given up
    DROPPED fetched, and removed for more important pages because the number of pages is limited ([crawl] keep); a copy
            is in the archive, its links stay known, and it may be fetched again from `not_before` on

    NEW → any;  LIVE, ALIAS, GONE ⇄ each other with each answer;  FAILED → DEAD after too many failures.
    LIVE → DROPPED if it is searchable;  DROPPED → any with the next answer.
    A LIVE row whose fetch fails stays LIVE: its copy is kept and `failures` counts.

Invariant: rows are numbered by discovery and never move; `key`, `host`, `via`, `depth`, `source` and `found` never
change; exactly the rows with `last_fetch = -inf` have `fetches = 0`.

`linked` and `unlinked` are those of Pages, and are set by links.py.
"""

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.record.keys import KeyIndex, Keys, Rows
from sought.web.pages import Pages


class State(IntEnum):
    """See the table above."""

    NEW = 0
    LIVE = 1
    ALIAS = 2
    GONE = 3
    FAILED = 4
    DENIED = 5
    DEAD = 6
    DROPPED = 7


class Reason(IntEnum):
    """Why a row is in its state, or why a LIVE page is not searchable."""

    NONE = 0
    REDIRECT = 1
    REDIRECT_LIMIT = 2  # a chain of redirects longer than allowed
    REDIRECT_BAD = 3  # to nowhere, or out of scope
    CANONICAL = 4  # the page names another as its canonical address
    DUPLICATE = 5  # the same text as another page
    NEAR_DUPLICATE = 6
    NOINDEX = 7  # the page asks not to be searchable
    NOT_FOUND = 8
    SOFT_404 = 9  # says "not found" with status 200
    ROBOTS = 10
    REFUSED = 11  # HTML that exceeds the bounds
    TYPE = 12  # not a kind of content that is kept
    SERVER = 13  # 5xx, 429 and other statuses that bring no page
    NETWORK = 14  # no answer
    EMPTY = 15  # a page without words


class Source(IntEnum):
    """How a URL became known."""

    SEED = 0
    LINK = 1
    REDIRECT = 2
    SITEMAP = 3
    LOAD = 4
    CANONICAL = 5


NO_ROW = 0xFFFFFFFF

BIRTH: dict[str, Any] = {
    "key": np.uint64,
    "host": np.uint32,
    "via": np.uint32,
    "depth": np.uint16,
    "source": np.uint8,
    "found": np.float64,
}
LIFE: dict[str, Any] = {
    "last_fetch": np.float64,
    "last_change": np.float64,
    "not_before": np.float64,
    "signal": np.float64,
    "linked": np.float64,
    "unlinked": np.float64,
    "alias": np.uint32,
    "size": np.uint32,
    "fetches": np.uint16,
    "changes": np.uint16,
    "status": np.uint16,
    "state": np.uint8,
    "reason": np.uint8,
    "failures": np.uint8,
}
DERIVED: dict[str, Any] = {"inlinks": np.uint32}
COLUMNS = BIRTH | LIFE | DERIVED
BIRTH_ROW = np.dtype(list(BIRTH.items()))
LIFE_ROW = np.dtype(list(LIFE.items()))
_TIMES = ("last_fetch", "last_change", "not_before", "signal", "linked", "unlinked")
_DEFAULTS = dict.fromkeys(_TIMES, -np.inf) | {"alias": NO_ROW}


class Table:
    """The columns, and the index from a key to its row."""

    def __init__(self) -> None:
        self.size = 0
        self.index = KeyIndex()
        self.columns: dict[str, NDArray[Any]] = {n: np.empty(1024, t) for n, t in COLUMNS.items()}

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name][: self.size]

    def find(self, keys: Keys) -> Rows:
        return self.index.find(self.columns["key"], keys)

    def append(self, birth: Mapping[str, NDArray[Any]]) -> int:
        """Add rows with new, distinct keys; returns the first row's number."""
        first, count = self.size, len(birth["key"])
        self._reserve(first + count)
        for name, column in self.columns.items():
            column[first : first + count] = birth[name] if name in BIRTH else _DEFAULTS.get(name, 0)
        self.size += count
        self.index.extend(self.columns["key"], self.size)
        return first

    def _reserve(self, size: int) -> None:
        room = len(self.columns["key"])
        if size <= room:
            return
        room = max(size, room * 5 // 4)
        for name, column in self.columns.items():  # one column at a time: the peak is one column, not the table
            grown = np.empty(room, column.dtype)
            grown[: self.size] = column[: self.size]
            self.columns[name] = grown

    def life(self, rows: Rows) -> NDArray[Any]:
        """The LIFE columns of some rows, packed into one record each."""
        out = np.empty(len(rows), LIFE_ROW)
        for name in LIFE:
            out[name] = self.columns[name][rows]
        return out

    def set_life(self, rows: Rows, records: NDArray[Any]) -> None:
        for name in LIFE:
            self.columns[name][rows] = records[name]

    @property
    def is_live(self) -> NDArray[np.bool_]:
        """Whether a row has a copy of its own."""
        is_live: NDArray[np.bool_] = self["state"] == State.LIVE
        return is_live

    @property
    def is_searchable(self) -> NDArray[np.bool_]:
        """Whether people can find a row."""
        is_searchable: NDArray[np.bool_] = self.is_live & (self["reason"] == Reason.NONE)
        return is_searchable

    def searchable(self) -> Rows:
        """The rows that people can find, ascending."""
        return np.flatnonzero(self.is_searchable)

    def orphans(self) -> Rows:
        """Duplicates of a page that is gone or has moved."""
        state, reason = self["state"], self["reason"]
        rows = np.flatnonzero((state == State.ALIAS) & (reason >= Reason.DUPLICATE) & (reason <= Reason.NEAR_DUPLICATE))
        other = self["alias"][rows]
        stands = (state[other] == State.LIVE) | (state[other] == State.DROPPED)
        stands |= (state[other] == State.ALIAS) & (reason[other] != Reason.REDIRECT)
        lost: Rows = rows[~stands]
        return lost

    def pages(self, beliefs: Mapping[Any, NDArray[np.float64]] = MappingProxyType({}), pace: float = 0.0) -> Pages:
        """What a policy may see: read-only views of columns, and beliefs."""
        views: dict[str, Any] = {}
        for name in Pages.column_names():
            views[name] = self.is_live if name == "live" else self[name].view()
        if len(orphans := self.orphans()):  # they count as new, for no page has their text any more
            views["last_fetch"] = self["last_fetch"].copy()
            views["last_fetch"][orphans] = -np.inf
        for name in views:
            views[name].flags.writeable = False
        return Pages(**views, beliefs=beliefs, pace=pace)
