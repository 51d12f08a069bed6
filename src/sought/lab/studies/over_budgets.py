"""What does a budget buy?  Figures that need one value for each of several budgets."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

LEVELS = (0.90, 0.95, 0.99)

Floats = NDArray[np.float64]
Values = Sequence[float] | Floats


def downloads_for(budgets: Values, qualities: Values, level: float) -> float:
    """The smallest budget that reaches a quality, with straight lines between measured ones; NaN if none does.

    It is never below the smallest budget measured: see `is_bound`.
    """
    x, y = _curve(budgets, qualities)
    reached = np.flatnonzero(y >= level)
    if not len(reached):
        return np.nan
    at = int(reached[0])
    if at == 0:
        return float(x[0])
    return float(x[at - 1] + (x[at] - x[at - 1]) * (level - y[at - 1]) / (y[at] - y[at - 1]))


def is_bound(budgets: Values, qualities: Values, level: float) -> bool:
    """Whether the smallest budget measured reaches the quality already, so that fewer fetches might do."""
    _, y = _curve(budgets, qualities)
    return bool(len(y) and y[0] >= level)


def area(budgets: Values, qualities: Values) -> float:
    """The mean height of the curve between the smallest and the largest budget."""
    x, y = _curve(budgets, qualities)
    if len(x) < 2:
        return float(y[0]) if len(y) else np.nan
    return float(np.trapezoid(y, x) / (x[-1] - x[0]))


def share_of_gap(value: float, floor: float, bound: float) -> float:
    """The share of the way from a floor to a bound; NaN if there is none."""
    return (value - floor) / (bound - floor) if bound > floor else np.nan


def by_policy(table: pl.DataFrame) -> pl.DataFrame:
    """From policy, budget and value: each policy's area, and its downloads for every level.

    `downloads_90` is NaN where no budget reaches 0.90; where `downloads_90_is_bound`, that many or fewer do.
    """
    rows = []
    for (policy,), part in table.group_by("policy", maintain_order=True):
        curve = part["budget"].to_list(), part["value"].to_list()
        row = {"policy": policy, "area": area(*curve)}
        for level in LEVELS:
            row[_column(level)] = downloads_for(*curve, level)
            row[f"{_column(level)}_is_bound"] = is_bound(*curve, level)
        rows.append(row)
    return pl.DataFrame(rows)


def shown(row: Mapping[str, Any]) -> dict[str, str]:
    """A row of `by_policy` for people: `≤ 4` where that is a bound, `never` where no budget is enough."""
    needed = {
        _column(level).replace("_", " "): _needed(row[_column(level)], bound=row[f"{_column(level)}_is_bound"])
        for level in LEVELS
    }
    area_of = row["area"]
    return {"area": "–" if np.isnan(area_of) else f"{area_of:.4f}", **needed, "policy": row["policy"]}


def _column(level: float) -> str:
    return f"downloads_{level * 100:.0f}"


def _needed(fetches: float, *, bound: bool) -> str:
    if np.isnan(fetches):
        return "never"
    number = f"{fetches:,.1f}".removesuffix(".0")
    return f"≤ {number}" if bound else number


def _curve(budgets: Values, qualities: Values) -> tuple[Floats, Floats]:
    """In order of budget; the mean where one budget has several qualities; NaNs left out."""
    x, y = np.asarray(budgets, np.float64), np.asarray(qualities, np.float64)
    if len(x) != len(y):
        raise ValueError(f"{len(x)} budgets and {len(y)} qualities")
    known = ~np.isnan(y)
    distinct, at = np.unique(x[known], return_inverse=True)
    return distinct, np.bincount(at, y[known], len(distinct)) / np.maximum(np.bincount(at, minlength=len(distinct)), 1)
