"""How would another copy of one page change the score?  Exact, for many pages at once, each by itself.

A page that moves in a list shifts those between its old place and its new one by one rank.  Sums over the list, made
once a query, give the value of any such shift; so a move costs two binary searches.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.index.quality import Matches
from sought.index.slabs import KEYS, OFFSETS, Keys, Offsets
from sought.index.visibility import Floats
from sought.web.compiled import Int, cached, compiled, readable

Numbers = NDArray[np.uint32]
Scores = NDArray[np.float32]

_32, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_TABLE = readable(types.float64)
_LISTS = (KEYS, OFFSETS, OFFSETS)


class Moves(NamedTuple):
    """Pairs of a page (its place among those asked about) and a query where its score changes, queries ascending."""

    query: Offsets
    page: Offsets
    old: Scores
    new: Scores


def moves_of(rows: Matches, others: Matches, weights: Floats) -> Moves:
    """From `rows` to `others`, whose pages are places; queries that weigh nothing are left out."""
    size = len(rows.queries) + len(others.queries)
    query, page = np.empty(size, np.int64), np.empty(size, np.int64)
    old, new = np.empty(size, np.float32), np.empty(size, np.float32)
    count = _merge(*ascending(rows), *ascending(others), weights, query, page, old, new)
    order = np.argsort(query[:count])
    return Moves(query[order], page[order], old[order], new[order])


def ascending(matches: Matches) -> tuple[Keys, Scores]:
    """Pages and queries as keys, and their scores; what is in order already is not sorted."""
    pairs = matches.pages.astype(np.uint64) << _32 | matches.queries
    if (pairs[1:] > pairs[:-1]).all():
        return pairs, matches.scores
    order = np.argsort(pairs)
    return pairs[order], matches.scores[order]


@cached(
    types.int64(
        *[readable(types.uint64), readable(types.float32)] * 2,
        _TABLE,
        *[types.int64[::1]] * 2,
        *[types.float32[::1]] * 2,
    )
)
def _merge(
    before: Keys,
    before_scores: Scores,
    after: Keys,
    after_scores: Scores,
    weights: Floats,
    query: Offsets,
    page: Offsets,
    old: Scores,
    new: Scores,
) -> Int:
    """Write down pairs whose score is not the same before and after, 0 where there is none; how many they are."""
    i, j, count = 0, 0, 0
    while i < before.size or j < after.size:
        leads = j == after.size or (i < before.size and before[i] <= after[j])
        pair = before[i] if leads else after[j]
        is_old, is_new = i < before.size and before[i] == pair, j < after.size and after[j] == pair
        old[count] = before_scores[i] if is_old else np.float32(0.0)
        new[count] = after_scores[j] if is_new else np.float32(0.0)
        query[count], page[count] = np.int64(pair & _LOW), np.int64(pair >> _32)
        if old[count] != new[count] and weights[query[count]] > 0:
            count += 1
        i, j = i + is_old, j + is_new
    return count


@compiled
def _place(items: Keys, start: Int, size: Int, key: Int, shift: Int, after: Int) -> Int:
    """How many of a descending list stand before `key`, or before what follows it, by what `shift` leaves of keys."""
    low, high = 0, size
    while low < high:
        middle = (low + high) // 2
        here, there = items[start + middle] >> shift, key >> shift
        if here > there or (after and here == there):
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def _seen(sums: Floats, first: Int, stop: Int) -> float:
    """What each of those sees who share the places first, …, stop - 1."""
    return (sums[stop] - sums[first]) / (stop - first) if stop > first else 0.0


@compiled
def _sum_up(
    items: Keys, start: Int, size: Int, shift: Int, worth: Scores, sums: Floats, so_far: NDArray[np.float64]
) -> None:
    """Sums up to each place: of worth, of the attained score, and of that if all stood one place lower, or higher."""
    k = 0
    while k < size:
        stop = k + 1
        while shift and stop < size and items[start + stop] >> shift == items[start + k] >> shift:
            stop += 1
        here, lower = _seen(sums, k, stop), _seen(sums, k + 1, stop + 1)
        higher = _seen(sums, k - 1, stop - 1) if k else 0.0  # nobody can move up there
        for at in range(k, stop):
            value = np.float64(worth[items[start + at] & _LOW])
            so_far[0, at + 1] = so_far[0, at] + value
            so_far[1, at + 1] = so_far[1, at] + here * value
            so_far[2, at + 1] = so_far[2, at] + lower * value
            so_far[3, at + 1] = so_far[3, at] + higher * value
        k = stop


@compiled
def _moved(
    s: Int, e: Int, is_in: Int, s2: Int, e2: Int, comes_in: Int, size: Int, own: float, sums: Floats, so_far: Floats
) -> float:
    """The gain of score if a page worth `own` leaves the block [s, e) and joins [s2, e2), which may be empty."""
    worth, here, lower, higher = so_far[0], so_far[1], so_far[2], so_far[3]
    change: float = 0.0
    up = comes_in and (not is_in or e2 <= s)
    if is_in:  # those that stay behind keep the block's places but one: the first, if the page went up
        change += (worth[e] - worth[s] - own) * _seen(sums, s + up, e - 1 + up) - (here[e] - here[s])
    if comes_in:
        first, stop = (s2, e2 + 1) if up else (s2 - 1, e2)
        change += (worth[e2] - worth[s2] + own) * _seen(sums, first, stop) - (here[e2] - here[s2])
    if up:
        stop = s if is_in else size
        change += lower[stop] - lower[e2] - (here[stop] - here[e2])
    else:
        stop = s2 if comes_in else size
        change += higher[stop] - higher[e] - (here[stop] - here[e])
    return change


@cached(
    types.void(
        *[readable(types.int64)] * 2, *[readable(types.float32)] * 2, readable(types.uint32), *_LISTS, *_LISTS,
        _TABLE, _TABLE, types.uint64, types.float32[::1], types.float64[::1],
    )
)  # fmt: skip
def add_changes(
    queries: Offsets,
    pages: Offsets,
    old: Scores,
    new: Scores,
    numbers: Numbers,
    copies: Keys,
    copy_starts: Offsets,
    copy_sizes: Offsets,
    lives: Keys,
    live_starts: Offsets,
    live_sizes: Offsets,
    weights: Floats,
    sums: Floats,
    shift: Int,
    worth: Scores,
    changes: Floats,
) -> None:
    """Add what each move brings to its page.  Keys shifted by `shift` are equal in a block that shares its visibility.

    `sums` reaches two places beyond the longest list; `worth` is 0 before and after.
    """
    so_far = np.zeros((4, len(sums)))
    done = 0
    while done < queries.size:
        query = queries[done]
        first, last = live_starts[query], live_starts[query] + live_sizes[query]
        for k in range(first, last):
            worth[lives[k] & _LOW] = np.uint32(lives[k] >> _32).view(np.float32)
        start, size = copy_starts[query], copy_sizes[query]
        _sum_up(copies, start, size, shift, worth, sums, so_far)
        while done < queries.size and queries[done] == query:
            number = np.uint64(numbers[pages[done]])
            a = np.uint64(old[done : done + 1].view(np.uint32)[0]) << _32 | number
            b = np.uint64(new[done : done + 1].view(np.uint32)[0]) << _32 | number
            s, e = _place(copies, start, size, a, shift, 0), _place(copies, start, size, a, shift, 1)
            s2, e2 = _place(copies, start, size, b, shift, 0), _place(copies, start, size, b, shift, 1)
            own = np.float64(worth[number])
            gains = _moved(s, e, old[done] > 0, s2, e2, new[done] > 0, size, own, sums, so_far)
            changes[pages[done]] += weights[query] * gains
            done += 1
        for k in range(first, last):
            worth[lives[k] & _LOW] = 0.0


@cached(types.void(*_LISTS, _TABLE, _TABLE, types.uint64, types.float64[::1]))
def add_attention(
    items: Keys, starts: Offsets, sizes: Offsets, weights: Floats, sums: Floats, shift: Int, attention: Floats
) -> None:
    """Add to each number how much attention it gets: Σ weight·I(rank) over all lists."""
    for query in range(starts.size):
        start, size, k = starts[query], sizes[query], 0
        while k < size and weights[query]:
            stop = k + 1
            while shift and stop < size and items[start + stop] >> shift == items[start + k] >> shift:
                stop += 1
            for at in range(k, stop):
                attention[items[start + at] & _LOW] += weights[query] * _seen(sums, k, stop)
            k = stop
