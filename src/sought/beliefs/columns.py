"""What does a policy believe about every page?  The columns of all beliefs that it reads, kept up with every commit."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Belief, HasTerms, Learner, Supplied, Supplier
from sought.beliefs.holdings import Holdings
from sought.record.commit import Commit
from sought.record.fetches import fetches_of
from sought.record.history import finished_fetches
from sought.record.outcome import Finished
from sought.web.pages import Links, Pages

GivenColumns = Mapping[Any, Callable[[NDArray[np.uint64]], NDArray[np.float64]]]  # by belief; called with keys of rows


@runtime_checkable
class CountsHot(Protocol):
    """A supplier that knows how many pages are about the topic."""

    def count_hot(self) -> int:
        """As of the last column."""


class Beliefs:
    """The beliefs that one policy reads; made from the store, then kept up with every commit."""

    def __init__(
        self,
        wanted: Sequence[Belief],
        holdings: Holdings,
        since: float,
        given: GivenColumns = {},  # noqa: B006  nobody writes to it
        pace: float = 0.0,
        *,
        links: bool = False,
    ) -> None:
        """Gains of fetches up to `since` are in another unit and ignored.  `given` beliefs are not learned or supplied.

        `pace` is that of Pages; `links` is whether the policy reads links.
        """
        self.pace = pace
        self.links = links
        self.table = holdings.table
        self.holdings = holdings
        self.given = {belief: given[belief] for belief in wanted if belief in given}
        own = [belief for belief in wanted if belief not in self.given]
        self.suppliers: dict[object, Supplier] = {b: b.supplier(holdings) for b in own if isinstance(b, Supplied)}
        self.learners: dict[object, Learner] = {b: b.learner() for b in own if not isinstance(b, Supplied)}
        if self.learners:
            for batch in finished_fetches(holdings.store, since):
                self._learn(batch)

    def take(self, committed: Commit) -> None:
        """Learn from a commit."""
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
        columns |= {belief: column(self.table["key"]) for belief, column in self.given.items()}
        pages = replace(pages, beliefs=columns)
        columns |= {belief: each.column(pages) for belief, each in self.learners.items()}
        return replace(pages, beliefs=columns)

    def _links(self) -> Links | None:
        """Links as a policy sees them: read-only."""
        if not self.links:
            return None
        links = self.holdings.linked.links()
        return Links(*(_read_only(each) for each in (links.sources, links.bounds, links.targets)))

    @property
    def hot_pages(self) -> int | None:
        """How many pages are about the topic, if the policy reads how far others are from them."""
        counts = [each.count_hot() for each in self.suppliers.values() if isinstance(each, CountsHot)]
        return max(counts, default=None)

    def terms(self, row: int) -> dict[str, dict[str, Any]]:
        """What beliefs about a row are made of; to be called after `pages`."""
        own: dict[object, Learner | Supplier] = {**self.learners, **self.suppliers}
        terms = {repr(belief): each.terms(row) for belief, each in own.items() if isinstance(each, HasTerms)}
        return {name: numbers for name, numbers in terms.items() if numbers}


class SettledBeliefs(Beliefs):
    """The beliefs about a table that does not change any more: columns are made once."""

    def pages(self) -> Pages:
        return self._pages

    @cached_property
    def _pages(self) -> Pages:
        return super().pages()


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
