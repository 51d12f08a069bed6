"""Which queries does a page match, and with which scores, before and after?  One pass over the page's terms."""

import math
from typing import Any

import numpy as np
from numba import float32, int32, int64, uint32
from numpy.typing import NDArray

from sought.index.pieces import inlined
from sought.index.scorers import FIELDS_APART, FIELDS_TOGETHER, PRESENCE
from sought.index.vectors import EACH, FIELDS, HEAD, Vector
from sought.web.compiled import Bool, Int, cached, readable

Numbers = NDArray[np.int32]
Scores = NDArray[np.float32]
Bounds = NDArray[np.int64]
Float = Any  # a 32-bit float of compiled code
Filed = Any  # a tuple of the columns of Files, floors and scores; the file of each language last
Room = tuple[Numbers, Numbers, Scores, Scores]  # of the output

ABSENT = np.float32(-1e30)  # the score of a missing term: no sum with it is positive
_NOTHING = np.float32(0)
_SHIFTS = (np.uint32(0), np.uint32(16))


@inlined
def length_class(length: Int) -> Int:
    """The class of a length, as the search index stores it in a byte."""
    if length < 40:
        return length
    rest = length - 24
    shift = 0
    while rest >> (shift + 4):
        shift += 1
    return min(24 + ((shift + 1) << 3) + ((rest >> shift) & 7), 255)


@inlined
def _norm(data: Vector, start: Int, field: Int, below: Scores) -> Float:
    return below[field, length_class(np.int64(data[start + 1 + field]))]


@inlined
def _score_terms(
    data: Vector, start: Int, stop: Int, kind: Int, weights: Scores, below: Scores, scores: Scores, side: Int
) -> None:
    """Write what each term of a page adds to the score of a query, before (side 0) or after (1)."""
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


@inlined
def _clear_terms(data: Vector, start: Int, stop: Int, scores: Scores) -> None:
    for at in range(start + HEAD, stop, EACH):
        scores[data[at], 0] = scores[data[at], 1] = ABSENT


@inlined
def _write_change(i: Int, before: Float, after: Float, page: Int, out: Int, files: Filed, room: Room) -> Int:
    """Write a change, and count it if it matters; without a branch, which could not be predicted."""
    _, query, _, _, _, floor, _ = files
    before, after = max(before, _NOTHING), max(after, _NOTHING)
    room[0][out], room[1][out], room[2][out], room[3][out] = page, query[i], before, after
    return out + ((before != after) & ((before >= floor[i]) | (after >= floor[i])))


@inlined
def _match_term(term: Int, language: Int, page: Int, out: Int, files: Filed, room: Room) -> Int:
    """Write the changed queries filed under a term; returns the size of the output, -1 if it is full."""
    start, _, second, first, others, _, scores = files
    one, two, more, stop = (
        np.int64(start[language, 3 * term]),
        np.int64(start[language, 3 * term + 1]),
        np.int64(start[language, 3 * term + 2]),
        np.int64(start[language, 3 * term + 3]),
    )
    if out + stop - one > len(room[0]):
        return np.int64(-1)
    score_before, score_after = scores[term, 0], scores[term, 1]
    if score_before != score_after:
        for i in range(one, two):
            out = _write_change(i, score_before, score_after, page, out, files, room)
    for i in range(two, more):
        other = np.uint64(second[i])
        out = _write_change(i, score_before + scores[other, 0], score_after + scores[other, 1], page, out, files, room)
    for i in range(more, stop):
        other = np.uint64(second[i])
        before, after = score_before + scores[other, 0], score_after + scores[other, 1]
        if before > 0 or after > 0:
            for k in range(first[i], first[i + 1]):
                before += scores[others[k], 0]
                after += scores[others[k], 1]
            out = _write_change(i, before, after, page, out, files, room)
    return out


@inlined
def _match_terms(data: Vector, low: Int, high: Int, gone: Bool, page: Int, out: Int, files: Filed, room: Room) -> Int:
    """The same for all terms of a vector; if `gone`, only for those that the page no longer has."""
    if low == high:
        return out
    language, terms = np.int64(files[7][data[low]]), np.int64(files[0].shape[1] // 3)
    for at in range(low + HEAD, high, EACH):
        term = np.int64(data[at])
        if term < terms and not (gone and files[6][term, 1] > 0):
            out = _match_term(term, language, page, out, files[:7], room)
            if out < 0:
                return out
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

    Stops before a page whose queries might not fit into the rest of the output, and returns that page; `taken[0]` is
    the size of the output.  A change is left out if the score is below the floor before and after; `floors` are those
    of the items in the files.  `scores` (of terms, before and after) are ABSENT before and after the call.  Pages whose
    language has changed are skipped.
    """
    out: Int = np.int64(0)
    files = (start, query, second, first, others, floors, scores, file)
    room = (out_page, out_query, out_before, out_after)
    while page < len(new_bounds) - 1:
        low, high = old_bounds[page], old_bounds[page + 1]
        new_low, new_high = new_bounds[page], new_bounds[page + 1]
        if low == high or new_low == new_high or old[low] == new[new_low]:
            taken[0] = out
            _score_terms(old, low, high, kind, weights, below, scores, 0)
            _score_terms(new, new_low, new_high, kind, weights, below, scores, 1)
            out = _match_terms(new, new_low, new_high, False, page, out, files, room)
            if out >= 0:
                out = _match_terms(old, low, high, True, page, out, files, room)
            _clear_terms(new, new_low, new_high, scores)
            _clear_terms(old, low, high, scores)
            if out < 0:
                return page
        page += 1
    taken[0] = out
    return page
