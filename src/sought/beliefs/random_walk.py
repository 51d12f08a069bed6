"""What score does a random walk from pages that people see or click give to every row?"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sought.beliefs.belief import Column, Supplied, Supplier
from sought.beliefs.flows import Flow, Rows
from sought.beliefs.holdings import Holdings, degrees_of
from sought.beliefs.impacts import IMPACTS, Impact, PageImpacts
from sought.graph.distance import sources_of
from sought.graph.impact_walks import rw, rw_eg
from sought.graph.links import GraphLinks
from sought.record.commit import Commit
from sought.web.checks import check_choice, check_positive, check_share
from sought.web.expression import brief
from sought.web.pages import Pages


@brief
@dataclass(frozen=True)
class RandomWalkScore(Supplied):
    """The score of a walk from pages that people see or click; see the policy `RandomWalk`."""

    impact: Impact = "clicks"
    omega: float = 1.0
    beta: float = 0.0
    alpha: float = 0.85
    epsilon: float = 0.001

    def __post_init__(self) -> None:
        check_choice(f"{type(self).__name__}: impact", self.impact, IMPACTS)
        check_share(f"{type(self).__name__}: omega", self.omega)
        check_share(f"{type(self).__name__}: alpha", self.alpha, below_one=True)
        check_positive(f"{type(self).__name__}: beta", self.beta, or_zero=True)
        check_positive(f"{type(self).__name__}: epsilon", self.epsilon)

    def supplier(self, holdings: Holdings) -> Supplier:
        return RandomWalkSupplier(self, holdings)


class RandomWalkSupplier:
    """RW and RW-EG of Tran, Turk, Cambazoglu & Nejdl (SIGIR 2015, §4).

    Departure: they break ties by in-degree; here ties are broken by a hash, as always.  Such pages mostly have the same
    parents, and so the same in-degree.
    """

    def __init__(self, belief: RandomWalkScore, holdings: Holdings) -> None:
        self.holdings = holdings
        self.walker = _Walker(belief, holdings.shared(PageImpacts))
        self.flow = Flow(holdings, self.walker)

    def take(self, committed: Commit) -> None:
        self.flow.take(committed)

    def column(self, pages: Pages) -> Column:
        return self.flow.column(pages)

    def terms(self, row: int) -> dict[str, Any]:
        """The score and its summands, which add up if links have not changed since the walk."""
        kind, links = self.walker.belief.impact, self.holdings.linked.links()
        rows = sources_of(links, np.array([row], np.int64))[1].astype(np.int64)
        along = self.walker.sent(self.flow.values, rows, degrees_of(links, rows)).sum()
        terms = {"walk": float(self.flow.values[row]), "by_jumps": self.walker.least, "by_links": float(along)}
        if self.walker.belief.omega < 1.0:
            terms["by_common_parents"] = self._by_siblings(row, rows, links)
        return terms | {"parents": self.flow.parents(row, **{kind: self.walker.impacts.of(kind)})}

    def _by_siblings(self, row: int, parents: Rows, links: GraphLinks) -> float:
        """What the other pages that these parents link to pass on along virtual links."""
        at = np.searchsorted(links.sources, parents).tolist()
        lists = [links.targets[links.bounds[i] : links.bounds[i + 1]] for i in at]
        others, often = np.unique(np.concatenate([np.zeros(0, np.uint32), *lists]), return_counts=True)
        is_other = others != row
        others, often = others[is_other].astype(np.int64), often[is_other]
        return float(np.sum(often * self.walker.sent_beside(self.flow.values, others, links.neighbours)))


class _Walker:
    def __init__(self, belief: RandomWalkScore, impacts: PageImpacts) -> None:
        self.belief = belief
        self.impacts = impacts
        self.most = 1.0  # the largest impact of the last walk
        self.widest = 1  # and the largest number of links
        self.least = 0.0

    @property
    def basis(self) -> object:
        return self.impacts.basis

    def walk(self, links: GraphLinks, start: Column | None) -> Column:
        b, impact = self.belief, self.impacts.of(self.belief.impact)
        self.most = float(impact.max(initial=0.0)) + b.epsilon
        self.widest = int(links.degrees.max(initial=1))
        self.least = (1.0 - b.alpha) / max(links.nodes, 1)
        if b.omega == 1.0:
            return rw(links, impact, b.alpha, b.beta, b.epsilon, start)
        return rw_eg(links, impact, b.omega, b.alpha, b.beta, b.epsilon, start)

    def sent(self, values: Column, rows: Rows, degrees: Rows) -> Column:
        """What rows pass on along real links; for virtual ones see `sent_beside`."""
        share = self.belief.alpha * self.belief.omega
        return share * self._passed(values, rows, (degrees / self.widest) ** self.belief.beta) / degrees

    def sent_beside(self, values: Column, rows: Rows, neighbours: Rows) -> Column:
        """What rows pass on along each of their virtual links; `neighbours` is the number of these, for all rows."""
        share, edges = self.belief.alpha * (1.0 - self.belief.omega), neighbours[rows]
        wide = (edges / max(int(neighbours.max(initial=1)), 1)) ** self.belief.beta
        return share * self._passed(values, rows, wide) / edges

    def _passed(self, values: Column, rows: Rows, wide: Column) -> Column:
        impact = (self.impacts.of(self.belief.impact)[rows] + self.belief.epsilon) / self.most
        return np.minimum(impact * wide, 1.0) * values[rows]
