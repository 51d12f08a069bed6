"""Which rows may already be in the index?  Others need not be deleted before they are added."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

_BITS = 16
_MASK = (1 << _BITS) - 1


class NumberSet:
    """A growing set of unsigned 64-bit numbers: one byte a number, in blocks that are allocated on demand."""

    def __init__(self, rows: NDArray[np.uint64]) -> None:
        """`rows` are sorted."""
        self._blocks: dict[int, bytearray] = {}
        starts = np.flatnonzero(np.diff(rows >> np.uint64(_BITS))) + 1
        for block in np.split(rows, starts) if len(rows) else ():
            held = np.zeros(1 << _BITS, np.uint8)
            held[block & np.uint64(_MASK)] = 1
            self._blocks[int(block[0]) >> _BITS] = bytearray(held)

    def add(self, rows: Iterable[int]) -> None:
        for row in rows:
            block = self._blocks.get(row >> _BITS)
            if block is None:
                block = self._blocks[row >> _BITS] = bytearray(1 << _BITS)
            block[row & _MASK] = 1

    def __contains__(self, row: int) -> bool:
        block = self._blocks.get(row >> _BITS)
        return block is not None and block[row & _MASK] == 1
