"""Rows of unit length, dense or sparse, in one form that compiled loops read."""

from dataclasses import dataclass

import numpy as np
from numba import float32, float64, int32, int64, void
from numpy.typing import ArrayLike, NDArray

from sought.web.compiled import cached, readable
from sought.web.errors import BadInput
from sought.web.pages import Floats, Rows

Values = NDArray[np.float32]
Columns = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """Row i is `values[bounds[i]:bounds[i + 1]]`, in the `columns` at the same places; dense rows have no `columns`.

    A row is of length 1, or all zeros and of length 0.  Make them by `dense` or `sparse`.
    """

    values: Values
    columns: Columns
    bounds: Rows
    width: int

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def is_zero(self) -> NDArray[np.bool_]:
        return np.asarray(_squares(self.values, self.bounds) == 0)

    def taken(self, rows: Rows) -> "FeatureRows":
        """These rows, in this order."""
        bounds = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(np.diff(self.bounds)[rows], out=bounds[1:])
        values = np.empty(bounds[-1], np.float32)
        columns = np.empty(bounds[-1] if len(self.columns) else 0, np.int32)
        _take(self.values, self.columns, self.bounds, np.ascontiguousarray(rows, np.int64), bounds, values, columns)
        return FeatureRows(values, columns, bounds, self.width)


def vectors_of(rows: "ArrayLike | FeatureRows") -> FeatureRows:
    """Vectors as they are, a table as dense ones."""
    return rows if isinstance(rows, FeatureRows) else dense(rows)


def dense(table: ArrayLike) -> FeatureRows:
    """Of a table of rows × columns."""
    given = np.asarray(table, np.float32)
    if given.ndim != 2:
        raise BadInput(f"rows to cluster are a table of two dimensions, not of {given.ndim}")
    bounds = np.arange(len(given) + 1, dtype=np.int64) * given.shape[1]
    return FeatureRows(_unit(given.reshape(-1), bounds), np.empty(0, np.int32), bounds, given.shape[1])


def sparse(values: ArrayLike, columns: ArrayLike, bounds: ArrayLike, width: int) -> FeatureRows:
    """Of CSR arrays (`data`, `indices`, `indptr` in scipy); a row has a column at most once."""
    given, place = np.asarray(values, np.float32), np.ascontiguousarray(columns, np.int32)
    ends = np.ascontiguousarray(bounds, np.int64)
    if given.ndim != 1 or given.shape != place.shape or ends.ndim != 1 or not len(ends):
        raise BadInput("sparse rows are values, as many columns, and one bound more than rows")
    if ends[0] != 0 or ends[-1] != len(given) or (np.diff(ends) < 0).any():
        raise BadInput(f"bounds of sparse rows rise from 0 to the number of values, {len(given):,}")
    if len(place) and not 0 <= place.min() <= place.max() < width:
        raise BadInput(f"columns of sparse rows are whole numbers from 0 to below {width}")
    return FeatureRows(_unit(given, ends), place, ends, width)


def _unit(values: Values, bounds: Rows) -> Values:
    """Each row divided by its length, in double precision: sizes in bytes have squares that single has not."""
    if not np.isfinite(values).all():
        raise BadInput("rows to cluster are finite numbers")
    length = np.sqrt(_squares(values, bounds))
    length[length == 0] = 1.0
    out = np.empty(len(values), np.float32)
    _divide(np.ascontiguousarray(values), bounds, length, out)
    return out


def _squares(values: Values, bounds: Rows) -> Floats:
    out = np.empty(len(bounds) - 1)
    _add_squares(np.ascontiguousarray(values), bounds, out)
    return out


_VALUES, _COLUMNS, _BOUNDS = readable(float32), readable(int32), readable(int64)


@cached(void(_VALUES, _BOUNDS, float64[::1]))
def _add_squares(values: Values, bounds: Rows, out: Floats) -> None:
    for row in range(len(out)):
        total = 0.0
        for i in range(bounds[row], bounds[row + 1]):
            total += np.float64(values[i]) * np.float64(values[i])
        out[row] = total


@cached(void(_VALUES, _BOUNDS, readable(float64), float32[::1]))
def _divide(values: Values, bounds: Rows, length: Floats, out: Values) -> None:
    for row in range(len(length)):
        for i in range(bounds[row], bounds[row + 1]):
            out[i] = values[i] / length[row]


@cached(void(_VALUES, _COLUMNS, _BOUNDS, _BOUNDS, _BOUNDS, float32[::1], int32[::1]))
def _take(
    values: Values,
    columns: Columns,
    bounds: Rows,
    rows: Rows,
    new_bounds: Rows,
    new_values: Values,
    new_columns: Columns,
) -> None:
    is_sparse = len(columns) > 0
    for i in range(len(rows)):
        start, shift = new_bounds[i], bounds[rows[i]] - new_bounds[i]
        for at in range(start, new_bounds[i + 1]):
            new_values[at] = values[at + shift]
            if is_sparse:
                new_columns[at] = columns[at + shift]
