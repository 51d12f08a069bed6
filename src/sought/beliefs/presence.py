"""What is each page worth in the present answers?  What attention finds in it, and what would be lost without it.

All pages are valued when the workload, its weights or the statistics of scores have changed, or when the fetches since
then reach a tenth of the pages.  In between only fetched pages are valued, by the answers of that moment; pages whose
ranks they have changed keep their values.  A crawl that is started again values all pages.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sought.beliefs.belief import Column, Supplied, Supplier
from sought.beliefs.holdings import Holdings
from sought.index.measure import GainMeasure, Rows
from sought.index.vectors import joined
from sought.record.commit import Commit
from sought.web.expression import brief
from sought.web.pages import Pages


@brief
@dataclass(frozen=True)
class SearchValue(Supplied):
    """Σ_q f_q·I(rank of p for q)·S(p, q): what attention finds in a page, by the copies that the crawl holds.

    In the unit of gains: the values of all pages sum to the numerator of quality (S. Pandey, C. Olston, User-Centric
    Web Crawling, WWW 2005, eq. 5).  0 for pages that are not searchable.
    """

    def supplier(self, holdings: Holdings) -> Supplier:
        return PresenceSupplier(holdings, lambda values: values.gross)


@brief
@dataclass(frozen=True)
class Presence(Supplied):
    """What the answers would lose if a page were missing and the pages behind it moved up.

    In the unit of `SearchValue`, and at most that.  0 for pages that are not searchable.
    """

    def supplier(self, holdings: Holdings) -> Supplier:
        return PresenceSupplier(holdings, lambda values: values.net)


_BATCH = 4096
_SHARE = 0.1  # of all pages: after so many fetches all are valued again


class Values:
    """Both values of every row: `gross` is SearchValue, `net` is Presence.  Shared through `Holdings`."""

    def __init__(self, holdings: Holdings) -> None:
        self.table, self.measuring = holdings.table, holdings.measuring
        self.basis: tuple[object, ...] = (None, None, None)  # the measure, its weights and its statistics
        self.gross, self.net = np.zeros(0), np.zeros(0)
        self.pages = self.fetches = 0  # pages at the last valuation of all, and fetches since
        self.fetched: set[int] = set()  # rows to be valued

    def take(self, committed: Commit) -> None:
        self.fetches += len(committed.finished)
        self.fetched.update(each.row for each in committed.finished)

    def look(self) -> None:
        """Bring the values up to date."""
        measure = self.measuring.measure
        before, self.basis = self.basis, (measure, measure and measure.weights, measure and measure.statistics)
        is_new = any(was is not now for was, now in zip(before, self.basis, strict=True))
        added = len(self.table) - len(self.gross)
        self.gross, self.net = (np.concatenate([each, np.zeros(added)]) for each in (self.gross, self.net))
        if measure and (is_new or self.fetches >= max(1.0, _SHARE * self.pages)):
            rows = self.table.searchable()
            self.pages, self.fetches = len(rows), 0
            self._value(measure, rows)
        elif measure and self.fetched:
            self._value(measure, np.array(sorted(self.fetched), np.int64))
        self.fetched.clear()
        worthless = ~self.table.is_searchable if measure else slice(None)  # a page may leave without a fetch
        self.gross[worthless] = self.net[worthless] = 0.0

    def _value(self, measure: GainMeasure, rows: Rows) -> None:
        """Value rows in batches: the matches of all at once would take too much memory."""
        for at in range(0, len(rows), _BATCH):
            batch = rows[at : at + _BATCH]
            vectors = joined([self.measuring.vector(row) for row in batch.tolist()])
            self.gross[batch], self.net[batch] = measure.held(batch, self.measuring.ties(batch), vectors)


class PresenceSupplier:
    """One of the two columns, chosen by `of_values`."""

    def __init__(self, holdings: Holdings, of_values: Callable[[Values], Column]) -> None:
        self.values = holdings.shared(Values)
        self.of_values = of_values

    def take(self, committed: Commit) -> None:
        """`Values` does."""

    def column(self, pages: Pages) -> Column:
        self.values.look()
        return self.of_values(self.values)

    def terms(self, row: int) -> dict[str, Any]:
        terms: dict[str, float] = {}
        for name, column in (("search_value", self.values.gross), ("presence", self.values.net)):
            total = float(column.sum())
            terms |= {name: float(column[row]), f"share_of_{name}": float(column[row]) / total if total else 0.0}
        return terms
