"""Which query would a page never fetched serve most?"""

from dataclasses import dataclass

from sought.policy.supplied import Supplied
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class MainQuery(Supplied):
    """The number of the query that the first fetch of a URL would bring most for, as Prospect sees it; -1: none.

    Rows of which there is a copy may hold anything.
    """


@brief
@dataclass(frozen=True)
class MainShare(Supplied):
    """The share of its Prospect that is of this query."""
