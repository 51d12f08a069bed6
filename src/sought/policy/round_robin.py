"""Known pages in turn, the one fetched longest ago first."""

from dataclasses import dataclass

import numpy as np

from sought.policy.pages import NEVER, Floats, Pages


@dataclass(frozen=True)
class RoundRobin:
    """Every known page equally often (the uniform policy of Cho & Garcia-Molina 2003): value is age."""

    def __call__(self, pages: Pages, now: float) -> Floats:
        value = now - pages.last_fetch
        np.copyto(value, NEVER, where=pages.is_new)
        return value
