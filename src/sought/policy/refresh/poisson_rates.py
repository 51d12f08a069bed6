"""Known pages at the best rates there are for fetches at random."""

from dataclasses import dataclass, field

from sought.policy.checks import check_estimator, check_share
from sought.policy.estimator import Belief, Estimator
from sought.policy.pages import Floats, Pages
from sought.policy.rates import BayesRate
from sought.policy.refresh.planning import by_plan
from sought.policy.refresh.poisson import poisson_rates
from sought.policy.weights import Weight, check_weight, weight_beliefs, weights
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class PoissonRates:
    """Y. Azar, E. Horvitz, E. Lubetzky, Y. Peres, D. Shahaf, Tractable near-optimal policies for crawling, PNAS 2018.

    Rates make weighted freshness largest if changes and fetches both come at random (poisson.py); pages that change too
    fast for their weight get none.  With `floor`, each has at least that share of an even part of the budget
    (Kolobov et al., NeurIPS 2019, supplement §9.3, found 0.4 best for their own objective).

    Departures: fetches of a page come at even intervals, as in the paper's deterministic version, by the share of the
    interval that has passed instead of by deadlines; the budget is the crawl's pace, or one fetch a page and month
    while that is not known; what is left goes to pages without a rate, in turn.
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
