"""Which state do suppliers share?  Each is made when the first supplier needs it, then kept up with every commit."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np

from sought.graph.links import GraphLinks
from sought.record.commit import Commit
from sought.record.links import put_lists, stored_links
from sought.record.measuring import Measuring
from sought.record.store import Store
from sought.record.table import Table
from sought.web.pages import Rows


class Linked:
    """The link graph of a crawl, kept up with every commit; rows are nodes."""

    def __init__(self, store: Store, table: Table) -> None:
        self.table = table
        self.graph = stored_links(store, len(table))

    def take(self, committed: Commit) -> None:
        self.graph.grow(len(self.table))
        put_lists(self.graph, list(committed.linked.items()))

    def links(self) -> GraphLinks:
        """As of the last commit."""
        self.graph.grow(len(self.table))
        return self.graph.compact()


def degrees_of(links: GraphLinks, rows: Rows) -> Rows:
    """How many links each of these rows has."""
    if not len(links.sources):
        return np.zeros(len(rows), np.int64)
    at = np.minimum(np.searchsorted(links.sources, rows), len(links.sources) - 1)
    return np.where(links.sources[at] == rows, links.degrees[at], 0)


class Growth:
    """Says when something expensive is to be computed again.

    It is due when fetches have grown by a share since the last time, or the table has doubled.
    """

    def __init__(self, share: float) -> None:
        self.share = share
        self.fetched = self.rows = -1

    def is_due(self, fetched: int, rows: int) -> bool:
        """Whether it is due; if so, growth is counted from now on."""
        known = self.fetched >= 0 and fetched < self.fetched + max(1.0, self.share * self.fetched)
        if known and rows < 2 * max(self.rows, 1):
            return False
        self.fetched, self.rows = fetched, rows
        return True


class SharedState(Protocol):
    """State that several suppliers need."""

    def take(self, committed: Commit) -> None:
        """Note what has changed."""


AnyShared = TypeVar("AnyShared", bound=SharedState)


class Holdings:
    """The tables of a crawl, and the state that several beliefs derive from them."""

    def __init__(self, store: Store, table: Table, measuring: Callable[[], Measuring]) -> None:
        self.store = store
        self.table = table
        self._measuring = measuring
        self._shared: dict[Any, SharedState] = {}

    @cached_property
    def measuring(self) -> Measuring:
        return self._measuring()

    @cached_property
    def linked(self) -> Linked:
        """The link graph."""
        return Linked(self.store, self.table)

    def shared(self, kind: Callable[..., AnyShared], *parameters: Any) -> AnyShared:
        """The state of a kind with these parameters, made if it is new."""
        if (kind, parameters) not in self._shared:
            self._shared[kind, parameters] = kind(self, *parameters)
        return self._shared[kind, parameters]  # type: ignore[return-value]  # of that kind

    def take(self, committed: Commit) -> None:
        """Keep everything up that has been made."""
        if "linked" in self.__dict__:
            self.linked.take(committed)
        for each in self._shared.values():
            each.take(committed)
