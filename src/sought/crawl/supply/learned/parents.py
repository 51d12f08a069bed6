"""What do the pages that link to a row bring to search?  Added up in one pass over all links.

The features of Tran, Turk, Cambazoglu & Nejdl (SIGIR 2015, Table 4) that tell of a page's in-links.
"""

from typing import NamedTuple

import numpy as np
from numba import float32, float64, int64, uint32, void
from numpy.typing import NDArray

from sought.graph.links import Links
from sought.web.compiled import cached, readable

Singles = NDArray[np.float32]


class Parents(NamedTuple):
    """Of every row: how many parents have any impact, and the sum and the largest of what they have."""

    seen: NDArray[np.uint32]
    total: NDArray[np.float64]
    largest: Singles


def parents_with(impact: NDArray[np.float64], links: Links) -> Parents:
    """Impact of parents; `impact` is that of every row."""
    found = Parents(np.zeros(links.nodes, np.uint32), np.zeros(links.nodes), np.zeros(links.nodes, np.float32))
    _add_up(links.sources, links.bounds, links.targets, impact, *found)
    return found


@cached(
    void(
        readable(uint32), readable(int64), readable(uint32), readable(float64), uint32[::1], float64[::1], float32[::1]
    )
)
def _add_up(
    sources: NDArray[np.uint32],
    bounds: NDArray[np.int64],
    targets: NDArray[np.uint32],
    impact: NDArray[np.float64],
    seen: NDArray[np.uint32],
    total: NDArray[np.float64],
    largest: Singles,
) -> None:
    for i in range(len(sources)):
        brought = impact[sources[i]]
        if brought > 0.0:
            for at in range(bounds[i], bounds[i + 1]):
                target = targets[at]
                seen[target] += np.uint32(1)
                total[target] += brought
                largest[target] = max(largest[target], np.float32(brought))
