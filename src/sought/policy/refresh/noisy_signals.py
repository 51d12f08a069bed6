"""Known pages by how much longer a fetch keeps their copies fresh; signals of changes count for what they are worth."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sought.policy.ages import ages, in_turn, known_only
from sought.policy.checks import check_estimator, check_positive
from sought.policy.estimator import Belief, Estimator
from sought.policy.pages import Floats, Pages, pieces
from sought.policy.rates import BayesRate
from sought.policy.refresh.signal_quality import FalseSignals, SignalRecall
from sought.policy.refresh.signal_value import crawl_value, signals_if_any
from sought.policy.weights import Weight, check_weight, weight_beliefs, weights
from sought.web.expression import brief

_QUALITY = (SignalRecall(), FalseSignals())
_LEAST_RATE, _MOST_RATE = 1e-30, 1.0  # a second: of less, and more, nobody could know


@brief
@dataclass(frozen=True)
class NoisySignals:
    """Greedy by the value of a crawl with noisy change-indicating signals (GREEDY-NCIS).

    R. Busa-Fekete et al., A Scalable Crawling Algorithm Utilizing Noisy Change-Indicating Signals, WWW 2025.  Whoever
    always fetches the page of the largest value needs no solver, and spends whatever the budget is evenly; where no
    signals come it is the schedule of Cho & Garcia-Molina.  Signals of the first `delay` seconds after a fetch are
    dropped: they may be of a change that it has seen.

    Departures: a page has its own rate of change, and how good signals are is by host (`SignalRecall`, `FalseSignals`).
    A sitemap tells of the latest change only, so a page has had no signal or an unknown number, which counts as the one
    that makes it as probably fresh.  Pages without expected change come after all others, oldest copy first.
    """

    rate: Estimator = field(default_factory=BayesRate)
    weight: Weight = "views"
    delay: float = 3600.0
    needs: ClassVar[str] = "scipy"

    def __post_init__(self) -> None:
        check_estimator("NoisySignals: rate", self.rate)
        check_weight("NoisySignals: weight", self.weight)
        check_positive("NoisySignals: delay", self.delay, or_zero=True)

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        return (self.rate, *_QUALITY, *weight_beliefs(self.weight))

    def __call__(self, pages: Pages, now: float) -> Floats:
        age, value = ages(pages, now), weights(pages, self.weight)
        rate, recall, false = (pages.belief(belief) for belief in (self.rate, *_QUALITY))
        for piece in pieces(len(pages)):
            told = pages.signal[piece] > pages.last_fetch[piece] + self.delay
            terms = _rates(rate[piece]), np.clip(recall[piece], 0.0, 1.0), _rates(false[piece])
            signals = np.zeros(len(told))
            signals[told] = signals_if_any(age[piece][told], *(term[told] for term in terms))
            own = crawl_value(age[piece], signals, *terms)
            with np.errstate(over="ignore"):
                value[piece] *= own
        return known_only(pages, np.where(value > 0.0, value, in_turn(pages, now)))


def _rates(column: Floats) -> Floats:
    return np.where(column > _LEAST_RATE, np.minimum(column, _MOST_RATE), 0.0)
