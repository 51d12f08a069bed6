"""Which rows have the largest values, and how are ties broken?"""

import numpy as np
from numpy.typing import NDArray

from sought.web.pages import Floats

Keys = NDArray[np.uint64]
Rows = NDArray[np.int64]
_SAMPLE = 1024
_FEW = 4096


def best(values: Floats, key: Keys, count: int) -> Rows:
    """The `count` rows of largest value, in order; ties by key, a hash, for the order of rows would act like a policy.

    Values are not NaN, keys are distinct.  Only the chosen rows are sorted, however many values are equal.
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
    """The `count`-th largest value.

    Quickselect that partitions into smaller, equal and larger, with a pivot from a sample.  NumPy's partitions two
    ways: if most of ten million values are equal, it takes four seconds instead of a tenth, and a copy of all.
    """
    dice = np.random.default_rng(0)
    while len(values) > _FEW:
        sample = np.sort(values[dice.integers(0, len(values), _SAMPLE)])
        at = int(_SAMPLE * (1.0 - count / len(values)))
        pivot = sample[at - min(at // 2, _SAMPLE // 32)]  # slightly too low, so that enough values are above it
        above = values[values > pivot]
        if len(above) >= count:
            values = above
            continue
        upward = len(above) + int(np.count_nonzero(values == pivot))
        if upward >= count:
            return float(pivot)
        values, count = values[values < pivot], count - upward
    return float(np.sort(values)[len(values) - count])
