"""What are the pages worth that others link to as well?  Two passes over all links."""

import numpy as np
from numba import boolean, float64, int64, uint32, void
from numpy.typing import NDArray

from sought.crawl.supply.supplier import Column
from sought.graph.links import Links
from sought.web.compiled import cached, readable

_AS_IF = 3.0  # every page is taken to link to so many typical ones


def fellows(presence: Column, searchable: NDArray[np.bool_], typical: float, links: Links) -> Column:
    """Of every row: the mean over its parents of the mean presence of what these link to.

    Each mean is drawn to that of all pages, which stands in where nobody links.
    """
    total, parents = np.zeros(links.nodes), np.zeros(links.nodes, np.uint32)
    _add_up(links.sources, links.bounds, links.targets, presence, searchable, typical, total, parents)
    return np.where(parents > 0, total / np.maximum(parents, 1), typical)


@cached(
    void(
        *(readable(uint32), readable(int64), readable(uint32), readable(float64), readable(boolean)),
        *(float64, float64[::1], uint32[::1]),
    )
)
def _add_up(
    sources: NDArray[np.uint32],
    bounds: NDArray[np.int64],
    targets: NDArray[np.uint32],
    presence: Column,
    searchable: NDArray[np.bool_],
    typical: float,
    total: Column,
    parents: NDArray[np.uint32],
) -> None:
    for i in range(len(sources)):
        found, pages = _AS_IF * typical, _AS_IF
        for at in range(bounds[i], bounds[i + 1]):
            if searchable[targets[at]]:
                found += presence[targets[at]]
                pages += 1.0
        for at in range(bounds[i], bounds[i + 1]):
            total[targets[at]] += found / pages
            parents[targets[at]] += np.uint32(1)
