"""Which page links to which?  Four bytes a link.

Nodes are the rows of a crawl, in order of discovery.  A pair of pages counts once, and self-links do not count (J. Cho,
H. Garcia-Molina, L. Page, Efficient Crawling Through URL Ordering, WWW7 1998, count linking pages, not links).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.web.compiled import Int, cached, compiled, readable

Numbers = NDArray[np.int64]
Nodes = NDArray[np.uint32]

_NUMBERS, _NODES = readable(types.int64), readable(types.uint32)
_SHORT = 32  # links; fewer are sorted by insertion
_LEAST = 1 << 20  # links that the tail may hold, however few there are in all


class Inward(NamedTuple):
    """The links by target: sources[bounds[j]:bounds[j + 1]] link to j; they are indices into GraphLinks.sources."""

    bounds: Numbers
    sources: Nodes


@dataclass(frozen=True, eq=False)
class GraphLinks:
    """Links at one moment: sources[i] links to targets[bounds[i]:bounds[i + 1]].

    Sources are sorted and have at least one link; the targets of each are sorted.
    """

    nodes: int
    sources: Nodes
    bounds: Numbers
    targets: Nodes

    @property
    def edges(self) -> int:
        return len(self.targets)

    @cached_property
    def degrees(self) -> Numbers:
        """How many links each source has."""
        return np.diff(self.bounds)

    @cached_property
    def inward(self) -> Inward:
        """Computed at first use (another four bytes a link) and cached."""
        bounds, sources = np.zeros(self.nodes + 1, np.int64), np.empty(self.edges, np.uint32)
        _transpose(self.bounds, self.targets, bounds, sources)
        return Inward(bounds, sources)

    @cached_property
    def neighbours(self) -> Numbers:
        """The number of virtual edges of each node: the other links of all pages that link to it.  Cached."""
        found = np.empty(self.nodes, np.int64)
        _count_neighbours(*self.inward, self.degrees, found)
        return found


def links_of(sources: NDArray[Any], targets: NDArray[Any], nodes: int) -> GraphLinks:
    """From pairs in any order: sources[i] links to targets[i]."""
    owners, to = np.ascontiguousarray(sources, np.uint32), np.ascontiguousarray(targets, np.uint32)
    if len(owners) and max(owners.max(), to.max()) >= nodes:
        raise ValueError(f"a link from or to a node beyond the {nodes} there are")
    bounds, rows = np.zeros(nodes + 1, np.int64), np.empty(len(to), np.uint32)
    _group(owners, to, bounds, rows)
    bounds, rows = clean_rows(np.arange(nodes, dtype=np.int64), bounds, rows)
    linking = np.flatnonzero(np.diff(bounds))
    return GraphLinks(nodes, linking.astype(np.uint32), np.append(bounds[linking], len(rows)), rows)


def clean_rows(owners: Numbers, bounds: Numbers, targets: Nodes) -> tuple[Numbers, Nodes]:
    """Rows of targets sorted, without repetitions and without self-links.  `targets` is overwritten."""
    kept = np.zeros(len(owners) + 1, np.int64)
    _clean(owners, bounds, targets, kept)
    # A view keeps the memory of what was dropped; a sixteenth is not worth a copy.
    least = len(targets) - len(targets) // 16
    return kept, targets[: kept[-1]] if kept[-1] >= least else targets[: kept[-1]].copy()


class LinkGraph:
    """The links of a crawl while it grows.

    A node's links are contiguous: in `_whole`, sorted by source at the last compaction, or in `_tail`, to which new
    links are appended; positions count through both.  Invariant: edges = the sum of `_sizes`.  Replaced links stay
    unused until the tail is half as long as the whole; then everything is compacted.
    """

    def __init__(self) -> None:
        self.nodes = 0
        self.edges = 0
        self._starts = np.zeros(0, np.int64)
        self._sizes = np.zeros(0, np.uint32)
        self._whole = GraphLinks(0, np.zeros(0, np.uint32), np.zeros(1, np.int64), np.zeros(0, np.uint32))
        self._tail = np.zeros(0, np.uint32)
        self._used = 0
        self._changed = False

    @property
    def nbytes(self) -> int:
        whole = self._whole
        parts = (self._starts, self._sizes, self._tail, whole.sources, whole.bounds, whole.targets)
        return sum(part.nbytes for part in parts)

    def grow(self, nodes: int) -> None:
        """Increase the number of nodes."""
        if nodes > len(self._starts):
            self._starts = grown(self._starts, nodes)
            self._sizes = grown(self._sizes, nodes)
        self.nodes = max(self.nodes, nodes)

    def put(self, sources: Numbers, bounds: Numbers, targets: Nodes) -> None:
        """Replace the links of sources[i] by targets[bounds[i]:bounds[i + 1]]."""
        owners = np.ascontiguousarray(sources, np.int64)
        if len(owners) and (owners.min() < 0 or max(int(owners.max()), int(targets.max(initial=0))) >= self.nodes):
            raise ValueError(f"a link from or to a node beyond the {self.nodes} there are")
        rows = np.array(targets, np.uint32)[bounds[0] : bounds[-1]]
        kept, rows = clean_rows(owners, np.ascontiguousarray(bounds, np.int64) - bounds[0], rows)
        if self._used + len(rows) > len(self._tail):
            self._tail = grown(self._tail, self._used + len(rows))
        self._tail[self._used : self._used + len(rows)] = rows
        once, last = np.unique(owners[::-1], return_index=True)
        last = len(owners) - 1 - last
        sizes = np.diff(kept)[last]
        self.edges += int(sizes.sum()) - int(self._sizes[once].sum())
        self._starts[once], self._sizes[once] = self._whole.edges + self._used + kept[last], sizes
        self._used += len(rows)
        self._changed = True
        if self._used > max(_LEAST, self._whole.edges // 2):
            self.compact()

    def compact(self) -> GraphLinks:
        """All links as one value; the same one until the next `put` or `grow`."""
        if self._changed:
            self._whole = self._merged()
            self._starts[self._whole.sources] = self._whole.bounds[:-1]
            self._tail, self._used, self._changed = np.zeros(0, np.uint32), 0, False
        elif self._whole.nodes < self.nodes:
            self._whole = GraphLinks(self.nodes, self._whole.sources, self._whole.bounds, self._whole.targets)
        return self._whole

    def _merged(self) -> GraphLinks:
        linking = np.flatnonzero(self._sizes[: self.nodes])
        bounds = np.zeros(len(linking) + 1, np.int64)
        np.cumsum(self._sizes[linking], out=bounds[1:])
        targets = np.empty(bounds[-1], np.uint32)
        _copy(self._starts[linking], bounds, self._whole.targets, self._tail, targets)
        return GraphLinks(self.nodes, linking.astype(np.uint32), bounds, targets)


def grown(array: NDArray[Any], least: int) -> NDArray[Any]:
    """A larger array with the same content; it grows by a quarter at least, so growth is amortised."""
    larger = np.zeros(max(least, len(array) + len(array) // 4), array.dtype)
    larger[: len(array)] = array
    return larger


@compiled
def _count_ends(nodes: Nodes, ends: Numbers) -> None:
    """Where the rows of nodes end if each has as many items as it occurs.  `ends` begins with zeros."""
    for i in range(nodes.size):
        ends[nodes[i]] += 1
    total = 0
    for i in range(ends.size - 1):
        total += ends[i]
        ends[i] = total
    ends[ends.size - 1] = total


@cached(types.void(_NODES, _NODES, types.int64[::1], types.uint32[::1]))
def _group(sources: Nodes, targets: Nodes, bounds: Numbers, rows: Nodes) -> None:
    """Counting sort by source.  `bounds` begins with zeros."""
    _count_ends(sources, bounds)
    for i in range(sources.size - 1, -1, -1):  # from the end, so that each bound ends where its row begins
        bounds[sources[i]] -= 1
        rows[bounds[sources[i]]] = targets[i]


@cached(types.void(_NUMBERS, _NODES, types.int64[::1], types.uint32[::1]))
def _transpose(bounds_out: Numbers, targets: Nodes, bounds: Numbers, sources: Nodes) -> None:
    """Sort by target, as `_group` sorts by source."""
    _count_ends(targets, bounds)
    for i in range(bounds_out.size - 2, -1, -1):
        for j in range(bounds_out[i], bounds_out[i + 1]):
            bounds[targets[j]] -= 1
            sources[bounds[targets[j]]] = i


@cached(types.void(_NUMBERS, _NODES, _NUMBERS, types.int64[::1]))
def _count_neighbours(bounds: Numbers, sources: Nodes, degrees: Numbers, found: Numbers) -> None:
    for i in range(found.size):
        found[i] = 0
        for j in range(bounds[i], bounds[i + 1]):
            found[i] += degrees[sources[j]] - 1


@cached(types.void(_NUMBERS, _NUMBERS, types.uint32[::1], types.int64[::1]))
def _clean(owners: Numbers, bounds: Numbers, targets: Nodes, kept: Numbers) -> None:
    end = 0
    for i in range(owners.size):
        low, high = bounds[i], bounds[i + 1]
        if high - low > _SHORT:
            targets[low:high].sort()
        else:
            for j in range(low + 1, high):
                here, at = targets[j], j
                while at > low and targets[at - 1] > here:
                    targets[at] = targets[at - 1]
                    at -= 1
                targets[at] = here
        first = end
        for j in range(low, high):
            if targets[j] != owners[i] and (end == first or targets[end - 1] != targets[j]):
                targets[end] = targets[j]
                end += 1
        kept[i + 1] = end


@cached(types.void(_NUMBERS, _NUMBERS, _NODES, _NODES, types.uint32[::1]))
def _copy(starts: Numbers, bounds: Numbers, whole: Nodes, tail: Nodes, targets: Nodes) -> None:
    for i in range(starts.size):
        shift: Int = starts[i] - bounds[i]
        if starts[i] < whole.size:
            for j in range(bounds[i], bounds[i + 1]):
                targets[j] = whole[j + shift]
        else:
            for j in range(bounds[i], bounds[i + 1]):
                targets[j] = tail[j + shift - whole.size]
