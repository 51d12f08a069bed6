"""How are score changes measured on the curves of many queries?  The compiled loops."""

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

Records = NDArray[np.uint32]  # for each query, the number of results and the bits of the scores at its knots

_FAR = 1000  # ranks; all further ones have a fortieth of visibility
_NUMBERS, _SCORES, _FLOATS = readable(types.uint32), readable(types.float32), types.float64[::1]
_RECORDS = types.uint32[:, ::1]
_TABLES = (*[readable(types.float64)] * 3, types.float64, types.float64)


@cached(types.void(KEYS, OFFSETS, OFFSETS, _RECORDS, *_TABLES))
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
    """Write the knots of every list to its record."""
    ranks, tables = np.empty(4, np.int64), (seen, logs, roots, scale, exponent)
    for i in range(starts.size):
        for j in range(knot_ranks(sizes[i], ranks, tables)):
            records[i, 1 + j] = items[starts[i] + ranks[j] - 1] >> np.uint64(32)
        records[i, 0] = sizes[i]


@cached(types.void(KEYS, OFFSETS, OFFSETS, types.int64, types.uint32[::1]))
def find_heads(items: Keys, starts: Offsets, sizes: Offsets, depth: Int, floors: Numbers) -> None:
    """Cut lists to the results better than the first one below `depth`; the next higher score is the floor.

    Scores are compared as bits, which have the same order.
    """
    for i in range(starts.size):
        if sizes[i] > depth:
            deep = items[starts[i] + depth] >> np.uint64(32)
            floors[i] = deep + np.uint64(1)
            sizes[i] = depth
            while sizes[i] and items[starts[i] + sizes[i] - 1] >> np.uint64(32) == deep:
                sizes[i] -= 1


@inlined
def _new_knot(knot: Int, rank: Int, curve: Curve, tables: VisibilityTables) -> Float:
    """The new score of a knot: the score at a rank next to it.

    Within a curve it is taken from a tangent, not from the piece on that side: then entering and leaving again restores
    the knot, while two different slopes would straighten the curve step by step.
    """
    scores, ranks, logs, _, count = curve
    if knot < count and ranks[knot] == rank:
        return scores[knot]
    if count < 4 or knot == 0 or knot == 3 or rank == ranks[knot - 1] or rank == ranks[knot + 1]:
        return score_at(rank, curve, tables)
    slope = (slope_of(knot - 1, curve) + slope_of(knot, curve)) / 2
    moved = scores[knot] * math.exp(slope * (logs[knot] - log_of(rank, tables)))
    return min(max(moved, scores[knot + 1]), scores[knot - 1])


@inlined
def _update_record(
    at: Int,
    to: Int,
    score: Float,
    n: Int,
    record: Numbers,
    curve: Curve,
    tables: VisibilityTables,
    ranks: NDArray[np.int64],
) -> None:
    """Update the record of a list of n results after a page moved from rank `at` to rank `to` (0: none)."""
    count = knot_ranks(n, ranks, tables)
    record[0] = n
    above = np.inf
    for j in range(4):
        knot = 0.0
        if j < count:
            without = ranks[j] - (to > 0 and ranks[j] > to)  # rank in the list without the page
            rank = without + (at > 0 and without >= at)  # and in the old list
            knot = score if ranks[j] == to else _new_knot(j, rank, curve, tables)
            if to > 0:  # results before the page are no worse, those after it no better
                knot = max(knot, score) if ranks[j] < to else min(knot, score)
            above = knot = min(knot, above)
        record[1 + j] = np.float32(knot).view(np.uint32)


