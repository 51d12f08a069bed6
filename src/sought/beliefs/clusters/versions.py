"""How has a page changed between its last two fetches?  A few numbers of both, on record.

The store keeps them under the key `v`, 79 bytes a page that was fetched while some policy went by clusters: the
state of a page before a change cannot be computed later.  They are written right after the commit of the fetch.  Of
a page fetched at another time, or just before a crash, there is only what it is like now, so that nothing but its
text can have changed.  Links to a page and its PageRank are as of the fetch (PageRank as of the last plan before),
too.
"""

from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.holdings import Holdings
from sought.beliefs.page_rank import PageRankScore, PageRankSupplier
from sought.record.commit import Commit
from sought.record.history import page_history
from sought.record.outcome import Finished, Outcome
from sought.record.store import Store, row_key
from sought.record.table import Reason, State, Table
from sought.web.pages import Pages

Rows = NDArray[np.int64]
Records = NDArray[np.void]

NUMBERS = ("images", "tables", "words", "text bytes", "e-mails", "in-links", "out-links", "PageRank")
RECORD = np.dtype(
    [
        ("time", "<f8"),
        ("versions", "<u2"),
        ("kind", "u1"),
        ("alike", "<f4"),
        ("now", "<f4", (len(NUMBERS),)),
        ("before", "<f4", (len(NUMBERS),)),
    ]
)
_MAX = 1e9  # of anything that a page says it has
_BATCH = 100_000
_TARGET = 4  # bytes of a link


class PageVersions:
    """A part of `Holdings`."""

    def __init__(self, holdings: Holdings) -> None:
        self.store, self.table = holdings.store, holdings.table
        self.ranks = holdings.shared(_page_rank)
        self.extra: dict[int, bytes] = {}  # of a store that cannot be written to
        self.complete = False

    def take(self, committed: Commit) -> None:
        fresh: dict[int, NDArray[np.void]] = {}
        for each in committed.finished:
            if each.is_observation and _holds_copy(self.table, each.row):
                before = fresh.get(each.row)
                fresh[each.row] = self._next(each, self._stored(each.row) if before is None else before)
        self._put(fresh)

    def look(self, pages: Pages) -> None:
        """Keep PageRank up to date, if it will be stored, and make sure that every copy has a record."""
        if self.store.writable:
            self.ranks.column(pages)
        if not self.complete:
            self.complete = True
            rows = self._lacking()
            if len(rows):
                self.ranks.column(pages)
            for at in range(0, len(rows), _BATCH):
                self._put({row: self._made_up(row) for row in rows[at : at + _BATCH].tolist()})

    def rows(self) -> Rows:
        """Rows that have a record, ascending."""
        keys = b"".join(key[1:] for key, value in self.store.scan(b"v") if _is_record(value))
        return np.union1d(np.frombuffer(keys, ">u4").astype(np.int64), np.fromiter(self.extra, np.int64))

    def of(self, rows: Rows) -> Records:
        """The records of rows; of those that have none all is 0."""
        none = bytes(RECORD.itemsize)
        records = (self.extra.get(row) or self._kept(row) or none for row in rows.tolist())
        return np.frombuffer(b"".join(records), RECORD)

    def _put(self, fresh: dict[int, NDArray[np.void]]) -> None:
        if not self.store.writable:
            self.extra.update((row, record.tobytes()) for row, record in fresh.items())
        elif fresh:
            self.store.write((row_key(b"v", row), record.tobytes()) for row, record in fresh.items())

    def _kept(self, row: int) -> bytes | None:
        value = self.store.get(row_key(b"v", row))
        return value if value is not None and _is_record(value) else None

    def _stored(self, row: int) -> NDArray[np.void] | None:
        value = self._kept(row)
        return None if value is None else np.frombuffer(value, RECORD)

    def _next(self, each: Finished, before: NDArray[np.void] | None) -> NDArray[np.void]:
        """The record after one more fetch."""
        record = self._present(each.row, each.outcome.time)
        seen = int(self.table.columns["fetches"][each.row])
        record["alike"] = 1.0 - each.outcome.difference
        if before is None:
            record["before"], record["versions"] = record["now"], min(seen, 2)
        else:
            record["before"], record["versions"] = before["now"], 2
        return record

    def _made_up(self, row: int) -> NDArray[np.void]:
        """The record of a page as it is now, whatever happened to it."""
        last = Outcome(float(self.table.columns["last_fetch"][row]), "unchanged")
        if self.table.columns["changes"][row]:
            seen = (each for each in page_history(self.store, row) if each.is_observation)
            last = max(seen, key=lambda each: each.time, default=last)
        return self._next(Finished(row, last, 0.0), self._stored(row))

    def _present(self, row: int, time: float) -> NDArray[np.void]:
        details = self.store.details(row)
        links = len(self.store.get(row_key(b"l", row)) or b"") // _TARGET
        ranks = self.ranks.flow.values
        rank = float(ranks[row]) if row < len(ranks) else self.ranks.flow.walk.least
        record = np.zeros(1, RECORD)
        record["time"], record["kind"] = time, details.kind
        numbers: Sequence[float] = (*details.counts, int(self.table.columns["inlinks"][row]), links, rank)
        record["now"] = [min(float(min(number, _MAX)), _MAX) for number in numbers]
        return record

    def _lacking(self) -> Rows:
        """Rows with a copy that is later than their record."""
        table, recorded = self.table, np.full(len(self.table), -np.inf)
        for rows, times in _times(self.store):
            recorded[rows] = times
        is_behind = np.isneginf(recorded) | ((table["failures"] == 0) & (recorded < table["last_fetch"]))
        is_copy = table["state"] == State.LIVE
        is_copy |= (table["state"] == State.ALIAS) & (table["reason"] != Reason.REDIRECT)
        return np.flatnonzero(is_behind & is_copy)


def _page_rank(holdings: Holdings) -> PageRankSupplier:
    return PageRankSupplier(PageRankScore(), holdings)


def _holds_copy(table: Table, row: int) -> bool:
    state = table.columns["state"][row]
    return bool(state == State.LIVE or (state == State.ALIAS and table.columns["reason"][row] != Reason.REDIRECT))


def _is_record(value: bytes) -> bool:
    """What another version of the program has written is not read; a record is made up in its place."""
    return len(value) == RECORD.itemsize


def _times(store: Store) -> Iterable[tuple[Rows, NDArray[np.float64]]]:
    """When the records of all pages were made, some at a time."""
    stored = (pair for pair in store.scan(b"v") if _is_record(pair[1]))
    while some := list(islice(stored, _BATCH)):
        rows = np.frombuffer(b"".join(key[1:] for key, _ in some), ">u4").astype(np.int64)
        yield rows, np.frombuffer(b"".join(value for _, value in some), RECORD)["time"]
