"""A repository of at most so many pages: the least important leave (Cho, Garcia-Molina & Page 1998, §2.2).

How important a page is, is said by the policy that orders new pages.  Of equally important pages those leave that were
fetched longest ago; a page just fetched that is less important than all others leaves at once.  What leaves is not
searchable any more.  Its records stay in the archive, its links stay known, and it may come back after a month.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sought.crawl.plan import Rows
from sought.record.outcome import DAY
from sought.record.repository import Repository
from sought.record.table import Table
from sought.web.pages import Pages
from sought.web.policy import Policy
from sought.web.registry import importance_for

_AWAY = 30 * DAY


class Buffer:
    """`keep` pages stay; 0: all of them.  A policy that does not say what is important can keep all pages only."""

    def __init__(self, keep: int, policy: Policy) -> None:
        self.keep = keep
        self.important = importance_for(policy) if keep else None

    def trim(self, repository: Repository, pages: Callable[[], Pages], now: float) -> Rows:
        """If there are too many pages, drop the least important; returns them.  They are gone with the next commit."""
        if self.important is None or np.count_nonzero(repository.table.is_searchable) <= self.keep:
            return np.zeros(0, np.int64)
        rows = leaving(repository.table, self.important.importance(pages()), self.keep)
        for row in rows.tolist():
            repository.drop(row, now + _AWAY)
        return rows


def leaving(table: Table, importance: NDArray[np.float64], keep: int) -> Rows:
    """Those that must leave so that so many stay, the least important first."""
    rows = table.searchable()
    order = np.lexsort((table["key"][rows], table["last_fetch"][rows], importance[rows]))
    return rows[order[: max(0, len(rows) - keep)]]
