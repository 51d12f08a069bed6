"""Which impact on search has a page?  That of a new page by the queries it would help and by its importance.

The hybrid of S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §5.4, in searches a week that show the
page: a share `by_queries` of the impact by sketches (query_impact.py), scaled for queries that were not sketched, and
the rest of the impact of pages of the same importance, max(0, a + b·x + c·x²), x = log PageRank.  The impact of a
fetched page is how often it is among the first K results now.

Ties are broken by importance: every new page has a trace of its PageRank, too small to matter otherwise.  While nobody
asks anything, that trace is the whole value.  With by_queries = 0 impact is in proportion to PageRank, because the
paper's query-independent policy ranks by importance itself, not by a fit.

The column is updated in few places: rows that the last cycle has changed get their value without queries, then those of
this cycle are set.  All rows are computed only after a new PageRank, or a new fit of the curve because fetched pages
have grown by a tenth.  So values may differ slightly after a restart: the fits are newer.  The learned improvability
stays (needy.py).
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sought.beliefs.belief import Column, Supplier
from sought.beliefs.holdings import Growth, Holdings
from sought.beliefs.search_impact.guesses import KNOWN
from sought.beliefs.search_impact.importance_curve import ImportanceCurve, fit_importance_curve
from sought.beliefs.search_impact.parameters import SearchImpactParameters
from sought.beliefs.search_impact.query_impact import REFIT, QueryImpact, Rows
from sought.beliefs.top_results import showing
from sought.record.commit import Commit
from sought.web.expression import brief
from sought.web.pages import Floats, Pages, pieces

_TRACE = 1e-9  # of the rate of an average query, for the most important page


@brief
@dataclass(frozen=True)
class SearchImpactScore(SearchImpactParameters):
    """Searches a week in which a page would be among the first results."""

    def supplier(self, holdings: Holdings) -> Supplier:
        return SearchImpactSupplier(self, holdings)


class SearchImpactSupplier:
    """The column of one belief; state that does not depend on `by_queries` is shared.

    Columns: `alone`, the value without queries, 0 for fetched rows; `views`, how often rows are shown now; `values`,
    the result.
    """

    def __init__(self, belief: SearchImpactScore, holdings: Holdings) -> None:
        self.belief, self.table = belief, holdings.table
        self.queries = holdings.shared(QueryImpact, replace(belief, by_queries=1.0))
        self.ranks = self.queries.ranks
        self.growth = Growth(REFIT)
        self.curve, self.share, self.trace = ImportanceCurve(), 0.0, 0.0
        self.values, self.alone, self.views = np.zeros(0), np.zeros(0), np.zeros(0)
        self.rows = self.walks = 0
        self.touched: Rows = np.zeros(0, np.int64)
        self.fetched: set[int] = set()  # since the last column
        self.asked: object = None

    def take(self, committed: Commit) -> None:
        self.fetched.update(each.row for each in committed.finished)

    def column(self, pages: Pages) -> Column:
        self.queries.look(pages)
        matches = self.queries.update(pages) if self.belief.by_queries else None
        self._reset_last_cycle()
        self._reserve(len(pages))
        shown = self._count_views()
        self._keep_alone(pages, self.queries.logs)
        self.touched = shown
        if matches:
            self.values[matches.rows] += self.belief.by_queries * matches.scale * matches.impact
            self.touched = np.concatenate([matches.rows, shown])
        self.values[shown] = self.views[shown]
        return self.values[: self.rows]

    def terms(self, row: int) -> dict[str, Any]:
        matches = self.queries.matches if self.belief.by_queries else None
        value, alone = float(self.values[row]), float(self.alone[row])
        terms: dict[str, Any] = {"page_rank": float(np.exp(self.ranks.logs[row]))}
        if not np.isneginf(self.table["last_fetch"][row]):
            return terms | {"shown_a_week": value}
        summands = {"by_importance": alone, "by_queries": value - alone, "scale": matches.scale if matches else 1.0}
        return terms | summands | {"queries": self.queries.terms(row) if matches else []}

    def _reset_last_cycle(self) -> None:
        """Undo the changes of the last cycle; rows fetched since are no longer new."""
        fetched = np.fromiter(self.fetched, np.int64)
        fetched = fetched[fetched < self.rows]
        self.alone[fetched] = 0.0
        self.views[self.touched] = 0.0
        for rows in (self.touched, fetched):
            self.values[rows] = self.alone[rows]
        self.fetched.clear()

    def _reserve(self, rows: int) -> None:
        if len(self.values) < rows:
            more = np.zeros(rows * 5 // 4 - len(self.values) + 1)
            columns = self.values, self.alone, self.views
            self.values, self.alone, self.views = (np.concatenate([column, more]) for column in columns)

    def _count_views(self) -> Rows:
        """Add up how often rows are shown; returns these rows, with repetitions."""
        top = self.queries.top
        if top is None:
            return np.zeros(0, np.int64)
        shown, often = showing(top, self.belief.k, self.queries.rates)
        np.add.at(self.views, shown, often)
        return shown

    def _keep_alone(self, pages: Pages, logs: Floats) -> None:
        """Compute the value without queries of new rows, or of all if something that it depends on has changed."""
        asked = self.queries.measuring.asked.texts
        is_due = self.growth.is_due(self.queries.fetches, len(pages)) or asked is not self.asked
        if is_due:
            self._fit(logs)
            self.asked = asked
        if is_due or self.ranks.walks != self.walks:
            self.walks, self.rows = self.ranks.walks, 0
            self.trace = _TRACE * self._usual_rate() / float(np.exp(logs.max(initial=0.0)))
        for piece in pieces(len(pages) - self.rows):
            self._compute(slice(self.rows + piece.start, min(self.rows + piece.stop, len(pages))), pages, logs)
        self.rows = len(pages)

    def _usual_rate(self) -> float:
        rates = self.queries.rates
        return float(rates[rates > 0].mean()) if (rates > 0).any() else 1.0

    def _fit(self, logs: Floats) -> None:
        views = self.views[: len(logs)]
        known = np.isin(self.table["state"], KNOWN)
        self.curve = fit_importance_curve(logs[known], views[known])
        self.share = float(views.sum()) / max(float(np.exp(logs).sum()), 1.0)

    def _compute(self, rows: slice, pages: Pages, logs: Floats) -> None:
        rank, by_queries = np.exp(logs[rows]), self.belief.by_queries
        value = (1.0 - by_queries) * self.curve(logs[rows]) if by_queries else self.share * rank
        self.alone[rows] = np.where(np.isneginf(pages.last_fetch[rows]), value + self.trace * rank, 0.0)
        self.values[rows] = self.alone[rows]
