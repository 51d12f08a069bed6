"""Known pages at rates that give up no page; pages whose changes are announced have a rule of their own."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.ages import by_periods
from sought.beliefs.bayes_rate import BayesRate
from sought.beliefs.belief import Belief, Estimator
from sought.beliefs.signal_quality import SignalRecall
from sought.policy.solvers.harmonic import harmonic_rates
from sought.policy.solvers.planning import known_rows, pace_of, sound_rates, sound_weights
from sought.policy.weights import Weight, check_weight, weight_beliefs, weights
from sought.web.checks import check_estimator, check_positive
from sought.web.expression import brief
from sought.web.mixing import bits_of, fractions, mixed
from sought.web.pages import Floats, Pages, Rows

_DAY = 86400.0
_RECALL, _NEARLY_ALL = SignalRecall(), 0.9


@brief
@dataclass(frozen=True)
class LambdaCrawl:
    """A. Kolobov, Y. Peres, C. Lu and E. Horvitz, Staying up to Date with Online Content Changes …, NeurIPS 2019.

    The n-th missed change costs 1/n (solvers/harmonic.py).  A page whose changes are seen only by fetching is fetched
    at the best rate ρ.  If all changes of a page are announced, each is fetched with the best probability π, decided by
    a hash of page and announcement, and is due at once; without an announcement the page is not fetched.  The budget is
    split so that neither kind could use a fetch better.  A host has at most `per_host` fetches a day (0: any number;
    see the SIGIR 2019 paper cited in solvers/harmonic.py).

    Departures: the paper knows which pages announce all changes.  Here these are pages with a signal that is not in the
    future, on hosts whose signals report at least nine changes in ten (`SignalRecall`).  All others are fetched at rate
    ρ, so a signal that never changes, or lies in the future, does not starve a page.  Fetches at rate ρ come at even
    intervals, not at random, by the share of the interval that has passed; an announced change counts as a whole
    interval, and more the longer it waits.  The budget is the crawl's pace, or one fetch a page and month while that is
    not known; remaining fetches go to all other pages round-robin.
    """

    rate: Estimator = field(default_factory=BayesRate)
    weight: Weight = "views"
    per_host: float = 0.0
    needs: ClassVar[str] = "scipy"

    def __post_init__(self) -> None:
        check_estimator("LambdaCrawl: rate", self.rate)
        check_weight("LambdaCrawl: weight", self.weight)
        check_positive("LambdaCrawl: per_host", self.per_host, or_zero=True)

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        return (self.rate, _RECALL, *weight_beliefs(self.weight))

    def __call__(self, pages: Pages, now: float) -> Floats:
        rows = known_rows(pages)
        rate = sound_rates(pages.belief(self.rate)[rows])
        announced = _announced(pages, now, rows)
        fetches = self._plan(pages, rows, rate, announced)
        evenly = np.zeros(len(pages))
        evenly[rows] = np.where(announced, 0.0, fetches)
        value = by_periods(pages, now, evenly)
        due = np.flatnonzero(announced & _accepted(pages, rows, rate, fetches))
        value[rows[due]] = 1.0 + fetches[due] * (now - pages.signal[rows[due]])
        return value

    def _plan(self, pages: Pages, rows: Rows, rate: Floats, announced: NDArray[np.bool_]) -> Floats:
        weight = sound_weights(weights(pages, self.weight)[rows])
        cap = self.per_host / _DAY or np.inf
        return harmonic_rates(rate, weight, announced, pace_of(pages, len(rows)), pages.host[rows], cap)


def _announced(pages: Pages, now: float, rows: Rows) -> NDArray[np.bool_]:
    """Whether all changes of a page count as announced."""
    signal = pages.signal[rows]
    return (signal > -np.inf) & (signal <= now) & (pages.belief(_RECALL)[rows] >= _NEARLY_ALL)


def _accepted(pages: Pages, rows: Rows, rate: Floats, fetches: Floats) -> NDArray[np.bool_]:
    """Whether a change was announced since the last fetch, and is to be fetched."""
    signal, chance = pages.signal[rows], np.ones(len(rows))
    np.divide(fetches, rate, out=chance, where=rate > 0.0)
    dice = fractions(mixed(pages.key[rows] ^ mixed(bits_of(signal))))
    return (signal > pages.last_fetch[rows]) & (dice < chance)
