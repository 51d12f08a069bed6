"""What do all others say of a row?  The features of the learned combination.

Table 4 of Tran, Turk, Cambazoglu & Nejdl (SIGIR 2015): the scores of the other approaches, and what the pages that link
to a row bring to search; and here also how deep in its host the address is.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.crawl.supply.flows import SHARE
from sought.crawl.supply.growth import Growth
from sought.crawl.supply.holdings import Holdings
from sought.crawl.supply.impacts import Impacts
from sought.crawl.supply.learned.parents import Parents, parents_with
from sought.crawl.supply.supplier import Supplier
from sought.policy import Location, PageRank, Pages, RandomWalk, SearchImpact
from sought.policy.random_walk import IMPACTS, Impact
from sought.policy.supplied import Supplied

Rows = NDArray[np.int64]
Features = NDArray[np.float32]
Made = Callable[[Holdings, Supplied], Supplier]  # who makes the other suppliers
OMEGA: dict[Impact, float] = {"clicks": 0.9, "views": 0.8}  # of RW-EG, as on their skewed set

NAMES = (
    *("PageRank", "Q-Overlap", "Q-Hybrid", "RW", "RW-EG", "URL depth", "in-degree"),
    *("clicked parents", "clicks of parents", "most clicks of a parent", "mean clicks of parents"),
    *("viewed parents", "views of parents", "most views of a parent", "mean views of parents"),
)


class Signs:
    """Columns as they were when they were last asked for; features are put together for the rows that need them."""

    def __init__(self, impact: Impact, holdings: Holdings, made: Made) -> None:
        self.holdings = holdings
        self.impacts = holdings.part(Impacts)
        self.growth = Growth(SHARE)
        self.basis: object = None  # of the impact of parents
        said = (
            PageRank(d=0.85),
            SearchImpact(by_queries=1.0),
            SearchImpact(),
            RandomWalk(impact),
            RandomWalk(impact, omega=OMEGA[impact]),
            Location(),
        )
        self.suppliers = [holdings.part(made, belief) for belief in said]
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


def _at(column: NDArray[Any], rows: Rows) -> NDArray[Any]:
    """0 for rows beyond the column."""
    known = rows < len(column)
    found = np.zeros(len(rows), column.dtype)
    found[known] = column[rows[known]]
    return found
