"""What is the PageRank of every row on the known part of the Web?"""

from dataclasses import dataclass
from typing import Any, ClassVar

from sought.beliefs.belief import Column, Supplied, Supplier
from sought.beliefs.flows import Flow, Rows
from sought.beliefs.holdings import Holdings
from sought.graph.links import GraphLinks
from sought.graph.walks import pr98
from sought.record.commit import Commit
from sought.web.checks import check_share
from sought.web.expression import brief
from sought.web.pages import Pages


@brief
@dataclass(frozen=True)
class PageRankScore(Supplied):
    """PageRank on the known part of the Web; `d` is the probability of following a link."""

    goes_by_demand: ClassVar[bool] = False

    d: float = 0.9

    def __post_init__(self) -> None:
        check_share(f"{type(self).__name__}: d", self.d, below_one=True)

    def supplier(self, holdings: Holdings) -> Supplier:
        return PageRankSupplier(self, holdings)


class PageRankSupplier:
    """IR'(p) of Cho, Garcia-Molina & Page (1998); its mean is 1."""

    def __init__(self, belief: PageRankScore, holdings: Holdings) -> None:
        self.flow = Flow(holdings, _Surfer(belief.d))

    def take(self, committed: Commit) -> None:
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
    basis: object = None  # it depends on links only

    def __init__(self, d: float) -> None:
        self.d = d
        self.least = 1.0

    def walk(self, links: GraphLinks, start: Column | None) -> Column:
        """Jumps begin anywhere, and on pages without known links."""
        values = pr98(links, self.d, start)
        if links.nodes:
            self.least = 1.0 - self.d * float(values[links.sources].sum()) / links.nodes
        return values

    def sent(self, values: Column, rows: Rows, degrees: Rows) -> Column:
        return self.d * values[rows] / degrees
