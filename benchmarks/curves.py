"""How far are estimated gains from exact ones?  Lists of random scores, pages that enter, leave and move.

Scores fall like a power law, exponentially, or are bell-shaped.  Of the pages of many lists a fifth is chosen, at most
five thousand: a quarter of them enters, a quarter leaves and half get another score, one after the other.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sought.index.curves import Curves
from sought.index.exact import Exact
from sought.index.lists import ListsOf
from sought.index.visibility import Visibility

SIZES = (10, 100, 1_000, 10_000)
_SEEDS = 8
_RESULTS = 40_000  # of all lists together
_SHIFTS = 5_000
Scores = NDArray[np.float32]
Random = np.random.Generator

_SHAPES: dict[str, Callable[[Random, int], NDArray[np.float64]]] = {
    "power_law": lambda rng, count: rng.pareto(1.2, count) + 1,
    "exponential": lambda rng, count: rng.exponential(size=count) + 1e-3,
    "bell": lambda rng, count: np.abs(rng.normal(5, 1, count)) + 1e-3,
}
_KINDS: dict[str, ListsOf] = {
    "all_results": Curves(depth=0),
    "first_100": Curves(),
    "paper": Curves(depth=0, integral="printed", ranks="paper"),
}


def run(sizes: Sequence[int], report: Callable[[int], None]) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
    """By kind of curve, shape and number of results: how well the order is kept, and the errors of the sum."""
    found: dict[str, dict[str, dict[str, dict[str, float]]]] = {kind: {} for kind in _KINDS}
    for shape in _SHAPES:
        for size in sizes:
            report(size)
            for kind, estimator in _KINDS.items():
                pairs = [_gains(shape, size, estimator, seed) for seed in range(_SEEDS)]
                errors = [float(estimated.sum() / exact.sum() - 1) for exact, estimated in pairs]
                rho = float(np.mean([_spearman(*pair) for pair in pairs]))
                of_shape = found[kind].setdefault(shape, {})
                of_shape[str(size)] = {
                    "spearman": rho,
                    "top_tenth": float(np.mean([_top_tenth(*pair) for pair in pairs])),
                    "least_error": min(errors),
                    "largest_error": max(errors),
                }
    return found


def _gains(shape: str, size: int, estimator: ListsOf, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Exact and estimated gains of the same shifts."""
    rng, lists_count = np.random.default_rng(seed), max(3, _RESULTS // size)
    total = size * lists_count
    owner = np.repeat(np.arange(lists_count, dtype=np.uint32), size)
    scores, ties = _SHAPES[shape](rng, total).astype(np.float32), rng.integers(0, 1 << 32, total, np.uint32)
    chosen = rng.permutation(total)[: min(total // 5, _SHIFTS)]
    before, after = scores[chosen], _SHAPES[shape](rng, len(chosen)).astype(np.float32)
    kind = rng.integers(0, 4, len(chosen))
    before[kind == 0], after[kind == 1] = 0, 0
    there = np.ones(total, np.bool_)
    there[chosen[kind == 0]] = False
    gains = []
    for each in (Exact(), estimator):
        lists = each.open(lists_count, Visibility())
        lists.fill(owner[there], scores[there], ties[there])
        gains.append(lists.shift(owner[chosen], before, after, ties[chosen]).gain)
    return gains[0], gains[1]


def _top_tenth(exact: NDArray[np.float64], estimated: NDArray[np.float64]) -> float:
    """How much of what the best tenth of the fetches brought the tenth has that is estimated best."""
    best, chosen = (np.argsort(-column, kind="stable")[: len(exact) // 10] for column in (exact, estimated))
    return float(exact[chosen].sum() / exact[best].sum())


def _spearman(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    ranks = [np.argsort(np.argsort(column)) for column in (one, other)]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])
