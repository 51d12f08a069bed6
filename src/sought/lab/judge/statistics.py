"""Confidence intervals of differences, by bootstrap over units and queries.

Units that follow one another are alike, so whole blocks of them are drawn (D. N. Politis, J. P. Romano, A circular
block-resampling procedure for stationary data, 1992).  Queries are drawn too: each counts Poisson(1) times, in all
units alike.  Both sides of a comparison use the same draws, so that hard weeks and hard queries cancel out.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.lab.measures.measure import When
from sought.lab.measures.quality import ratio
from sought.lab.replay.run import Run
from sought.lab.worlds.demand import Part

Floats = NDArray[np.float64]

_PERCENT = (2.5, 97.5)
_AT_ONCE = 128  # draws computed together


@dataclass(frozen=True)
class Scored:
    """Attained score, ideal score and weight: units × queries."""

    attained: NDArray[np.floating]
    ideal: NDArray[np.floating]
    weights: Floats

    @staticmethod
    def of(run: Run, when: When = "after", part: Part = "judged") -> "Scored":
        answers = run.answers.after if when == "after" else run.answers.before
        return Scored(answers, run.answers.ideal, run.weights(part))


class Interval(NamedTuple):
    """The measured mean, and the bounds of 95 % of the draws."""

    mean: float
    low: float
    high: float
    draws: int


def difference(a: Scored, b: Scored, draws: int = 2000, block: int = 4, seed: int = 0) -> Interval:
    """By how much the quality of a exceeds that of b, mean over units."""
    if a.attained.shape != b.attained.shape:
        raise ValueError(f"runs of {a.attained.shape} and {b.attained.shape} units and queries cannot be paired")
    units = len(a.attained)
    if not units:
        return Interval(np.nan, np.nan, np.nan, draws)
    sums = np.concatenate(
        [part for each in (a, b) for part in (each.weights * each.attained, each.weights * each.ideal)]
    )
    sums = sums[:, sums.any(axis=0)]  # without queries that are never asked or never answered
    measured = _gap(sums.sum(axis=1, keepdims=True), units).mean()
    dice = np.random.default_rng([seed, 0xB007])
    chances = _resampled(units, draws, block, dice)
    drawn = np.empty(draws)
    for first in range(0, draws, _AT_ONCE):
        part = slice(first, min(first + _AT_ONCE, draws))
        times = dice.poisson(1.0, (sums.shape[1], part.stop - first)).astype(np.float64)
        drawn[part] = (_gap(sums @ times, units) * chances[part].T).sum(axis=0)
    return _interval(float(measured), drawn)


def interval_of(values: Floats, draws: int = 2000, block: int = 4, seed: int = 0) -> Interval:
    """The interval of a mean over units, without NaNs; to compare two runs, pass their differences."""
    known = ~np.isnan(values)
    if not known.any():
        return Interval(np.nan, np.nan, np.nan, draws)
    chances = _resampled(len(values), draws, block, np.random.default_rng([seed, 0xB007]))
    weight = chances @ known
    drawn = (chances @ np.where(known, values, 0.0))[weight > 0] / weight[weight > 0]
    return _interval(float(values[known].mean()), drawn)._replace(draws=draws)


def t_statistic(a: Floats, b: Floats) -> float:
    """Two-sample t of values by unit, NaNs left out; NaN if a sample has fewer than two.

    Q. Tan, P. Mitra, TOIS 2010, §6.3.5.  Values of successive units are not independent: prefer an interval.
    """
    first, second = a[~np.isnan(a)], b[~np.isnan(b)]
    if min(len(first), len(second)) < 2:
        return np.nan
    gap = float(first.mean() - second.mean())
    error = float(np.sqrt(first.var(ddof=1) / len(first) + second.var(ddof=1) / len(second)))
    return gap / error if error else float(np.sign(gap)) * np.inf if gap else 0.0


def _gap(sums: Floats, units: int) -> Floats:
    """Quality of a less that of b, units × draws."""
    attained_a, ideal_a, attained_b, ideal_b = sums.reshape(4, units, -1)
    return ratio(attained_a, ideal_a) - ratio(attained_b, ideal_b)


def _resampled(units: int, draws: int, block: int, dice: np.random.Generator) -> Floats:
    """The weight of each unit in each draw (draws × units): circular blocks of consecutive units."""
    if block < 1 or draws < 1:
        raise ValueError(f"{draws} draws of blocks of {block} units")
    block = min(block, units)
    starts = dice.integers(0, units, (draws, -(-units // block), 1))
    taken = ((starts + np.arange(block)) % units).reshape(draws, -1)[:, :units]
    counts = np.bincount((taken + np.arange(draws)[:, None] * units).ravel(), minlength=draws * units)
    return counts.reshape(draws, units) / units


def _interval(mean: float, drawn: Floats) -> Interval:
    low, high = np.percentile(drawn, _PERCENT)
    return Interval(mean, float(low), float(high), len(drawn))
