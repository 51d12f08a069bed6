"""Tables of rows that lie in groups."""

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.clusters.vectors import FeatureRows, sparse


def planted(
    rows: int = 600, groups: int = 6, width: int = 12, noise: float = 0.05, seed: int = 3
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Groups around axes of their own, and which row is of which."""
    random = np.random.default_rng(seed)
    group = random.integers(groups, size=rows)
    return np.abs(np.eye(groups, width)[group] + noise * random.standard_normal((rows, width))), group


def as_sparse(table: NDArray[np.float64]) -> FeatureRows:
    """The same rows, without their zeros."""
    held = table != 0
    bounds = np.concatenate(([0], np.cumsum(held.sum(1))))
    return sparse(table[held], np.nonzero(held)[1], bounds, table.shape[1])
