"""Where true rates are known, how far off are estimators of change rates?

Pages change as Poisson processes do, and are looked at so many times: at even times, or at any.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.bayes_rate import BayesRate
from sought.beliefs.belief import Estimator
from sought.beliefs.interval_rate import IntervalRate
from sought.beliefs.last_modified_rate import LastModifiedRate
from sought.beliefs.moment_rate import MomentRate
from sought.beliefs.online_rate import OnlineRate
from sought.beliefs.regular_rate import RegularRate
from sought.lab.replay.observers import Forecasts, forecasts_of
from sought.lab.replay.poisson_pages import START, UNIT, PoissonPages, drawn
from sought.lab.studies.study import Claim, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.record.fetches import Fetches

PAGES, FEW, HOSTS, LOOKS = 40_000, 4000, 40, 10
MEAN, BY_HOST, BY_PAGE = 0.3, 1.0, 0.7
FIXED = {0.1: 0.100, 0.5: 0.500, 1.5: 1.495, 3.0: 2.56}  # λI, and the regular estimator's mean after ten looks
OFF, DATED_OFF = 0.02, 0.03  # of the rate, that the mean may be off what is worked out for it
SLOPES = (0.9, 1.1)
BAYES, ALONE = "Bayes, host", "Bayes, same"
BITS: Mapping[str, Estimator] = {
    "regular": RegularRate(),
    "interval": IntervalRate(),
    "moment": MomentRate(),
    "online": OnlineRate(),
    ALONE: BayesRate("same"),
    BAYES: BayesRate(),
}
DATED: Mapping[str, Estimator] = {
    "last modified": LastModifiedRate(),
    "last modified, not corrected": LastModifiedRate(corrected=False),
}
ESTIMATORS = {**BITS, **DATED}

SATURATES = Statement(f"after {LOOKS} looks the regular estimator's mean is as worked out, within {OFF:.0%}")
UNEVEN = Statement("uneven times put the regular estimator further off than the interval estimator")
DATES = Statement(f"by dates the mean is right within {DATED_OFF:.0%}, where bits saturate too")
FIRST_LOOKS = Statement("in the first four looks Bayes with the host's prior foretells best by bits")
SLOPE = Statement(f"the slope of its forecasts is {SLOPES[0]} to {SLOPES[1]}")

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Errors:
    """`bias` is the mean rate over the true mean; `error` the root mean square of the difference over the true mean."""

    bias: float
    error: float


def looks(pages: PoissonPages, count: int, *, even: bool, seed: int = 0) -> list[Fetches]:
    """The log of a first fetch and so many more; gaps are units, or drawn at random with the same mean."""
    dice = np.random.default_rng([seed, 0x100])
    row, last = np.arange(len(pages)), np.full(len(pages), START)
    log = [Fetches.from_columns(row, last, np.full(len(row), np.inf), np.ones(len(row), np.bool_))]
    for _ in range(count):
        gap = UNIT * (np.ones(len(row)) if even else np.maximum(dice.exponential(1.0, len(row)), 1e-3))
        since = UNIT * dice.exponential(1.0, len(row)) / pages.rate  # from the last change, looking back
        last = last + gap
        modified = np.where(since < gap, last - since, np.nan)
        log.append(Fetches.from_columns(row, last, gap, since < gap, modified=modified))
    return log


def errors(pages: PoissonPages, estimator: Estimator, log: list[Fetches]) -> Errors:
    learner = estimator.learner()
    for each in log:
        learner.learn(each)
    rate = learner.column(pages.table(log[-1].time, {}, 0.0)) * UNIT
    true = float(pages.rate.mean())
    return Errors(float(rate.mean()) / true, float(np.sqrt(np.mean((rate - pages.rate) ** 2))) / true)


def equal_pages(rate: float, pages: int) -> PoissonPages:
    return PoissonPages(np.full(pages, rate), np.ones(pages), np.zeros(pages, np.uint32))


@dataclass(frozen=True)
class RateErrors:
    """Errors by bits and by dates, by λI; by estimator, at even times and any; forecasts at even times."""

    bits: Mapping[float, Errors]
    dates: Mapping[float, Errors]
    even: Mapping[str, Errors]
    uneven: Mapping[str, Errors]
    forecasts: Mapping[str, Forecasts]


def simulated(pages: int) -> RateErrors:
    several = drawn(pages, HOSTS, MEAN, BY_HOST, BY_PAGE, 1)
    even, uneven = looks(several, LOOKS, even=True), looks(several, LOOKS, even=False)
    alone = {rate: looks(equal_pages(rate, pages), LOOKS, even=True) for rate in FIXED}
    by_bits, by_dates = (
        {rate: errors(equal_pages(rate, pages), each, log) for rate, log in alone.items()}
        for each in (RegularRate(), LastModifiedRate())
    )
    return RateErrors(
        by_bits,
        by_dates,
        {name: errors(several, each, even) for name, each in ESTIMATORS.items()},
        {name: errors(several, each, uneven) for name, each in ESTIMATORS.items()},
        forecasts_of(ESTIMATORS, even, several.table(np.full(pages, START), {}, 0.0)),
    )


def across(worlds: Mapping[str, Any], context: StudyContext) -> WorldResult:
    errors = simulated(FEW if context.quick else PAGES)
    return WorldResult(claims_of(errors), _numbers(errors), [_of_fixed(errors), _table(errors)], world="Poisson pages")


def claims_of(errors: RateErrors) -> list[Claim]:
    off = max(abs(errors.bits[rate].bias * rate / expected - 1) for rate, expected in FIXED.items())
    first = {name: errors.forecasts[name].some(errors.forecasts[name].before < 4).likelihood for name in BITS}
    best = max(first, key=lambda name: first[name])
    interval, regular = (errors.uneven[name].bias - errors.even[name].bias for name in ("interval", "regular"))
    dated = max(abs(each.bias - 1) for each in errors.dates.values())
    slope = errors.forecasts[BAYES].slope
    return [
        Claim(SATURATES, off <= OFF, _means(errors.bits)),
        Claim(UNEVEN, abs(interval) < abs(regular), f"{regular:+.3f}, {interval:+.3f} of the rate"),
        Claim(DATES, dated <= DATED_OFF, _means(errors.dates)),
        Claim(FIRST_LOOKS, best == BAYES, ", ".join(f"{name} {value:.4f}" for name, value in first.items())),
        Claim(SLOPE, SLOPES[0] <= slope <= SLOPES[1], f"{slope:.3f}"),
    ]


def _means(by_rate: Mapping[float, Errors]) -> str:
    return ", ".join(f"{rate:g}: {rate * each.bias:.3f}" for rate, each in by_rate.items())


def _numbers(errors: RateErrors) -> dict[str, Value]:
    return {f"{name}: error over mean rate": each.error for name, each in errors.even.items()}


def _of_fixed(errors: RateErrors) -> ResultTable:
    rows: list[list[Value]] = [
        [rate, FIXED[rate], rate * bits.bias, bits.error, errors.dates[rate].bias * rate, errors.dates[rate].error]
        for rate, bits in errors.bits.items()
    ]
    columns = [
        "changes between two looks",
        "mean, worked out",
        "mean by bits",
        "error",
        "mean by dates",
        "error, dates",
    ]
    note = "Errors are root mean squares over the rate; by bits the regular estimator, by dates the corrected one."
    return ResultTable(f"Poisson pages that are all alike, after {LOOKS} looks", columns, rows, note)


def _table(errors: RateErrors) -> ResultTable:
    rows: list[list[Value]] = []
    for name, made in errors.forecasts.items():
        even, uneven = errors.even[name], errors.uneven[name]
        rows.append([name, even.bias, even.error, uneven.bias, uneven.error, made.likelihood, made.brier, made.slope])
    columns = ["estimator", "bias", "error", "bias, uneven", "error, uneven", "log-likelihood", "Brier", "slope"]
    note = f"Rates after {LOOKS} looks, over the true mean; forecasts before each of them."
    return ResultTable("Poisson pages: estimators of change rates", columns, rows, note)


RATES_KNOWN = Study(
    "rates-known",
    "",
    "Change rates against true ones",
    "Where true rates are known, how far off are estimators of change rates?",
    "nothing",
    (SATURATES, UNEVEN, DATES, FIRST_LOOKS, SLOPE),
    across=across,
    settings={"pages": PAGES, "looks": LOOKS},
    quick_settings={"pages": FEW},
)
