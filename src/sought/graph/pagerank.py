"""PageRank as a probability: how often does a random surfer meet each page?"""

import numpy as np
from numpy.typing import NDArray

from sought.graph.links import links_of
from sought.graph.walks import pr

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


def pagerank(
    sources: Numbers, targets: Numbers, nodes: int, alpha: float = 0.85, tolerance: float = 1e-10, rounds: int = 100
) -> Floats:
    """`pr` of links given as pairs: sources[i] links to targets[i]."""
    return pr(links_of(sources, targets, nodes), alpha, None, tolerance, rounds)
