"""How important is a row, as a number to reckon with?  The logarithm of its PageRank."""

import numpy as np

from sought.crawl.supply.holdings import Holdings
from sought.crawl.supply.page_rank import Ranks
from sought.crawl.supply.supplier import Column, Committed
from sought.policy import PageRank, Pages


class LogRanks:
    """Worked out for new rows, and for all when the surfer has walked again; `walks` says how often that was."""

    def __init__(self, holdings: Holdings) -> None:
        self.ranks = Ranks(PageRank(), holdings)
        self.walks = 0
        self.logs = np.zeros(0)
        self.rows = 0

    def take(self, committed: Committed) -> None:
        self.ranks.take(committed)

    def update(self, pages: Pages) -> Column:
        """Of every row."""
        found = self.ranks.column(pages)
        if self.ranks.flow.walks != self.walks:
            self.walks, self.rows = self.ranks.flow.walks, 0
        if len(self.logs) < len(found):
            self.logs = np.concatenate([self.logs, np.zeros(len(found) * 5 // 4 - len(self.logs) + 1)])
        fresh = slice(self.rows, len(found))
        self.logs[fresh] = np.log(np.maximum(found[fresh], np.finfo(np.float64).tiny))
        self.rows = len(found)
        return self.logs[: self.rows]
