"""Which row links to which, and when was each row last linked to?  Links of pages, lists of sitemaps, the graph."""

from collections.abc import Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from sought.graph.links import LinkGraph
from sought.record.hosts import Host
from sought.record.store import Details, SitemapFile, Sitemaps, Store, row_key
from sought.record.table import State, Table
from sought.web.url import fingerprint

Targets = NDArray[np.uint32]
_BATCH = 100_000
_TRIES = 3
_MISSING = np.dtype([("row", np.uint32), ("since", np.float64), ("missed", np.float64)])


class LinkLists:
    """The links of fetched pages, and the columns `linked` and `unlinked` of their targets.

    Links count while their page is LIVE.  The columns are times over all fetches so far and never go back, even if the
    linking page is gone later.  Nothing is written for a link that is still there: at load `linked` is brought up to
    the times at which lists were last seen (`Details.links_time`).  So a row must be stored when a link to it leaves a
    list.
    """

    def __init__(self, table: Table, store: Store) -> None:
        self.table = table
        self.store = store
        self.fresh: dict[int, Targets] = {}  # of this batch, not in the store yet
        self.added: list[Targets] = []
        self.removed: list[Targets] = []
        self.waiting: list[tuple[Targets, float]] = []  # links to rows that are not in the table yet

    def targets(self, row: int) -> Targets:
        """The links of a page as of the fetch before the present one."""
        if row in self.fresh or self.table.columns["fetches"][row] <= 1:
            return self.fresh.get(row, np.zeros(0, np.uint32))
        return self.store.links(row)

    def put(self, row: int, targets: Targets) -> Targets:
        """Replace the links of a page by these, each once; returns the old ones."""
        old = self.targets(row)
        if len(old):
            self.removed.append(old)
        if len(targets):
            self.added.append(targets)
        self.fresh[row] = targets
        self.store.put(row_key(b"l", row), targets.tobytes())
        return old

    def seen(self, row: int, details: Details, old: Targets, now: float) -> Targets:
        """Note that a page was fetched which had the links `old` before; returns the rows that must be stored."""
        new = self.fresh.get(row, old)
        if self.table.columns["state"][row] == State.LIVE:
            details.links_time = now
            known = new < len(self.table)
            if not known.all():
                self.waiting.append((new[~known], now))
            _raise(self.table, "linked", new[known], now)
            lost = _without(old, new)
            _raise(self.table, "unlinked", lost, now)
            return lost
        if new is old or not details.links_time:
            return old[:0]
        details.links_time = 0.0
        return old

    def settle(self) -> None:
        """Set `linked` of rows that are in the table now; to be called before a new row is read."""
        if self.waiting and self.waiting[0][0][0] < len(self.table):
            for targets, time in self.waiting:
                _raise(self.table, "linked", targets, time)
            self.waiting.clear()

    def count(self) -> None:
        """Bring `inlinks` up to date with the lists."""
        inlinks = self.table["inlinks"]
        for arrays, sign in ((self.added, 1), (self.removed, -1)):
            if arrays:
                rows, counts = np.unique(np.concatenate(arrays), return_counts=True)
                inlinks[rows] = (inlinks[rows].astype(np.int64) + sign * counts).clip(0).astype(np.uint32)
                arrays.clear()


