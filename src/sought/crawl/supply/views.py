"""How often is each page seen?  Σ_q f_q·I(rank), over all results of all that is asked, a week.

Ranks are those of the copies that the crawl holds.  All are looked at when the workload or the statistics of scores
have changed, or when fetches have grown by 1 %; a page that was fetched in between has what it had before.
"""

from typing import Any

import numpy as np

from sought.crawl.supply.flows import SHARE
from sought.crawl.supply.growth import Growth
from sought.crawl.supply.holdings import Holdings
from sought.crawl.supply.supplier import Column, Committed
from sought.index.quality import attention
from sought.index.visibility import Visibility
from sought.policy import Pages
from sought.policy.views import Views


class Seen:
    """A column that is worked out as a whole."""

    def __init__(self, belief: Views, holdings: Holdings) -> None:
        self.table, self.holdings = holdings.table, holdings
        self.growth = Growth(SHARE)
        self.basis: tuple[object, object] = (None, None)  # what was asked, and the statistics of scores
        self.values = np.zeros(0)

    def take(self, committed: Committed) -> None:
        """Everything is worked out when it is asked for."""

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
