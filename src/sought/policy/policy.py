"""A policy is a pure callable over columns: no I/O, no clock, no state, no hosts.

`policy(pages, now)` gives every row a value, higher first; -inf means "not by this policy".  A policy with parameters
is a frozen dataclass whose `repr` is its line in sought.toml and its row in a table.
"""

from collections.abc import Callable

from sought.policy.pages import Floats, Pages

Policy = Callable[[Pages, float], Floats]
