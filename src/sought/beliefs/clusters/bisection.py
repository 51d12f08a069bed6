"""Which rows are alike?  Clusters by repeated bisection.

Criterion I2 of Y. Zhao & G. Karypis (Empirical and Theoretical Comparisons of Selected Criterion Functions for Document
Clustering, Machine Learning 55, 2004), as Q. Tan & P. Mitra (Clustering-Based Incremental Web Crawling, ACM TOIS 28(4),
2010, eq. 8) cluster pages: τ, the sum of all cosines of rows with the centre of their cluster, is to be large.  For
rows of length 1 that is the sum over clusters of the length of the sum of their rows.

A cluster is split from five random pairs of rows: all rows go to the nearer of the two, then row by row to the other
side if that raises τ, until none does or ten times; the best of the five counts.

Departures: the five are tried on `_SAMPLE` random rows of a larger cluster, and the best is then worked out on all
(of 300,000 made-up rows τ was no less, in two fifths of the time); rows closer than 1e-6 count as one.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numba import float32, float64, int32, int64, types, uint8
from numpy.typing import ArrayLike, NDArray

from sought.beliefs.clusters.partition import Partition
from sought.beliefs.clusters.vectors import Columns, FeatureRows, Values, vectors_of
from sought.web.checks import check_choice, check_whole
from sought.web.compiled import Int, cached, compiled, readable
from sought.web.pages import Floats, Rows

Pick = Literal["gain", "size"]
Sides = NDArray[np.uint8]

_TRIALS, _PASSES, _SAMPLE = 5, 10, 4096
_MARGIN = 1e-9  # what is better by less is not: dense and sparse rows are added up in another order
_MIN_GAIN = 1e-7  # of a move: lengths are 1 to seven digits only
_ALIKE = 1e-12  # square of the distance at which two rows count as one


def bisected(rows: ArrayLike | FeatureRows, k: int, seed: int = 0, pick: Pick = "gain") -> Partition:
    """At most `k` clusters: fewer where fewer rows differ.

    `pick` says which cluster is split next: that where it gains most, or the largest (half the work).  The larger half
    keeps its number, so that numbers below j are those of the clusters there were when there were j; rows of zeros
    are in cluster 0, for they go with the larger half.
    """
    check_whole("k", k, 1, 2**31 - 1)
    check_choice("pick", pick, get_args(Pick))
    vectors = vectors_of(rows)
    leaves, parents, history = _split(_root(vectors, seed), k, pick)
    labels = np.zeros(len(vectors), np.int32)
    for number, leaf in enumerate(leaves):
        labels[leaf.order] = number
    sizes = np.bincount(labels, minlength=len(leaves)) if len(vectors) else np.zeros(1, np.int64)
    sums = np.array([leaf.total for leaf in leaves]).reshape(len(leaves), vectors.width)
    centroids = (sums / np.maximum(sizes, 1)[:, None]).astype(np.float32)
    return Partition(labels, centroids, sizes, np.array(history), np.array(parents, np.int32))


@dataclass(frozen=True, eq=False)
class _Half:
    """One side of a split: which rows of the cluster, and their sum."""

    rows: Rows
    total: Floats


@dataclass(frozen=True, eq=False)
class _Leaf:
    """A cluster that is not split yet: its rows in random order, their numbers, their sum."""

    vectors: FeatureRows
    order: Rows
    total: Floats
    seed: tuple[int, ...]

    @cached_property
    def halves(self) -> tuple[_Half, _Half] | None:
        """The best split, the larger half first; None if all rows are alike."""
        size = len(self.vectors)
        if size < 2:
            return None
        sample, (side, spare) = min(_SAMPLE, size), np.zeros((2, size), np.uint8)
        sums, best = np.zeros((2, 2, self.vectors.width))
        starts = np.random.default_rng(self.seed).integers(sample, size=2 * _TRIALS)
        v = self.vectors
        if not _bisect(v.values, v.columns, v.bounds, sample, starts, side, spare, sums, best):
            return None
        halves = [_Half(np.flatnonzero(side == i), best[i]) for i in range(2)]
        first, second = sorted(halves, key=lambda half: -len(half.rows))
        return first, second

    @cached_property
    def gain(self) -> float:
        """What the best split adds to τ; -1 if there is none."""
        if self.halves is None:
            return -1.0
        return max(0.0, sum(_length(half.total) for half in self.halves) - _length(self.total))

    def child(self, half: _Half, number: int) -> "_Leaf":
        return _Leaf(self.vectors.taken(half.rows), self.order[half.rows], half.total, (self.seed[0], number))


def _length(vector: Floats) -> float:
    """The same on every machine, unlike that of a library for linear algebra."""
    return float(np.sqrt(np.sum(vector * vector)))


def _root(vectors: FeatureRows, seed: int) -> _Leaf:
    """All rows but those of zeros, shuffled, so that a pass over a cluster in order is a pass in random order."""
    order = np.random.default_rng(seed).permutation(np.flatnonzero(~vectors.is_zero))
    shuffled = vectors.taken(order)
    total = np.zeros(vectors.width)
    _add_up(shuffled.values, shuffled.columns, shuffled.bounds, total)
    return _Leaf(shuffled, order, total, (seed, 0))


def _split(root: _Leaf, k: int, pick: Pick) -> tuple[list[_Leaf], list[int], list[float]]:
    """Leaves, the cluster each was part of before it was one, and τ for each number of clusters."""
    leaves, parents, history = [root], [0], [_length(root.total)]
    worth = [_worth(root, pick) if k > 1 else -1.0]
    while len(leaves) < k:
        best = max(worth)
        if best < 0:
            break
        at = next(i for i, value in enumerate(worth) if value >= best * (1 - _MARGIN))
        leaf = leaves[at]
        if leaf.halves is None:
            worth[at] = -1.0
            continue
        number = 2 * len(leaves)
        leaves[at], smaller = (leaf.child(half, number - i) for i, half in enumerate(leaf.halves))
        leaves.append(smaller)
        parents.append(at)
        history.append(history[-1] + leaf.gain)
        if len(leaves) < k:
            worth[at], new = _worth(leaves[at], pick), _worth(smaller, pick)
            worth.append(new)
    return leaves, parents, history


def _worth(leaf: _Leaf, pick: Pick) -> float:
    return leaf.gain if pick == "gain" else float(len(leaf.order))


_VALUES, _COLUMNS, _BOUNDS = readable(float32), readable(int32), readable(int64)
_SUMS = float64[:, ::1]


@cached(types.void(_VALUES, _COLUMNS, _BOUNDS, float64[::1]))
def _add_up(values: Values, columns: Columns, bounds: Rows, total: Floats) -> None:
    for row in range(len(bounds) - 1):
        _add(values, columns, bounds[row], bounds[row + 1], total, 1.0)


@compiled
def _add(values: Values, columns: Columns, begin: Int, end: Int, total: Floats, times: float) -> None:
    if len(columns):
        for i in range(begin, end):
            total[np.uint32(columns[i])] += times * values[i]
    else:
        for i in range(begin, end):
            total[i - begin] += times * values[i]


@compiled
def _dots(values: Values, columns: Columns, begin: Int, end: Int, sums: Floats) -> tuple[float, float]:
    """A row times each of two sums."""
    a, b = 0.0, 0.0
    if len(columns):
        for i in range(begin, end):
            value, at = values[i], np.uint32(columns[i])
            a += value * sums[0, at]
            b += value * sums[1, at]
    else:
        for i in range(begin, end):
            a += values[i] * sums[0, i - begin]
            b += values[i] * sums[1, i - begin]
    return a, b


@compiled
def _norms(sums: Floats) -> tuple[float, float]:
    """Squares of the lengths of two sums."""
    a, b = 0.0, 0.0
    for i in range(sums.shape[1]):
        a += sums[0, i] * sums[0, i]
        b += sums[1, i] * sums[1, i]
    return a, b


@compiled
def _unlike(values: Values, columns: Columns, bounds: Rows, first: Int, start: Int, size: Int, sums: Floats) -> Int:
    """The next row from `start` on, round the `size` first ones, that is not like `first`; -1 if there is none."""
    sums[:] = 0.0
    _add(values, columns, bounds[first], bounds[first + 1], sums[0], 1.0)
    own, _ = _norms(sums)
    for step in range(size):
        row = (start + step) % size
        along, _ = _dots(values, columns, bounds[row], bounds[row + 1], sums)
        square = 0.0
        for i in range(bounds[row], bounds[row + 1]):
            square += np.float64(values[i]) * np.float64(values[i])
        if own + square - 2.0 * along > _ALIKE:
            return row
    return -1


@compiled
def _assign(
    values: Values, columns: Columns, bounds: Rows, size: Int, one: Int, other: Int, sums: Floats, side: Sides
) -> Int:
    """The `size` first rows to the nearer of two sums, row `one` to the first and `other` to the second; new sums.

    How many there are on the second side.
    """
    a, b = _norms(sums)
    a, b = 1.0 / np.sqrt(max(a, 1e-300)), 1.0 / np.sqrt(max(b, 1e-300))
    for row in range(size):
        along, beside = _dots(values, columns, bounds[row], bounds[row + 1], sums)
        side[row] = beside * b > along * a + _MARGIN
    side[one], side[other] = 0, 1
    sums[:] = 0.0
    count = 0
    for row in range(size):
        _add(values, columns, bounds[row], bounds[row + 1], sums[side[row]], 1.0)
        count += side[row]
    return count


@compiled
def _refine(values: Values, columns: Columns, bounds: Rows, size: Int, count: Int, sums: Floats, side: Sides) -> float:
    """Rows to the other side wherever that raises the sum of both lengths, which is returned."""
    for _ in range(_PASSES):
        moves = 0
        a, b = _norms(sums)
        reached = np.sqrt(a) + np.sqrt(b)
        for row in range(size):
            if count == (1 if side[row] else size - 1):
                continue  # the last of its side
            begin, end = bounds[row], bounds[row + 1]
            along, beside = _dots(values, columns, begin, end, sums)
            sign = -1.0 if side[row] else 1.0  # of what leaves the first side
            new_a, new_b = max(a - sign * 2.0 * along + 1.0, 0.0), max(b + sign * 2.0 * beside + 1.0, 0.0)
            new = np.sqrt(new_a) + np.sqrt(new_b)
            if new > reached + _MIN_GAIN:
                _add(values, columns, begin, end, sums[0], -sign)
                _add(values, columns, begin, end, sums[1], sign)
                side[row] = 1 - side[row]
                count += 1 if side[row] else -1
                a, b, reached = new_a, new_b, new
                moves += 1
        if not moves:
            break
    a, b = _norms(sums)
    return np.sqrt(a) + np.sqrt(b)  # type: ignore[no-any-return]  # a float


@cached(types.boolean(_VALUES, _COLUMNS, _BOUNDS, int64, _BOUNDS, uint8[::1], uint8[::1], _SUMS, _SUMS))
def _bisect(
    values: Values,
    columns: Columns,
    bounds: Rows,
    sample: Int,
    starts: Rows,
    side: Sides,
    spare: Sides,
    sums: Floats,
    best: Floats,
) -> bool:
    """The best of several splits, in `side` and `best` (its sums); whether there is any."""
    size = len(side)
    other = _unlike(values, columns, bounds, 0, 0, sample, sums)
    if other < 0:
        sample = size
        other = _unlike(values, columns, bounds, 0, 0, size, sums)
    if other < 0:
        return False
    most, ends = 0.0, (0, 0)
    for trial in range(len(starts) // 2):
        one = starts[2 * trial]
        two = _unlike(values, columns, bounds, one, starts[2 * trial + 1], sample, sums)
        if two < 0:
            one, two = 0, other
        sums[:] = 0.0
        _add(values, columns, bounds[one], bounds[one + 1], sums[0], 1.0)
        _add(values, columns, bounds[two], bounds[two + 1], sums[1], 1.0)
        count = _assign(values, columns, bounds, sample, one, two, sums, spare)
        reached = _refine(values, columns, bounds, sample, count, sums, spare)
        if reached > most * (1.0 + _MARGIN):
            most, ends = reached, (one, two)
            best[:] = sums
            side[:sample] = spare[:sample]
    if sample < size:
        count = _assign(values, columns, bounds, size, ends[0], ends[1], best, side)
        _refine(values, columns, bounds, size, count, best, side)
    return True
