"""How are rates of change distributed over the pages of a group?  The prior of one page, fitted to all pages."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.rate_evidence import Evidence
from sought.beliefs.rate_history import YEAR
from sought.web.pages import Floats

_PASSES = 8
_MIN_SHAPE, _MAX_SHAPE = 0.1, 30.0
_MIN_SPREAD, _MAX_SPREAD = 0.01, 4.0
_NUDGE = 0.05


@dataclass(frozen=True, slots=True)
class Prior:
    """Rates of a group's pages are Gamma distributed with this shape and mean, by group.

    The variation within a group is the same in all groups; an uncertain mean of the group makes the prior wider.
    """

    shape: Floats
    mean: Floats


def fitted(evidence: Evidence, group: NDArray[np.integer], groups: int) -> Prior:
    """Empirical Bayes: the prior under which the evidence on all pages is likely.  `group` is that of each slot.

    In each pass the posterior of every page is approximated by that of x changes in time e, which is exact for pages
    never seen to change: x and e are what the evidence adds to the prior, by mean and variance.  For such counts the
    likelihood of a prior has a closed form (a negative binomial); its mean solves m = Σ x·u / Σ e·u with
    u = 1/(1 + e·m/shape), and a step of Newton's method improves its shape.  At the fixed point the mean is that of the
    posteriors' means.

    Means of groups are shrunk to that of all groups, by how much they differ beyond chance.  The priors are one more
    group with one change in a year, and a shape and a spread of groups near 1.  Evidence that fades makes pages look
    alike, so it leaves the shape at 1.
    """
    shape, spread, of_all = 1.0, 1.0, _start(evidence)
    mean, known = np.full(groups, of_all), np.ones(groups)
    for _ in range(_PASSES if len(group) else 0):
        changes, time = _as_counts(evidence, shape, shape / mean[group])
        weight = 1 / (1 + time * mean[group] / shape)
        tops, bottoms = (_summed(group, each * weight, groups) for each in (changes, time))
        weights = 1 / (1 + spread * bottoms * of_all)
        pull = 1 / (1 + spread * of_all * YEAR)
        of_all = float((np.sum(tops * weights) + pull) / (np.sum(bottoms * weights) + pull * YEAR))
        spread = _spread(spread, tops, bottoms * of_all)
        known = tops + 1 / spread  # the shape of what is known of a group's mean, a Gamma as well
        over = bottoms + 1 / (spread * of_all)
        mean = known / over
        if not evidence.fades:  # each page against the others of its group: it is not to be judged by itself
            others = (known[group] - changes * weight) / (over[group] - time * weight)
            shape = _improved(shape, changes, time * others)
    return Prior(1 / (1 / shape + 1 / known), mean)


def _summed(group: NDArray[np.integer], values: Floats, groups: int) -> Floats:
    return np.bincount(group, values, groups).astype(np.float64, copy=False)


def _spread(spread: float, changes: Floats, expected: Floats) -> float:
    """The squared coefficient of variation of groups' means: their numbers of changes vary more than Poisson's do."""
    weight = 1 / (1 + spread * expected) ** 2  # large groups must not hide how small ones differ
    beyond = (changes - expected) ** 2 - expected
    estimate = (np.sum(beyond * weight) + 1.0) / (np.sum(expected * expected * weight) + 1.0)
    return float(np.clip(estimate, _MIN_SPREAD, _MAX_SPREAD))


def _start(evidence: Evidence) -> float:
    changes = float(np.count_nonzero(evidence.place))
    time = evidence.unchanged.sum() + evidence.changed.sum() / 2
    return (changes + 1.0) / (float(time) + YEAR)


def _as_counts(evidence: Evidence, shape: float, scale: Floats) -> tuple[Floats, Floats]:
    """Each slot's x and e."""
    mean, variance = evidence.moments(np.full(len(scale), shape), scale)
    has_changed = evidence.place > 0
    changes = np.where(has_changed, np.maximum(mean * mean / variance - shape, 0.0), 0.0)
    time = np.where(has_changed, np.maximum((shape + changes) / mean - scale, 0.0), evidence.unchanged)
    return changes, time


def _improved(shape: float, changes: Floats, expected: Floats) -> float:
    """A step towards the shape under which the numbers of changes are likely, where so many are expected."""
    here, nearby = (_slope(each, changes, expected) for each in (shape, shape * np.exp(_NUDGE)))
    bend = (nearby - here) / _NUDGE
    step = -here / bend if bend < 0 else np.sign(here)
    return float(np.clip(shape * np.exp(np.clip(step, -1.0, 1.0)), _MIN_SHAPE, _MAX_SHAPE))


def _slope(shape: float, changes: Floats, expected: Floats) -> float:
    """The derivative of the log-likelihood by the logarithm of the shape, with a log-normal prior about 1."""
    some = changes > 0
    counted = np.sum(digamma(shape + changes[some]) - digamma(shape))
    return float(shape * (counted - np.sum(np.log1p(expected / shape))) - np.log(shape))


def digamma(x: Floats | float) -> Floats:
    """The derivative of log Γ above 0: its recurrence up to 10, and from there on its asymptotic series."""
    y = np.asarray(x, np.float64)
    lifted = sum(1.0 / (y + k) for k in range(10))
    z = y + 10.0
    w = 1.0 / (z * z)
    tail = w * (1 / 12 - w * (1 / 120 - w * (1 / 252 - w * (1 / 240 - w / 132))))
    return np.log(z) - 0.5 / z - tail - lifted
