"""How deep in its host is an address?  Minus the slashes of its path: 1 in `http://a.example/`, 2 in `…/b/c`.

Those of the scheme and those behind a question mark are not counted.  Addresses never change, so each is read once.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.crawl.supply.holdings import Holdings
from sought.crawl.supply.supplier import Column, Committed
from sought.policy import Location, Pages

_AT_ONCE = 64  # blocks of the store: what is reckoned with stays in the cache
_SLASH, _QUERY = ord("/"), ord("?")
_OF_SCHEME = 2


class Locations:
    """Rows that have come since are read when somebody asks."""

    def __init__(self, belief: Location, holdings: Holdings) -> None:
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
            found = slashes(np.concatenate([lengths for lengths, _ in some]), [text for _, text in some])
            self.values[self.read : self.read + len(found)] = -found.astype(np.float64)
            self.read += len(found)
        return self.values[: len(self.table)]

    def terms(self, row: int) -> dict[str, Any]:
        return {"slashes": int(-self.values[row])}


def slashes(lengths: NDArray[np.uint16], texts: Sequence[bytes]) -> NDArray[np.int64]:
    """Of the paths of URLs that stand end to end."""
    data = np.frombuffer(b"".join(texts), np.uint8)
    ends = np.cumsum(lengths, dtype=np.int64)
    starts = ends - lengths
    queries = np.cumsum(data == _QUERY)
    before = np.concatenate([[0], queries])[starts]  # question marks of the URLs before
    counted = (data == _SLASH) & (queries == np.repeat(before, lengths))
    upto = np.concatenate([[0], np.cumsum(counted)])
    found: NDArray[np.int64] = upto[ends] - upto[starts] - _OF_SCHEME
    return found
