"""Which row has this 64-bit key?  For tens of millions of URLs in a few hundred megabytes.

Open addressing with linear probing over row numbers: the keys themselves stay in the table's `key` column, so a slot
costs four bytes.  Everything works on arrays of keys.
"""

import numpy as np
from numpy.typing import NDArray

from sought.web.compiled import cached

Keys = NDArray[np.uint64]
Rows = NDArray[np.int64]

_EMPTY = np.uint32(0xFFFFFFFF)
ABSENT = -1


@cached("int64[:](uint32[:], uint64[:], uint64[:])")
def _find(slots: NDArray[np.uint32], column: Keys, keys: Keys) -> Rows:
    mask = np.uint64(len(slots) - 1)
    out = np.full(len(keys), -1, np.int64)
    for i in range(len(keys)):
        at = (keys[i] * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(20)) & mask
        while slots[at] != _EMPTY:
            if column[slots[at]] == keys[i]:
                out[i] = slots[at]
                break
            at = (at + np.uint64(1)) & mask
    return out


@cached("void(uint32[:], uint64[:], int64, int64)")
def _place(slots: NDArray[np.uint32], column: Keys, first: int, stop: int) -> None:
    mask = np.uint64(len(slots) - 1)
    for row in range(first, stop):
        at = (column[row] * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(20)) & mask
        while slots[at] != _EMPTY:
            at = (at + np.uint64(1)) & mask
        slots[at] = row


class KeyIndex:
    """Rows by key.  Invariant: every row below `size` has exactly one slot, and at most 70 % of slots are taken."""

    def __init__(self) -> None:
        self.slots = np.full(1 << 12, _EMPTY, np.uint32)
        self.size = 0

    def find(self, column: Keys, keys: Keys) -> Rows:
        """The row of each key, or ABSENT."""
        return _find(self.slots, column, keys)

    def extend(self, column: Keys, size: int) -> None:
        """Take in rows `self.size` to `size` of the key column; their keys are new and distinct."""
        if size > 0.7 * len(self.slots):
            self.slots = np.full(1 << int(np.ceil(np.log2(size / 0.5))), _EMPTY, np.uint32)
            self.size = 0
        _place(self.slots, column, self.size, size)
        self.size = size
