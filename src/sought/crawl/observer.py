"""Who watches a running crawl, and may tell it what to do?  Nobody, unless the cycle is given someone."""

import math
from typing import TYPE_CHECKING

from sought.record.commit import Commit
from sought.record.hosts import Host
from sought.web.message import Response

if TYPE_CHECKING:  # the cycle knows its observer
    from sought.crawl.cycle import Cycle
    from sought.crawl.plan import Plan, Rows

FILE = "file"  # in place of a policy's purpose: robots.txt or a sitemap


class CycleObserver:
    """Told what a cycle does, as it does it.  This one looks away, at no cost; operate/operator.py does not."""

    due: float = math.inf  # when it wants to look again at the latest

    def look(self, cycle: "Cycle", now: float) -> None:
        """The cycle has time: it is between two steps, and may be told what to do."""

    def planned(self, cycle: "Cycle", plan: "Plan") -> None:
        """Pages have been chosen."""

    def answered(self, host: Host, response: Response, purpose: str) -> None:
        """An answer has come."""

    def committed(self, what: Commit) -> None:
        """Answers are in the tables, and their gains are measured."""

    def dropped(self, rows: "Rows") -> None:
        """Pages have left a repository of limited size."""
