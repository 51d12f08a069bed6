"""Calibration: do measured gains agree with those that the policy expected?  Four numbers, and a verdict."""

import math
from typing import NamedTuple

import numpy as np

from sought.operate.known import ExpectationReport
from sought.record.expectations import KINDS, noted
from sought.record.outcome import number_or_none
from sought.record.store import Store
from sought.web.pages import Floats

LEAST = 10  # fetches; fewer are no evidence
_LIGHTEST = 1 / 20  # chance; a fetch that was less likely than that counts no more
_BEST = 0.1
_CERTAIN = 1.2816  # standard errors: 80 % of a normal distribution


class Calibration(NamedTuple):
    """Four numbers from so many fetches; NaN where these are too few.

    `slope` is that of the least-squares line through (expected, measured): 1 if twice the expectation brings twice the
    gain, below 1 if expectations are too far apart, 0 if they are worthless.  `rank_correlation` is Spearman's.
    `top_tenth` is the share of all gain that came from the tenth of fetches with the highest expectations.  `sum_ratio`
    is all that was measured over all that was expected: above 1 if expectations were too low.

    For the slope a fetch that was unlikely to be chosen counts for those that were not: 1/chance, at most 20 (D. G.
    Horvitz, D. J. Thompson, A generalization of sampling without replacement from a finite universe, JASA 1952); 1
    where the chance is not known.  The other three are about the fetches that were made.
    """

    fetches: int
    slope: float = math.nan
    rank_correlation: float = math.nan
    top_tenth: float = math.nan
    sum_ratio: float = math.nan


def calibration(expected: Floats, gain: Floats, chance: Floats | None = None) -> Calibration:
    """From columns, one item per fetch; a fetch of which either is not a number does not count."""
    is_whole = np.isfinite(expected) & np.isfinite(gain)
    expected, gain = expected[is_whole], gain[is_whole]
    if len(expected) < LEAST:
        return Calibration(len(expected))
    weight = np.ones(len(expected)) if chance is None else _weights(chance[is_whole])
    return Calibration(
        fetches=len(expected),
        slope=_slope(expected, gain, weight),
        rank_correlation=_correlation(_ranks(expected), _ranks(gain)),
        top_tenth=_ratio(_of_best(expected, gain), gain.sum()),
        sum_ratio=_ratio(gain.sum(), expected.sum()),
    )


def slope_interval(expected: Floats, gain: Floats, chance: Floats | None = None) -> tuple[float, float]:
    """An 80 % confidence interval of the slope; NaN if there are too few fetches.

    By the variance HC3 of J. G. MacKinnon and H. White (Some heteroskedasticity-consistent covariance matrix estimators
    with improved finite sample properties, Journal of Econometrics 1985): most fetches gain nothing, a few much.
    """
    is_whole = np.isfinite(expected) & np.isfinite(gain)
    expected, gain = expected[is_whole], gain[is_whole]
    if len(expected) < LEAST or expected.min() == expected.max():
        return math.nan, math.nan
    weight = np.ones(len(expected)) if chance is None else _weights(chance[is_whole])
    slope = _slope(expected, gain, weight)
    x, y = (each - (weight * each).sum() / weight.sum() for each in (expected, gain))
    spread = float((weight * x * x).sum())
    leverage = weight * (1.0 / weight.sum() + x * x / spread)
    missed = (y - slope * x) / np.maximum(1.0 - leverage, 1e-3)
    error = math.sqrt(((weight * x * missed) ** 2).sum()) / spread
    return slope - _CERTAIN * error, slope + _CERTAIN * error


def _weights(chance: Floats) -> Floats:
    known = np.isfinite(chance)
    return np.where(known, 1.0 / np.clip(np.where(known, chance, 1.0), _LIGHTEST, 1.0), 1.0)


def _slope(x: Floats, y: Floats, weight: Floats) -> float:
    """Covariance over variance."""
    from_mean = weight * (x - (weight * x).sum() / weight.sum())
    return _ratio((from_mean * y).sum(), (from_mean * x).sum()) if x.min() < x.max() else math.nan


def _correlation(x: Floats, y: Floats) -> float:
    x, y = x - x.mean(), y - y.mean()
    return _ratio((x * y).sum(), math.sqrt((x * x).sum() * (y * y).sum()))


def _ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share the mean of their ranks."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2)[which]
    return ranks


def _of_best(expected: Floats, gain: Floats) -> float:
    """The gain of the tenth with the highest expectations; of equal ones at the border a proportional part."""
    _, which, counts = np.unique(-expected, return_inverse=True, return_counts=True)
    room = len(expected) * _BEST - (np.cumsum(counts) - counts)
    return float((np.clip(room / counts, 0.0, 1.0)[which] * gain).sum())


def _ratio(part: float, whole: float) -> float:
    """NaN where there is nothing to divide by, or next to nothing."""
    ratio = float(part) / float(whole) if whole > 0.0 else math.nan
    return ratio if math.isfinite(ratio) else math.nan


def expected_against_measured(store: Store, since: float) -> dict[str, Calibration]:
    """By kind of page; a kind of which nothing was expected is left out.  Gains up to `since` are in another unit."""
    calibrations = {}
    for name in KINDS:
        records = noted(store, name, since)
        if len(records):
            calibrations[name] = calibration(*(records[column] for column in ("expected", "gain", "chance")))
    return calibrations


def expectation_reports(store: Store, since: float) -> dict[str, ExpectationReport]:
    """The same with an 80 % interval of the slope, and a verdict on how far expectations can be trusted."""
    reports = {}
    for kind, pairs in expected_against_measured(store, since).items():
        records = noted(store, kind, since)
        low, high = slope_interval(*(records[column] for column in ("expected", "gain", "chance")))
        slope, correlation, top_tenth, sum_ratio = (number_or_none(value) for value in pairs[1:])
        sentence = verdict(pairs, low, high)
        reports[kind] = ExpectationReport(
            pairs.fetches, slope, correlation, top_tenth, sum_ratio, number_or_none(low), number_or_none(high), sentence
        )
    return reports


def verdict(calibration: Calibration, low: float, high: float) -> str:
    """How far expectations can be trusted, in a sentence.

    >>> nan = float("nan")
    >>> verdict(Calibration(3), nan, nan)
    'too few fetches to tell: 3, and 10 are needed'
    >>> verdict(Calibration(40, -13.0), -20.0, -6.0)
    'expectations were wrong: fetches that were expected to gain more have gained less'
    """
    if calibration.fetches < LEAST:
        return f"too few fetches to tell: {calibration.fetches}, and {LEAST} are needed"
    if math.isnan(calibration.slope):
        return "nothing to tell: the same gain was expected of all fetches"
    if calibration.slope < 0.0:
        chance = "" if high < 0.0 else " (this may be chance)"
        return f"expectations were wrong: fetches that were expected to gain more have gained less{chance}"
    if low <= 0.0:
        return "not certain yet: that the expected and the measured gains agree may be chance"
    if low <= 1.0 <= high:
        return "expectations agree with what was measured"
    return "expectations were too far apart" if high < 1.0 else "expectations were too close together"
