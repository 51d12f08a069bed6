"""A policy is a pure callable over columns: no I/O, no clock, no state, no hosts.

`policy(pages, now)` gives every row a value, higher first; -inf means "not by this policy".  A policy with parameters
is a frozen dataclass whose `repr` is its line in sought.toml and its row in a table.

Which row a page has says nothing to a policy, unless its attribute `order_matters` is true: rows are numbered as they
are found, and that order may then decide between pages of the same depth.  Equal values are ordered by a hash.

A policy whose attribute `reads_links` is true finds in `pages.links` which page links to which.
"""

import math
from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sought.web.pages import Floats, Pages

Policy = Callable[[Pages, float], Floats]
Purposes = NDArray[np.int8]


class Purpose(IntEnum):
    """What a fetch of a page is for."""

    NEW = 0  # it was never fetched
    STALE = 1  # its text may have changed, or it may have gone
    HUB = 2  # what its links tell of other pages, or lead to
    KNOWN = 3  # a page that is known, by a policy that does not say why

    @property
    def spelled(self) -> str:
        """As it is put on record."""
        return self.name.lower()


def beliefs_of(policy: object) -> tuple[Any, ...]:
    """What a policy, or a belief, reads from `Pages.beliefs`, and what these read; each once, as they are named."""
    return tuple(dict.fromkeys(_named(policy)))


def _named(value: object) -> Iterator[Any]:
    for belief in getattr(value, "beliefs", ()):
        yield belief
        if belief is not value:  # an ordering is the belief it ranks by
            yield from _named(belief)


def topics_of(policy: Policy) -> tuple[str, ...]:
    """What a policy is after; the crawl has to count the words of these on every page."""
    topics = (getattr(belief, "topic", "") for belief in beliefs_of(policy))
    return tuple(dict.fromkeys(topic for topic in topics if topic))


def order_matters(policy: Policy) -> bool:
    """Whether the order in which pages were found may decide."""
    return bool(getattr(policy, "order_matters", False))


def reads_links(policy: Policy) -> bool:
    """Whether `pages.links` must be filled in."""
    return bool(getattr(policy, "reads_links", False))


def explained(policy: Policy, pages: Pages, row: int, now: float) -> dict[str, Any]:
    """What a policy, or the side of it that ranks such pages, says of its value for people, if that is not plain."""
    side = getattr(policy, "new" if pages.is_new[row] else "known", None)
    if callable(side):
        return explained(side, pages, row, now)
    told: dict[str, Any] = policy.explained(pages, row, now) if hasattr(policy, "explained") else {}
    return told


class Expected(NamedTuple):
    """Of every row: its value, the gain of a fetch now, and the probability with which it is chosen; NaN: not said.

    `price` is the worth of the last fetch that the budget buys (NaN: not said), `purpose` what a fetch of each row
    would be for (None: not said).
    """

    value: Floats
    gain: Floats
    chance: Floats
    price: float = math.nan
    purpose: Purposes | None = None


@runtime_checkable
class Expecting(Protocol):
    """A policy that says what it expects: it is put on record beside what came of it."""

    def __call__(self, pages: Pages, now: float) -> Floats: ...

    def expects(self, pages: Pages, now: float) -> Expected:
        """The same values, and what they go by."""


def purposes(pages: Pages, told: Expected | None, rows: NDArray[np.int64]) -> Purposes:
    """What a fetch of each of some rows is for: as the policy says, or else by whether it was ever fetched."""
    if told is not None and told.purpose is not None:
        return told.purpose[rows]
    return np.where(np.isneginf(pages.last_fetch[rows]), Purpose.NEW, Purpose.KNOWN).astype(np.int8)


@runtime_checkable
class Important(Protocol):
    """A policy that can say how important every page is, new or known."""

    def importance(self, pages: Pages) -> Floats:
        """Higher is better."""


def importance_in(policy: Policy) -> Important | None:
    """What a policy goes by, or the side of it that ranks new pages; None if that is no importance."""
    new = getattr(policy, "new", None)
    if callable(new):
        return importance_in(new)
    return policy if isinstance(policy, Important) else None
