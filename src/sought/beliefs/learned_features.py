"""What do the pages that link to a row bring to search?  Added up in one pass over all links.

The features of Tran, Turk, Cambazoglu & Nejdl (SIGIR 2015, Table 4) that tell of a page's in-links.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import float32, float64, int64, uint32, void
from numpy.typing import NDArray

from sought.beliefs.belief import Supplied, Supplier
from sought.beliefs.flows import SHARE
from sought.beliefs.holdings import Growth, Holdings
from sought.beliefs.impacts import IMPACTS, Impact, PageImpacts
from sought.beliefs.location import LocationScore
from sought.beliefs.page_rank import PageRankScore
from sought.beliefs.random_walk import RandomWalkScore
from sought.beliefs.search_impact.hybrid import SearchImpactScore
from sought.graph.links import GraphLinks
from sought.web.compiled import cached, readable
from sought.web.pages import Pages

Singles = NDArray[np.float32]


class Parents(NamedTuple):
    """Of every row: how many parents have any impact, and the sum and the largest of what they have."""

    seen: NDArray[np.uint32]
    total: NDArray[np.float64]
    largest: Singles


def parents_with(impact: NDArray[np.float64], links: GraphLinks) -> Parents:
    """Impact of parents; `impact` is that of every row."""
    found = Parents(np.zeros(links.nodes, np.uint32), np.zeros(links.nodes), np.zeros(links.nodes, np.float32))
    _add_up(links.sources, links.bounds, links.targets, impact, *found)
    return found


@cached(
    void(
        readable(uint32), readable(int64), readable(uint32), readable(float64), uint32[::1], float64[::1], float32[::1]
    )
)
def _add_up(
    sources: NDArray[np.uint32],
    bounds: NDArray[np.int64],
    targets: NDArray[np.uint32],
    impact: NDArray[np.float64],
    seen: NDArray[np.uint32],
    total: NDArray[np.float64],
    largest: Singles,
) -> None:
    for i in range(len(sources)):
        brought = impact[sources[i]]
        if brought > 0.0:
            for at in range(bounds[i], bounds[i + 1]):
                target = targets[at]
                seen[target] += np.uint32(1)
                total[target] += brought
                largest[target] = max(largest[target], np.float32(brought))


# ---- What do all others say of a row?  The features of the learned combination.
#
# Table 4 of Tran, Turk, Cambazoglu & Nejdl (SIGIR 2015): the scores of the other approaches, and what the pages that
# link to a row bring to search; and here also how deep in its host the address is.


Rows = NDArray[np.int64]
Features = NDArray[np.float32]
OMEGA: dict[Impact, float] = {"clicks": 0.9, "views": 0.8}  # of RW-EG, as on their skewed set

NAMES = (
    *("PageRank", "Q-Overlap", "Q-Hybrid", "RW", "RW-EG", "URL depth", "in-degree"),
    *("clicked parents", "clicks of parents", "most clicks of a parent", "mean clicks of parents"),
    *("viewed parents", "views of parents", "most views of a parent", "mean views of parents"),
)


class LearnedFeatures:
    """Columns as they were when they were last asked for; features are put together for the rows that need them."""

    def __init__(self, impact: Impact, holdings: Holdings) -> None:
        self.holdings = holdings
        self.impacts = holdings.shared(PageImpacts)
        self.growth = Growth(SHARE)
        self.basis: object = None  # of the impact of parents
        said = (
            PageRankScore(d=0.85),
            SearchImpactScore(by_queries=1.0),
            SearchImpactScore(),
            RandomWalkScore(impact),
            RandomWalkScore(impact, omega=OMEGA[impact]),
            LocationScore(),
        )
        self.suppliers = [holdings.shared(_supplier, belief) for belief in said]
        self.columns: list[NDArray[Any]] = [np.zeros(0)] * len(said)
        self.parents: dict[Impact, Parents] = {}
        self.inlinks = np.zeros(0, np.uint32)

    @property
    def walk(self) -> NDArray[np.float64]:
        """The column of RW."""
        return self.columns[NAMES.index("RW")]

    def __len__(self) -> int:
        """How many rows something is said of."""
        return len(self.walk)

    def ask(self, pages: Pages) -> None:
        """Have all columns brought up to date."""
        self.columns = [supplier.column(pages) for supplier in self.suppliers]
        is_due = self.growth.is_due(int(pages.fetches.sum(dtype=np.int64)), len(pages))
        if is_due or self.basis is not self.impacts.basis:
            self.basis = self.impacts.basis
            links = self.holdings.linked.links()
            self.parents = {kind: parents_with(self.impacts.of(kind), links) for kind in IMPACTS}
        self.inlinks = pages.inlinks.copy()

    def of(self, rows: Rows) -> Features:
        """One row of features each, in the order of NAMES; rows found since parents were looked at have none."""
        columns = [column[rows] for column in self.columns]
        inlinks = self.inlinks[rows]
        columns.append(inlinks)
        for kind in IMPACTS:
            seen, total, largest = (_at(column, rows) for column in self.parents[kind])
            columns += [seen, total, largest, total / np.maximum(inlinks, 1)]
        return np.stack([column.astype(np.float32) for column in columns], axis=1)


def _supplier(holdings: Holdings, belief: Supplied) -> Supplier:
    """As a part that several share."""
    return belief.supplier(holdings)


def _at(column: NDArray[Any], rows: Rows) -> NDArray[Any]:
    """0 for rows beyond the column."""
    known = rows < len(column)
    found = np.zeros(len(rows), column.dtype)
    found[known] = column[rows[known]]
    return found
