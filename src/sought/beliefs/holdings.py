"""What do suppliers share?  Each part is made when the first of them asks for it, and kept up from then on."""

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
    """The link graph of a crawl, row by row as the store has it, kept up with every commit; rows are nodes."""

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
    """When is something worth working out anew?

    Due when the pages that were fetched have grown by a share since the last time, or the table has doubled.
    """

    def __init__(self, share: float) -> None:
        self.share = share
        self.fetched = self.rows = -1

    def is_due(self, fetched: int, rows: int) -> bool:
        """Whether it is; if so, the next time counts from now."""
        known = self.fetched >= 0 and fetched < self.fetched + max(1.0, self.share * self.fetched)
        if known and rows < 2 * max(self.rows, 1):
            return False
        self.fetched, self.rows = fetched, rows
        return True


class SharedState(Protocol):
    """Something that several suppliers need."""

    def take(self, committed: Commit) -> None:
        """Note what has changed."""


AnyShared = TypeVar("AnyShared", bound=SharedState)


class Holdings:
    """The tables of a crawl, and what several beliefs need of them."""

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
        """The part of a kind with these parameters."""
        if (kind, parameters) not in self._shared:
            self._shared[kind, parameters] = kind(self, *parameters)
        return self._shared[kind, parameters]  # type: ignore[return-value]  # of that kind

    def take(self, committed: Commit) -> None:
        """Keep up what has been asked for."""
        if "linked" in self.__dict__:
            self.linked.take(committed)
        for part in self._shared.values():
            part.take(committed)
