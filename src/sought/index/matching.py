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
    data: Vector, start: Int, stop: Int, kind: Int, weights: Scores, below: Scores, scores: Scores
) -> None:
    """Fill in what each term of a page adds to the score of a query."""
    total: Int = np.int64(1)
    for f in range(FIELDS):
        total += np.int64(data[start + 1 + f])
    together = np.float32(1.0 / math.sqrt(total))
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
        scores[term] = added


@compiled
def _clear_terms(data: Vector, start: Int, stop: Int, scores: Scores) -> None:
    for at in range(start + HEAD, stop, EACH):
        scores[data[at]] = 0


@compiled
def _score(i: Int, term: Int, second: Numbers, first: Numbers, others: Numbers, scores: Scores) -> Float:
    """The score of a query filed under a term that the page holds; 0 if it lacks another."""
    score = scores[term]
    if second[i] < 0:
        return score
    added = scores[second[i]]
    if added == 0:
        return np.float32(0)
    score += added
    for k in range(first[i], first[i + 1]):
        added = scores[others[k]]
        if added == 0:
            return np.float32(0)
        score += added
    return score


@compiled
def _note_before(
    data: Vector,
    low: Int,
    high: Int,
    file: Numbers,
    start: Numbers,
    query: Numbers,
    second: Numbers,
    first: Numbers,
    others: Numbers,
    scores: Scores,
    before: Scores,
    touched: Numbers,
) -> Int:
    """Fill in the scores of a page as it was; returns how many queries it answered, which are `touched`."""
    held = np.int64(0)
    if low == high:
        return held
    language, terms = file[data[low]], start.shape[1] - 1
    for at in range(low + HEAD, high, EACH):
        term = np.int64(data[at])
        if term < terms:
            for i in range(start[language, term], start[language, term + 1]):
                score = _score(i, term, second, first, others, scores)
                if score > 0:
                    before[query[i]] = score
                    touched[held] = query[i]
                    held += 1
    return held


@cached(
    int64(
        *(readable(uint32), readable(int64), readable(uint32), readable(int64), int64),
        *(int32[::1], int32[:, ::1], int32[::1], int32[::1], int32[::1], int32[::1]),
        *(int64, float32[:, ::1], float32[:, ::1], float32[::1]),
        *(float32[::1], float32[::1], int32[::1]),
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
    before: Scores,
    touched: Numbers,
    out_page: Numbers,
    out_query: Numbers,
    out_before: Scores,
    out_after: Scores,
    taken: Bounds,
) -> Int:
    """The queries whose score for a page has changed, page after page from `page` on.

    Stops before a page whose queries do not fit into what is left of the output, and returns that page; `taken` says
    how much of the output is taken, and how much that page would take.  A change is not told if the score is below the
    query's floor before and after.  `scores` (of terms) and `before` (of queries) are zero, here and afterwards.
    """
    out, room, terms = np.int64(0), len(out_page), start.shape[1] - 1
    while page < len(new_bounds) - 1:
        begun = out
        low, high = old_bounds[page], old_bounds[page + 1]
        if low < high:
            _score_terms(old, low, high, kind, weights, below, scores)
        held = _note_before(old, low, high, file, start, query, second, first, others, scores, before, touched)
        _clear_terms(old, low, high, scores)
        low, high = new_bounds[page], new_bounds[page + 1]
        if low < high:
            _score_terms(new, low, high, kind, weights, below, scores)
            language = file[new[low]]
            for at in range(low + HEAD, high, EACH):
                term = np.int64(new[at])
                if term >= terms:
                    continue
                for i in range(start[language, term], start[language, term + 1]):
                    score = _score(i, term, second, first, others, scores)
                    if score > 0:
                        asked = query[i]
                        was = before[asked]
                        before[asked] = 0
                        if was != score and (was >= floors[asked] or score >= floors[asked]):
                            if out < room:
                                out_page[out], out_query[out] = page, asked
                                out_before[out], out_after[out] = was, score
                            out += 1
            _clear_terms(new, low, high, scores)
        for i in range(held):
            asked = touched[i]
            was = before[asked]
            before[asked] = 0
            if was > 0 and was >= floors[asked]:
                if out < room:
                    out_page[out], out_query[out] = page, asked
                    out_before[out], out_after[out] = was, 0
                out += 1
        if out > room:
            taken[0], taken[1] = begun, out - begun
            return page
        page += 1
    taken[0], taken[1] = out, 0
    return page
