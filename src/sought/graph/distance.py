"""Which pages link to a page, and how far is it from pages of interest?"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.graph.links import GraphLinks, Nodes, Numbers
from sought.web.compiled import Int, cached, compiled, readable
from sought.web.errors import BadInput

Bytes = NDArray[np.uint8]

_NUMBERS, _NODES = readable(types.int64), readable(types.uint32)


def sources_of(links: GraphLinks, nodes: Numbers) -> tuple[Numbers, Nodes]:
    """The sources of links to nodes[i]: the second array from bounds[i] to bounds[i + 1], sorted.

    One pass over all links.  Nodes are distinct.
    """
    slot = np.zeros(links.nodes, np.uint32)  # of a node in `nodes`, from 1 on
    slot[nodes] = np.arange(1, len(nodes) + 1, dtype=np.uint32)
    bounds = np.zeros(len(nodes) + 2, np.int64)
    _count(links.targets, slot, bounds)
    np.cumsum(bounds, out=bounds)
    found = np.empty(bounds[-1], np.uint32)
    _fill(links.sources, links.bounds, links.targets, slot, bounds, found)
    return bounds[:-1], found


def distances(links: GraphLinks, hot: NDArray[np.bool_], most: int) -> Bytes:
    """The number of links from the nearest hot node to each node: 0 for hot nodes, at most `most`.

    J. Cho, H. Garcia-Molina, L. Page, WWW7 1998, Fig. 13.
    """
    if not 0 <= most <= 255:
        raise BadInput(f"most must be from 0 to 255, not {most}")
    distance = np.full(links.nodes, most, np.uint8)
    distance[hot] = 0
    queue = np.empty(links.nodes, np.uint32)
    first = np.flatnonzero(hot)
    queue[: len(first)] = first
    _reach(links.sources, links.bounds, links.targets, len(first), most, queue, distance)
    return distance


@cached(types.void(_NODES, _NODES, types.int64[::1]))
def _count(targets: Nodes, slot: Nodes, bounds: Numbers) -> None:
    for i in range(targets.size):
        at = slot[targets[i]]
        if at:
            bounds[at + 1] += 1


@cached(types.void(_NODES, _NUMBERS, _NODES, _NODES, types.int64[::1], types.uint32[::1]))
def _fill(sources: Nodes, link_bounds: Numbers, targets: Nodes, slot: Nodes, bounds: Numbers, found: Nodes) -> None:
    """Afterwards each bound is where the next row begins."""
    for i in range(sources.size):
        for j in range(link_bounds[i], link_bounds[i + 1]):
            at = slot[targets[j]]
            if at:
                found[bounds[at]] = sources[i]
                bounds[at] += 1


@compiled
def _row(sources: Nodes, node: Int) -> Int:
    low, high = 0, sources.size
    while low < high:
        middle = (low + high) // 2
        if sources[middle] < node:
            low = middle + 1
        else:
            high = middle
    return low


@cached(types.void(_NODES, _NUMBERS, _NODES, types.int64, types.int64, types.uint32[::1], types.uint8[::1]))
def _reach(
    sources: Nodes, link_bounds: Numbers, targets: Nodes, queued: Int, most: Int, queue: Nodes, distance: Bytes
) -> None:
    """Breadth-first: the queue holds each node at most once."""
    done = 0
    while done < queued and distance[queue[done]] + 1 < most:
        node = queue[done]
        row = _row(sources, node)
        done += 1
        if row == sources.size or sources[row] != node:
            continue
        for j in range(link_bounds[row], link_bounds[row + 1]):
            if distance[targets[j]] == most:
                distance[targets[j]] = distance[node] + 1
                queue[queued] = targets[j]
                queued += 1
