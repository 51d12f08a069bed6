"""New pages in the order of discovery, level by level."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sought.web.expression import brief
from sought.web.pages import NEVER, Floats, Pages


@brief
@dataclass(frozen=True)
class BreadthFirst:
    """First-in, first-out over links from the seeds (Cho, Garcia-Molina & Page 1998, §4, `breadth-first`).

    Rows are numbered in order of discovery, so depth and then row number is the order of a queue.
    """

    paper: ClassVar[str] = "cho-garcia-molina-page-1998"

    order_matters: ClassVar[bool] = True

    def __call__(self, pages: Pages, now: float) -> Floats:
        value = np.arange(0, -len(pages), -1, dtype=np.float64)
        value -= np.multiply(pages.depth, 2.0**40, dtype=np.float64)
        np.copyto(value, NEVER, where=~pages.is_new)
        return value
