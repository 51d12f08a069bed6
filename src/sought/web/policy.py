"""What is a policy?  A pure callable over columns: no I/O, no clock, no state, no hosts.

`policy(pages, now)` gives every row a value, higher first; -inf means "do not fetch".  A policy with parameters
is a frozen dataclass whose `repr` is its line in sought.toml and its row in a table.

A policy must not depend on the order of rows, unless its attribute `order_matters` is true: rows are numbered in order
of discovery, and that order may then decide between pages of the same depth.  A hash of the URL breaks ties.

A policy whose attribute `reads_links` is true gets the links between pages in `pages.links`.
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
    HUB = 2  # its links announce or confirm other pages
    KNOWN = 3  # a known page; the policy does not say why

    @property
    def spelled(self) -> str:
        """As it is recorded."""
        return self.name.lower()


def beliefs_of(policy: object) -> tuple[Any, ...]:
    """The beliefs that a policy or belief reads from `Pages.beliefs`, and those that these read; each once."""
    return tuple(dict.fromkeys(_named(policy)))


def _named(value: object) -> Iterator[Any]:
    for belief in getattr(value, "beliefs", ()):
        yield belief
        if belief is not value:  # an ordering is the belief it ranks by
            yield from _named(belief)


def topics_of(policy: Policy) -> tuple[str, ...]:
    """The topics of a policy; the crawl counts their words on every page."""
    topics = (getattr(belief, "topic", "") for belief in beliefs_of(policy))
    return tuple(dict.fromkeys(topic for topic in topics if topic))


def order_matters(policy: Policy) -> bool:
    """Whether the policy may depend on the order in which pages were found."""
    return bool(getattr(policy, "order_matters", False))


def reads_links(policy: Policy) -> bool:
    """Whether `pages.links` must be filled in."""
    return bool(getattr(policy, "reads_links", False))


def explained(policy: Policy, pages: Pages, row: int, now: float) -> dict[str, Any]:
    """How a policy, or the part of it that ranks such pages, explains the value of a page to people; may be empty."""
    side = getattr(policy, "new" if pages.is_new[row] else "known", None)
    if callable(side):
        return explained(side, pages, row, now)
    explanation: dict[str, Any] = policy.explained(pages, row, now) if hasattr(policy, "explained") else {}
    return explanation


class Expected(NamedTuple):
    """For every row: its value, the gain of a fetch now, and the probability that it is chosen; NaN: not stated.

    `price` is the worth of the last fetch that the budget buys (NaN: not stated), `purpose` what a fetch of each row
    would be for (None: not stated).
    """

    value: Floats
    gain: Floats
    chance: Floats
    price: float = math.nan
    purpose: Purposes | None = None


@runtime_checkable
class Expecting(Protocol):
    """A policy that states what it expects: it is recorded beside the outcome."""

    def __call__(self, pages: Pages, now: float) -> Floats: ...

    def expects(self, pages: Pages, now: float) -> Expected:
        """The same values, with the expectations behind them."""


def purposes(pages: Pages, expected: Expected | None, rows: NDArray[np.int64]) -> Purposes:
    """The purpose of a fetch of these rows: as the policy states, else by whether the page was ever fetched."""
    if expected is not None and expected.purpose is not None:
        return expected.purpose[rows]
    return np.where(np.isneginf(pages.last_fetch[rows]), Purpose.NEW, Purpose.KNOWN).astype(np.int8)


@runtime_checkable
class Important(Protocol):
    """A policy that can rate the importance of every page, new or known."""

    def importance(self, pages: Pages) -> Floats:
        """Higher is better."""


def importance_in(policy: Policy) -> Important | None:
    """The policy, or the part of it that ranks new pages, if it rates importance; else None."""
    new = getattr(policy, "new", None)
    if callable(new):
        return importance_in(new)
    return policy if isinstance(policy, Important) else None
