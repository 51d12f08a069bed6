"""What do the curves of many queries say of shifts, one after the other?  The loops, as machine code."""

import math

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.index.curve import (
    Curve,
    Float,
    VisibilityTables,
    gain_of_fall,
    gain_of_rise,
    knot_ranks,
    load,
    log_of,
    next_rank,
    own_rank,
    rank_of,
    score_at,
    slope_of,
    visibility_at,
)
from sought.index.lists import Numbers, Scores
from sought.index.pieces import inlined
from sought.index.slabs import KEYS, OFFSETS, Keys, Offsets
from sought.index.visibility import Floats
from sought.web.compiled import Bool, Int, cached, readable

Records = NDArray[np.uint32]  # of each query, the number of its results and the bits of the scores at its knots

_FAR = 1000  # ranks; all further ones together are a fortieth of what is seen
_NUMBERS, _SCORES, _FLOATS = readable(types.uint32), readable(types.float32), types.float64[::1]
_RECORDS = types.uint32[:, ::1]
_SIGHT = (*[readable(types.float64)] * 3, types.float64, types.float64)


@cached(types.void(KEYS, OFFSETS, OFFSETS, _RECORDS, *_SIGHT))
def read_knots(
    items: Keys,
    starts: Offsets,
    sizes: Offsets,
    records: Records,
    seen: Floats,
    logs: Floats,
    roots: Floats,
    scale: Float,
    exponent: Float,
) -> None:
    """The knots of every list."""
    ranks, sight = np.empty(4, np.int64), (seen, logs, roots, scale, exponent)
    for i in range(starts.size):
        for j in range(knot_ranks(sizes[i], ranks, sight)):
            records[i, 1 + j] = items[starts[i] + ranks[j] - 1] >> np.uint64(32)
        records[i, 0] = sizes[i]


@cached(types.void(KEYS, OFFSETS, OFFSETS, types.int64, types.uint32[::1]))
def find_heads(items: Keys, starts: Offsets, sizes: Offsets, depth: Int, floors: Numbers) -> None:
    """Cut lists to those results that are better than the first one below `depth`; the next higher score is the floor.

    Scores are looked at as bits, which are ordered as they are.
    """
    for i in range(starts.size):
        if sizes[i] > depth:
            deep = items[starts[i] + depth] >> np.uint64(32)
            floors[i] = deep + np.uint64(1)
            sizes[i] = depth
            while sizes[i] and items[starts[i] + sizes[i] - 1] >> np.uint64(32) == deep:
                sizes[i] -= 1


@inlined
def _near(knot: Int, rank: Int, curve: Curve, sight: VisibilityTables) -> Float:
    """The score at a rank next to a knot, which is to become that knot's score.

    Within a curve it is read off a tangent, not off the piece on its side: then what enters and leaves again leaves the
    knot where it was, while two different slopes would straighten the curve little by little.
    """
    scores, ranks, logs, _, count = curve
    if knot < count and ranks[knot] == rank:
        return scores[knot]
    if count < 4 or knot == 0 or knot == 3 or rank == ranks[knot - 1] or rank == ranks[knot + 1]:
        return score_at(rank, curve, sight)
    slope = (slope_of(knot - 1, curve) + slope_of(knot, curve)) / 2
    moved = scores[knot] * math.exp(slope * (logs[knot] - log_of(rank, sight)))
    return min(max(moved, scores[knot + 1]), scores[knot - 1])


@inlined
def _keep_up(
    at: Int,
    to: Int,
    score: Float,
    n: Int,
    record: Numbers,
    curve: Curve,
    sight: VisibilityTables,
    ranks: NDArray[np.int64],
) -> None:
    """The knots of the list of n results that comes about when the page at rank `at` goes to rank `to` (0: none)."""
    count = knot_ranks(n, ranks, sight)
    record[0] = n
    above = np.inf
    for j in range(4):
        knot = 0.0
        if j < count:
            without = ranks[j] - (to > 0 and ranks[j] > to)  # its rank in the list without the page
            rank = without + (at > 0 and without >= at)  # and in the old list
            knot = score if ranks[j] == to else _near(j, rank, curve, sight)
            if to > 0:  # those before the page are no worse, those behind it no better
                knot = max(knot, score) if ranks[j] < to else min(knot, score)
            above = knot = min(knot, above)
        record[1 + j] = np.float32(knot).view(np.uint32)


