"""How are many sorted lists stored that grow and shrink?  In slabs of one array.

An item is 64 bits: the bits of a score (positive floats are ordered like their bits), then a tie-breaker.  Lists are in
descending order.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.web.compiled import Int, cached, compiled, readable

Keys = NDArray[np.uint64]
Offsets = NDArray[np.int64]
KEYS, OFFSETS = types.uint64[::1], types.int64[::1]

_32 = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_SMALL = 32  # a list so short is sorted by insertion


class Slabs:
    """Lists 0, 1, …: list i is items[start : start + size] of its slab, which has room for `room`.

    Invariant: slabs do not overlap and end before `end[0]`.  The old slab of a list that moved is unused until `grow`.
    """

    def __init__(self, count: int) -> None:
        self.starts: Offsets = np.zeros(count, np.int64)
        self.sizes: Offsets = np.zeros(count, np.int64)
        self.rooms: Offsets = np.zeros(count, np.int64)
        self.end: Offsets = np.zeros(1, np.int64)
        self.items: Keys = np.empty(0, np.uint64)

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, i: int) -> Keys:
        return self.items[self.starts[i] : self.starts[i] + self.sizes[i]]

    @property
    def arrays(self) -> tuple[Keys, Offsets, Offsets, Offsets, Offsets]:
        """The arrays for compiled code."""
        return self.items, self.starts, self.sizes, self.rooms, self.end

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.arrays)

    def fill(self, lists: NDArray[np.uint32], scores: NDArray[np.float32], low: NDArray[np.uint32]) -> None:
        """Replace all items by these; score 0 is no item."""
        lists, scores, low = _kept(scores > 0, lists, scores, low)
        self.sizes = np.bincount(lists, minlength=len(self)).astype(np.int64)
        self.rooms = self.sizes + self.sizes // 8
        self.starts = np.cumsum(self.rooms) - self.rooms
        self.end[0] = self.rooms.sum()
        self.items = np.empty(self.end[0], np.uint64)
        scatter(lists, scores.view(np.uint32), low, self.starts.copy(), self.items)
        for i in np.flatnonzero(self.sizes > _SMALL).tolist():
            self[i].sort()
        _sort_and_invert(self.items, self.starts, self.sizes)

    def grow(self, need: int) -> None:
        """Remove the gaps, and make the array half as large again, plus `need` items."""
        starts = np.cumsum(self.rooms) - self.rooms
        total = int(self.rooms.sum())
        items = np.empty(total + total // 2 + need, np.uint64)
        _copy_lists(self.items, self.starts, self.sizes, items, starts)
        self.items, self.starts = items, starts
        self.end[0] = total


def _kept(
    keep: NDArray[np.bool_], lists: NDArray[np.uint32], scores: NDArray[np.float32], low: NDArray[np.uint32]
) -> tuple[NDArray[np.uint32], NDArray[np.float32], NDArray[np.uint32]]:
    return (lists, scores, low) if keep.all() else (lists[keep], scores[keep], low[keep])


@compiled
def make_room(need: Int, i: Int, arrays: tuple[Keys, Offsets, Offsets, Offsets, Offsets]) -> bool:
    """Ensure that list i has room for `need` items; False if the array is full."""
    items, starts, sizes, rooms, end = arrays
    if need <= rooms[i]:
        return True
    room = need + need // 2 + 2
    if end[0] + room > items.size:
        return False
    start, moved = starts[i], end[0]
    for k in range(sizes[i]):
        items[moved + k] = items[start + k]
    starts[i], rooms[i] = moved, room
    end[0] += room
    return True


@cached(types.void(*[readable(types.uint32)] * 3, OFFSETS, KEYS))
def scatter(
    lists: NDArray[np.uint32], high: NDArray[np.uint32], low: NDArray[np.uint32], ends: Offsets, out: Keys
) -> None:
    """Append every item to its list, inverted, so that an ascending sort is descending.  Advances `ends`."""
    for i in range(lists.size):
        at = ends[lists[i]]
        out[at] = ~(np.uint64(high[i]) << _32 | np.uint64(low[i]))
        ends[lists[i]] = at + 1


@cached(types.void(KEYS, OFFSETS, OFFSETS))
def _sort_and_invert(items: Keys, starts: Offsets, sizes: Offsets) -> None:
    """Sort the short lists, and invert all items again."""
    for i in range(starts.size):
        start, stop = starts[i], starts[i] + sizes[i]
        if stop - start <= _SMALL:
            for k in range(start + 1, stop):
                item, at = items[k], k
                while at > start and items[at - 1] > item:
                    items[at] = items[at - 1]
                    at -= 1
                items[at] = item
        for k in range(start, stop):
            items[k] = ~items[k]


@cached(types.void(KEYS, OFFSETS, OFFSETS, KEYS, OFFSETS))
def _copy_lists(items: Keys, starts: Offsets, sizes: Offsets, to: Keys, at: Offsets) -> None:
    for i in range(starts.size):
        for k in range(sizes[i]):
            to[at[i] + k] = items[starts[i] + k]
