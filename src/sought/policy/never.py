"""Nothing is fetched: what is there without a crawler?"""

from dataclasses import dataclass

import numpy as np

from sought.web.expression import brief
from sought.web.pages import NEVER, Floats, Pages


@brief
@dataclass(frozen=True)
class Never:
    """The lowest of floors: what any fetch at all has to be better than."""

    def __call__(self, pages: Pages, now: float) -> Floats:
        return np.full(len(pages), NEVER)
