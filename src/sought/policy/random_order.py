"""All pages, new and known, in an order that nothing is known of."""

from dataclasses import dataclass

import numpy as np

from sought.web.errors import BadInput
from sought.web.expression import brief
from sought.web.mixing import fractions, mixed, salt
from sought.web.pages import Floats, Pages, pieces


@brief
@dataclass(frozen=True)
class Random:
    """A floor: every order is equally likely, and another one at every time it is asked for.

    The value is a hash of URL, time and seed, so that the same crawl is the same again.
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
