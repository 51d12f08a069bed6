"""How likely is it that a user looks at the result at rank r?

I(r) = c·r^-3/2 fits the logs of a large search engine (S. Pandey, C. Olston, User-centric Web crawling, 2005, eq. 2);
c makes the probabilities of an infinite list sum to one.
"""

import math
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from sought.web.errors import BadInput

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Visibility:
    """I(r) = c·r^-exponent."""

    exponent: float = 1.5

    def __post_init__(self) -> None:
        if not 1 < self.exponent < 64:
            raise BadInput(f"the exponent of visibility must be above 1 (and below 64), not {self.exponent}")

    @cached_property
    def scale(self) -> float:
        """The constant c, the visibility of the first rank."""
        return 1 / _zeta(self.exponent)

    def at(self, ranks: Floats) -> Floats:
        """Visibility at any ranks, also fractional or infinite ones."""
        return self.scale * np.asarray(ranks, np.float64) ** -self.exponent

    def table(self, n: int) -> Floats:
        """I(0), …, I(n), where I(0) = 0."""
        return _tables(self).upto(n).seen[: n + 1]

    def sums(self, n: int) -> Floats:
        """H(0), …, H(n), where H(r) = I(1) + … + I(r)."""
        return _tables(self).upto(n).sums[: n + 1]

    def drops(self, n: int) -> Floats:
        """I(r) - I(r+1) for r = 0, …, n: what a result loses that moves down by one.  Item 0 is 0."""
        return _tables(self).upto(n).drops[: n + 1]


class _Tables:
    """Tables of one visibility, which grow to twice the requested size."""

    def __init__(self, visibility: Visibility) -> None:
        self._visibility = visibility
        self._grow(1024)

    def upto(self, n: int) -> "_Tables":
        if n >= len(self.seen):
            self._grow(2 * n)
        return self

    def _grow(self, n: int) -> None:
        seen = np.zeros(n + 2)
        seen[1:] = self._visibility.at(np.arange(1, n + 2, dtype=np.float64))
        self.drops = seen[:-1] - seen[1:]
        self.drops[0] = 0
        self.sums = np.cumsum(seen[:-1])
        self.seen = seen[:-1]
        for table in (self.seen, self.sums, self.drops):
            table.flags.writeable = False


@cache
def _tables(visibility: Visibility) -> _Tables:
    return _Tables(visibility)


def _zeta(s: float) -> float:
    """Σ k^-s over all k ≥ 1, by the Euler–Maclaurin formula."""
    n = 32
    head = math.fsum(float(k) ** -s for k in range(1, n))
    last = math.pow(n, -s)
    tail = last * (n / (s - 1) + 1 / 2 + s / n / 12)
    third = last * s * (s + 1) * (s + 2) / n**3
    return head + tail - third / 720 + third * (s + 3) * (s + 4) / n**2 / 30240
