"""What does the address of every page say, as a number?  Addresses never change, so each is read once."""

from itertools import islice

import numpy as np

from sought.crawl.supply.clusters.addresses import Addresses, read_bytes
from sought.crawl.supply.holdings import Holdings
from sought.crawl.supply.supplier import Column, Committed
from sought.policy import Pages

_AT_ONCE = 512  # blocks of the store


class ByAddress:
    """A supplier that says in `numbers` what it takes from addresses; a part of `Holdings`.

    Rows that have come since are read when somebody asks.
    """

    def __init__(self, holdings: Holdings) -> None:
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
            numbers = self.numbers(found)
            self.values[self.read : self.read + len(numbers)] = numbers
            self.read += len(numbers)
        return self.values[: len(self.table)]

    def numbers(self, addresses: Addresses) -> Column:
        """One for each address."""
        raise NotImplementedError
