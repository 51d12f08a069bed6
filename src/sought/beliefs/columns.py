"""What a policy believes of pages: the columns of its estimators, learnt from every fetch."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Belief, Learner, Supplied, Supplier, Telling
from sought.beliefs.holdings import Holdings
from sought.record.commit import Commit
from sought.record.fetches import fetches_of
from sought.record.history import finished_fetches
from sought.record.outcome import Finished
from sought.web.pages import Links, Pages

Told = Mapping[Any, Callable[[NDArray[np.uint64]], NDArray[np.float64]]]  # columns, by the keys of rows


@runtime_checkable
class CountsHot(Protocol):
    """A supplier that knows how many pages are about the topic."""

    def count_hot(self) -> int:
        """As of the last look."""


class Beliefs:
    """Those that one policy reads; made from what is in the store, then kept up with every commit."""

    def __init__(
        self,
        wanted: Sequence[Belief],
        holdings: Holdings,
        since: float,
        told: Told = {},  # noqa: B006  nobody writes to it
        pace: float = 0.0,
        *,
        links: bool = False,
    ) -> None:
        """Gains of fetches up to `since` are in another unit.  Beliefs that are `told` come from elsewhere.

        `pace` is that of Pages; `links` says whether the policy reads those.
        """
        self.pace = pace
        self.links = links
        self.table = holdings.table
        self.holdings = holdings
        self.told = {belief: told[belief] for belief in wanted if belief in told}
        own = [belief for belief in wanted if belief not in self.told]
        self.suppliers: dict[object, Supplier] = {b: b.supplier(holdings) for b in own if isinstance(b, Supplied)}
        self.learners: dict[object, Learner] = {b: b.learner() for b in own if not isinstance(b, Supplied)}
        if self.learners:
            for some in finished_fetches(holdings.store, since):
                self._learn(some)

    def take(self, committed: Commit) -> None:
        """Keep up with what has been applied and stored."""
        self._learn(committed.finished)
        self.holdings.take(committed)
        for supplier in self.suppliers.values():
            supplier.take(committed)

    def _learn(self, finished: Sequence[Finished]) -> None:
        if self.learners and (fetches := fetches_of(finished)):
            for learner in self.learners.values():
                learner.learn(fetches)

    def pages(self) -> Pages:
        """The table as the policy sees it."""
        pages = replace(self.table.pages(pace=self.pace), links=self._links())
        columns = {belief: each.column(pages) for belief, each in self.suppliers.items()}
        columns |= {belief: tell(self.table["key"]) for belief, tell in self.told.items()}
        pages = replace(pages, beliefs=columns)
        columns |= {belief: each.column(pages) for belief, each in self.learners.items()}
        return replace(pages, beliefs=columns)

    def _links(self) -> Links | None:
        """Read-only, like all that a policy may see."""
        if not self.links:
            return None
        links = self.holdings.linked.links()
        return Links(*(_read_only(part) for part in (links.sources, links.bounds, links.targets)))

    @property
    def hot_pages(self) -> int | None:
        """How many pages are about the topic, if it has been asked how far others are from these."""
        found = [each.count_hot() for each in self.suppliers.values() if isinstance(each, CountsHot)]
        return max(found, default=None)

    def terms(self, row: int) -> dict[str, dict[str, Any]]:
        """What beliefs about a row are made of, once `pages` has been asked for."""
        own: dict[object, Learner | Supplier] = {**self.learners, **self.suppliers}
        found = {repr(belief): each.terms(row) for belief, each in own.items() if isinstance(each, Telling)}
        return {name: terms for name, terms in found.items() if terms}


class SettledBeliefs(Beliefs):
    """Of a table that does not change any more: columns are made once."""

    def pages(self) -> Pages:
        return self._pages

    @cached_property
    def _pages(self) -> Pages:
        return super().pages()


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
