"""What would a fetch of a page reveal of the pages it links to?  Sums over links, with overlaps counted once."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.web.compiled import Int, cached, compiled, readable
from sought.web.pages import Floats, Links, Rows

Nodes = NDArray[np.uint32]

_FLOATS, _ROWS = readable(types.float64), readable(types.int64)
_NODES = readable(types.uint32)


def linked_news(links: Links, news: Floats) -> Floats:
    """For every row the sum of `news` over the pages that it links to."""
    sums = np.zeros(len(news))
    _sum(links.sources, links.bounds, links.targets, news, sums)
    return sums


def marginal_worth(
    links: Links, news: Floats, worth: Floats, rows: Rows, linking: NDArray[np.bool_], count: int
) -> Floats:
    """What each of these rows is worth after those taken before it: news of a page counts once.

    `rows` are in descending order of worth; `count` of them are taken, each time the one that is worth most.  Links
    count where `linking` is true, and a fetch also reveals the page itself.  Rows still in the queue are valued again
    only when they reach its top, and when all are taken.
    """
    place = np.full(len(worth), -1)
    place[links.sources] = np.where(linking[links.sources], np.arange(len(links.sources)), -1)
    left = worth[rows].copy()
    _take(links.bounds, links.targets, news, rows, place[rows], left, np.zeros(len(worth), np.bool_), count)
    return left


@cached(types.void(_NODES, _ROWS, _NODES, _FLOATS, types.float64[::1]))
def _sum(sources: Nodes, bounds: Rows, targets: Nodes, news: Floats, sums: Floats) -> None:
    for i in range(len(sources)):
        total = 0.0
        for at in range(bounds[i], bounds[i + 1]):
            total += news[targets[at]]
        sums[sources[i]] = total


@compiled
def _known(bounds: Rows, targets: Nodes, news: Floats, place: int, is_known: NDArray[np.bool_]) -> float:
    """How much of the news of a row is known already."""
    total = 0.0
    if place >= 0:
        for at in range(bounds[place], bounds[place + 1]):
            if is_known[targets[at]]:
                total += news[targets[at]]
    return total


@compiled
def _sift(heap: Rows, size: int, left: Floats) -> None:
    """Let the first of a heap sink to where it belongs; the largest is on top, of equals the one of lower number."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            return
        other = child + 1
        if other < size and (left[heap[other]], -heap[other]) > (left[heap[child]], -heap[child]):
            child = other
        if (left[heap[at]], -heap[at]) >= (left[heap[child]], -heap[child]):
            return
        heap[at], heap[child] = heap[child], heap[at]
        at = child


@cached(types.void(_ROWS, _NODES, _FLOATS, _ROWS, _ROWS, types.float64[::1], types.boolean[::1], types.int64))
def _take(
    bounds: Rows,
    targets: Nodes,
    news: Floats,
    rows: Rows,
    places: Rows,
    left: Floats,
    is_known: NDArray[np.bool_],
    count: Int,
) -> None:
    whole = left.copy()
    heap = np.arange(len(left))  # in descending order, which is a heap
    size = len(heap)
    while size and count:
        first = heap[0]
        now = whole[first] - _known(bounds, targets, news, places[first], is_known)
        if now < left[first]:  # it may no longer be the best
            left[first] = now
            _sift(heap, size, left)
            if heap[0] != first:
                continue
        is_known[rows[first]] = True
        if places[first] >= 0:
            for at in range(bounds[places[first]], bounds[places[first] + 1]):
                is_known[targets[at]] = True
        size, count = size - 1, count - 1
        heap[0] = heap[size]
        _sift(heap, size, left)
    for at in range(size):
        left[heap[at]] = whole[heap[at]] - _known(bounds, targets, news, places[heap[at]], is_known)
