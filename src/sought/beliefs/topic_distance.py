"""How many links is a page away from one that is about a topic?

    distance(p) = 0 if p is hot, else 1 + the smallest distance of the pages known to link to it

Cho, Garcia-Molina & Page 1998, §5 and Figure 13.  A page is hot if it was fetched, is searchable, and has all words of
the topic in its title, or each so many times in its body.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sought.beliefs.belief import Column, Supplied, Supplier
from sought.beliefs.holdings import Holdings
from sought.beliefs.topic_likeness import NOT_COUNTED
from sought.beliefs.topic_words import Rows, Topic, counted
from sought.graph.distance import distances, sources_of
from sought.graph.links import GraphLinks
from sought.index.fields import WORDED
from sought.index.vectors import joined
from sought.record.commit import Commit
from sought.web.expression import brief
from sought.web.pages import Pages

_BATCH = 4096  # rows
_TITLE, _BODY = WORDED.index("title"), WORDED.index("body")


@brief
@dataclass(frozen=True)
class Hops(Supplied):
    """The number of links from the nearest hot page: 0 if the page is hot itself, at most `most`.

    A page is hot if it has all words of the topic in its title, or each at least `count` times in its body.
    """

    goes_by_demand: ClassVar[bool] = False

    topic: str
    count: int = 10
    most: int = 3

    def supplier(self, holdings: Holdings) -> Supplier:
        return HopsSupplier(self, holdings)


class HopsSupplier:
    """Keeps up with fetches which pages are hot; computes distances again if that or the links have changed."""

    def __init__(self, belief: Hops, holdings: Holdings) -> None:
        self.belief, self.holdings, self.table = belief, holdings, holdings.table
        self.topic = Topic(belief.topic)
        self.hot = np.zeros(0, np.bool_)
        self.noted: set[int] = set()  # fetched since
        self.read_for: object = self  # the measure when all pages were judged
        self.measured: GraphLinks | None = None
        self.changed = False  # whether other pages are hot than when distances were computed
        self.values = np.zeros(0)
        if self._goes_by_links:
            holdings.linked  # noqa: B018  made now, so that it is kept up

    @property
    def _goes_by_links(self) -> bool:
        """False if only hot pages are to be distinguished from others."""
        return self.belief.most > 1

    def count_hot(self) -> int:
        """The number of hot pages."""
        self._look()
        return int(np.count_nonzero(self.hot))

    def take(self, committed: Commit) -> None:
        self.noted.update(each.row for each in committed.finished)

    def column(self, pages: Pages) -> Column:
        self._look()
        if not self._goes_by_links:
            self.values = np.where(self.hot, 0.0, 1.0)
            return self.values
        links = self.holdings.linked.links()
        if self.measured is not links or self.changed:
            self.values = distances(links, self.hot, self.belief.most).astype(np.float64)
            self.measured, self.changed = links, False
        return self.values

    def terms(self, row: int) -> dict[str, Any]:
        """A path from a hot page, if it is near."""
        if not self.topic.is_counted(self.holdings.measuring.vocabulary):
            return NOT_COUNTED
        away, way = int(self.values[row]), [row]
        if away >= self.belief.most:
            return {"hot_pages": self.count_hot()}
        links = self.holdings.linked.links()
        for left in range(away - 1, -1, -1):
            _, parents = sources_of(links, np.array(way[-1:]))
            way.append(int(parents[self.values[parents] == left].min()))
        return {"hot_pages": self.count_hot(), "way": [self.holdings.store.url(each) for each in reversed(way)]}

    def _look(self) -> None:
        """Bring `hot` up to date: pages fetched since, or all if other words are counted now."""
        measure, searchable = self.holdings.measuring.measure, self.table.is_searchable
        self.hot = np.concatenate([self.hot, np.zeros(len(self.table) - len(self.hot), np.bool_)])
        before = self.hot.copy()
        if self.read_for is not measure:
            rows, self.read_for = np.flatnonzero(searchable), measure
        else:
            rows = np.sort(np.fromiter(self.noted, np.int64, len(self.noted)))
        for at in range(0, len(rows), _BATCH):
            self._judge(rows[at : at + _BATCH])
        self.noted.clear()
        self.hot &= searchable
        self.changed |= not np.array_equal(before, self.hot)

    def _judge(self, rows: Rows) -> None:
        measuring = self.holdings.measuring
        vectors = joined([measuring.vector(row) for row in rows.tolist()])
        counts = counted(vectors, self.topic, measuring.vocabulary)
        self.hot[rows] = counts.everywhere(_TITLE, 1) | counts.everywhere(_BODY, self.belief.count)
