"""Which rows have the largest values, and who comes first among equals?"""

import numpy as np
from numpy.typing import NDArray

from sought.web.pages import Floats

Keys = NDArray[np.uint64]
Rows = NDArray[np.int64]
_SAMPLE = 1024
_FEW = 4096


def best(values: Floats, key: Keys, count: int) -> Rows:
    """The `count` rows of largest value, in order; equals by key, a hash: order of rows or URLs can pass for a policy.

    Values are numbers (no NaN), keys distinct.  Only what is chosen is sorted, however many are equal.
    """
    if count >= len(values):
        rows = np.arange(len(values))
    elif count <= 0:
        rows = np.zeros(0, np.int64)
    else:
        least = nth_largest(values, count)
        above = np.flatnonzero(values > least)
        rows = np.concatenate([above, _lowest(np.flatnonzero(values == least), key, count - len(above))])
    return rows[np.lexsort((key[rows], -values[rows]))]


def _lowest(rows: Rows, key: Keys, count: int) -> Rows:
    """The `count` rows of lowest key."""
    if count >= len(rows):
        return rows
    keys = key[rows]
    keys.partition(count - 1)
    low: NDArray[np.bool_] = key[rows] <= keys[count - 1]
    return rows[low]


def nth_largest(values: Floats, count: int) -> float:
    """The `count`-th largest.

    Quickselect that parts smaller, equal and larger, with a pivot from a sample.  NumPy's parts two ways: where most
    of ten million values are equal it takes four seconds instead of a tenth, and a copy of them all.
    """
    dice = np.random.default_rng(0)
    while len(values) > _FEW:
        sample = np.sort(values[dice.integers(0, len(values), _SAMPLE)])
        at = int(_SAMPLE * (1.0 - count / len(values)))
        pivot = sample[at - min(at // 2, _SAMPLE // 32)]  # rather too low: then what is above is little, and enough
        above = values[values > pivot]
        if len(above) >= count:
            values = above
            continue
        upward = len(above) + int(np.count_nonzero(values == pivot))
        if upward >= count:
            return float(pivot)
        values, count = values[values < pivot], count - upward
    return float(np.sort(values)[len(values) - count])
