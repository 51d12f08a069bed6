"""What is the expected impact of uncrawled pages, estimated by Monte Carlo?

S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §4.2.  `index/sketch_expected.py` has the exact value.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.index.lists import Scores
from sought.index.sketch_expected import check_leaves
from sought.index.sketches import Sketches, begin_best, enter_best, keys
from sought.index.slabs import KEYS, Keys
from sought.index.visibility import Floats
from sought.web.compiled import cached, readable
from sought.web.errors import BadInput

DRAWS = 1000
SEED = 0x5CE7C4
_ROOM = 1 << 22  # draws that are held at once
_MATRIX = types.uint64[:, ::1]


class Sampled(NamedTuple):
    """Impacts of candidates, and their standard errors."""

    impact: Floats
    error: Floats


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


@cached(types.void(KEYS, _MATRIX, readable(types.float64), types.float64[::1], types.float64[::1]))
def _sampled(crawled: Keys, drawn: Keys, value: Floats, total: Floats, squares: Floats) -> None:
    best, who = np.empty(value.size, np.uint64), np.empty(value.size, np.int64)
    for draw in range(len(drawn)):
        size = begin_best(crawled, best, who)
        for i in range(drawn.shape[1]):
            if drawn[draw, i] >> np.uint64(32):
                size = enter_best(best, who, size, drawn[draw, i], i)
        for place in range(size):
            if who[place] >= 0:
                total[who[place]] += value[place]
                squares[who[place]] += value[place] ** 2
