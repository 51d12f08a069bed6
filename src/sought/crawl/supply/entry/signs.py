"""What is known of pages before anybody has fetched them?"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.crawl.supply.entry.fellows import fellows
from sought.crawl.supply.entry.folder_means import FolderMeans
from sought.crawl.supply.entry.heritage import Heritage
from sought.crawl.supply.holdings import Holdings
from sought.crawl.supply.presence import Values
from sought.crawl.supply.prospects import shared
from sought.crawl.supply.supplier import Column
from sought.policy import Pages
from sought.policy.entry_model import Known

_AS_IF = 5.0  # every host is taken to have had so many average first fetches

Rows = NDArray[np.int64]


class Signs:
    """As of the last look at the table; put together for the rows that somebody asks about."""

    def __init__(self, holdings: Holdings) -> None:
        self.holdings, self.table = holdings, holdings.table
        self.prospects = shared(holdings)
        self.values = holdings.part(Values)
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
        self.by_host = (total / mean + _AS_IF) / (fetches + _AS_IF) if mean > 0.0 else np.ones(0)

    def of(self, rows: Rows) -> Known:
        """Of rows that were there at the last look."""
        return Known(
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
        found = sorted(self.heritage.testators(row).items())
        return [{"page": self.holdings.store.url(k), "worth": value, "sure": sure} for k, (value, sure) in found]
