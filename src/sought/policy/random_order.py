"""All pages, new and known, in random order: a baseline for experiments."""

from dataclasses import dataclass

import numpy as np

from sought.web.errors import BadInput
from sought.web.expression import brief
from sought.web.mixing import fractions, mixed, salt
from sought.web.pages import Floats, Pages, pieces


@brief
@dataclass(frozen=True)
class Random:
    """A new random order at every time.

    The value is a hash of URL, time and seed, so that a crawl can be repeated exactly.
    """

    seed: int = 0

    def __post_init__(self) -> None:
        if type(self.seed) is not int:
            raise BadInput(f"Random: seed is a whole number, not {self.seed!r}")

    def __call__(self, pages: Pages, now: float) -> Floats:
        value, state = np.empty(len(pages)), salt(self.seed, float(now))
        for piece in pieces(len(pages)):
            value[piece] = fractions(mixed(pages.key[piece] ^ state))
        return value
