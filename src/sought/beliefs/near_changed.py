"""How many links is a page away from a sample that was found changed in the present cycle?

The present cycle is that of the last fetch.  The table has its samples and which of them changed, so nothing is stored.
Pages that were fetched because they are near do not count, or changes would spread without end.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Column, Supplied, Supplier
from sought.beliefs.cycles import WEEK, check_cycle
from sought.beliefs.holdings import Holdings
from sought.beliefs.site_samples import changed_samples
from sought.graph.distance import distances, sources_of
from sought.graph.links import GraphLinks
from sought.record.commit import Commit
from sought.web.checks import check_whole
from sought.web.expression import brief
from sought.web.pages import Pages


@brief
@dataclass(frozen=True)
class NearChanged(Supplied):
    """Links from the nearest sample that was found changed in the present cycle: 0 for itself, to `hops`; inf beyond.

    Samples are those of site_samples.py, cycles are `cycle` seconds long (cycles.py).
    """

    hops: int = 3
    cycle: float = WEEK

    goes_by_demand: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_whole("NearChanged: hops", self.hops, 1, 10)
        check_cycle("NearChanged: cycle", self.cycle)

    def supplier(self, holdings: Holdings) -> Supplier:
        return NearChangedSupplier(self, holdings)


class NearChangedSupplier:
    """Computes distances again if links have changed, or other pages were found changed."""

    def __init__(self, belief: NearChanged, holdings: Holdings) -> None:
        self.belief, self.holdings = belief, holdings
        self.changed = np.zeros(0, np.bool_)
        self.measured: GraphLinks | None = None
        self.values = np.zeros(0)
        holdings.linked  # noqa: B018  made now, so that it is kept up

    def take(self, committed: Commit) -> None:
        """The table has everything."""

    def column(self, pages: Pages) -> Column:
        changed, links = self._changed_samples(pages), self.holdings.linked.links()
        if self.measured is not links or not np.array_equal(changed, self.changed):
            away = distances(links, changed, self.belief.hops + 1)
            self.values = np.where(away > self.belief.hops, np.inf, away)
            self.measured, self.changed = links, changed
        return self.values

    def terms(self, row: int) -> dict[str, Any]:
        """A path from a changed page, if it is near."""
        terms = {"changed_pages_of_this_cycle": int(np.count_nonzero(self.changed))}
        if not np.isfinite(self.values[row]):
            return terms
        way = [row]
        for left in range(int(self.values[row]) - 1, -1, -1):
            _, parents = sources_of(self.holdings.linked.links(), np.array(way[-1:]))
            way.append(int(parents[self.values[parents] == left].min()))
        return terms | {"way": [self.holdings.store.url(each) for each in reversed(way)]}

    def _changed_samples(self, pages: Pages) -> NDArray[np.bool_]:
        if not len(pages) or pages.is_new.all():
            return np.zeros(len(pages), np.bool_)
        changed = np.zeros(len(pages), np.bool_)
        changed[changed_samples(pages, float(pages.last_fetch.max()), self.belief.cycle)] = True
        return changed
