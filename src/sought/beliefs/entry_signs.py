"""What are the pages worth that others link to as well?  Two passes over all links."""

from typing import Any

import numpy as np
from numba import boolean, float64, int64, uint32, void
from numpy.typing import NDArray

from sought.beliefs.belief import Column
from sought.beliefs.entry_model import EntryFeatures
from sought.beliefs.folder import FolderSupplier
from sought.beliefs.heritage import Heritage
from sought.beliefs.holdings import Holdings
from sought.beliefs.location import LocationSupplier
from sought.beliefs.presence import Values
from sought.beliefs.prospect import shared
from sought.beliefs.slots import Slots
from sought.graph.links import GraphLinks
from sought.web.compiled import cached, readable
from sought.web.pages import Pages

_AS_IF = 3.0  # every page is taken to link to so many typical ones


def fellows(presence: Column, searchable: NDArray[np.bool_], typical: float, links: GraphLinks) -> Column:
    """Of every row: the mean over its parents of the mean presence of what these link to.

    Each mean is shrunk to that of all pages, which is used where no page links.
    """
    total, parents = np.zeros(links.nodes), np.zeros(links.nodes, np.uint32)
    _add_up(links.sources, links.bounds, links.targets, presence, searchable, typical, total, parents)
    return np.where(parents > 0, total / np.maximum(parents, 1), typical)


@cached(
    void(
        *(readable(uint32), readable(int64), readable(uint32), readable(float64), readable(boolean)),
        *(float64, float64[::1], uint32[::1]),
    )
)
def _add_up(
    sources: NDArray[np.uint32],
    bounds: NDArray[np.int64],
    targets: NDArray[np.uint32],
    presence: Column,
    searchable: NDArray[np.bool_],
    typical: float,
    total: Column,
    parents: NDArray[np.uint32],
) -> None:
    for i in range(len(sources)):
        weight, pages = _AS_IF * typical, _AS_IF
        for at in range(bounds[i], bounds[i + 1]):
            if searchable[targets[at]]:
                weight += presence[targets[at]]
                pages += 1.0
        for at in range(bounds[i], bounds[i + 1]):
            total[targets[at]] += weight / pages
            parents[targets[at]] += np.uint32(1)


# ---- What are the pages worth that are in the same directory?


Rows = NDArray[np.int64]


class FolderMeans:
    """As of the last look; directories have numbers 0, 1, 2, … as they come."""

    def __init__(self, holdings: Holdings) -> None:
        self.folders, self.locations = holdings.shared(FolderSupplier), holdings.shared(LocationSupplier)
        self.slots = Slots()
        self.slot = np.zeros(0, np.uint32)  # the directory of every row
        self.minus_depth = self.means = np.zeros(0)

    def look(self, pages: Pages, presence: Column, searchable: NDArray[np.bool_], typical: float) -> None:
        """Have everything brought up to date."""
        fresh = self.folders.column(pages)[len(self.slot) :]
        self.slot = np.concatenate([self.slot, self.slots.assign(fresh.astype(np.int64)).astype(np.uint32)])
        self.minus_depth = self.locations.column(pages)
        rows = np.flatnonzero(searchable)
        total, count = (np.bincount(self.slot[rows], each, self.slots.size) for each in (presence[rows], None))
        self.means = (total + _AS_IF * typical) / (count + _AS_IF)

    def of(self, rows: Rows) -> Column:
        """The mean presence of the pages in the directories of these rows."""
        return self.means[self.slot[rows]]

    def depth(self, rows: Rows) -> Column:
        """Directories above these rows."""
        return -1.0 - self.minus_depth[rows]


# ---- What is known of pages before anybody has fetched them?


_SIGNS_AS_IF = 5.0  # every host is taken to have had so many average first fetches


class EntrySigns:
    """As of the last look at the table; computed for the rows that are asked for."""

    def __init__(self, holdings: Holdings) -> None:
        self.holdings, self.table = holdings, holdings.table
        self.prospects = shared(holdings)
        self.values = holdings.shared(Values)
        self.heritage = Heritage(holdings)
        self.folders = FolderMeans(holdings)
        self.basis: tuple[object, ...] = ()  # of `fellows`: links and answers
        self.fellows, self.heirs, self.guessed = np.zeros(0), np.zeros(0), np.zeros(0)
        self.inlinks = np.zeros(0, np.uint32)
        self.typical = 0.0
        self.by_host = np.ones(0)
        holdings.linked  # noqa: B018  made now, so that it is kept up

    def __len__(self) -> int:
        """How many rows something is known of."""
        return len(self.inlinks)

    def look(self, pages: Pages) -> None:
        """Have everything brought up to date."""
        self.prospects.column(pages)
        self.values.look()
        links, searchable = self.holdings.linked.links(), self.table.is_searchable
        self.typical = float(self.values.net.sum()) / max(int(np.count_nonzero(searchable)), 1)
        basis = (links, *self.values.basis)
        if len(basis) != len(self.basis) or any(was is not now for was, now in zip(self.basis, basis, strict=True)):
            self.basis = basis
            self.fellows = fellows(self.values.net, searchable, self.typical, links)
        self.folders.look(pages, self.values.net, searchable, self.typical)
        self.heirs, self.guessed = self.heritage.look(links)
        self.inlinks = pages.inlinks.copy()

    def learn(self, rows: Rows, gain: Column) -> None:
        """First fetches that were measured: what those on each host have brought, beside all."""
        hosts = self.table["host"][rows]
        fetches, total = np.bincount(hosts), np.bincount(hosts, gain)
        mean = float(gain.mean()) if len(gain) else 0.0
        self.by_host = (total / mean + _SIGNS_AS_IF) / (fetches + _SIGNS_AS_IF) if mean > 0.0 else np.ones(0)

    def of(self, rows: Rows) -> EntryFeatures:
        """Of rows that were there at the last look."""
        return EntryFeatures(
            prospect=self.prospects.values[rows],
            heritage=self.heirs[rows],
            guessed=self.guessed[rows],
            fellows=self.fellows[rows],
            folder=self.folders.of(rows),
            typical=np.full(len(rows), self.typical),
            host=self._of_host(rows),
            inlinks=self.inlinks[rows].astype(np.float64),
            depth=self.folders.depth(rows),
        )

    def _of_host(self, rows: Rows) -> Column:
        if not len(self.by_host):
            return np.ones(len(rows))
        hosts = self.table["host"][rows]
        return np.where(hosts < len(self.by_host), self.by_host[np.minimum(hosts, len(self.by_host) - 1)], 1.0)

    def testators(self, row: int) -> list[dict[str, Any]]:
        """Who has left something to a row, for people."""
        testators = sorted(self.heritage.testators(row).items())
        return [{"page": self.holdings.store.url(k), "worth": value, "sure": sure} for k, (value, sure) in testators]