@cached(
    types.int64(
        *(_NUMBERS, _SCORES, _SCORES, _NUMBERS, _RECORDS, *_TABLES, types.int64, types.boolean),
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
    """Measure and apply changes; returns the index of a page that cannot be in its list, -1 if there is none."""
    tables = (seen, logs, roots, scale, exponent)
    arrays = (np.zeros(4), np.zeros(4, np.int64), np.zeros(4), np.zeros(4))
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
                gain[i], rank_after[i] = visibility_at(1, tables) * becomes, 1
                records[query, 0], records[query, 1] = 1, np.float32(after[i]).view(np.uint32)
            continue
        curve = (*arrays, load(n, records[query], (*arrays, 0), tables))
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
            gain[i] = (
                gain_of_rise(becomes, n + 1, measured, form, curve, tables) + visibility_at(n + 1, tables) * becomes
            )
        elif becomes > was:
            gain[i] = gain_of_rise(becomes, at, measured, form, curve, tables)
        else:
            gain[i] = gain_of_fall(becomes, at, measured, form, curve, tables)
        rank_after[i] = measured if becomes > 0 else 0
        n += (was == 0) - np.int64(becomes == 0)
        _update_record(at, to, becomes, n, records[query], curve, tables, new_ranks)
    return -1


@inlined
def _destination(was: Float, becomes: Float, tie: Int, at: Int, n: Int, curve: Curve) -> Int:
    """The new rank of a page; 0 if it leaves."""
    if becomes == 0:
        return 0
    to = next_rank(becomes, tie, curve)
    if was == 0:
        return to
    return min(to, at) if becomes > was else min(max(to - 1, at), n)


@cached(types.void(_NUMBERS, _SCORES, _RECORDS, *_TABLES, types.int64, _FLOATS))
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
    tables = (seen, logs, roots, scale, exponent)
    arrays = (np.zeros(4), np.zeros(4, np.int64), np.zeros(4), np.zeros(4))
    for i in range(queries.size):
        n, score = np.int64(records[queries[i], 0]), np.float64(entering[i])
        gain[i] = visibility_at(n + 1, tables) * score
        if n and score > 0:
            curve = (*arrays, load(n, records[queries[i]], (*arrays, 0), tables))
            gain[i] += gain_of_rise(score, n + 1, next_rank(score, 0, curve), form, curve, tables)


@cached(types.void(_NUMBERS, _SCORES, _RECORDS, *_TABLES, _FLOATS))
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
    tables = (seen, logs, roots, scale, exponent)
    arrays = (np.zeros(4), np.zeros(4, np.int64), np.zeros(4), np.zeros(4))
    for i in range(queries.size):
        n = np.int64(records[queries[i], 0])
        curve = (*arrays, load(n, records[queries[i]], (*arrays, 0), tables))
        out[i] = rank_of(np.float64(asked[i]), curve) if n else 1.0


@cached(types.void(_NUMBERS, _NUMBERS, _RECORDS, *_TABLES, _FLOATS))
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
    tables = (seen, logs, roots, scale, exponent)
    arrays = (np.zeros(4), np.zeros(4, np.int64), np.zeros(4), np.zeros(4))
    for i in range(queries.size):
        n = np.int64(records[queries[i], 0])
        curve = (*arrays, load(n, records[queries[i]], (*arrays, 0), tables))
        out[i] = score_at(np.int64(asked[i]), curve, tables) if n else 0.0


@cached(types.void(_RECORDS, *_TABLES, _FLOATS))
def attention_on(
    records: Records, seen: Floats, logs: Floats, roots: Floats, scale: Float, exponent: Float, out: Floats
) -> None:
    """Σ I(rank)·score along each curve, for the first _FAR ranks."""
    tables = (seen, logs, roots, scale, exponent)
    arrays = (np.zeros(4), np.zeros(4, np.int64), np.zeros(4), np.zeros(4))
    for i in range(len(records)):
        n = np.int64(records[i, 0])
        curve = (*arrays, load(n, records[i], (*arrays, 0), tables))
        last: Int = min(n, np.int64(_FAR))
        for rank in range(1, last + 1):
            out[i] += visibility_at(rank, tables) * score_at(rank, curve, tables)
