"""Where would uncrawled pages stand in a query's list?  If their scores are known, or drawn again and again.

S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008: scores as scalars (§5, eq. 1), Monte Carlo (§4.2).
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.index.lists import Scores
from sought.index.sketch_expected import check_leaves
from sought.index.sketches import K, Sketches, keys, sound, top
from sought.index.slabs import KEYS, Keys, Offsets
from sought.index.visibility import Floats
from sought.web.compiled import Int, cached, compiled, readable
from sought.web.errors import BadInput

DRAWS = 1000
SEED = 0x5CE7C4
_ROOM = 1 << 22  # draws that are held at once

_MATRIX = types.uint64[:, ::1]


class Sampled(NamedTuple):
    """Impacts of candidates, and the standard errors of these."""

    impact: Floats
    error: Floats


def scalar_impact(sketches: Sketches, scores: Scores, k: int = K) -> Floats:
    """f(q)·T(p, q) of each candidate, T being 1 if it is among the k best of its sketch, by these scores."""
    return sketches.pair_weights * (scalar_ranks(sketches, scores, k) > 0)


def scalar_ranks(sketches: Sketches, scores: Scores, k: int = K) -> NDArray[np.int32]:
    """The rank of each candidate among the k best of its sketch, 0 if it is none of them."""
    sketches.check_seen(top(k))
    sketches.check_pairs(scores)
    if not sound(scores):
        raise ValueError("scores must be finite and not negative")
    ranks = np.zeros(len(scores), np.int32)
    _scalar(sketches.crawled_keys, sketches.bounds, keys(scores, sketches.ties), k, ranks)
    return ranks


def sampled_impact(
    sketches: Sketches,
    leaves: NDArray[np.int32],
    quantiles: Scores,
    value: Floats,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Sampled:
    """What `expected_impact` says exactly, by drawing the scores of a sketch together: a draw serves all its pages."""
    if draws < 2:
        raise BadInput(f"draws must be at least 2, not {draws}")
    sketches.check_seen(value)
    sketches.check_pairs(leaves)
    check_leaves(leaves, quantiles)
    total, squares = np.zeros((2, len(leaves)))
    crawled, seen = sketches.crawled_keys, np.ascontiguousarray(value, np.float64)
    for query in range(len(sketches)):
        here = slice(int(sketches.bounds[query]), int(sketches.bounds[query + 1]))
        dice = np.random.default_rng([seed, query])
        size = here.stop - here.start
        at_once = max(1, _ROOM // max(1, size))
        for first in range(0, draws if size else 0, at_once):
            count = min(at_once, draws - first)
            nodes = dice.integers(quantiles.shape[1], size=(count, size), dtype=np.int32)
            drawn = keys(quantiles[leaves[here], nodes], np.broadcast_to(sketches.ties[here], nodes.shape))
            _sampled(crawled[query], drawn, seen, total[here], squares[here])
    mean, weights = total / draws, sketches.pair_weights
    spread = np.maximum(squares / draws - mean * mean, 0.0) / (draws - 1)
    return Sampled(weights * mean, weights * np.sqrt(spread))


@compiled
def _enter(best: Keys, who: Offsets, size: Int, key: Int, candidate: Int) -> Int:
    """Put a result into the list of the best, unless it is worse than all and the list is full; returns its size.

    Few come in: a score that is worse than the worst costs one look.  So a sorted list beats a heap.
    """
    if size == best.size:
        if key <= best[size - 1]:
            return size
        size -= 1
    place = size
    while place > 0 and best[place - 1] < key:
        best[place], who[place] = best[place - 1], who[place - 1]
        place -= 1
    best[place], who[place] = key, candidate
    return size + 1


@compiled
def _begin(crawled: Keys, best: Keys, who: Offsets) -> Int:
    """The list of the best, of crawled pages only; returns its size."""
    size = 0
    while size < best.size and crawled[size]:
        best[size], who[size] = crawled[size], -1
        size += 1
    return size


@cached(types.void(_MATRIX, readable(types.int64), KEYS, types.int64, types.int32[::1]))
def _scalar(crawled: Keys, bounds: Offsets, candidates: Keys, k: int, ranks: NDArray[np.int32]) -> None:
    best, who = np.empty(k, np.uint64), np.empty(k, np.int64)
    for query in range(len(crawled)):
        size = _begin(crawled[query], best, who)
        for i in range(bounds[query], bounds[query + 1]):
            if candidates[i] >> np.uint64(32):
                size = _enter(best, who, size, candidates[i], i)
        for place in range(size):
            if who[place] >= 0:
                ranks[who[place]] = place + 1


@cached(types.void(KEYS, _MATRIX, readable(types.float64), types.float64[::1], types.float64[::1]))
def _sampled(crawled: Keys, drawn: Keys, value: Floats, total: Floats, squares: Floats) -> None:
    best, who = np.empty(value.size, np.uint64), np.empty(value.size, np.int64)
    for draw in range(len(drawn)):
        size = _begin(crawled, best, who)
        for i in range(drawn.shape[1]):
            if drawn[draw, i] >> np.uint64(32):
                size = _enter(best, who, size, drawn[draw, i], i)
        for place in range(size):
            if who[place] >= 0:
                total[who[place]] += value[place]
                squares[who[place]] += value[place] ** 2
