"""Which pages are in the same directory?"""

from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from sought.beliefs.addresses import Addresses, folder_numbers, read_bytes
from sought.beliefs.belief import Column, Supplied, Supplier
from sought.beliefs.holdings import Holdings
from sought.record.commit import Commit
from sought.web.expression import brief
from sought.web.pages import Pages


@brief
@dataclass(frozen=True)
class Folder(Supplied):
    """A number of the directory that a page's address is in: equal numbers, same directory of the same host."""

    goes_by_demand: ClassVar[bool] = False

    def supplier(self, holdings: Holdings) -> Supplier:
        return holdings.shared(FolderSupplier)


# ---- What does the address of every page say, as a number?  Addresses never change, so each is read once.


_BATCH = 512  # blocks of the store


class ByAddress:
    """A supplier that says in `numbers` what it takes from addresses; a part of `Holdings`.

    Rows that have come since are read when somebody asks.
    """

    def __init__(self, holdings: Holdings) -> None:
        self.store, self.table = holdings.store, holdings.table
        self.values = np.zeros(0)
        self.read = 0  # rows below have been read

    def take(self, committed: Commit) -> None:
        """What a commit brings is in the store."""

    def column(self, pages: Pages) -> Column:
        if len(self.values) < len(self.table):
            self.values = np.concatenate([self.values[: self.read], np.zeros(len(self.table) * 5 // 4 - self.read)])
        blocks = self.store.spelled(self.read)
        while self.read < len(self.table) and (some := list(islice(blocks, _BATCH))):
            found = read_bytes(np.concatenate([lengths for lengths, _ in some]), [text for _, text in some])
            numbers = self.numbers(found)
            self.values[self.read : self.read + len(numbers)] = numbers
            self.read += len(numbers)
        return self.values[: len(self.table)]

    def numbers(self, addresses: Addresses) -> Column:
        """One for each address."""
        raise NotImplementedError


# ---- Which directory is an address in?  A number of its host and its path up to the last slash.
#
# It is a hash, folded to 52 bits: two of a million directories share one by a chance of 1 in 9000.


class FolderSupplier(ByAddress):
    """The supplier of `Folder`."""

    def numbers(self, addresses: Addresses) -> Column:
        return folder_numbers(addresses)

    def terms(self, row: int) -> dict[str, Any]:
        path = self.store.url(row).partition("?")[0]
        same = self.values[: len(self.table)] == self.values[row]
        return {"directory": path[: path.rindex("/") + 1], "pages_in_it": int(np.count_nonzero(same))}
