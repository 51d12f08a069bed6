"""What is a policy, and what may it have?

A policy is a pure callable over columns: no I/O, no clock, no state, no hosts.  `policy(pages, now)` gives every row a
value, higher first; -inf means "not by this policy".  A plain function is enough:

    def oldest(pages, now):
        return now - pages.last_fetch

A policy with parameters is a frozen dataclass whose `repr` is its line in sought.toml and its row in a table.  Equal
values are ordered by a hash of the URL.  `PolicyDefaults` lists every attribute that a policy may have besides, and
what counts if it has none; `BeliefDefaults` does so for beliefs.  All other code reads these attributes through the
functions below.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sought.web.pages import Floats, Pages

Purposes = NDArray[np.int8]


class Policy(Protocol):
    """Ranks all pages: one value per row, higher first; -inf: never.  `PolicyDefaults` has what else it may have."""

    def __call__(self, pages: Pages, now: float, /) -> Floats: ...


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


class PolicyDefaults:
    """Every optional attribute of a policy, with what counts for a policy that does not have it.

    beliefs         the beliefs that the policy reads from `pages.beliefs`; the crawl fills in no others
    order_matters   whether row numbers, which are the order of discovery, may decide between pages of the same depth
    reads_links     whether `pages.links`, which page links to which, must be filled in
    new, known      the sides of a policy that ranks new and known pages by two other policies
    needs           the module of an optional library without which the policy cannot run, such as `scipy`
    is_oracle       whether the policy knows what a crawler cannot: it runs in the laboratory only
    knows_all       whether an oracle is also shown pages that the crawler has not discovered
    expects         what it expects of fetches; put on record beside what is measured
    explained       what its value is made of, for people
    importance      how important every page is, new or known; decides which pages are kept (`[crawl] keep`)

    Nobody has to inherit from this class.
    """

    beliefs: tuple[Any, ...] = ()
    order_matters: bool = False
    reads_links: bool = False
    new: Policy | None = None
    known: Policy | None = None
    needs: str = ""
    is_oracle: bool = False
    knows_all: bool = False
    expects: Callable[[Pages, float], Expected] | None = None
    explained: Callable[[Pages, int, float], Mapping[str, Any]] | None = None
    importance: Callable[[Pages], Floats] | None = None


class BeliefDefaults:
    """Every optional attribute of a belief, with what counts for a belief that does not have it.

    beliefs         other beliefs that it reads from `pages.beliefs`
    goes_by_demand  whether it says nothing while nobody has asked any query
    topic           the topic that it is about: the crawl counts these words on every page
    needs           the module of an optional library without which it cannot run
    is_oracle       whether only the laboratory can fill in its column
    """

    beliefs: tuple[Any, ...] = ()
    goes_by_demand: bool = True
    topic: str = ""
    needs: str = ""
    is_oracle: bool = False


def beliefs_of(policy: object) -> tuple[Any, ...]:
    """The beliefs that a policy or a belief reads from `Pages.beliefs`, and those that these read, each once."""
    return tuple(dict.fromkeys(_all_beliefs(policy)))


def _all_beliefs(value: object) -> Iterator[Any]:
    for belief in own_beliefs(value):
        yield belief
        if belief is not value:  # an ordering is the belief it ranks by
            yield from _all_beliefs(belief)


def own_beliefs(value: object) -> tuple[Any, ...]:
    """The beliefs that a policy or a belief names itself."""
    return tuple(getattr(value, "beliefs", PolicyDefaults.beliefs))


def topics_of(policy: Policy) -> tuple[str, ...]:
    """The topics of a policy's beliefs; the crawl has to count their words on every page."""
    topics = (getattr(belief, "topic", BeliefDefaults.topic) for belief in beliefs_of(policy))
    return tuple(dict.fromkeys(topic for topic in topics if topic))


def needs_demand(belief: object) -> bool:
    """Whether a belief says nothing while nobody asks anything."""
    return bool(getattr(belief, "goes_by_demand", BeliefDefaults.goes_by_demand))


def needed_module(value: object) -> str:
    """The optional library without which a policy or a belief cannot run; empty if it needs none."""
    return str(getattr(value, "needs", PolicyDefaults.needs))


def is_oracle(value: object) -> bool:
    """Whether a policy or a belief knows what a crawler cannot."""
    return bool(getattr(value, "is_oracle", PolicyDefaults.is_oracle))


def knows_all(policy: Policy) -> bool:
    """Whether an oracle is also shown pages that the crawler has not discovered."""
    return bool(getattr(policy, "knows_all", PolicyDefaults.knows_all))


def order_matters(policy: Policy) -> bool:
    """Whether the order of discovery may decide."""
    return bool(getattr(policy, "order_matters", PolicyDefaults.order_matters))


def reads_links(policy: Policy) -> bool:
    """Whether `pages.links` must be filled in."""
    return bool(getattr(policy, "reads_links", PolicyDefaults.reads_links))


def side_for(policy: Policy, *, new: bool) -> Policy | None:
    """The policy that ranks new or known pages inside of this one; None if it ranks them itself."""
    side: Policy | None = getattr(policy, "new" if new else "known", None)
    return side if callable(side) else None


def explained(policy: Policy, pages: Pages, row: int, now: float) -> dict[str, Any]:
    """What the value of a row is made of, by the policy or by the side of it that ranks such rows."""
    if side := side_for(policy, new=bool(pages.is_new[row])):
        return explained(side, pages, row, now)
    explain = getattr(policy, "explained", PolicyDefaults.explained)
    return dict(explain(pages, row, now)) if explain else {}


@runtime_checkable
class Expecting(Protocol):
    """A policy that states what it expects: it is recorded beside the outcome."""

    def __call__(self, pages: Pages, now: float, /) -> Floats: ...

    def expects(self, pages: Pages, now: float, /) -> Expected:
        """The same values, and what they go by."""


def expecting(policy: Policy) -> Expecting | None:
    """The policy if it expects something of fetches."""
    return policy if isinstance(policy, Expecting) and callable(policy.expects) else None


def expected_by(policy: Policy, pages: Pages, now: float) -> Expected | None:
    """What a policy expects of fetching each row now; None if it does not say."""
    expects = expecting(policy)
    return expects.expects(pages, now) if expects else None


def purposes(pages: Pages, expected: Expected | None, rows: NDArray[np.int64]) -> Purposes:
    """What a fetch of each of some rows is for: as the policy says, or else by whether it was ever fetched."""
    if expected is not None and expected.purpose is not None:
        return expected.purpose[rows]
    return np.where(np.isneginf(pages.last_fetch[rows]), Purpose.NEW, Purpose.KNOWN).astype(np.int8)


@runtime_checkable
class Important(Protocol):
    """A policy that can rate the importance of every page, new or known."""

    def importance(self, pages: Pages) -> Floats:
        """Higher is better."""


def importance_in(policy: Policy) -> Important | None:
    """The policy, or the side of it that ranks new pages, if it says how important pages are."""
    if side := side_for(policy, new=True):
        return importance_in(side)
    return policy if isinstance(policy, Important) and callable(policy.importance) else None
