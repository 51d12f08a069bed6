"""Which part of a change is the page's own?  Not its anchors, which come with fetches of other pages."""

import numpy as np
from numba import int64, types, uint32
from numpy.typing import NDArray

from sought.index.vectors import EACH, HEAD, Vector, Vectors
from sought.web.compiled import cached, readable

_ANCHORS = 3  # index of the anchors' length in a vector: after language, title and body
_LOW, _HIGH = np.uint32(0xFFFF), np.uint32(0xFFFF0000)


def with_anchors(old: Vectors, new: Vectors, terms: int) -> tuple[Vectors, NDArray[np.bool_]]:
    """The old pages with the anchors of the new ones, and whether each differs by that.

    Pages that are missing on either side or have changed language stay as they are.  `terms` is the size of the
    vocabulary.
    """
    data = np.empty(len(old.data) + len(new.data), np.uint32)
    bounds, moved = np.zeros(len(old) + 1, np.int64), np.zeros(len(old), np.bool_)
    _blend(old.data, old.bounds, new.data, new.bounds, np.zeros(terms, np.uint32), data, bounds, moved)
    return Vectors(data[: bounds[-1]], bounds), moved


@cached(
    types.void(
        *(readable(uint32), readable(int64), readable(uint32), readable(int64)),
        *(uint32[::1], uint32[::1], int64[::1], types.boolean[::1]),
    )
)
def _blend(
    old: Vector,
    old_bounds: NDArray[np.int64],
    new: Vector,
    new_bounds: NDArray[np.int64],
    counts: NDArray[np.uint32],
    data: Vector,
    bounds: NDArray[np.int64],
    moved: NDArray[np.bool_],
) -> None:
    """`counts` is zero before and after; in between, one more than how often the new anchors have each term."""
    end = np.int64(0)
    for p in range(len(moved)):
        low, high, new_low, new_high = old_bounds[p], old_bounds[p + 1], new_bounds[p], new_bounds[p + 1]
        same_kind = low < high and new_low < new_high and old[low] == new[new_low]
        if not same_kind:
            data[end : end + high - low] = old[low:high]
            end += high - low
            bounds[p + 1] = end
            continue
        data[end : end + HEAD] = old[low : low + HEAD]
        data[end + _ANCHORS] = new[new_low + _ANCHORS]
        moved[p] = old[low + _ANCHORS] != new[new_low + _ANCHORS]
        end += HEAD
        for at in range(new_low + HEAD, new_high, EACH):
            counts[new[at]] = (new[at + 2] & _LOW) + np.uint32(1)
        for at in range(low + HEAD, high, EACH):
            anchors = counts[old[at]] - np.uint32(1) if counts[old[at]] else np.uint32(0)
            counts[old[at]] = 1  # done
            moved[p] |= anchors != old[at + 2] & _LOW
            if old[at + 1] or old[at + 2] & _HIGH or anchors:
                data[end], data[end + 1], data[end + 2] = old[at], old[at + 1], (old[at + 2] & _HIGH) | anchors
                end += EACH
        for at in range(new_low + HEAD, new_high, EACH):
            anchors = counts[new[at]] - np.uint32(1)
            if anchors:
                data[end], data[end + 1], data[end + 2] = new[at], 0, anchors
                end += EACH
                moved[p] = True
        for at in range(new_low + HEAD, new_high, EACH):
            counts[new[at]] = 0
        for at in range(low + HEAD, high, EACH):
            counts[old[at]] = 0
        bounds[p + 1] = end
