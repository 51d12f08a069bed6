"""Links like those of the Web, as many as wanted, in seconds."""

import numpy as np
from numpy.typing import NDArray

from sought.graph.links import links_of

Nodes = NDArray[np.uint32]

_LINKING, _LOCAL, _COPIED = (
    0.8,
    0.75,
    0.1,
)  # shares: pages with links, links within a host, links copied from another page
_REPEATED = 1.11  # links drawn for each that is left when repeated ones count once
_CLICKED, _TAIL = 0.03, 1.2  # share of linking pages that are ever clicked; exponent of how often
_SEED = 1998


def web_like(nodes: int, edges: int) -> tuple[Nodes, Nodes]:
    """Sources (ascending) and targets, each pair once: about as many as asked for.

    Hosts have sizes, pages out-degrees and in-degrees with heavy tails.  Pages of a host are neighbours in number.
    """
    links = links_of(*_drawn(nodes, int(edges * _REPEATED)), nodes)
    return np.repeat(links.sources, links.degrees), links.targets


def clicks_of(sources: Nodes, nodes: int) -> NDArray[np.float64]:
    """How often each page was clicked: most never, a few very often; nobody has seen one that was not fetched.

    Skewed like the logs of seed 002, where less than a hundredth of pages has most of the impact.
    """
    rng = np.random.default_rng(_SEED)
    linking = np.zeros(nodes, np.bool_)
    linking[sources] = True
    clicked = np.flatnonzero(linking & (rng.random(nodes) < _CLICKED))
    clicks = np.zeros(nodes)
    clicks[clicked] = np.ceil(rng.pareto(_TAIL, len(clicked)) + 1e-9)
    return clicks


def _drawn(nodes: int, edges: int) -> tuple[Nodes, Nodes]:
    rng = np.random.default_rng(_SEED)
    first, size, host = _hosts(nodes, rng)
    weight = np.where(rng.random(nodes) < _LINKING, np.minimum(rng.lognormal(0.0, 1.0, nodes), 50.0), 0.0)
    degrees = np.floor(weight * (edges / weight.sum()) + rng.random(nodes) * (weight > 0)).astype(np.int64)
    sources = np.repeat(np.arange(nodes, dtype=np.uint32), degrees)
    own = host[sources]
    targets = (first[own] + size[own] * rng.random(len(own), np.float32) ** 3).astype(np.uint32)
    far = rng.random(len(own), np.float32) >= _LOCAL
    targets[far] = first[(rng.random(int(far.sum())) ** 2 * len(first)).astype(np.int64)]
    copied = np.flatnonzero(rng.random(len(own), np.float32) < _COPIED)
    targets[copied] = targets[rng.integers(0, len(targets), len(copied))]
    return sources, np.minimum(targets, nodes - 1)


def _hosts(nodes: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32]]:
    """Where each host begins, how many pages it has, and the host of each page."""
    sizes = np.minimum(3 * (rng.pareto(0.9, nodes // 10 + 1) + 1), nodes / 50 + 3).astype(np.int64)
    ends = np.minimum(np.cumsum(sizes), nodes)
    ends = ends[: int(np.searchsorted(ends, nodes)) + 1]
    if ends[-1] < nodes:
        ends = np.append(ends, nodes)  # of few pages a last host has the rest
    sizes = np.diff(ends, prepend=0)
    return ends - sizes, sizes, np.repeat(np.arange(len(ends), dtype=np.uint32), sizes)
