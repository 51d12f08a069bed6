"""Known pages, the one fetched longest ago first."""

from dataclasses import dataclass

import numpy as np

from sought.web.expression import brief
from sought.web.pages import NEVER, Floats, Pages

_BEFORE_ALL = 1e12  # seconds: older than anything


@brief
@dataclass(frozen=True)
class RoundRobin:
    """Every known page equally often (the uniform policy of Cho & Garcia-Molina 2003): value is age.

    With `new`, pages never fetched count as fetched before all others, in the order of discovery.
    """

    new: bool = False

    def __call__(self, pages: Pages, now: float) -> Floats:
        value = now - pages.last_fetch
        np.copyto(value, _BEFORE_ALL + (now - pages.found) if self.new else NEVER, where=pages.is_new)
        return value
