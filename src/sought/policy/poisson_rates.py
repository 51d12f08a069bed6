"""Known pages at the best rates there are if both changes and fetches come at random."""

from dataclasses import dataclass, field

import numpy as np

from sought.beliefs.bayes_rate import BayesRate
from sought.beliefs.belief import Belief, Estimator
from sought.policy.solvers.planning import by_plan
from sought.policy.weights import Weight, check_weight, weight_beliefs, weights
from sought.web.checks import check_estimator, check_share
from sought.web.expression import brief
from sought.web.pages import Floats, Pages


def poisson_rates(rate: Floats, weight: Floats, total: float, floor: float = 0.0) -> Floats:
    """Fetches per unit of time: they sum to `total` and maximise Σ weight · ρ/(ρ + rate), weighted freshness.

    Pages that change too fast for their weight get 0; with `floor`, a share from 0 to 1, every page has at least that
    share of an equal part (Kolobov et al., Staying up to Date with Online Content Changes, NeurIPS 2019, supplement
    §9.3).  Pages that never change (rate 0) get 0.  Exact; takes a sort.
    """
    out = np.zeros(len(rate))
    moves = np.flatnonzero(rate > 0.0)
    if total <= 0.0 or not len(moves):
        return out
    least = floor * total / len(moves)
    change, root = rate[moves], np.sqrt(np.maximum(weight[moves], 0.0) * rate[moves])
    worth = root / (change + least)  # the square root of what the first fetch beyond the floor adds
    order = np.argsort(worth)
    scale = _scale(worth[order], root[order], change[order], total, least)
    out[moves] = np.maximum(root * scale - change, least)
    return out


def _scale(worth: Floats, root: Floats, change: Floats, total: float, least: float) -> float:
    """1/√price, by which the roots are multiplied.  Pages are put at the floor from the least valuable on."""
    roots, changes = (np.cumsum(column[::-1])[::-1] for column in (root, change))  # of this page and all after it
    spare = total - least * np.arange(len(root)) + changes
    above = worth * spare > roots
    first = int(np.argmax(above))
    return float(spare[first] / roots[first]) if above.any() else 0.0


@brief
@dataclass(frozen=True)
class PoissonRates:
    """Y. Azar, E. Horvitz, E. Lubetzky, Y. Peres, D. Shahaf, Tractable near-optimal policies for crawling, PNAS 2018.

    The rates maximise weighted freshness if changes and fetches both come at random; pages that change too fast for
    their weight get 0.  With `floor`, each page has at least that share of an equal part of the budget (Kolobov et al.,
    NeurIPS 2019, supplement §9.3, found 0.4 best for their own objective).

    Departures: fetches of a page come at even intervals, as in the paper's deterministic version, by the share of the
    interval that has passed instead of by deadlines.  The budget is the crawl's pace, or one fetch a page and month
    while that is not known; remaining fetches go to pages without a rate, the oldest copy first.
    """

    rate: Estimator = field(default_factory=BayesRate)
    weight: Weight = "views"
    floor: float = 0.0

    def __post_init__(self) -> None:
        check_estimator("PoissonRates: rate", self.rate)
        check_weight("PoissonRates: weight", self.weight)
        check_share("PoissonRates: floor", self.floor)

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        return (self.rate, *weight_beliefs(self.weight))

    def __call__(self, pages: Pages, now: float) -> Floats:
        def solve(rate: Floats, weight: Floats, pace: float) -> Floats:
            return poisson_rates(rate, weight, pace, self.floor)

        return by_plan(pages, now, pages.belief(self.rate), weights(pages, self.weight), solve)
