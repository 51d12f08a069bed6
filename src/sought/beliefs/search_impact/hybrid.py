"""What impact on search has a page?  Of a new one by the queries it would help and by how important it is.

The hybrid of S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §5.4, in searches a week in
which the
page is shown: `by_queries` parts of what sketches say (query_impact.py), scaled for queries that had no turn,
and the
rest of what pages as important as this one bring, max(0, a + b·x + c·x²), x = log PageRank.  Pages that were
fetched
have the impact that they have: how often they are among the first K.

Of equals the more important comes first: every new page has a trace of its PageRank, too small to matter
otherwise.
While nothing is asked that trace is all there is.  With by_queries = 0 impact is handed out in proportion to
PageRank:
the paper's query-independent policy goes by importance itself, not by what was fitted to it.

The column is kept and changed in few places: rows that the last cycle has touched get what they have without
queries,
then those of this one are set.  All rows are looked at only when PageRank was worked out anew, or the curve was
fitted
anew because fetched pages had grown by a tenth.  So after a restart values may differ a little: the fits are
newer.
What has been learnt of improvability stays (needy.py).
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

_TRACE = 1e-9  # of what an average query is asked, for the most important page


@brief
@dataclass(frozen=True)
class SearchImpactScore(SearchImpactParameters):
    """Searches a week in which a page would be among the first results."""

    def supplier(self, holdings: Holdings) -> Supplier:
        return SearchImpactSupplier(self, holdings)


class SearchImpactSupplier:
    """The column of one belief; what does not depend on `by_queries` is shared.

    Columns: `alone`, what rows have without queries, 0 if they were fetched; `views`, how often they are shown now;
    `values`, what they have in all.
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
        self.fetched: set[int] = set()  # since the last time
        self.asked: object = None

    def take(self, committed: Commit) -> None:
        self.fetched.update(each.row for each in committed.finished)

    def column(self, pages: Pages) -> Column:
        self.queries.look(pages)
        found = self.queries.update(pages) if self.belief.by_queries else None
        self._take_back()
        self._reserve(len(pages))
        shown = self._count_views()
        self._keep_alone(pages, self.queries.logs)
        self.touched = shown
        if found:
            self.values[found.rows] += self.belief.by_queries * found.scale * found.impact
            self.touched = np.concatenate([found.rows, shown])
        self.values[shown] = self.views[shown]
        return self.values[: self.rows]

    def terms(self, row: int) -> dict[str, Any]:
        found = self.queries.found if self.belief.by_queries else None
        value, alone = float(self.values[row]), float(self.alone[row])
        terms: dict[str, Any] = {"page_rank": float(np.exp(self.ranks.logs[row]))}
        if not np.isneginf(self.table["last_fetch"][row]):
            return terms | {"shown_a_week": value}
        parts = {"by_importance": alone, "by_queries": value - alone, "scale": found.scale if found else 1.0}
        return terms | parts | {"queries": self.queries.terms(row) if found else []}

    def _take_back(self) -> None:
        """Undo the last cycle; what has been fetched since is no longer new."""
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
        """How often rows are shown; returns those that are, some of them again and again."""
        top = self.queries.top
        if top is None:
            return np.zeros(0, np.int64)
        shown, often = showing(top, self.belief.k, self.queries.rates)
        np.add.at(self.views, shown, often)
        return shown

    def _keep_alone(self, pages: Pages, logs: Floats) -> None:
        """Work out what new rows have without queries, or all if something they depend on is another now."""
        asked = self.queries.measuring.asked.texts
        is_due = self.growth.is_due(self.queries.fetches, len(pages)) or asked is not self.asked
        if is_due:
            self._fit(logs)
            self.asked = asked
        if is_due or self.ranks.walks != self.walks:
            self.walks, self.rows = self.ranks.walks, 0
            self.trace = _TRACE * self._usual_rate() / float(np.exp(logs.max(initial=0.0)))
        for piece in pieces(len(pages) - self.rows):
            self._work_out(slice(self.rows + piece.start, min(self.rows + piece.stop, len(pages))), pages, logs)
        self.rows = len(pages)

    def _usual_rate(self) -> float:
        rates = self.queries.rates
        return float(rates[rates > 0].mean()) if (rates > 0).any() else 1.0

    def _fit(self, logs: Floats) -> None:
        views = self.views[: len(logs)]
        known = np.isin(self.table["state"], KNOWN)
        self.curve = fit_importance_curve(logs[known], views[known])
        self.share = float(views.sum()) / max(float(np.exp(logs).sum()), 1.0)

    def _work_out(self, rows: slice, pages: Pages, logs: Floats) -> None:
        rank, part = np.exp(logs[rows]), self.belief.by_queries
        value = (1.0 - part) * self.curve(logs[rows]) if part else self.share * rank
        self.alone[rows] = np.where(np.isneginf(pages.last_fetch[rows]), value + self.trace * rank, 0.0)
        self.values[rows] = self.alone[rows]
