"""Which directory is an address in?  A number of its host and its path up to the last slash.

It is a hash, folded to 52 bits: two of a million directories share one by a chance of 1 in 9000.  Addresses never
change, so each is read once.
"""

from itertools import islice
from typing import Any

import numpy as np

from sought.crawl.supply.clusters.addresses import folder_numbers, read_bytes
from sought.crawl.supply.holdings import Holdings
from sought.crawl.supply.supplier import Column, Committed
from sought.policy import Pages
from sought.policy.grouping.folder import Folder

_AT_ONCE = 512  # blocks of the store


class Folders:
    """Rows that have come since are read when somebody asks."""

    def __init__(self, belief: Folder, holdings: Holdings) -> None:
        self.store, self.table = holdings.store, holdings.table
        self.values = np.zeros(0)
        self.read = 0  # rows below have been read

    def take(self, committed: Committed) -> None:
        """What a commit brings is in the store."""

    def column(self, pages: Pages) -> Column:
        if len(self.values) < len(self.table):
            self.values = np.concatenate([self.values[: self.read], np.zeros(len(self.table) * 5 // 4 - self.read)])
        blocks = self.store.spelled(self.read)
        while self.read < len(self.table) and (some := list(islice(blocks, _AT_ONCE))):
            found = read_bytes(np.concatenate([lengths for lengths, _ in some]), [text for _, text in some])
            numbers = folder_numbers(found)
            self.values[self.read : self.read + len(numbers)] = numbers
            self.read += len(numbers)
        return self.values[: len(self.table)]

    def terms(self, row: int) -> dict[str, Any]:
        path = self.store.url(row).partition("?")[0]
        same = self.values[: len(self.table)] == self.values[row]
        return {"directory": path[: path.rindex("/") + 1], "pages_in_it": int(np.count_nonzero(same))}
