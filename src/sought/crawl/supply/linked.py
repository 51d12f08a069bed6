"""The link graph of a crawl, row by row as the store has it, kept up with every commit."""

import numpy as np
from numpy.typing import NDArray

from sought.crawl.link_lists import put_lists, stored_links
from sought.crawl.store import Store
from sought.crawl.supply.supplier import Committed
from sought.crawl.table import Table
from sought.graph.links import Links

Rows = NDArray[np.int64]


class Linked:
    """Rows are nodes."""

    def __init__(self, store: Store, table: Table) -> None:
        self.table = table
        self.graph = stored_links(store, len(table))

    def take(self, committed: Committed) -> None:
        self.graph.grow(len(self.table))
        put_lists(self.graph, list(committed.linked.items()))

    def links(self) -> Links:
        """As of the last commit."""
        self.graph.grow(len(self.table))
        return self.graph.compact()


def degrees_of(links: Links, rows: Rows) -> Rows:
    """How many links each of these rows has."""
    if not len(links.sources):
        return np.zeros(len(rows), np.int64)
    at = np.minimum(np.searchsorted(links.sources, rows), len(links.sources) - 1)
    return np.where(links.sources[at] == rows, links.degrees[at], 0)
