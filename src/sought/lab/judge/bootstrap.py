"""The 0.632+ bootstrap: which setting will do best on pages it was not tuned on?

B. Efron, R. Tibshirani, Improvements on Cross-Validation: The .632+ Bootstrap Method, JASA 1997; so is ω tuned by Tran,
Turk, Cambazoglu & Nejdl, A Random Walk Model for Optimization of Search Impact in Web Frontier Ranking, SIGIR 2015, §5.

The loss of a ranking is 1 - (impact of its first pages) / (impact of the best ones).  Pages of equal value come in
any order, and in the mean over all orders: a constant ranking loses what a random one does.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from sought.web.errors import BadInput

Candidate = TypeVar("Candidate")
Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

SAMPLES = 50
TRAINING = 0.65
_SEED = 632
_HELD = 0.632  # share of pages that a sample holds, 1 - 1/e


@dataclass(frozen=True)
class LossEstimate(Generic[Candidate]):
    """The loss of one candidate: by 0.632+, on the tuning pages, outside the samples, and by chance."""

    candidate: Candidate
    error: float
    on_all: float
    out_of_bag: float
    no_information: float


@dataclass(frozen=True)
class Tuned(Generic[Candidate]):
    """The candidate of least error, and the estimates of each."""

    best: Candidate
    table: tuple[LossEstimate[Candidate], ...]


def split65(pages: int, seed: int = _SEED, training: float = TRAINING) -> tuple[Rows, Rows]:
    """Pages to train and tune on, and pages to test on, each ascending; drawn at random."""
    if not 0.0 <= training <= 1.0:
        raise BadInput(f"the share of pages to train on is a number from 0 to 1, not {training}")
    order = np.random.default_rng(seed).permutation(pages)
    cut = round(training * pages)
    return np.sort(order[:cut]), np.sort(order[cut:])


def lost(values: Floats, impact: Floats, cut: float) -> float:
    """1 - the share of the ideal impact among the first `cut` of pages by value; 0 where there is no impact at all."""
    count = taken(len(impact), cut)
    ideal = float(np.sort(impact)[len(impact) - count :].sum())
    if not ideal > 0.0:
        return 0.0
    scores = np.where(np.isnan(values), -np.inf, values)
    least = np.sort(scores)[len(scores) - count]  # quicker than np.partition where many are equal
    above, equal = scores > least, scores == least
    places = count - int(np.count_nonzero(above))
    reached = float(impact[above].sum()) + places * float(impact[equal].mean())
    return 1.0 - reached / ideal


def lost_by_chance(impact: Floats, cut: float) -> float:
    """The mean loss of a random order."""
    return lost(np.zeros(len(impact)), impact, cut)


def taken(pages: int, cut: float) -> int:
    """The number of pages of a share: rounded, at least one."""
    return min(pages, max(1, round(cut * pages)))


def err632plus(loss_on_all: float, out_of_bag_losses: Sequence[float] | Floats, no_information: float) -> float:
    """Between the loss on all pages, which is too low, and the loss outside of samples, which is too high.

    The more is overfitted (R: of the way from the first loss to that of chance), the more the second one counts.
    """
    outside = float(np.mean(out_of_bag_losses)) if len(out_of_bag_losses) else loss_on_all
    way = no_information - loss_on_all
    overfitted = min(1.0, max(0.0, (outside - loss_on_all) / way)) if way else 0.0
    weight = _HELD / (1.0 - (1.0 - _HELD) * overfitted)
    return (1.0 - weight) * loss_on_all + weight * outside


def tune(
    candidates: Sequence[Candidate],
    scores_of: Callable[[Candidate], Floats],
    impact: Floats,
    cut: float,
    samples: int = SAMPLES,
    seed: int = _SEED,
) -> Tuned[Candidate]:
    """The best of candidates that learn nothing from the tuning pages: `scores_of` one are the pages' values.

    Among equals the last one wins: order them from expensive to cheap (ω ascending).
    """

    def never_fitted(candidate: Candidate) -> Callable[[Rows], Floats]:
        scores = scores_of(candidate)
        return lambda _: scores

    return _tuned(candidates, never_fitted, impact, cut, samples, seed)


def tune_fitted(
    candidates: Sequence[Candidate],
    fit: Callable[[Candidate, Rows], Floats],
    impact: Floats,
    cut: float,
    samples: int = SAMPLES,
    seed: int = _SEED,
) -> Tuned[Candidate]:
    """The same for candidates that learn: `fit` learns from these rows, some more than once, and values all pages."""
    return _tuned(candidates, lambda candidate: partial(fit, candidate), impact, cut, samples, seed)


def _tuned(
    candidates: Sequence[Candidate],
    ranking: Callable[[Candidate], Callable[[Rows], Floats]],
    impact: Floats,
    cut: float,
    samples: int,
    seed: int,
) -> Tuned[Candidate]:
    """Samples are the same for all candidates, so that chance cancels out."""
    if not candidates or not len(impact):
        raise BadInput("tuning needs a candidate and a page at least")
    if not 0.0 < cut <= 1.0 or samples < 1:
        raise BadInput(f"tuning takes a cut above 0, at most 1, and a sample at least, not {cut} and {samples}")
    rankings = [ranking(each) for each in candidates]
    on_all = [lost(values_by(np.arange(len(impact))), impact, cut) for values_by in rankings]
    losses: list[list[float]] = [[] for _ in candidates]
    for sample in range(samples):
        drawn = np.random.default_rng((seed, sample)).integers(len(impact), size=len(impact))
        outside = np.bincount(drawn, minlength=len(impact)) == 0
        if not impact[outside].any():  # any order is ideal
            continue
        for values_by, known in zip(rankings, losses, strict=True):
            known.append(lost(values_by(drawn)[outside], impact[outside], cut))
    chance = lost_by_chance(impact, cut)
    rows = zip(candidates, on_all, losses, strict=True)
    table = tuple(_estimate(each, mine, outside_losses, chance) for each, mine, outside_losses in rows)
    least = min(row.error for row in table)
    return Tuned([row.candidate for row in table if row.error == least][-1], table)


def _estimate(candidate: Candidate, on_all: float, losses: list[float], chance: float) -> LossEstimate[Candidate]:
    outside = float(np.mean(losses)) if losses else on_all
    return LossEstimate(candidate, err632plus(on_all, losses, chance), on_all, outside, chance)
