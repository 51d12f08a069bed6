"""A policy is a pure callable over columns: no I/O, no clock, no state, no hosts.

`policy(pages, now)` gives every row a value, higher first; -inf means "not by this policy".  A policy with parameters
is a frozen dataclass whose `repr` is its line in sought.toml and its row in a table.

Which row a page has says nothing to a policy, unless its attribute `order_matters` is true: rows are numbered as they
are found, and that order may then decide between pages of the same depth.  Equal values are ordered by a hash.
"""

from collections.abc import Callable

from sought.policy.pages import Floats, Pages

Policy = Callable[[Pages, float], Floats]


def order_matters(policy: Policy) -> bool:
    """Whether the order in which pages were found may decide."""
    return bool(getattr(policy, "order_matters", False))
