"""New pages, the most important first.  What is important is said by each ordering in a file of its own."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sought.policy.pages import NEVER, Floats, Pages
from sought.policy.policy import Policy
from sought.policy.supplied import Supplied
from sought.web.expression import brief

_MOST = np.iinfo(np.int64).max
_LATER = 2.0**-33  # what a page loses for every second: less than 1 in any crawl's life


@runtime_checkable
class Important(Protocol):
    """A policy that can say how important every page is, new or known."""

    def importance(self, pages: Pages) -> Floats:
        """Higher is better."""


@brief
@dataclass(frozen=True)
class Ordering(Supplied):
    """A policy that is at the same time the belief it ranks by: the crawl supplies the importance of every page."""

    @property
    def beliefs(self) -> tuple["Ordering"]:
        return (self,)

    def importance(self, pages: Pages) -> Floats:
        return pages.belief(self)

    def __call__(self, pages: Pages, now: float) -> Floats:
        return of_new(pages, self.importance(pages))


def of_new(pages: Pages, values: Floats) -> Floats:
    """These values for pages never fetched, NEVER for others; and only numbers."""
    value = np.where(pages.is_new & ~np.isnan(values), values, NEVER)
    return np.minimum(value, np.finfo(np.float64).max, out=value)


def found_first(values: Floats, pages: Pages) -> Floats:
    """Whole numbers, and of equal ones those found earlier before the others."""
    return values - _LATER * pages.found


def importance_in(policy: Policy) -> Important | None:
    """What a policy goes by, or the side of it that ranks new pages; None if that is no importance."""
    new = getattr(policy, "new", None)
    if callable(new):
        return importance_in(new)
    return policy if isinstance(policy, Important) else None


def first(values: Floats, which: NDArray[np.bool_]) -> Floats:
    """Values in the same order, but those `which` come before all others; NEVER stays.

    Floats are ordered as their bits are: two of these are given up for the place of the queue.
    """
    bits = (values + 0.0).view(np.int64)  # + 0.0: a copy, and no -0.0
    bits ^= (bits >> 63) & _MOST
    bits >>= 2
    bits += np.where(which, 1 << 61, -1 << 61)
    bits ^= (bits >> 63) & _MOST
    return np.where(np.isneginf(values), NEVER, bits.view(np.float64))
