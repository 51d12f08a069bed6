"""Which features does the learned ordering use?  Values of other orderings, and the impact of linking pages.

Table 4 of Tran, Turk, Cambazoglu & Nejdl (SIGIR 2015); and here also the depth of the address in its host.

Features of a page are stored when it is first fetched (key `f`, 80 bytes a page), because they cannot be computed
later: once a page has been fetched, other orderings value it differently (its own impact, for example).  A store that
is rebuilt from the archive has none of them.
"""

from itertools import islice
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
from sought.record.store import Store, row_key
from sought.web.compiled import cached, readable
from sought.web.pages import Pages

Singles = NDArray[np.float32]

_BATCH = 100_000


class Parents(NamedTuple):
    """For every row: how many linking pages have an impact, and its sum and maximum over them."""

    seen: NDArray[np.uint32]
    total: NDArray[np.float64]
    largest: Singles


def parents_with(impact: NDArray[np.float64], links: GraphLinks) -> Parents:
    """The impact of each row's linking pages; `impact` is that of every row."""
    parents = Parents(np.zeros(links.nodes, np.uint32), np.zeros(links.nodes), np.zeros(links.nodes, np.float32))
    _add_up(links.sources, links.bounds, links.targets, impact, *parents)
    return parents


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


Rows = NDArray[np.int64]
Features = NDArray[np.float32]
OMEGA: dict[Impact, float] = {"clicks": 0.9, "views": 0.8}  # of RW-EG, as on their skewed set

NAMES = (
    *("PageRank", "Q-Overlap", "Q-Hybrid", "RW", "RW-EG", "URL depth", "in-degree"),
    *("clicked parents", "clicks of parents", "most clicks of a parent", "mean clicks of parents"),
    *("viewed parents", "views of parents", "most views of a parent", "mean views of parents"),
)


class LearnedFeatures:
    """Columns as of the last `ask`; features are put together for the rows that need them."""

    def __init__(self, impact: Impact, holdings: Holdings) -> None:
        self.holdings = holdings
        self.impacts = holdings.shared(PageImpacts)
        self.growth = Growth(SHARE)
        self.basis: object = None  # of the impact of parents
        beliefs = (
            PageRankScore(d=0.85),
            SearchImpactScore(by_queries=1.0),
            SearchImpactScore(),
            RandomWalkScore(impact),
            RandomWalkScore(impact, omega=OMEGA[impact]),
            LocationScore(),
        )
        self.suppliers = [holdings.shared(_supplier, belief) for belief in beliefs]
        self.columns: list[NDArray[Any]] = [np.zeros(0)] * len(beliefs)
        self.parents: dict[Impact, Parents] = {}
        self.inlinks = np.zeros(0, np.uint32)

    @property
    def walk(self) -> NDArray[np.float64]:
        """The column of RW."""
        return self.columns[NAMES.index("RW")]

    def __len__(self) -> int:
        """The number of rows that have features."""
        return len(self.walk)

    def ask(self, pages: Pages) -> None:
        """Bring all columns up to date."""
        self.columns = [supplier.column(pages) for supplier in self.suppliers]
        is_due = self.growth.is_due(int(pages.fetches.sum(dtype=np.int64)), len(pages))
        if is_due or self.basis is not self.impacts.basis:
            self.basis = self.impacts.basis
            links = self.holdings.linked.links()
            self.parents = {kind: parents_with(self.impacts.of(kind), links) for kind in IMPACTS}
        self.inlinks = pages.inlinks.copy()

    def table(self, rows: Rows) -> Features:
        """Features of rows, in the order of NAMES; 0 for parents of rows found since `ask`."""
        columns = [column[rows] for column in self.columns]
        inlinks = self.inlinks[rows]
        columns.append(inlinks)
        for kind in IMPACTS:
            seen, total, largest = (_at(column, rows) for column in self.parents[kind])
            columns += [seen, total, largest, total / np.maximum(inlinks, 1)]
        return np.stack([column.astype(np.float32) for column in columns], axis=1)


def _supplier(holdings: Holdings, belief: Supplied) -> Supplier:
    """The supplier of a belief, which several may share."""
    return belief.supplier(holdings)


def _at(column: NDArray[Any], rows: Rows) -> NDArray[Any]:
    """The column at rows; 0 beyond its end."""
    known = rows < len(column)
    values = np.zeros(len(rows), column.dtype)
    values[known] = column[rows[known]]
    return values


class Training:
    """Rows with the times of their first fetches and their features before, for one kind of impact."""

    def __init__(self, store: Store, kind: int, width: int) -> None:
        self.store = store
        self.kind = kind
        self.record = np.dtype([("time", "<f8"), ("kind", "u1"), ("features", "<f4", (width,))])
        self._rows, self._records = [np.zeros(0, np.int64)], [np.zeros(0, self.record)]
        stored = ((key, value) for key, value in store.scan(b"f") if len(value) == self.record.itemsize)
        while batch := list(islice(stored, _BATCH)):
            records = np.frombuffer(b"".join(value for _, value in batch), self.record)
            rows = np.frombuffer(b"".join(key[1:] for key, _ in batch), ">u4").astype(np.int64)
            own = records["kind"] == kind
            self._rows.append(rows[own])
            self._records.append(records[own])

    def __len__(self) -> int:
        return sum(map(len, self._rows))

    def add(self, rows: Rows, times: NDArray[np.float64], features: Features) -> None:
        """Store them with the next commit; pages of a commit that is lost are not learned from."""
        records = np.zeros(len(rows), self.record)
        records["time"], records["kind"], records["features"] = times, self.kind, features
        for row, each in zip(rows.tolist(), records, strict=True):
            self.store.put(row_key(b"f", row), each.tobytes())
        self._rows.append(rows)
        self._records.append(records)

    def all(self) -> tuple[Rows, Features]:
        """Rows and features, in the order of fetches."""
        rows, records = np.concatenate(self._rows), np.concatenate(self._records)
        order = np.lexsort((rows, records["time"]))
        rows, records = rows[order], records[order]
        self._rows, self._records = [rows], [records]
        return rows, records["features"]
