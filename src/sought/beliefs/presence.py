"""What is a page worth in the answers now?"""

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

    In the unit of gains: these values of all pages add up to what the answers are worth, the numerator of quality (S.
    Pandey, C. Olston, User-centric Web crawling, 2005, eq. 5).  0 for pages that are not searchable.
    """

    def supplier(self, holdings: Holdings) -> Supplier:
        return PresenceSupplier(self, holdings)


@brief
@dataclass(frozen=True)
class Presence(Supplied):
    """What the answers would lose if a page were not there, and those behind it moved up; what it gains by entering.

    In the unit of `SearchValue`, and at most that.  0 for pages that are not searchable.
    """

    def supplier(self, holdings: Holdings) -> Supplier:
        return PresenceSupplier(self, holdings)


# ---- What is each page worth in the answers now?  What attention finds in it, and what would be missing without it.
#
# All pages are valued when the workload, its weights or the statistics of scores have changed, or when the fetches
# since then come to a tenth of the pages.  In between only the pages that were fetched are, by the answers of that
# moment; those whose ranks they have changed keep what they had.  A crawl that is started again values all.


_BATCH = 4096
_SHARE = 0.1  # of all pages: so many fetches, and all are valued again


class Values:
    """A part of `Holdings`: both values of every row, kept up."""

    def __init__(self, holdings: Holdings) -> None:
        self.table, self.measuring = holdings.table, holdings.measuring
        self.basis: tuple[object, ...] = (None, None, None)  # the measure, its weights and its statistics
        self.gross, self.net = np.zeros(0), np.zeros(0)
        self.pages = self.fetches = 0  # valued when all were, and fetched since
        self.fetched: set[int] = set()  # rows that have not been valued since

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
        nothing = ~self.table.is_searchable if measure else slice(None)  # it may have gone without a fetch
        self.gross[nothing] = self.net[nothing] = 0.0

    def _value(self, measure: GainMeasure, rows: Rows) -> None:
        """Some at a time: all that they match would be too much."""
        for at in range(0, len(rows), _BATCH):
            some = rows[at : at + _BATCH]
            vectors = joined([self.measuring.vector(row) for row in some.tolist()])
            self.gross[some], self.net[some] = measure.held(some, self.measuring.ties(some), vectors)


class PresenceSupplier:
    """The column of one of the two."""

    def __init__(self, belief: SearchValue | Presence, holdings: Holdings) -> None:
        self.is_net = isinstance(belief, Presence)
        self.values = holdings.shared(Values)

    def take(self, committed: Commit) -> None:
        """The part does."""

    def column(self, pages: Pages) -> Column:
        self.values.look()
        return self.values.net if self.is_net else self.values.gross

    def terms(self, row: int) -> dict[str, Any]:
        told: dict[str, float] = {}
        for name, column in (("search_value", self.values.gross), ("presence", self.values.net)):
            total = float(column.sum())
            told |= {name: float(column[row]), f"share_of_{name}": float(column[row]) / total if total else 0.0}
        return told
