"""What does a walk leave with every row that leads on from pages which people see?"""

from typing import Any

import numpy as np

from sought.crawl.supply.flows import Flow, Rows
from sought.crawl.supply.holdings import Holdings
from sought.crawl.supply.impacts import Impacts
from sought.crawl.supply.supplier import Column, Committed
from sought.graph.impact_walks import rw, rw_eg
from sought.graph.links import Links
from sought.policy import Pages, RandomWalk


class Walks:
    """RW and RW-EG of Tran, Turk, Cambazoglu & Nejdl (SIGIR 2015, §4).

    Departure: where the walk leaves the same, theirs are ordered by in-degree; here by a hash, as all equals are.  Such
    pages have the same parents, mostly, and so the same in-degree.
    """

    def __init__(self, belief: RandomWalk, holdings: Holdings) -> None:
        self.walker = _Walker(belief, holdings.part(Impacts))
        self.flow = Flow(holdings, self.walker)

    def take(self, committed: Committed) -> None:
        self.flow.take(committed)

    def column(self, pages: Pages) -> Column:
        return self.flow.column(pages)

    def terms(self, row: int) -> dict[str, Any]:
        kind = self.walker.belief.impact
        parents = self.flow.parents(row, **{kind: self.walker.impacts.of(kind)})
        return {"walk": float(self.flow.values[row]), "by_jumps": self.flow.walk.least, "parents": parents}


class _Walker:
    def __init__(self, belief: RandomWalk, impacts: Impacts) -> None:
        self.belief = belief
        self.impacts = impacts
        self.most = 1.0  # the largest impact of the last walk
        self.widest = 1  # and the largest number of links
        self.least = 0.0

    @property
    def basis(self) -> object:
        return self.impacts.basis

    def walk(self, links: Links, start: Column | None) -> Column:
        b, impact = self.belief, self.impacts.of(self.belief.impact)
        self.most = float(impact.max(initial=0.0)) + b.epsilon
        self.widest = int(links.degrees.max(initial=1))
        self.least = (1.0 - b.alpha) / max(links.nodes, 1)
        if b.omega == 1.0:
            return rw(links, impact, b.alpha, b.beta, b.epsilon, start)
        return rw_eg(links, impact, b.omega, b.alpha, b.beta, b.epsilon, start)

    def sent(self, values: Column, rows: Rows, degrees: Rows) -> Column:
        """Along links that are there; what comes along virtual ones is known after a walk."""
        b = self.belief
        impact = (self.impacts.of(b.impact)[rows] + b.epsilon) / self.most
        wide = (degrees / self.widest) ** b.beta
        return b.alpha * b.omega * np.minimum(impact * wide, 1.0) * values[rows] / degrees
