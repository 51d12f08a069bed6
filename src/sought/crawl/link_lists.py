"""From the store's lists of links to a graph whose nodes are rows."""

from collections.abc import Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from sought.crawl.store import Store
from sought.graph.links import LinkGraph

_AT_ONCE = 100_000


def stored_links(store: Store, rows: int) -> LinkGraph:
    """The links of all pages as of the last commit."""
    graph = LinkGraph()
    graph.grow(rows)
    stored = ((int.from_bytes(key[1:], "big"), np.frombuffer(value, np.uint32)) for key, value in store.scan(b"l"))
    while some := list(islice(stored, _AT_ONCE)):
        put_lists(graph, some)
    return graph


def put_lists(graph: LinkGraph, lists: Sequence[tuple[int, NDArray[np.uint32]]]) -> None:
    """Pages have these links from now on."""
    if lists:
        sources, bounds, targets = joined_lists(lists)
        graph.put(sources, bounds, targets)


def joined_lists(
    lists: Sequence[tuple[int, NDArray[np.uint32]]],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32]]:
    """One after the other: the links of sources[i] are targets[bounds[i]:bounds[i+1]]."""
    bounds = np.zeros(len(lists) + 1, np.int64)
    np.cumsum([len(targets) for _, targets in lists], out=bounds[1:])
    targets = np.concatenate([np.zeros(0, np.uint32), *(targets for _, targets in lists)])
    return np.array([source for source, _ in lists], np.int64), bounds, targets
