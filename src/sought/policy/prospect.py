"""What would the first fetch of a URL bring?  Believed before a word of the page has been read."""

from dataclasses import dataclass

from sought.policy.supplied import Supplied
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class Prospect(Supplied):
    """Expected gain of the first fetch of a URL, from the queries that its address and the anchors to it match.

    Rows of which there is a copy may hold anything; no policy reads them.
    """
