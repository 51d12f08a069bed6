"""Known pages by the time for which a fetch keeps their copies fresh, given noisy signals of changes."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sought.beliefs.ages import ages, by_rotation, known_only
from sought.beliefs.bayes_rate import BayesRate
from sought.beliefs.belief import Belief, Estimator
from sought.beliefs.drift_shapes import churn_worth
from sought.beliefs.signal_quality import FalseSignals, SignalRecall
from sought.policy.weights import Weight, check_weight, weight_beliefs, weights
from sought.web.checks import check_estimator, check_positive
from sought.web.expression import brief
from sought.web.pages import Floats, Pages, pieces

_QUALITY = (SignalRecall(), FalseSignals())
_MIN_RATE, _MAX_RATE = 1e-30, 1.0  # a second; rates below count as 0


@brief
@dataclass(frozen=True)
class NoisySignals:
    """Greedy by the value of a crawl with noisy change-indicating signals (GREEDY-NCIS).

    R. Busa-Fekete et al., A Scalable Crawling Algorithm Utilizing Noisy Change-Indicating Signals, WWW 2025.  Always
    fetching the page of the largest value needs no solver and suits any budget; without signals it is the schedule of
    Cho & Garcia-Molina.  Signals of the first `delay` seconds after a fetch are dropped: they may belong to a change
    that the fetch has seen.

    Departures: rates of change are by page, the quality of signals is by host (`SignalRecall`, `FalseSignals`).  A
    sitemap reports the latest change only, so a page has had no signal or an unknown number of them; that counts as the
    number that gives the same probability of being fresh.  Pages without expected change come after all others, oldest
    copy first.
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
            signalled = pages.signal[piece] > pages.last_fetch[piece] + self.delay
            terms = _rates(rate[piece]), np.clip(recall[piece], 0.0, 1.0), _rates(false[piece])
            signals = np.zeros(len(signalled))
            signals[signalled] = signals_if_any(age[piece][signalled], *(term[signalled] for term in terms))
            own = crawl_value(age[piece], signals, *terms)
            with np.errstate(over="ignore"):
                value[piece] *= own
        return known_only(pages, np.where(value > 0.0, value, by_rotation(pages, now)))


def _rates(column: Floats) -> Floats:
    return np.where(column > _MIN_RATE, np.minimum(column, _MAX_RATE), 0.0)


_MAX = 30  # signals between two fetches that are distinguished
_NOTHING = 1e-9  # evidence of a signal so weak that it counts as none
_MIN_RECALL = 0.01  # with less, signals count as none


def crawl_value(age: Floats, signals: Floats, rate: Floats, recall: Floats, false: Floats) -> Floats:
    """What fetching a page now adds to the time its copy is fresh, in seconds.

    The model is that of R. Busa-Fekete et al., A Scalable Crawling Algorithm Utilizing Noisy Change-Indicating
    Signals, WWW 2025; the formulas follow from it, and a simulation agrees (tests/policy/test_refresh_indices.py).
    The page changes `rate` times a second; a change is signalled with probability `recall`, and there are `false`
    signals a second.  Since the fetch, `age` seconds ago, `signals` have come.  Each counts like β more seconds of age:
    with ι = age + β·signals, the copy is fresh with probability exp(-α·ι).  The value is w(ι) - exp(-α·ι)·ψ(ι), where ψ
    is the mean time between fetches of a page that is always fetched at ι, and w the mean part of it in which the copy
    is fresh.

    Without signals it is U of Cho & Garcia-Molina; also if signals say next to nothing, or come so often that thirty
    are not enough.
    """
    out = _unsignalled(age, rate)
    rows = np.flatnonzero((recall >= _MIN_RECALL) & (rate > 0.0))
    age, signals, rate, recall, false = (column[rows] for column in (age, signals, rate, recall, false))
    unseen, all_signals = (1.0 - recall) * rate, recall * rate + false
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        evidence = np.log(all_signals / false)  # κ: a signal divides P(fresh) by its exp
        worth_of_one = evidence / unseen  # β
        effective = age + _for_each(signals, worth_of_one)
        countless = (_MAX * worth_of_one < effective) & (all_signals * effective > 0.5 * _MAX)
    on = np.flatnonzero((evidence > _NOTHING) & ~countless)
    terms = (age, signals, rate, false, unseen, all_signals, evidence, worth_of_one)
    out[rows[on]] = _signalled(*(term[on] for term in terms))
    return out


def signals_if_any(age: Floats, rate: Floats, recall: Floats, false: Floats) -> Floats:
    """The number of signals (from 1 on) that gives the same P(fresh) as an unknown number of at least 1.

    P(fresh) is the mean of exp(-α·age - κ·N) over N, Poisson of mean γ·age, that are at least 1.
    """
    signals = recall * rate + false
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        share = false / signals
        evidence = -np.log(share)
        most, least = -np.expm1(-signals * age), -np.expm1(-false * age)
        count = ((signals - false) * age + np.log(most / least)) / evidence
    return np.where(np.isfinite(count) & (evidence > _NOTHING), np.maximum(count, 1.0), 1.0)


def _for_each(signals: Floats, amount: Floats) -> Floats:
    """The amount, which may be infinite, times the number of signals, which may be 0."""
    return np.multiply(signals, amount, out=np.zeros(len(signals)), where=signals > 0.0)


def _unsignalled(age: Floats, rate: Floats) -> Floats:
    return np.divide(churn_worth(rate * age), rate, out=np.zeros(len(age)), where=rate > 0.0)


def _signalled(
    age: Floats,
    signals: Floats,
    rate: Floats,
    false: Floats,
    unseen: Floats,
    all_signals: Floats,
    evidence: Floats,
    worth_of_one: Floats,
) -> Floats:
    """By what happens until the i-th signal, i = 0, 1, …; R_i of the paper is `gammainc(i + 1, ·)`."""
    from scipy.special import gammainc  # not in the plain installation

    cycle, fresh = np.zeros(len(age)), np.zeros(len(age))
    ends = rate + false
    for i in range(_MAX + 1):
        ahead = signals != i
        left = age.copy()
        left[ahead] += (signals[ahead] - i) * worth_of_one[ahead]
        on = np.flatnonzero(left > 0.0)
        if not len(on):
            break
        cycle[on] += gammainc(i + 1, all_signals[on] * left[on]) / all_signals[on]
        fresh[on] += (false[on] / ends[on]) ** i / ends[on] * gammainc(i + 1, ends[on] * left[on])
    still_fresh = np.exp(-unseen * age - _for_each(signals, evidence))
    return np.maximum(fresh - still_fresh * cycle, 0.0)
