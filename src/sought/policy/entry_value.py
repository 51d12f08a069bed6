"""What is the first fetch of a page worth?"""

from dataclasses import dataclass

from sought.policy.supplied import Supplied
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class EntryValue(Supplied):
    """Expected measured gain of the first fetch of a URL, from all that is known of it without its content.

    The queries that its address and its anchors match (`Prospect`), the pages that moved there, what else its parents
    link to, its in-links, and what first fetches on its host have brought; put together as entry_model.py says, and
    calibrated by every first fetch of this crawl.  In the unit of gains.

    Rows that are not new have 0.
    """
