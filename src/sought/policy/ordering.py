"""What do policies share that order new pages by importance?  Each ordering is in a file of its own."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Supplied
from sought.web.expression import brief
from sought.web.pages import NEVER, Floats, Pages

_MAX = np.iinfo(np.int64).max
_LATER = 2.0**-33  # deducted for every second: less than 1 over the life of any crawl


@brief
@dataclass(frozen=True)
class Ordering(Supplied):
    """A policy that is also the belief it ranks by: the crawl supplies the importance of every page."""

    is_abstract: ClassVar[bool] = True

    @property
    def beliefs(self) -> tuple["Ordering"]:
        return (self,)

    def importance(self, pages: Pages) -> Floats:
        return pages.belief(self)

    def __call__(self, pages: Pages, now: float) -> Floats:
        return of_new(pages, self.importance(pages))


def of_new(pages: Pages, values: Floats) -> Floats:
    """The values for pages never fetched, NEVER for others and for NaN; infinite values become finite."""
    value = np.where(pages.is_new & ~np.isnan(values), values, NEVER)
    return np.minimum(value, np.finfo(np.float64).max, out=value)


def earliest_first(values: Floats, pages: Pages) -> Floats:
    """Whole-number values with ties broken: pages found earlier come first."""
    return values - _LATER * pages.found


def first(values: Floats, which: NDArray[np.bool_]) -> Floats:
    """Values in the same order, but rows in `which` come before all others; NEVER stays.

    Floats are ordered as their bits are: the last two bits are dropped to make room for the queue.
    """
    bits = (values + 0.0).view(np.int64)  # + 0.0: a copy, and no -0.0
    bits ^= (bits >> 63) & _MAX
    bits >>= 2
    bits += np.where(which, 1 << 61, -1 << 61)
    bits ^= (bits >> 63) & _MAX
    return np.where(np.isneginf(values), NEVER, bits.view(np.float64))
