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
    """A number for the directory of a page's address: equal for the same directory of the same host."""

    goes_by_demand: ClassVar[bool] = False

    def supplier(self, holdings: Holdings) -> Supplier:
        return holdings.shared(FolderSupplier)


_BATCH = 512  # blocks of the store


class ByAddress:
    """A supplier that computes a number from each address (`numbers`); shared through `Holdings`.

    Addresses never change, so each is read once, when the column is first read after the row was found.
    """

    def __init__(self, holdings: Holdings) -> None:
        self.store, self.table = holdings.store, holdings.table
        self.values = np.zeros(0)
        self.read = 0  # rows below have been read

    def take(self, committed: Commit) -> None:
        """New addresses are in the store."""

    def column(self, pages: Pages) -> Column:
        if len(self.values) < len(self.table):
            self.values = np.concatenate([self.values[: self.read], np.zeros(len(self.table) * 5 // 4 - self.read)])
        blocks = self.store.spelled(self.read)
        while self.read < len(self.table) and (batch := list(islice(blocks, _BATCH))):
            addresses = read_bytes(np.concatenate([lengths for lengths, _ in batch]), [text for _, text in batch])
            numbers = self.numbers(addresses)
            self.values[self.read : self.read + len(numbers)] = numbers
            self.read += len(numbers)
        return self.values[: len(self.table)]

    def numbers(self, addresses: Addresses) -> Column:
        """A number for each address."""
        raise NotImplementedError


class FolderSupplier(ByAddress):
    """The number is a hash of host and path up to the last slash, folded to 52 bits.

    The probability that any two of a million directories share a number is 1 in 9000.
    """

    def numbers(self, addresses: Addresses) -> Column:
        return folder_numbers(addresses)

    def terms(self, row: int) -> dict[str, Any]:
        path = self.store.url(row).partition("?")[0]
        same = self.values[: len(self.table)] == self.values[row]
        return {"directory": path[: path.rindex("/") + 1], "pages_in_it": int(np.count_nonzero(same))}
