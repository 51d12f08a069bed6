"""How are the equations behind all walks solved?

    x_j = base + Σ_{i→j} w_i·x_i            w_i·(links of i) ≤ alpha < 1: a node passes on at most alpha of its value

Nodes without links pass nothing on: only linking nodes are iterated, and the others receive one push at the end.
Within a block, rows are solved one after the other with the latest values (Gauss–Seidel; half the passes of power
iteration); values from other blocks are those of the previous pass.  So blocks run in parallel, and the result does not
depend on the number of threads.  Every few passes the sequence is extrapolated (A. Aitken 1926; for PageRank: S. Kamvar
et al., WWW 2003).
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.graph.links import GraphLinks, Inward, Nodes, Numbers
from sought.web.compiled import Int, cached, readable

Floats = NDArray[np.float64]
Mapper = Callable[..., Any]  # map, or the map of a pool

_NUMBERS, _NODES, _FLOATS = readable(types.int64), readable(types.uint32), readable(types.float64)
_TWO: Any = types.Tuple((types.float64, types.float64))  # type: ignore[no-untyped-call]  # numba
_BLOCKS, _SMALL = 16, 1 << 18  # blocks of a large graph; graphs with fewer links are not worth a thread
_LEAP, _STEEPEST = 6, 0.97  # passes between extrapolations; beyond this rate they would overshoot


class StopRule(NamedTuple):
    """When is a solution good enough?

    After a pass that changed values by Δ (L1) in all, the residual is at most alpha·Δ, whether or not a row used values
    of the same pass; so the error of the solution is at most alpha/(1 − alpha)·Δ.  It is compared with `tolerance`; if
    `relative`, with half of `tolerance` times the sum, because the solution will be divided by its sum.
    """

    alpha: float
    tolerance: float
    rounds: int
    relative: bool = False

    def reached(self, moved: float, total: float) -> bool:
        error = self.alpha / (1 - self.alpha) * moved
        return error <= self.tolerance * (total / 2 if self.relative else 1.0)


@contextmanager
def block_mapper(links: GraphLinks) -> Iterator[Mapper]:
    """A `map` over blocks, in parallel if the graph is large."""
    if links.edges < _SMALL:
        yield map
    else:
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            yield pool.map


def blocks_of(bounds: Numbers) -> list[tuple[int, int]]:
    """Ranges of rows with equally many links, row i from bounds[i] to bounds[i + 1]; the same on every machine."""
    rows, edges = len(bounds) - 1, int(bounds[-1])
    if edges < _SMALL:
        return [(0, rows)]
    cuts = np.searchsorted(bounds, np.arange(1, _BLOCKS) * edges // _BLOCKS)
    return list(pairwise([0, *cuts.tolist(), rows]))


def lengths_of(rows: Nodes, bounds: Numbers) -> Numbers:
    """The bounds of these rows alone, end to end."""
    return np.append(0, np.cumsum(np.diff(bounds)[rows]))


def solve_walk(links: GraphLinks, weights: Floats, base: float, start: Floats, stop: StopRule) -> Floats:
    """The solution; weights[i] belongs to links.sources[i].  Iteration begins at `start`."""
    inward, core = links.inward, links.sources
    values = start[core]
    sent, fresh = values * weights, np.empty(len(core))
    solve(0, 0, core, *inward, sent, fresh, weights, base, values)  # compiled here, not in every thread
    blocks, leaps = blocks_of(lengths_of(core, inward.bounds)), Extrapolation()
    with block_mapper(links) as each:
        for _ in range(stop.rounds):
            results = list(each(partial(_solve_block, core, inward, (sent, fresh), weights, base, values), blocks))
            sent, fresh = fresh, sent
            total = base * links.nodes + stop.alpha * sum(part[1] for part in results)
            if stop.reached(sum(part[0] for part in results), total):
                break
            if leaps.apply(values):
                np.multiply(values, weights, out=sent)
        everything = np.empty(links.nodes)
        everything[core] = values
        others = np.ones(links.nodes, np.bool_)
        others[core] = False
        rows = np.flatnonzero(others).astype(np.uint32)
        gather(0, 0, rows, *inward, sent, base, everything)  # compiled here, too
        pushes = blocks_of(lengths_of(rows, inward.bounds))
        list(each(lambda b: gather(b[0], b[1], rows, *inward, sent, base, everything), pushes))
    return everything


def _solve_block(
    core: Nodes,
    inward: Inward,
    sent_fresh: tuple[Floats, Floats],
    weights: Floats,
    base: float,
    values: Floats,
    block: tuple[int, int],
) -> tuple[float, float]:
    return solve(block[0], block[1], core, *inward, *sent_fresh, weights, base, values)


class Extrapolation:
    """Aitken extrapolation: the limit of three successive vectors if every step is the same share of the one before."""

    def __init__(self) -> None:
        self._past: list[Floats] = []
        self._passes = 0

    def apply(self, values: Floats) -> bool:
        """Call after every pass; every few passes it changes `values` and returns True."""
        self._passes += 1
        if self._passes % _LEAP in (_LEAP - 2, _LEAP - 1):
            self._past.append(values.copy())
        if self._passes % _LEAP:
            return False
        first, second = self._past[1] - self._past[0], values - self._past[1]
        self._past = []
        length = float((first * first).sum())
        rate = float((first * second).sum()) / length if length else 0.0
        if not 0.0 < rate < _STEEPEST:
            return False
        values += rate / (1 - rate) * second
        return True


@cached(
    _TWO(
        types.int64, types.int64, _NODES, _NUMBERS, _NODES, _FLOATS, types.float64[::1], _FLOATS, types.float64,
        types.float64[::1],
    )
)  # fmt: skip
def solve(
    low: Int,
    high: Int,
    core: Nodes,
    bounds: Numbers,
    sources: Nodes,
    sent: Floats,
    fresh: Floats,
    weights: Floats,
    base: float,
    values: Floats,
) -> tuple[float, float]:
    """One pass over a block; returns how much it changed, and the sum of its values."""
    moved = held = 0.0
    for i in range(low, high):
        value, node = base, core[i]
        j, end = np.uint64(bounds[node]), np.uint64(bounds[node + 1])
        while j < end:
            k = sources[j]
            value += fresh[k] if low <= k < i else sent[k]
            j += np.uint64(1)
        moved += abs(value - values[i])
        values[i] = value
        fresh[i] = value * weights[i]
        held += value
    return moved, held


@cached(types.void(types.int64, types.int64, _NODES, _NUMBERS, _NODES, _FLOATS, types.float64, types.float64[::1]))
def gather(
    low: Int, high: Int, rows: Nodes, bounds: Numbers, items: Nodes, held: Floats, base: float, out: Floats
) -> None:
    """out[j] = base + the sum of `held` over the sources of links to j, for j in the rows of a block."""
    for i in range(low, high):
        value, node = base, rows[i]
        j, end = np.uint64(bounds[node]), np.uint64(bounds[node + 1])
        while j < end:
            value += held[items[j]]
            j += np.uint64(1)
        out[node] = value