@cached(
    types.int64(
        *(_NUMBERS, _SCORES, _SCORES, _NUMBERS, _RECORDS, *_SIGHT, types.int64, types.boolean),
        *(types.uint32[::1], types.uint32[::1], _FLOATS),
    )
)
def shift(
    queries: Numbers,
    before: Scores,
    after: Scores,
    ties: Numbers,
    records: Records,
    seen: Floats,
    logs: Floats,
    roots: Floats,
    scale: Float,
    exponent: Float,
    form: Int,
    paper: Bool,
    rank_before: Numbers,
    rank_after: Numbers,
    gain: Floats,
) -> Int:
    """Measure and enter; returns the place of a page that cannot be in its list, -1 if there is none."""
    sight = (seen, logs, roots, scale, exponent)
    scores, ranks, knot_logs, slopes = np.zeros(4), np.zeros(4, np.int64), np.zeros(4), np.zeros(4)
    new_ranks = np.zeros(4, np.int64)
    for i in range(queries.size):
        query, was, becomes, n = (
            queries[i],
            np.float64(before[i]),
            np.float64(after[i]),
            np.int64(records[queries[i], 0]),
        )
        if n == 0:
            if was > 0:
                return i
            if becomes > 0:
                gain[i], rank_after[i] = visibility_at(1, sight) * becomes, 1
                records[query, 0], records[query, 1] = 1, np.float32(after[i]).view(np.uint32)
            continue
        count = load(n, records[query], (scores, ranks, knot_logs, slopes, 0), sight)
        curve = (scores, ranks, knot_logs, slopes, count)
        at = own_rank(was, ties[i], curve) if was > 0 else 0
        rank_before[i] = rank_after[i] = at
        if was == becomes:
            continue
        to = _destination(was, becomes, ties[i], at, n, curve)
        if paper:
            measured = min(np.int64(rank_of(becomes, curve) + 0.5), n + 1) if becomes > 0 else n + 1
        else:
            measured = to if becomes > 0 else n
        if was == 0:
            gain[i] = gain_of_rise(becomes, n + 1, measured, form, curve, sight) + visibility_at(n + 1, sight) * becomes
        elif becomes > was:
            gain[i] = gain_of_rise(becomes, at, measured, form, curve, sight)
        else:
            gain[i] = gain_of_fall(becomes, at, measured, form, curve, sight)
        rank_after[i] = measured if becomes > 0 else 0
        n += (was == 0) - np.int64(becomes == 0)
        _keep_up(at, to, becomes, n, records[query], curve, sight, new_ranks)
    return -1


@inlined
def _destination(was: Float, becomes: Float, tie: Int, at: Int, n: Int, curve: Curve) -> Int:
    """The rank a page comes to; 0 if it leaves."""
    if becomes == 0:
        return 0
    to = next_rank(becomes, tie, curve)
    if was == 0:
        return to
    return min(to, at) if becomes > was else min(max(to - 1, at), n)


@cached(types.void(_NUMBERS, _SCORES, _RECORDS, *_SIGHT, types.int64, _FLOATS))
def entry(
    queries: Numbers,
    entering: Scores,
    records: Records,
    seen: Floats,
    logs: Floats,
    roots: Floats,
    scale: Float,
    exponent: Float,
    form: Int,
    gain: Floats,
) -> None:
    sight = (seen, logs, roots, scale, exponent)
    scores, ranks, knot_logs, slopes = np.zeros(4), np.zeros(4, np.int64), np.zeros(4), np.zeros(4)
    for i in range(queries.size):
        n, score = np.int64(records[queries[i], 0]), np.float64(entering[i])
        gain[i] = visibility_at(n + 1, sight) * score
        if n and score > 0:
            curve = (
                scores,
                ranks,
                knot_logs,
                slopes,
                load(n, records[queries[i]], (scores, ranks, knot_logs, slopes, 0), sight),
            )
            gain[i] += gain_of_rise(score, n + 1, next_rank(score, 0, curve), form, curve, sight)


@cached(types.void(_NUMBERS, _SCORES, _RECORDS, *_SIGHT, _FLOATS))
def ranks_of(
    queries: Numbers,
    asked: Scores,
    records: Records,
    seen: Floats,
    logs: Floats,
    roots: Floats,
    scale: Float,
    exponent: Float,
    out: Floats,
) -> None:
    sight = (seen, logs, roots, scale, exponent)
    scores, ranks, knot_logs, slopes = np.zeros(4), np.zeros(4, np.int64), np.zeros(4), np.zeros(4)
    for i in range(queries.size):
        n = np.int64(records[queries[i], 0])
        count = load(n, records[queries[i]], (scores, ranks, knot_logs, slopes, 0), sight)
        out[i] = rank_of(np.float64(asked[i]), (scores, ranks, knot_logs, slopes, count)) if n else 1.0


@cached(types.void(_NUMBERS, _NUMBERS, _RECORDS, *_SIGHT, _FLOATS))
def scores_at(
    queries: Numbers,
    asked: Numbers,
    records: Records,
    seen: Floats,
    logs: Floats,
    roots: Floats,
    scale: Float,
    exponent: Float,
    out: Floats,
) -> None:
    sight = (seen, logs, roots, scale, exponent)
    scores, ranks, knot_logs, slopes = np.zeros(4), np.zeros(4, np.int64), np.zeros(4), np.zeros(4)
    for i in range(queries.size):
        n = np.int64(records[queries[i], 0])
        count = load(n, records[queries[i]], (scores, ranks, knot_logs, slopes, 0), sight)
        out[i] = score_at(np.int64(asked[i]), (scores, ranks, knot_logs, slopes, count), sight) if n else 0.0


@cached(types.void(_RECORDS, *_SIGHT, _FLOATS))
def attention_on(
    records: Records, seen: Floats, logs: Floats, roots: Floats, scale: Float, exponent: Float, out: Floats
) -> None:
    """Σ I(rank)·score along each curve, as far as people look."""
    sight = (seen, logs, roots, scale, exponent)
    scores, ranks, knot_logs, slopes = np.zeros(4), np.zeros(4, np.int64), np.zeros(4), np.zeros(4)
    for i in range(len(records)):
        n = np.int64(records[i, 0])
        curve = (scores, ranks, knot_logs, slopes, load(n, records[i], (scores, ranks, knot_logs, slopes, 0), sight))
        last: Int = min(n, np.int64(_FAR))
        for rank in range(1, last + 1):
            out[i] += visibility_at(rank, sight) * score_at(rank, curve, sight)
