"""PageRank of every row on what has been seen of the Web."""

from typing import Any

from sought.crawl.supply.flows import Flow, Rows
from sought.crawl.supply.holdings import Holdings
from sought.crawl.supply.supplier import Column, Committed
from sought.graph.links import Links
from sought.graph.walks import pr98
from sought.policy import PageRank, Pages


class Ranks:
    """IR'(p) of Cho, Garcia-Molina & Page (1998); its mean is 1."""

    def __init__(self, belief: PageRank, holdings: Holdings) -> None:
        self.flow = Flow(holdings, _Surfer(belief.d))

    def take(self, committed: Committed) -> None:
        self.flow.take(committed)

    def column(self, pages: Pages) -> Column:
        return self.flow.column(pages)

    def terms(self, row: int) -> dict[str, Any]:
        return {
            "rank": float(self.flow.values[row]),
            "by_jumps": self.flow.walk.least,
            "parents": self.flow.parents(row),
        }


class _Surfer:
    basis: object = None  # links are all it goes by

    def __init__(self, d: float) -> None:
        self.d = d
        self.least = 1.0

    def walk(self, links: Links, start: Column | None) -> Column:
        """Jumps begin anywhere, and on pages without known links."""
        values = pr98(links, self.d, start)
        if links.nodes:
            self.least = 1.0 - self.d * float(values[links.sources].sum()) / links.nodes
        return values

    def sent(self, values: Column, rows: Rows, degrees: Rows) -> Column:
        return self.d * values[rows] / degrees
