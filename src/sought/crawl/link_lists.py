"""From lists of links to a graph whose nodes are rows, and to what pages tell of those they link to."""

from collections.abc import Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from sought.crawl.store import Details, Store, row_key
from sought.crawl.table import State, Table
from sought.graph.links import LinkGraph

Targets = NDArray[np.uint32]
_AT_ONCE = 100_000


class LinkLists:
    """The links of pages as they are fetched, and what these tell of where they lead: `linked` and `unlinked`.

    Links count while their page stands for itself (LIVE).  The columns tell of all fetches so far and are not taken
    back: who links to a row may go, or leave the link out.  Nothing is written for a link that is still there: `linked`
    is stored with whatever else is stored of its row, and brought up at load to the times (`Details.links_time`) at
    which lists were last seen; so it must be stored when a link leaves a list.  Sitemaps are lists of links too, but do
    not count: nobody keeps what was on them.
    """

    def __init__(self, table: Table, store: Store) -> None:
        self.table = table
        self.store = store
        self.fresh: dict[int, Targets] = {}  # of this batch, not in the store yet
        self.added: list[Targets] = []
        self.removed: list[Targets] = []
        self.waiting: list[tuple[Targets, float]] = []  # seen, and not entered into the table yet

    def of(self, row: int) -> Targets:
        """As of its last fetch but the present one."""
        if row in self.fresh or self.table.columns["fetches"][row] <= 1:
            return self.fresh.get(row, np.zeros(0, np.uint32))
        return self.store.links(row)

    def put(self, row: int, targets: Targets) -> Targets:
        """A page has these links from now on, each once; returns those it had."""
        old = self.of(row)
        if len(old):
            self.removed.append(old)
        if len(targets):
            self.added.append(targets)
        self.fresh[row] = targets
        self.store.put(row_key(b"l", row), targets.tobytes())
        return old

    def seen(self, row: int, details: Details, old: Targets, now: float) -> Targets:
        """A page was fetched that had the links `old` before; returns the rows that must be stored."""
        new = self.fresh.get(row, old)
        if self.table.columns["state"][row] == State.LIVE:
            details.links_time = now
            known = new < len(self.table)
            if not known.all():
                self.waiting.append((new[~known], now))
            self._raise("linked", new[known], now)
            lost = _without(old, new)
            self._raise("unlinked", lost, now)
            return lost
        if new is old or not details.links_time:
            return old[:0]
        details.links_time = 0.0
        return old

    def settle(self) -> None:
        """To be called before a row is looked at that was just entered; all that wait are entered at once."""
        if self.waiting and self.waiting[0][0][0] < len(self.table):
            for targets, time in self.waiting:
                self._raise("linked", targets, time)
            self.waiting.clear()

    def _raise(self, name: str, targets: Targets, time: float) -> None:
        """Answers may come in another order than they were asked for: the latest time counts."""
        column = self.table.columns[name]
        column[targets] = np.maximum(column[targets], time)

    def count(self) -> None:
        """Bring `inlinks` up to the lists."""
        inlinks = self.table["inlinks"]
        for arrays, sign in ((self.added, 1), (self.removed, -1)):
            if arrays:
                rows, counts = np.unique(np.concatenate(arrays), return_counts=True)
                inlinks[rows] = (inlinks[rows].astype(np.int64) + sign * counts).clip(0).astype(np.uint32)
                arrays.clear()


def _without(some: Targets, others: Targets) -> Targets:
    """Quickly, if there is nothing to do."""
    if not len(some) or np.array_equal(some, others):
        return some[:0]
    return np.setdiff1d(some, others, assume_unique=True)


def stored_links(store: Store, rows: int) -> LinkGraph:
    """The links of all pages as of the last commit."""
    graph = LinkGraph()
    graph.grow(rows)
    stored = ((int.from_bytes(key[1:], "big"), np.frombuffer(value, np.uint32)) for key, value in store.scan(b"l"))
    while some := list(islice(stored, _AT_ONCE)):
        put_lists(graph, some)
    return graph


def put_lists(graph: LinkGraph, lists: Sequence[tuple[int, Targets]]) -> None:
    """Pages have these links from now on."""
    if lists:
        sources, bounds, targets = joined_lists(lists)
        graph.put(sources, bounds, targets)


def joined_lists(
    lists: Sequence[tuple[int, Targets]],
) -> tuple[NDArray[np.int64], NDArray[np.int64], Targets]:
    """One after the other: the links of sources[i] are targets[bounds[i]:bounds[i+1]]."""
    bounds = np.zeros(len(lists) + 1, np.int64)
    np.cumsum([len(targets) for _, targets in lists], out=bounds[1:])
    targets = np.concatenate([np.zeros(0, np.uint32), *(targets for _, targets in lists)])
    return np.array([source for source, _ in lists], np.int64), bounds, targets
