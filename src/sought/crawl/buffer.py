"""Which pages leave if only so many are kept?  The least important (Cho, Garcia-Molina & Page 1998, §2.2).

The policy that orders new pages says how important each page is.  Of equally important pages the one fetched longest
ago leaves; a page just fetched that is less important than all others leaves at once.  A page that has left is not
searchable any more.  Its records stay in the archive, its links stay known, and it may be fetched again after a month.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sought.crawl.plan import Rows
from sought.record.repository import Repository
from sought.record.retries import DAY
from sought.record.table import Table
from sought.web.pages import Pages
from sought.web.policy import Policy
from sought.web.registry import importance_for

_DROPPED_FOR = 30 * DAY


class Buffer:
    """`keep` pages stay; 0: all.  A limit needs a policy that says how important pages are."""

    def __init__(self, keep: int, policy: Policy) -> None:
        self.keep = keep
        self.important = importance_for(policy) if keep else None

    def trim(self, repository: Repository, pages: Callable[[], Pages], now: float) -> Rows:
        """Drop the least important pages if there are too many; returns them.  The next commit removes them."""
        if self.important is None or np.count_nonzero(repository.table.is_searchable) <= self.keep:
            return np.zeros(0, np.int64)
        rows = leaving(repository.table, self.important.importance(pages()), self.keep)
        for row in rows.tolist():
            repository.drop(row, now + _DROPPED_FOR)
        return rows


def leaving(table: Table, importance: NDArray[np.float64], keep: int) -> Rows:
    """The rows that must leave so that only `keep` stay, the least important first."""
    rows = table.searchable()
    order = np.lexsort((table["key"][rows], table["last_fetch"][rows], importance[rows]))
    return rows[order[: max(0, len(rows) - keep)]]
