"""A policy is a pure callable over columns: no I/O, no clock, no state, no hosts.

`policy(pages, now)` gives every row a value, higher first; -inf means "not by this policy".  A policy with parameters
is a frozen dataclass whose `repr` is its line in sought.toml and its row in a table.

Which row a page has says nothing to a policy, unless its attribute `order_matters` is true: rows are numbered as they
are found, and that order may then decide between pages of the same depth.  Equal values are ordered by a hash.

A policy whose attribute `reads_links` is true finds in `pages.links` which page links to which.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

from sought.policy.pages import Floats, Pages

Policy = Callable[[Pages, float], Floats]


def order_matters(policy: Policy) -> bool:
    """Whether the order in which pages were found may decide."""
    return bool(getattr(policy, "order_matters", False))


def reads_links(policy: Policy) -> bool:
    """Whether `pages.links` must be filled in."""
    return bool(getattr(policy, "reads_links", False))


class Expected(NamedTuple):
    """Of every row: its value, the gain of a fetch now, and the probability with which it is chosen; NaN: not said."""

    value: Floats
    gain: Floats
    chance: Floats


@runtime_checkable
class Expecting(Protocol):
    """A policy that says what it expects: it is put on record beside what came of it."""

    def __call__(self, pages: Pages, now: float) -> Floats: ...

    def expects(self, pages: Pages, now: float) -> Expected:
        """The same values, and what they go by."""
