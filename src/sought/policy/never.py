"""No page at all: a baseline for experiments."""

from dataclasses import dataclass

import numpy as np

from sought.web.expression import brief
from sought.web.pages import NEVER, Floats, Pages


@brief
@dataclass(frozen=True)
class Never:
    """The lowest baseline: nothing is fetched."""

    def __call__(self, pages: Pages, now: float) -> Floats:
        return np.full(len(pages), NEVER)
