"""How much importance have fetches so far passed on to every row?  OPIC.

Each visit of a page distributes its cash over the pages it links to (Abiteboul, Preda & Cobena, Adaptive On-Line Page
Importance Computation, WWW 2003).  At first the seeds share all cash.  A visit is a fetch that is an observation; if it
found no links, or no page, it distributes the cash over all rows that are known when the column is next read.

The result depends on the order of visits.  No cash is stored: a crawl that is started again repeats its visits in order
of time, with the present links of pages.  That gives the same result if links have not changed, answers came in the
order of requests, and there were no dead ends; otherwise it is the result for the present links and rows.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Column, Supplied, Supplier
from sought.beliefs.holdings import Holdings
from sought.graph.links import GraphLinks
from sought.graph.opic import OpicCash as Accounts
from sought.record.commit import Commit
from sought.record.history import all_outcomes
from sought.record.links import joined_lists, stored_links
from sought.record.store import Store
from sought.record.table import Source, Table
from sought.web.expression import brief
from sought.web.pages import Pages

_BATCH = 100_000  # visits

Rows = NDArray[np.int64]
Visit = tuple[float, int, NDArray[np.uint32]]  # when, which row, its links


@brief
@dataclass(frozen=True)
class OpicScore(Supplied):
    """The share of all importance that fetches so far have passed on to a page."""

    goes_by_demand: ClassVar[bool] = False

    def supplier(self, holdings: Holdings) -> Supplier:
        return OpicSupplier(holdings)


class OpicSupplier:
    """The cash of all rows, kept up with visits."""

    def __init__(self, holdings: Holdings) -> None:
        self.store, self.table = holdings.store, holdings.table
        self.accounts = Accounts()
        self.waiting: list[Visit] = []
        self._open()
        visited = _visited(self.store)
        if len(visited):
            links = stored_links(self.store, len(self.table)).compact()
            for at in range(0, len(visited), _BATCH):
                self.accounts.visit(*_lists(links, visited[at : at + _BATCH]))

    def take(self, committed: Commit) -> None:
        for each in committed.finished:
            if each.is_observation:
                links = committed.linked.get(each.row)
                links = self.store.links(each.row) if links is None else links
                self.waiting.append((each.outcome.time, each.row, links))

    def column(self, pages: Pages) -> Column:
        """Shares of all importance."""
        self._open()
        self.waiting.sort(key=lambda visit: visit[:2])
        self.accounts.visit(*joined_lists([(row, links) for _, row, links in self.waiting]))
        self.waiting.clear()
        return self.accounts.importance()

    def terms(self, row: int) -> dict[str, Any]:
        cash = float(self.accounts.cash[row])
        total = float(self.accounts.importance()[row])
        return {"importance": total, "share_not_paid_out_yet": cash}

    def _open(self) -> None:
        """Make accounts for all rows."""
        if not self.accounts.nodes:
            self.accounts.grow(_seeds(self.table))
        self.accounts.grow(len(self.table))


def _seeds(table: Table) -> int:
    """The first rows of a crawl; at least one, if there is any."""
    others = np.flatnonzero(table["source"] != Source.SEED)
    return max(1, int(others[0])) if len(others) else len(table)


def _visited(store: Store) -> Rows:
    """Rows in the order of their visits."""
    rows, times = [], []
    for row, outcome in all_outcomes(store):
        if outcome.is_observation:
            rows.append(row)
            times.append(outcome.time)
    return np.array(rows, np.int64)[np.lexsort((rows, times))]


def _lists(links: GraphLinks, rows: Rows) -> tuple[Rows, Rows, NDArray[np.uint32]]:
    """The links of these rows, one after the other."""
    at = np.searchsorted(links.sources, rows)
    at[np.append(links.sources, 0)[at] != rows] = len(links.sources)  # without links
    sizes = np.append(links.degrees, 0)[at]
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    places = np.arange(bounds[-1]) + np.repeat(np.append(links.bounds[:-1], 0)[at] - bounds[:-1], sizes)
    return rows, bounds, links.targets[places]
