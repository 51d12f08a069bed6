"""How can bytes, links and shares be compared?  Features on one scale.

Q. Tan & P. Mitra (Clustering-Based Incremental Web Crawling, ACM TOIS 28(4), 2010) do not say how; unscaled, the size
of a file would decide every cosine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from sought.beliefs.clusters.partition import Table
from sought.web.checks import check_choice
from sought.web.errors import BadInput
from sought.web.expression import brief
from sought.web.pages import Floats

Kind = Literal["count", "plain", "change"]


@brief
@dataclass(frozen=True)
class Scaling:
    """What was learned from some pages, to scale the features of any page.

    A `count` is taken as log1p, and like a `plain` number it is moved and stretched so that what was seen lies between
    0 and 1: `low` becomes 0 and `high` 1, and what lies beyond is cut.  A `change` (see `changes`) stays as it is, from
    -1 to 1.  A feature that was the same everywhere becomes 0, and so does one that is not known (not a finite number).
    """

    kinds: tuple[Kind, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    def __post_init__(self) -> None:
        for kind in self.kinds:
            check_choice("the kind of a feature", kind, get_args(Kind))
        if not len(self.kinds) == len(self.low) == len(self.high):
            raise BadInput("a scaling has a kind, a low and a high for each feature")

    def __call__(self, features: ArrayLike) -> Table:
        """The scaled features of rows."""
        given = np.asarray(features)
        _check(given, self.kinds)
        table = np.zeros(given.shape, np.float32)
        for i, (kind, low, high) in enumerate(zip(self.kinds, self.low, self.high, strict=True)):
            values = _counted(given[:, i], kind)
            if kind == "change":
                values = np.clip(values, -1.0, 1.0)
            elif high > low:
                values = (np.clip(values, low, high) - low) / (high - low)
            else:
                continue
            table[:, i] = np.where(np.isfinite(given[:, i]), values, 0.0)
        return table


def fit_scaling(features: ArrayLike, kinds: Sequence[Kind]) -> Scaling:
    """From the pages of a table, rows × features; unknown features are ignored."""
    given = np.asarray(features)
    _check(given, kinds)
    low, high = [0.0] * len(kinds), [0.0] * len(kinds)
    for i, kind in enumerate(kinds):
        values = _counted(given[:, i], kind)
        values = values[np.isfinite(values)]
        if len(values) and kind != "change":
            low[i], high[i] = float(values.min()), float(values.max())
    return Scaling(tuple(kinds), tuple(low), tuple(high))


def changes(new: ArrayLike, old: ArrayLike) -> Floats:
    """By what share a number has changed, at most all of it: the difference over the old number or 1, from -1 to 1."""
    before = np.asarray(old, np.float64)
    return np.clip((np.asarray(new, np.float64) - before) / np.maximum(1.0, before), -1.0, 1.0)


def _counted(values: ArrayLike, kind: Kind) -> Floats:
    """Counts by their logarithm; nothing counts less than 0."""
    plain = np.asarray(values, np.float64)
    return np.log1p(np.maximum(plain, 0.0)) if kind == "count" else plain


def _check(given: Floats, kinds: Sequence[Kind]) -> None:
    if given.ndim != 2 or given.shape[1] != len(kinds):
        raise BadInput(f"features are a table of rows × {len(kinds)}, not of shape {given.shape}")
