"""How is state kept for few of very many rows?  By slot: rows get slots 0, 1, 2, … in order of appearance.

Tens of millions of URLs are known, and most of them are never measured.
"""

from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.web.compiled import Int, cached, readable
from sought.web.pages import Rows

_EMPTY = np.uint32(0xFFFFFFFF)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_ROOM = 1024
_PIECE = 1 << 16


class Slots:
    """Row numbers by slot, and slots by row number (open addressing; at most half of `_table` is taken)."""

    def __init__(self) -> None:
        self.size = 0
        self._rows = np.empty(_ROOM, np.int64)
        self._table = np.full(2 * _ROOM, _EMPTY, np.uint32)

    @property
    def rows(self) -> Rows:
        """The row of every slot."""
        return self._rows[: self.size]

    def assign(self, rows: Rows) -> Rows:
        """The slot of each row; a row without one gets the next."""
        rows, slots = np.ascontiguousarray(rows, np.int64), np.empty(len(rows), np.int64)
        for start in range(0, len(rows), _PIECE):  # in pieces, for a long log may have few rows
            piece = slice(start, start + _PIECE)
            self._reserve(self.size + len(rows[piece]))
            self.size = int(_slots_of(self._table, self._rows, self.size, rows[piece], slots[piece]))
        return slots

    def have(self, rows: Rows) -> NDArray[np.bool_]:
        """Which rows have a slot."""
        held = np.empty(len(rows), np.bool_)
        _have(self._table, self._rows, np.ascontiguousarray(rows, np.int64), held)
        return held

    def find(self, row: int) -> int | None:
        """The slot of one row, if it has one."""
        slots = np.flatnonzero(self.rows == row)
        return int(slots[0]) if len(slots) else None

    def _reserve(self, size: int) -> None:
        if size > len(self._rows):
            self._rows = grown(self._rows, size)
            self._table = np.full(2 * len(self._rows), _EMPTY, np.uint32)
            known = self.rows.copy()
            _slots_of(self._table, self._rows, 0, known, np.empty_like(known))


def grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    """The array padded with zeros to a power of two of at least `size` items."""
    if size <= len(array):
        return array
    out = np.zeros((1 << (size - 1).bit_length(), *array.shape[1:]), array.dtype)
    out[: len(array)] = array
    return out


@cached(types.int64(types.uint32[::1], types.int64[::1], types.int64, readable(types.int64), types.int64[::1]))
def _slots_of(table: NDArray[np.uint32], rows: Rows, size: Int, wanted: Rows, slots: Rows) -> Int:
    """Fill in `slots`; returns the number of slots in use."""
    mask = np.uint64(len(table) - 1)
    for i in range(len(wanted)):
        at = (np.uint64(wanted[i]) * _SPREAD >> np.uint64(32)) & mask
        while table[at] != _EMPTY and rows[table[at]] != wanted[i]:
            at = (at + np.uint64(1)) & mask
        if table[at] == _EMPTY:
            table[at], rows[size] = size, wanted[i]
            size += 1
        slots[i] = table[at]
    return size


@cached(types.void(types.uint32[::1], types.int64[::1], readable(types.int64), types.boolean[::1]))
def _have(table: NDArray[np.uint32], rows: Rows, wanted: Rows, is_present: NDArray[np.bool_]) -> None:
    mask = np.uint64(len(table) - 1)
    for i in range(len(wanted)):
        at = (np.uint64(wanted[i]) * _SPREAD >> np.uint64(32)) & mask
        while table[at] != _EMPTY and rows[table[at]] != wanted[i]:
            at = (at + np.uint64(1)) & mask
        is_present[i] = table[at] != _EMPTY
