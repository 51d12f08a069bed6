"""How is a running crawl watched and steered?  By the methods of an observer, which the cycle calls."""

import math
from typing import TYPE_CHECKING

from sought.record.commit import Commit
from sought.record.hosts import Host
from sought.web.message import Response

if TYPE_CHECKING:  # the cycle imports its observer
    from sought.crawl.cycle import Cycle
    from sought.crawl.plan import Plan, Rows

FILE = "file"  # the purpose of a request for robots.txt or a sitemap


class CycleObserver:
    """Does nothing; operate/operator.py overrides it."""

    due: float = math.inf  # the latest time of the next call of `look`

    def look(self, cycle: "Cycle", now: float) -> None:
        """The cycle is between two steps; the observer may call its methods."""

    def planned(self, cycle: "Cycle", plan: "Plan") -> None:
        """Pages have been chosen."""

    def answered(self, host: Host, response: Response, purpose: str) -> None:
        """An answer has come."""

    def committed(self, what: Commit) -> None:
        """Answers are in the tables, with their gains."""

    def dropped(self, rows: "Rows") -> None:
        """Pages have been dropped because their number is limited."""
