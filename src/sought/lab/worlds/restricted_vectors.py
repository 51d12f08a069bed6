"""From vectors over many terms to vectors over some of them, with other numbers; and from parts of pages to pages."""

import numpy as np
from numba import int32, int64, types, uint32
from numpy.typing import NDArray

from sought.index.analysis import LANGUAGES
from sought.index.vectors import EACH, HEAD, Vector, Vectors
from sought.web.compiled import Int, cached, compiled, readable

Numbers = NDArray[np.int32]
ABSENT = -1
_LANGUAGES = len(LANGUAGES)


def restricted(vectors: Vectors, numbers: Numbers) -> Vectors:
    """The same pages, with term t as numbers[t], and without the terms whose number is ABSENT."""
    data, bounds = np.empty(len(vectors.data), np.uint32), np.zeros(len(vectors.bounds), np.int64)
    _restrict(vectors.data, vectors.bounds, numbers, data, bounds)
    return Vectors(data[: bounds[-1]].copy(), bounds)


def completed(vectors: Vectors, places: NDArray[np.int64], numbers: Numbers, rest: Vectors, terms: int) -> Vectors:
    """Some of the vectors, restricted, each with the anchors that another vector of the same page has.

    `numbers` are below `terms`, and so are the terms of `rest`.  The same, to the last bit, as if the page were read.
    """
    room = int(np.diff(vectors.bounds)[places].sum()) + len(rest.data)
    data, bounds = np.empty(room, np.uint32), np.zeros(len(places) + 1, np.int64)
    at = np.full(terms, ABSENT)
    _complete(vectors.data, vectors.bounds, places, numbers, rest.data, rest.bounds, at, data, bounds)
    return Vectors(data[: bounds[-1]].copy(), bounds)


def are_vectors(vectors: Vectors, terms: int) -> bool:
    """Whether each is empty, or a head and whole triples of terms below `terms`: nothing compiled checks that."""
    return bool(_are_vectors(vectors.data, vectors.bounds, terms))


@cached(types.boolean(readable(uint32), readable(int64), types.int64))
def _are_vectors(data: Vector, bounds: NDArray[np.int64], terms: int) -> bool:
    for page in range(len(bounds) - 1):
        start, stop = bounds[page], bounds[page + 1]
        if stop > start and (stop - start < HEAD or (stop - start - HEAD) % EACH or data[start] >= _LANGUAGES):
            return False
        for at in range(start + HEAD, stop, EACH):
            if data[at] >= terms:
                return False
    return True


@cached(types.void(readable(uint32), readable(int64), readable(int32), uint32[::1], int64[::1]))
def _restrict(
    data: Vector, bounds: NDArray[np.int64], numbers: Numbers, out: Vector, out_bounds: NDArray[np.int64]
) -> None:
    end = 0
    for page in range(len(bounds) - 1):
        start, stop = bounds[page], bounds[page + 1]
        for at in range(start, min(start + HEAD, stop)):
            out[end] = data[at]
            end += 1
        for at in range(start + HEAD, stop, EACH):
            number = numbers[data[at]]
            if number != ABSENT:
                out[end], out[end + 1], out[end + 2] = np.uint32(number), data[at + 1], data[at + 2]
                end += EACH
        out_bounds[page + 1] = end


@compiled
def _put(term: Int, first: Int, second: Int, out: Vector, end: Int, at: NDArray[np.int64]) -> Int:
    """Add to the counts of a term; returns where the vector now ends."""
    if at[term] == ABSENT:
        at[term] = end
        out[end], out[end + 1], out[end + 2] = term, first, second
        return end + EACH
    out[at[term] + 1] += first
    out[at[term] + 2] += second
    return end


@cached(
    types.void(
        *(readable(uint32), readable(int64), readable(int64), readable(int32), readable(uint32), readable(int64)),
        *(int64[::1], uint32[::1], int64[::1]),
    )
)
def _complete(
    data: Vector,
    bounds: NDArray[np.int64],
    places: NDArray[np.int64],
    numbers: Numbers,
    rest: Vector,
    rest_bounds: NDArray[np.int64],
    at: NDArray[np.int64],
    out: Vector,
    out_bounds: NDArray[np.int64],
) -> None:
    """`at` says where a term of the present page is; ABSENT before and after.

    Terms come as they do when a page is read: of title and body, then of the anchors, then those of the address alone.
    """
    end = 0
    for i in range(len(places)):
        start, stop = bounds[places[i]], bounds[places[i] + 1]
        other, other_stop = rest_bounds[i], rest_bounds[i + 1]
        begin = end
        out[end] = data[start]
        for k in range(1, HEAD):
            out[end + k] = data[start + k] + rest[other + k]
        end += HEAD
        for k in range(start + HEAD, stop, EACH):
            if numbers[data[k]] != ABSENT and data[k + 1]:
                end = _put(np.uint32(numbers[data[k]]), data[k + 1], data[k + 2], out, end, at)
        for k in range(other + HEAD, other_stop, EACH):
            end = _put(rest[k], rest[k + 1], rest[k + 2], out, end, at)
        for k in range(start + HEAD, stop, EACH):
            if numbers[data[k]] != ABSENT and not data[k + 1]:
                end = _put(np.uint32(numbers[data[k]]), data[k + 1], data[k + 2], out, end, at)
        for k in range(begin + HEAD, end, EACH):
            at[out[k]] = ABSENT
        out_bounds[i + 1] = end
