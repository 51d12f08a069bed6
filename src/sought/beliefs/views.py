"""How often do people see each page in the answers to their queries?

All pages are counted again when the workload or the statistics of scores have changed, or when fetches have grown by
1 %; in between a page keeps its value.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sought.beliefs.belief import Column, Supplied, Supplier
from sought.beliefs.flows import SHARE
from sought.beliefs.holdings import Growth, Holdings
from sought.index.quality import attention
from sought.index.visibility import Visibility
from sought.record.commit import Commit
from sought.web.expression import brief
from sought.web.pages import Pages


@brief
@dataclass(frozen=True)
class Views(Supplied):
    """v(p) = Σ_q f_q·I(rank of p for q): how many people a week see a page in the answers to their queries.

    J. Wolf et al., Optimal Crawling Strategies for Web Search Engines, WWW 2002; ranks are those of the copies that the
    crawl holds.  0 for pages that answer no query.
    """

    def supplier(self, holdings: Holdings) -> Supplier:
        return ViewsSupplier(self, holdings)


class ViewsSupplier:
    """Computes the column as a whole, when it is due."""

    def __init__(self, belief: Views, holdings: Holdings) -> None:
        self.table, self.holdings = holdings.table, holdings
        self.growth = Growth(SHARE)
        self.basis: tuple[object, object] = (None, None)  # the workload, and the statistics of scores
        self.values = np.zeros(0)

    def take(self, committed: Commit) -> None:
        """The column is computed when it is read."""

    def column(self, pages: Pages) -> Column:
        measuring = self.holdings.measuring
        before, self.basis = self.basis, (measuring.asked, measuring.measure and measuring.measure.statistics)
        is_due = self.growth.is_due(int(pages.fetches.sum(dtype=np.int64)), len(pages))
        if is_due or any(was is not now for was, now in zip(before, self.basis, strict=True)):
            self.values = self._seen()
        self.values = np.concatenate([self.values, np.zeros(len(self.table) - len(self.values))])
        return self.values

    def terms(self, row: int) -> dict[str, Any]:
        total = float(self.values.sum())
        return {
            "views_a_week": float(self.values[row]),
            "of_all_views": float(self.values[row]) / total if total else 0.0,
        }

    def _seen(self) -> Column:
        measuring = self.holdings.measuring
        asked = measuring.asked
        rates = np.where(asked.held_out, 0.0, asked.rate)
        if not rates.any():
            return np.zeros(len(self.table))
        ties = measuring.ties(np.arange(len(self.table)))
        return attention(measuring.matches(), rates, ties, Visibility(asked.exponent))
