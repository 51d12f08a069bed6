"""What does a budget buy?  Figures that need one value for each of several budgets."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

LEVELS = (0.90, 0.95, 0.99)

Floats = NDArray[np.float64]
Values = Sequence[float] | Floats


def downloads_for(budgets: Values, qualities: Values, level: float) -> float:
    """The smallest budget that reaches a quality, with straight lines between measured ones; inf if none does.

    It is never below the smallest budget measured.
    """
    x, y = _curve(budgets, qualities)
    reached = np.flatnonzero(y >= level)
    if not len(reached):
        return np.inf
    at = int(reached[0])
    if at == 0:
        return float(x[0])
    return float(x[at - 1] + (x[at] - x[at - 1]) * (level - y[at - 1]) / (y[at] - y[at - 1]))


def area(budgets: Values, qualities: Values) -> float:
    """The mean height of the curve between the smallest and the largest budget."""
    x, y = _curve(budgets, qualities)
    if len(x) < 2:
        return float(y[0]) if len(y) else np.nan
    return float(np.trapezoid(y, x) / (x[-1] - x[0]))


def share_of_gap(value: float, floor: float, bound: float) -> float:
    """How much of the way from a floor to a bound; NaN if there is none."""
    return (value - floor) / (bound - floor) if bound > floor else np.nan


def by_policy(table: pl.DataFrame) -> pl.DataFrame:
    """From policy, budget and value: each policy's area, and its downloads for every level."""
    rows = []
    for (policy,), part in table.group_by("policy", maintain_order=True):
        curve = part["budget"].to_list(), part["value"].to_list()
        needed = {f"downloads_{level * 100:.0f}": downloads_for(*curve, level) for level in LEVELS}
        rows.append({"policy": policy, "area": area(*curve)} | needed)
    return pl.DataFrame(rows)


def _curve(budgets: Values, qualities: Values) -> tuple[Floats, Floats]:
    """In order of budget; the mean where one budget has several qualities; NaNs left out."""
    x, y = np.asarray(budgets, np.float64), np.asarray(qualities, np.float64)
    if len(x) != len(y):
        raise ValueError(f"{len(x)} budgets and {len(y)} qualities")
    known = ~np.isnan(y)
    distinct, at = np.unique(x[known], return_inverse=True)
    return distinct, np.bincount(at, y[known], len(distinct)) / np.maximum(np.bincount(at, minlength=len(distinct)), 1)
