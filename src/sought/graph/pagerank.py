"""PageRank as a probability: how often does a random surfer meet each page?"""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


def pagerank(
    sources: Numbers, targets: Numbers, nodes: int, alpha: float = 0.85, tolerance: float = 1e-10, rounds: int = 100
) -> Floats:
    """The stationary distribution of following a link (with probability alpha) or jumping anywhere; sums to 1.

    From a page without links the surfer jumps.  Brin & Page 1998, with the jump uniform.
    """
    if not nodes:
        return np.zeros(0)
    out = np.bincount(sources, minlength=nodes)
    dangling = out == 0
    rank = np.full(nodes, 1.0 / nodes)
    for _ in range(rounds):
        flow = np.bincount(targets, rank[sources] / out[sources], minlength=nodes)
        fresh = alpha * flow + (alpha * rank[dangling].sum() + 1.0 - alpha) / nodes
        moved = np.abs(fresh - rank).sum()
        rank = fresh
        if moved < tolerance:
            break
    return rank