class SitemapLists:
    """The rows that sitemaps list: listed rows count as linked, rows that left all sitemaps of a host as unlinked.

    A host may have several sitemaps, and rows move between them.  So a row that has left one counts as unlinked, from
    the time it was found missing, only if no other sitemap lists it, and only after all others were read again.  If
    sitemaps are read one after the other, a read of the same round is enough: one that is nearer to the time at which
    the row was found missing than to the time at which it was last listed.  Sitemaps are not waited for if they list no
    rows (indices of others), if robots.txt forbids them, or if they were empty, damaged or unreadable three times in a
    row; the lists of the latter count no more.  Fewer failures change nothing.  A file that lists none of its rows any
    more says nothing about them either: it has become an index, or is no list at all.

    Of an unchanged list only the time is written; `linked` is brought up to it at load.
    """

    def __init__(self, table: Table, store: Store) -> None:
        self.table = table
        self.store = store
        self.fresh: dict[bytes, Targets] = {}  # of this batch, not in the store yet; by key
        self.sitemaps: dict[int, Sitemaps] = {}  # the same, by host

    def read(self, host: Host, url: str, rows: Targets, now: float) -> Targets:
        """A sitemap lists these rows (ascending); returns the rows that must be stored."""
        sitemaps, file = self._sitemaps(host), fingerprint(url)
        before = sitemaps.files.get(file, SitemapFile())
        old = self._rows(host, file) if before.rows else rows[:0]
        if not np.array_equal(old, rows):
            key = _file_key(host, file)
            self.fresh[key] = rows
            self.store.put(key, rows.tobytes())
        sitemaps.files[file] = SitemapFile(now, len(rows))
        _raise(self.table, "linked", rows, now)
        lost = _without(old, rows)
        missing = np.frombuffer(sitemaps.missing, _MISSING)
        missing = missing[~_among(missing["row"], rows)]
        newly = self._listed_nowhere(host, sitemaps, lost if len(lost) < len(old) else lost[:0])
        entries = np.empty(len(newly), _MISSING)
        entries["row"], entries["since"], entries["missed"] = newly, (before.read + now) / 2.0, now
        return np.concatenate([lost, self._decide(host, sitemaps, np.concatenate([missing, entries]))])

    def announced(self, host: Host, url: str, now: float) -> None:
        """There is such a feed.  It lists no rows that could be missed, so it is entered as read and not waited for."""
        self.read(host, url, np.zeros(0, np.uint32), now)

    def window(self, host: Host, url: str, rows: Targets, now: float) -> Targets:
        """A feed lists these rows now.  Rows that leave it make room for newer ones and do not count as missing."""
        _raise(self.table, "linked", rows, now)
        return np.concatenate([rows, self.read(host, url, rows[:0], now)])

    def failed(self, host: Host, url: str) -> Targets:
        """A sitemap could not be read; returns the rows that must be stored, for others may have waited for it."""
        sitemaps, file = self._sitemaps(host), fingerprint(url)
        before = sitemaps.files.get(file, SitemapFile())
        sitemaps.files[file] = SitemapFile(before.read, before.rows, min(before.failures + 1, _TRIES))
        return self._decide(host, sitemaps, np.frombuffer(sitemaps.missing, _MISSING))

    def committed(self) -> None:
        self.fresh.clear()
        self.sitemaps.clear()

    def _sitemaps(self, host: Host) -> Sitemaps:
        if host.number not in self.sitemaps:
            self.sitemaps[host.number] = self.store.sitemaps(host.number)
        return self.sitemaps[host.number]

    def _rows(self, host: Host, file: int) -> Targets:
        key = _file_key(host, file)
        found = self.fresh.get(key)
        return np.frombuffer(self.store.get(key) or b"", np.uint32) if found is None else found

    def _listed_nowhere(self, host: Host, sitemaps: Sitemaps, rows: Targets) -> Targets:
        for file, known in sitemaps.files.items():
            if len(rows) and known.rows and known.failures < _TRIES:
                rows = rows[~_among(rows, self._rows(host, file))]
        return rows

    def _decide(self, host: Host, sitemaps: Sitemaps, missing: NDArray[np.void]) -> Targets:
        """Mark missing rows as unlinked that need not wait any longer, and keep the others; returns the former."""
        over = missing["since"] <= (_oldest(host, sitemaps) if len(missing) else 0.0)
        sitemaps.missing = missing[~over].tobytes()
        self.store.put_sitemaps(host.number, sitemaps)
        rows: Targets = missing["row"][over]
        np.maximum.at(self.table.columns["unlinked"], rows, missing["missed"][over])
        return rows


def _oldest(host: Host, sitemaps: Sitemaps) -> float:
    """The time up to which all sitemaps of a host that must be waited for were read."""
    oldest = np.inf
    for url in host.sitemaps:
        known = sitemaps.files.get(fingerprint(url), SitemapFile())
        lists = known.rows or known.read == -np.inf
        if lists and known.failures < _TRIES and (host.robots is None or host.robots.allows(url)):
            oldest = min(oldest, known.read)
    return oldest


def _file_key(host: Host, file: int) -> bytes:
    return row_key(b"s", host.number) + file.to_bytes(8, "big")


def _raise(table: Table, name: str, targets: Targets, time: float) -> None:
    """Raise the column to a time; answers may come out of order, so the latest time counts."""
    column = table.columns[name]
    column[targets] = np.maximum(column[targets], time)


def _among(some: Targets, others: Targets) -> NDArray[np.bool_]:
    """Which of `some` are among `others` (ascending)."""
    at = np.searchsorted(others, some)
    among: NDArray[np.bool_] = at < len(others)
    among[among] = others[at[among]] == some[among]
    return among


def _without(some: Targets, others: Targets) -> Targets:
    """`some` but `others`; quick if they are equal."""
    if not len(some) or np.array_equal(some, others):
        return some[:0]
    return np.setdiff1d(some, others, assume_unique=True)


def stored_links(store: Store, rows: int) -> LinkGraph:
    """The links of all pages as of the last commit."""
    graph = LinkGraph()
    graph.grow(rows)
    stored = ((int.from_bytes(key[1:], "big"), np.frombuffer(value, np.uint32)) for key, value in store.scan(b"l"))
    while batch := list(islice(stored, _BATCH)):
        put_lists(graph, batch)
    return graph


def put_lists(graph: LinkGraph, lists: Sequence[tuple[int, Targets]]) -> None:
    """Replace the links of pages by these."""
    if lists:
        sources, bounds, targets = joined_lists(lists)
        graph.put(sources, bounds, targets)


def joined_lists(
    lists: Sequence[tuple[int, Targets]],
) -> tuple[NDArray[np.int64], NDArray[np.int64], Targets]:
    """Lists joined into arrays: the links of sources[i] are targets[bounds[i]:bounds[i + 1]]."""
    bounds = np.zeros(len(lists) + 1, np.int64)
    np.cumsum([len(targets) for _, targets in lists], out=bounds[1:])
    targets = np.concatenate([np.zeros(0, np.uint32), *(targets for _, targets in lists)])
    return np.array([source for source, _ in lists], np.int64), bounds, targets
