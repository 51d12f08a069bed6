"""Which queries does a page answer, and how well, before and after?  One pass over the page's terms."""

import math
from typing import Any

import numpy as np
from numba import float32, int32, int64, uint32
from numpy.typing import NDArray

from sought.index.scorers import FIELDS_APART, FIELDS_TOGETHER, PRESENCE
from sought.index.vectors import EACH, FIELDS, HEAD, Vector
from sought.web.compiled import Int, cached, compiled, readable

Numbers = NDArray[np.int32]
Scores = NDArray[np.float32]
Bounds = NDArray[np.int64]
Float = Any  # of compiled code, with 32 bits

ABSENT = np.float32(-1e30)  # what a term adds that the page does not hold: no sum with it is positive
_SHIFTS = (np.uint32(0), np.uint32(16))


@compiled
def length_class(length: Int) -> Int:
    """The class of a length, as the search index keeps it in a byte."""
    if length < 40:
        return length
    rest = length - 24
    shift = 0
    while rest >> (shift + 4):
        shift += 1
    return min(24 + ((shift + 1) << 3) + ((rest >> shift) & 7), 255)


@compiled
def _norm(data: Vector, start: Int, field: Int, below: Scores) -> Float:
    return below[field, length_class(np.int64(data[start + 1 + field]))]


@compiled
def _score_terms(
    data: Vector, start: Int, stop: Int, kind: Int, weights: Scores, below: Scores, scores: Scores, side: Int
) -> None:
    """Fill in what each term of a page adds to the score of a query, on the side of before (0) or after (1)."""
    if start == stop:
        return
    total: Int = np.int64(0)
    for f in range(FIELDS):
        total += np.int64(data[start + 1 + f])
    together = np.float32(1.0 / math.sqrt(max(total, np.int64(1))))
    norms = (
        _norm(data, start, 0, below),
        _norm(data, start, 1, below),
        _norm(data, start, 2, below),
        _norm(data, start, 3, below),
    )
    for at in range(start + HEAD, stop, EACH):
        term, count, added = data[at], np.int64(0), np.float32(0)
        for f in range(FIELDS):
            here = np.int64(data[at + 1 + (f >> 1)] >> _SHIFTS[f & 1]) & 0xFFFF
            count += here
            if here and kind == FIELDS_APART:
                tf = np.float32(here)
                added += weights[term, f] * (tf / (tf + norms[f]))
        if kind == FIELDS_TOGETHER:
            added = np.float32(math.sqrt(count)) * weights[term, 0] * together
        elif kind == PRESENCE:
            added = weights[term, 0]
        scores[term, side] = added


@compiled
def _clear_terms(data: Vector, start: Int, stop: Int, scores: Scores) -> None:
    for at in range(start + HEAD, stop, EACH):
        scores[data[at], 0] = scores[data[at], 1] = ABSENT


@compiled
def _tell(
    data: Vector,
    low: Int,
    high: Int,
    only: Int,
    file: Numbers,
    start: Numbers,
    query: Numbers,
    second: Numbers,
    first: Numbers,
    others: Numbers,
    floors: Scores,
    scores: Scores,
    page: Int,
    out: Int,
    out_page: Numbers,
    out_query: Numbers,
    out_before: Scores,
    out_after: Scores,
) -> Int:
    """Note the changed queries filed under the terms of a vector; returns how many there are by now.

    With `only`, just those under terms that the other side does not hold.  There may be more than fit.
    """
    if low == high:
        return out
    language, terms, room = file[data[low]], np.int64(start.shape[1] - 1), np.int64(len(out_page))
    for at in range(low + HEAD, high, EACH):
        term = np.int64(data[at])
        if term >= terms or (only and scores[term, 1] > 0):
            continue
        was, becomes = scores[term, 0], scores[term, 1]
        for i in range(start[language, term], start[language, term + 1]):
            before, after = was, becomes
            if second[i] >= 0:
                before += scores[second[i], 0]
                after += scores[second[i], 1]
                if before <= 0 and after <= 0:
                    continue
                for k in range(first[i], first[i + 1]):
                    before += scores[others[k], 0]
                    after += scores[others[k], 1]
            before, after = max(before, np.float32(0)), max(after, np.float32(0))
            floor = floors[query[i]]
            if before != after and (before >= floor or after >= floor):
                if out < room:
                    out_page[out], out_query[out] = page, query[i]
                    out_before[out], out_after[out] = before, after
                out += 1
    return out


@cached(
    int64(
        *(readable(uint32), readable(int64), readable(uint32), readable(int64), int64),
        *(int32[::1], int32[:, ::1], int32[::1], int32[::1], int32[::1], int32[::1]),
        *(int64, float32[:, ::1], float32[:, ::1], float32[::1], float32[:, ::1]),
        *(int32[::1], int32[::1], float32[::1], float32[::1], int64[::1]),
    )
)
def match(
    old: Vector,
    old_bounds: Bounds,
    new: Vector,
    new_bounds: Bounds,
    page: Int,
    file: Numbers,
    start: Numbers,
    query: Numbers,
    second: Numbers,
    first: Numbers,
    others: Numbers,
    kind: Int,
    weights: Scores,
    below: Scores,
    floors: Scores,
    scores: Scores,
    out_page: Numbers,
    out_query: Numbers,
    out_before: Scores,
    out_after: Scores,
    taken: Bounds,
) -> Int:
    """The queries whose score for a page has changed, page after page from `page` on.

    Stops before a page whose queries do not fit into what is left of the output, and returns that page; `taken` says
    how much of the output is taken, and how much that page would take.  A change is not told if the score is below the
    query's floor before and after.  `scores` (of terms, before and after) are ABSENT, here and afterwards.  Pages
    whose language has changed are passed over.
    """
    out: Int = np.int64(0)
    while page < len(new_bounds) - 1:
        begun = out
        low, high = old_bounds[page], old_bounds[page + 1]
        new_low, new_high = new_bounds[page], new_bounds[page + 1]
        if low < high and new_low < new_high and old[low] != new[new_low]:
            page += 1
            continue
        _score_terms(old, low, high, kind, weights, below, scores, 0)
        _score_terms(new, new_low, new_high, kind, weights, below, scores, 1)
        filed = (file, start, query, second, first, others, floors, scores)
        room = (out_page, out_query, out_before, out_after)
        out = _tell(new, new_low, new_high, 0, *filed, page, out, *room)
        out = _tell(old, low, high, 1, *filed, page, out, *room)
        _clear_terms(new, new_low, new_high, scores)
        _clear_terms(old, low, high, scores)
        if out > len(out_page):
            taken[0], taken[1] = begun, out - begun
            return page
        page += 1
    taken[0], taken[1] = out, 0
    return page
