"""Numbers that flow along links: what does a walk over the graph leave with every row?

A walk takes a look at all links, so it is done when fetches since the last one come to 1 % of all, when the table has
doubled (Cho, Garcia-Molina & Page 1998 sort their queue anew now and then, too), or when it goes by something that has
changed as a whole, such as what is asked; and it starts from what it knew.
Rows that are found in between have what the pages that brought them pass on; links to rows that were known wait for
the next walk.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Column
from sought.beliefs.holdings import Growth, Holdings, degrees_of
from sought.graph.distance import sources_of
from sought.graph.links import GraphLinks
from sought.record.commit import Commit
from sought.record.links import joined_lists
from sought.web.pages import Pages

SHARE = 0.01  # of all fetches: so many more, and it is done again
_TOLD = 5

Rows = NDArray[np.int64]


class Walk(Protocol):
    """One way to walk.  `least` is what a row had in the last one to which no link leads."""

    least: float

    @property
    def basis(self) -> object:
        """What it goes by besides links; another object, if that has changed as a whole."""

    def walk(self, links: GraphLinks, start: Column | None) -> Column:
        """What each node has in the end."""

    def sent(self, values: Column, rows: Rows, degrees: Rows) -> Column:
        """What these rows, which have so many links, send along each."""


class Flow:
    """The column of a walk, kept up."""

    def __init__(self, holdings: Holdings, walk: Walk) -> None:
        self.holdings = holdings
        self.table = holdings.table
        self.walk = walk
        self.growth = Growth(SHARE)
        self.basis: object = None  # that of the last walk
        self.values = np.zeros(0)
        self.walks = 0
        self._linked: list[tuple[int, NDArray[np.uint32]]] = []  # pages with their links, since rows were added
        holdings.linked  # noqa: B018  made now, so that it is kept up

    def take(self, committed: Commit) -> None:
        if self.walks:
            self._linked += committed.linked.items()

    def column(self, pages: Pages) -> Column:
        self._extend()
        is_due = self.growth.is_due(int(pages.fetches.sum(dtype=np.int64)), len(pages))
        if is_due or self.walk.basis is not self.basis:
            self.basis = self.walk.basis
            start = self.values if self.walks else None
            self.values = self.walk.walk(self.holdings.linked.links(), start)
            self.walks += 1
        return self.values

    def _extend(self) -> None:
        known, rows = len(self.values), len(self.table)
        if rows > known:
            added = np.full(rows - known, self.walk.least)
            self.values = np.concatenate([self.values, added])
            if known and self._linked:
                self._push(known, self._linked)
        self._linked.clear()

    def _push(self, known: int, lists: Sequence[tuple[int, NDArray[np.uint32]]]) -> None:
        """Let pages that were read since the last time send to rows from `known` on."""
        sources, bounds, targets = joined_lists(lists)
        degrees = np.diff(bounds)
        each = np.repeat(self.walk.sent(self.values, sources, np.maximum(degrees, 1)), degrees)
        fresh = targets >= known
        self.values[known:] += np.bincount(targets[fresh] - known, each[fresh], len(self.values) - known)

    def parents(self, row: int, **columns: Column) -> list[dict[str, Any]]:
        """The pages that send most to a row, for people; what `columns` say of them is told, too."""
        links = self.holdings.linked.links()
        rows = sources_of(links, np.array([row], np.int64))[1].astype(np.int64)
        degrees = degrees_of(links, rows)
        told = {"links": degrees, "value": self.values[rows]} | {name: each[rows] for name, each in columns.items()}
        told["sends"] = self.walk.sent(self.values, rows, degrees)
        best = np.argsort(-told["sends"], kind="stable")[:_TOLD]
        urls = {i: self.holdings.store.url(int(rows[i])) for i in best.tolist()}
        return [{"url": url} | {name: each[i].item() for name, each in told.items()} for i, url in urls.items()]
