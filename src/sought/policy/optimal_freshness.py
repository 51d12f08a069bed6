"""Known pages in the order that keeps the most copies fresh, without solving for frequencies."""

from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from sought.beliefs.ages import ages, by_rotation, known_only
from sought.beliefs.bayes_rate import BayesRate
from sought.beliefs.belief import Belief, Estimator
from sought.beliefs.drift_shapes import churn_age, churn_worth
from sought.policy.solvers.planning import sound_rates, sound_weights
from sought.policy.weights import Weight, check_weight, weight_beliefs, weights
from sought.web.checks import check_choice, check_estimator
from sought.web.expression import brief
from sought.web.pages import Floats, Pages, pieces

Objective = Literal["freshness", "age"]


@brief
@dataclass(frozen=True)
class OptimalFreshness:
    """Optimal frequencies (J. Cho and H. Garcia-Molina, Effective Page Refresh Policies for Web Crawlers, TODS 2003).

    As an index (C. Olston and S. Pandey, Recrawl Scheduling Based on Information Longevity, WWW 2008, §3): at age t a
    copy is stale with probability D(t) = 1 − e^{−λt}, and a fetch is worth U(t) = w·(t·D(t) − ∫D), which is
    w·(1/λ − (t + 1/λ)·e^{−λt}).  Always fetching the page of largest U fetches all pages at the same U, which is the
    multiplier of the optimal frequencies for that budget: nothing has to be solved, and the budget need not be known.
    Pages for which U never becomes that large, because w/λ is too small, are not fetched.

    `objective` is freshness, the share of time in which copies are up to date, or their mean age: then U(t) =
    w·(t²/2 − 1/λ² + (t + 1/λ)·e^{−λt}/λ).  Departures: rates are estimated; pages that never change come after all
    others, the oldest copy first.
    """

    rate: Estimator = field(default_factory=BayesRate)
    weight: Weight = "same"
    objective: Objective = "freshness"

    def __post_init__(self) -> None:
        check_estimator("OptimalFreshness: rate", self.rate)
        check_weight("OptimalFreshness: weight", self.weight)
        check_choice("OptimalFreshness: objective", self.objective, get_args(Objective))

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        return (self.rate, *weight_beliefs(self.weight))

    def __call__(self, pages: Pages, now: float) -> Floats:
        rate, age = pages.belief(self.rate), ages(pages, now)
        value = sound_weights(weights(pages, self.weight))
        for piece in pieces(len(pages)):
            value[piece] *= index(sound_rates(rate[piece]), age[piece], self.objective)
        return known_only(pages, np.where(value > 0.0, value, by_rotation(pages, now)))


def index(rate: Floats, age: Floats, objective: Objective = "freshness") -> Floats:
    """U(t) of a page of weight 1, in seconds (squared, if of age)."""
    changes, moves = rate * age, rate > 0.0
    gain = np.zeros(len(rate))
    if objective == "freshness":
        np.divide(churn_worth(changes), rate, out=gain, where=moves)
    else:
        np.divide(churn_age(changes), rate * rate, out=gain, where=moves)
    return gain
