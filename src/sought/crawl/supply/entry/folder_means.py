"""What are the pages worth that are in the same directory?"""

import numpy as np
from numpy.typing import NDArray

from sought.crawl.supply.folders import Folders
from sought.crawl.supply.holdings import Holdings
from sought.crawl.supply.location import Locations
from sought.crawl.supply.supplier import Column
from sought.policy import Pages
from sought.policy.slots import Slots

_AS_IF = 3.0  # every directory is taken to have so many typical pages

Rows = NDArray[np.int64]


class FolderMeans:
    """As of the last look; directories have numbers 0, 1, 2, … as they come."""

    def __init__(self, holdings: Holdings) -> None:
        self.folders, self.locations = holdings.part(Folders), holdings.part(Locations)
        self.slots = Slots()
        self.slot = np.zeros(0, np.uint32)  # the directory of every row
        self.minus_depth = self.means = np.zeros(0)

    def look(self, pages: Pages, presence: Column, searchable: NDArray[np.bool_], typical: float) -> None:
        """Have everything brought up to date."""
        fresh = self.folders.column(pages)[len(self.slot) :]
        self.slot = np.concatenate([self.slot, self.slots.of(fresh.astype(np.int64)).astype(np.uint32)])
        self.minus_depth = self.locations.column(pages)
        found = np.flatnonzero(searchable)
        total, count = (np.bincount(self.slot[found], each, self.slots.size) for each in (presence[found], None))
        self.means = (total + _AS_IF * typical) / (count + _AS_IF)

    def of(self, rows: Rows) -> Column:
        """The mean presence of the pages in the directories of these rows."""
        return self.means[self.slot[rows]]

    def depth(self, rows: Rows) -> Column:
        """Directories above these rows."""
        return -1.0 - self.minus_depth[rows]
