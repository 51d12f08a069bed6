"""What a policy believes of pages: the columns of its estimators, learnt from every fetch."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from sought.crawl.outcome import Finished, Outcome
from sought.crawl.store import Store
from sought.crawl.supply import supplier_of
from sought.crawl.supply.holdings import Holdings
from sought.crawl.supply.supplier import Committed, Supplier
from sought.crawl.supply.topic.hops import Distances
from sought.policy import Belief, Fetches, Learner, Pages
from sought.policy.estimator import Telling
from sought.policy.pages import Links
from sought.policy.supplied import Supplied

_AT_ONCE = 100_000
Told = Mapping[Any, Callable[[NDArray[np.uint64]], NDArray[np.float64]]]  # columns, by the keys of rows
_decode = msgspec.msgpack.Decoder(Outcome).decode


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
        self.suppliers: dict[object, Supplier] = {b: supplier_of(b, holdings) for b in own if isinstance(b, Supplied)}
        self.learners: dict[object, Learner] = {b: b.learner() for b in own if not isinstance(b, Supplied)}
        if self.learners:
            for some in history(holdings.store, since):
                self._learn(some)

    def take(self, committed: Committed) -> None:
        """Keep up with what has been applied and stored."""
        self._learn(committed.finished)
        self.holdings.take(committed)
        for supplier in self.suppliers.values():
            supplier.take(committed)

    def _learn(self, finished: Sequence[Finished]) -> None:
        seen = [each for each in finished if each.is_observation]
        if seen and self.learners:
            fetches = Fetches(
                row=np.array([each.row for each in seen], np.int64),
                time=np.array([each.outcome.time for each in seen]),
                gap=np.array([each.gap for each in seen]),
                changed=np.array([each.changed for each in seen]),
                gain=np.array([np.nan if each.outcome.gain is None else each.outcome.gain for each in seen]),
                difference=np.array([each.difference for each in seen]),
                modified=np.array([each.outcome.modified or np.nan for each in seen]),
                signalled=np.array([each.outcome.signalled for each in seen]),
                base_gap=np.array([_or_nan(each, each.outcome.base_gap) for each in seen]),
                drift=np.array([_or_nan(each, each.outcome.drift) for each in seen]),
                fate=np.array([each.outcome.fate for each in seen], np.uint8),
                doubted=np.array([each.outcome.doubted for each in seen]),
                seen_gap=np.array([each.outcome.seen_gap if each.outcome.seen_gap >= 0.0 else np.inf for each in seen]),
                found=np.array([each.outcome.found for each in seen], np.int64),
                expected=np.array([each.outcome.expected for each in seen], np.float64),  # None is NaN
                chance=np.array([each.outcome.chance for each in seen], np.float64),
            )
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
        found = [each.count_hot() for each in self.suppliers.values() if isinstance(each, Distances)]
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


def _or_nan(each: Finished, value: float) -> float:
    """Where there was a base to compare with."""
    return value if each.outcome.base_gap >= 0.0 else np.nan


def history(store: Store, since: float) -> Iterator[list[Finished]]:
    """All fetches on record, page by page; gains of those up to `since` are left out."""
    found: list[Finished] = []
    row, last = -1, -np.inf
    for key, value in store.scan(b"o"):
        here, outcome = int.from_bytes(key[1:5], "big"), _decode(value)
        if here != row:
            row, last = here, -np.inf
        if outcome.time <= since:
            outcome.gain = None
        found.append(Finished(row, outcome, max(0.0, outcome.time - last)))  # a clock may have been set back
        if found[-1].is_observation:
            last = outcome.time
        if len(found) >= _AT_ONCE:
            yield found
            found = []
    yield found
