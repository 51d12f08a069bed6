"""How are scores computed that flow along links, and how are they kept up?

A walk reads all links.  So it is repeated when fetches since the last one reach 1 % of all, when the table has doubled
(Cho, Garcia-Molina & Page 1998 also sort their queue only now and then), or when something else that it depends on has
changed, such as the workload.  It starts from its last result.  Rows found in between get what the pages that link to
them pass on; new links to known rows wait for the next walk.
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

SHARE = 0.01  # growth of fetches after which a walk is repeated
_SHOWN = 5

Rows = NDArray[np.int64]


class Walk(Protocol):
    """A score that flows along links.  `least` is the value in the last walk of a row without links to it."""

    least: float

    @property
    def basis(self) -> object:
        """What it depends on besides links; another object if that has changed."""

    def walk(self, links: GraphLinks, start: Column | None) -> Column:
        """The value of each node."""

    def sent(self, values: Column, rows: Rows, degrees: Rows) -> Column:
        """What these rows pass on along each of their links; `degrees` are the numbers of these."""


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
        self._linked: list[tuple[int, NDArray[np.uint32]]] = []  # pages read since rows were added, with their links
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
        """Add what pages that were read since pass on to rows from `known` on."""
        sources, bounds, targets = joined_lists(lists)
        degrees = np.diff(bounds)
        each = np.repeat(self.walk.sent(self.values, sources, np.maximum(degrees, 1)), degrees)
        fresh = targets >= known
        self.values[known:] += np.bincount(targets[fresh] - known, each[fresh], len(self.values) - known)

    def parents(self, row: int, **columns: Column) -> list[dict[str, Any]]:
        """The pages that pass most on to a row, with their values in `columns`."""
        links = self.holdings.linked.links()
        rows = sources_of(links, np.array([row], np.int64))[1].astype(np.int64)
        degrees = degrees_of(links, rows)
        shown = {"links": degrees, "value": self.values[rows]} | {name: each[rows] for name, each in columns.items()}
        shown["sends"] = self.walk.sent(self.values, rows, degrees)
        best = np.argsort(-shown["sends"], kind="stable")[:_SHOWN]
        urls = {i: self.holdings.store.url(int(rows[i])) for i in best.tolist()}
        return [{"url": url} | {name: each[i].item() for name, each in shown.items()} for i, url in urls.items()]
