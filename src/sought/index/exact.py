"""What does a change of a score gain, exactly?  Every score of every query is kept."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.index.lists import HeldResults, Numbers, Scores, Shifts, check, no_held, no_shifts
from sought.index.slabs import KEYS, OFFSETS, Keys, Offsets, Slabs, make_room
from sought.index.visibility import Floats, Visibility
from sought.web.compiled import Int, cached, compiled, readable
from sought.web.expression import brief

_1, _2, _3, _4, _32 = (np.uint64(number) for number in (1, 2, 3, 4, 32))
_NOTHING = np.uint64(0)
_SLABS = (KEYS, OFFSETS, OFFSETS, OFFSETS, OFFSETS)
_NUMBERS, _TABLE = readable(types.uint32), readable(types.float64)
_BLOCK = 16  # results between two cached sums
_SHIFTS = (types.uint32[::1], types.uint32[::1], types.float64[::1])


@brief
@dataclass(frozen=True)
class Exact:
    """Exact ranks and displaced scores: 8 bytes a result, and time proportional to the results displaced."""

    def open(self, queries: int, visibility: Visibility) -> "ExactLists":
        return ExactLists(queries, visibility)


class ExactLists:
    """Every query's scores in descending order, ties by their hash; the same page twice is two results."""

    def __init__(self, queries: int, visibility: Visibility) -> None:
        self._visibility = visibility
        self._slabs = Slabs(queries)
        self._longest = 0  # no list is longer
        self._below: Floats = np.zeros(0)  # for `held`: what the results from every 16th of a list on gain by moving up
        self._summed: NDArray[np.bool_] = np.zeros(queries, np.bool_)  # lists for which it is up to date
        self.floors: Scores = np.zeros(queries, np.float32)

    @property
    def counts(self) -> NDArray[np.int64]:
        return self._slabs.sizes.copy()

    @property
    def best(self) -> Scores:
        best = np.zeros(len(self._slabs), np.uint32)
        some = np.flatnonzero(self._slabs.sizes)
        best[some] = self._slabs.items[self._slabs.starts[some]] >> _32
        return best.view(np.float32)

    @property
    def nbytes(self) -> int:
        return self._slabs.nbytes + self._below.nbytes + self._summed.nbytes

    def scores(self, query: int) -> Scores:
        """The scores of a query's results, best first."""
        return (self._slabs[query] >> _32).astype(np.uint32).view(np.float32)

    def attention(self) -> Floats:
        seen, slabs, found = self._visibility.table(self._longest), self._slabs, np.zeros(len(self._slabs))
        _found(slabs.items, slabs.starts, slabs.sizes, seen, found)
        return found

    def fill(self, queries: Numbers, scores: Scores, ties: Numbers) -> None:
        check(len(self._slabs), queries, scores, ties)
        self._slabs.fill(queries, scores, ties)
        self._summed[:] = False
        self._longest = int(self._slabs.sizes.max(initial=0))

    def shift(self, queries: Numbers, before: Scores, after: Scores, ties: Numbers) -> Shifts:
        check(len(self._slabs), queries, before, after, ties)
        self._summed[queries] = False
        tables = self._tables(len(queries))
        out = no_shifts(len(queries))
        done, longest = 0, np.array([self._longest])
        columns = queries, before.view(np.uint32), after.view(np.uint32), ties
        while done < len(queries):
            arguments: tuple[Any, ...] = (*columns, *self._slabs.arrays, *tables, *out, longest, done)
            done = _shift(*arguments)
            if done < 0:
                raise ValueError(f"query {queries[-1 - done]} has no result with score {before[-1 - done]}")
            if done < len(queries):
                self._slabs.grow(2 * int(self._slabs.sizes[queries[done]]) + 4)
                self._summed[:] = False  # all lists have moved
        self._longest = int(longest[0])
        return out

    def entry(self, queries: Numbers, scores: Scores) -> Floats:
        check(len(self._slabs), queries, scores)
        gain = np.zeros(len(queries))
        slabs = self._slabs
        _entry(queries, scores.view(np.uint32), slabs.items, slabs.starts, slabs.sizes, *self._tables(1), gain)
        return gain

    def held(self, queries: Numbers, scores: Scores, ties: Numbers) -> HeldResults:
        check(len(self._slabs), queries, scores, ties)
        out, slabs = no_held(len(queries)), self._slabs
        if len(self._below) != len(slabs.items) // _BLOCK + 1:
            self._below = np.zeros(len(slabs.items) // _BLOCK + 1)
            self._summed[:] = False
        lists = slabs.items, slabs.starts, slabs.sizes, *self._tables(1), self._below, self._summed
        missing = _held(queries, scores.view(np.uint32), ties, *lists, *out)
        if missing >= 0:
            raise ValueError(f"query {queries[missing]} has no result with score {scores[missing]}")
        return out

    def _tables(self, more: int) -> tuple[Floats, Floats]:
        longest = self._longest + more + 1
        return self._visibility.table(longest), self._visibility.drops(longest)


@compiled
def _place(items: Keys, start: Int, size: Int, key: Int) -> Int:
    """How many items of a list are larger."""
    low, high = 0, size
    while low < high:
        middle = (low + high) >> 1
        if items[start + middle] > key:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def _score(key: Int) -> float:
    return np.float64(np.uint32(key >> _32).view(np.float32))


@compiled
def _moved(items: Keys, first: Int, count: Int, drops: Floats, rank: Int, score: float) -> float:
    """Σ (I(k) - I(k+1))·(s - score) over `count` results from `rank` on: what they lose or gain by moving."""
    a = b = c = d = 0.0  # four independent sums
    item, drop = (
        np.uint64(first),
        np.uint64(rank),
    )  # unsigned: compiled code checks whether signed indices are negative
    for _ in range(count >> 2):
        a += drops[drop] * (_score(items[item]) - score)
        b += drops[drop + _1] * (_score(items[item + _1]) - score)
        c += drops[drop + _2] * (_score(items[item + _2]) - score)
        d += drops[drop + _3] * (_score(items[item + _3]) - score)
        item, drop = item + _4, drop + _4
    for _ in range(count & 3):
        a += drops[drop] * (_score(items[item]) - score)
        item, drop = item + _1, drop + _1
    return (a + b) + (c + d)


@compiled
def _rise(items: Keys, start: Int, to: Int, at: Int, key: Int, drops: Floats) -> float:
    """Move a key up to place `to`; results before place `at`, which is free, move down."""
    gain = 0.0 - _moved(items, start + to, at - to, drops, to + 1, _score(key))
    for k in range(start + at, start + to, -1):
        items[k] = items[k - 1]
    items[start + to] = key
    return gain


@compiled
def _fall(items: Keys, start: Int, at: Int, to: Int, key: Int, drops: Floats) -> float:
    """Move the result at place `at` down to place `to`; those between move up."""
    gain = _moved(items, start + at + 1, to - at, drops, at + 1, _score(key))
    for k in range(start + at, start + to):
        items[k] = items[k + 1]
    items[start + to] = key
    return gain


# The gain is Σ (I(k) - I(k+1))·|σ_k - s| over the results displaced, σ being the list without the page and s its score
# afterwards; a page that enters adds I(n+1)·s.  That is §5.1.2 of the paper, summed without cancellation: no term is
# negative.
@cached(types.int64(*[_NUMBERS] * 4, *_SLABS, _TABLE, _TABLE, *_SHIFTS, OFFSETS, types.int64))
def _shift(
    queries: Numbers,
    before: Numbers,
    after: Numbers,
    ties: Numbers,
    items: Keys,
    starts: Offsets,
    sizes: Offsets,
    rooms: Offsets,
    end: Offsets,
    seen: Floats,
    drops: Floats,
    rank_before: Numbers,
    rank_after: Numbers,
    gain: Floats,
    longest: Offsets,
    done: Int,
) -> Int:
    """Shift from `done` on; returns where the array was full, or -1 - i if result i is not in its list."""
    for i in range(done, queries.size):
        query, size, tie = queries[i], sizes[queries[i]], np.uint64(ties[i])
        was, becomes = np.uint64(before[i]) << _32 | tie, np.uint64(after[i]) << _32 | tie
        if after[i] and not before[i] and not make_room(size + 1, query, (items, starts, sizes, rooms, end)):
            return i
        start, at = starts[query], size
        if before[i]:
            at = _place(items, start, size, was)
            if at == size or items[start + at] != was:
                return -1 - i
            rank_before[i] = rank_after[i] = at + 1
        if before[i] == after[i]:
            continue
        to = _place(items, start, size, becomes) if after[i] else size
        if to <= at:
            gain[i] = _rise(items, start, to, at, becomes, drops)
        else:
            to -= 1
            gain[i] = _fall(items, start, at, to, becomes if after[i] else _NOTHING, drops)
        rank_after[i] = to + 1 if after[i] else 0
        if not before[i]:
            gain[i] += seen[size + 1] * _score(becomes)
            sizes[query] = size + 1
            longest[0] = max(longest[0], size + 1)
        elif not after[i]:
            sizes[query] = size - 1
    return queries.size


@cached(types.void(_NUMBERS, _NUMBERS, KEYS, OFFSETS, OFFSETS, _TABLE, _TABLE, types.float64[::1]))
def _entry(
    queries: Numbers,
    scores: Numbers,
    items: Keys,
    starts: Offsets,
    sizes: Offsets,
    seen: Floats,
    drops: Floats,
    gain: Floats,
) -> None:
    """The order among equal scores makes no difference."""
    for i in range(queries.size):
        if scores[i]:
            key, start, size = np.uint64(scores[i]) << _32, starts[queries[i]], sizes[queries[i]]
            to = _place(items, start, size, key)
            gain[i] = seen[size + 1] * _score(key) - _moved(items, start + to, size - to, drops, to + 1, _score(key))


@compiled
def _sum_up(items: Keys, start: Int, size: Int, drops: Floats, below: Floats) -> None:
    """Cache Σ (I(k-1) - I(k))·s_k over the results from place 16, 32, … on."""
    total = 0.0
    for place in range(size - 1, _BLOCK - 1, -1):
        total += drops[place] * _score(items[start + place])
        if place % _BLOCK == 0:
            below[(start + place) // _BLOCK] = total


@cached(
    types.int64(
        *(_NUMBERS, _NUMBERS, _NUMBERS, KEYS, OFFSETS, OFFSETS, _TABLE, _TABLE),
        *(types.float64[::1], types.boolean[::1], types.float64[::1], types.float64[::1]),
    )
)
def _held(
    queries: Numbers,
    scores: Numbers,
    ties: Numbers,
    items: Keys,
    starts: Offsets,
    sizes: Offsets,
    seen: Floats,
    drops: Floats,
    below: Floats,
    summed: NDArray[np.bool_],
    gross: Floats,
    net: Floats,
) -> Int:
    """Returns the index of a page that is not in its list, -1 if there is none."""
    for i in range(queries.size):
        if not scores[i]:
            continue
        query, start, size = queries[i], starts[queries[i]], sizes[queries[i]]
        key = np.uint64(scores[i]) << _32 | np.uint64(ties[i])
        at = _place(items, start, size, key)
        if at == size or items[start + at] != key:
            return i
        if not summed[query]:
            _sum_up(items, start, size, drops, below)
            summed[query] = True
        behind, others = at + 1, 0.0
        while behind < size and behind % _BLOCK:
            others += drops[behind] * _score(items[start + behind])
            behind += 1
        if behind < size:
            others += below[(start + behind) // _BLOCK]
        gross[i] = seen[at + 1] * _score(key)
        net[i] = max(gross[i] - others, seen[size] * _score(key))  # no less, for no result after it is better
    return -1


@cached(types.void(KEYS, OFFSETS, OFFSETS, _TABLE, types.float64[::1]))
def _found(items: Keys, starts: Offsets, sizes: Offsets, seen: Floats, found: Floats) -> None:
    for i in range(starts.size):
        for k in range(sizes[i]):
            found[i] += seen[k + 1] * _score(items[starts[i] + k])
