"""How many links does a page have?  As counted; for a page that was not read, the mean of its host.

Distinct links that are followed count.  If no page of the host has been read, it is the mean over all pages; if no page
has been read at all, it is 0.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from sought.beliefs.belief import Column, Supplied, Supplier
from sought.beliefs.holdings import Holdings
from sought.record.commit import Commit
from sought.web.expression import brief
from sought.web.pages import Pages

_BATCH = 100_000
_TARGET = 4  # bytes


@brief
@dataclass(frozen=True)
class ForwardLinksScore(Supplied):
    """Links on a page, or the mean of its host."""

    goes_by_demand: ClassVar[bool] = False

    def supplier(self, holdings: Holdings) -> Supplier:
        return ForwardLinksSupplier(holdings)


class ForwardLinksSupplier:
    """The number of links of every row that has a list of them, kept up with commits."""

    def __init__(self, holdings: Holdings) -> None:
        self.table = holdings.table
        self.counts = np.full(len(self.table), np.nan)
        stored = ((int.from_bytes(key[1:], "big"), len(value) // _TARGET) for key, value in holdings.store.scan(b"l"))
        while some := list(islice(stored, _BATCH)):
            self._note(some)

    def take(self, committed: Commit) -> None:
        self._note([(row, len(targets)) for row, targets in committed.linked.items()])

    def column(self, pages: Pages) -> Column:
        self._reserve()
        counts = self.counts[: len(self.table)]
        read = ~np.isnan(counts)
        if not read.any():
            return np.zeros(len(counts))
        hosts = self.table["host"]
        pages_of = np.bincount(hosts[read], minlength=int(hosts.max()) + 1)
        links_of = np.bincount(hosts[read], counts[read], minlength=len(pages_of))
        mean = np.where(pages_of > 0, links_of / np.maximum(pages_of, 1), counts[read].mean())
        return np.where(read, counts, mean[hosts])

    def terms(self, row: int) -> dict[str, Any]:
        """A count, or a mean and the number of pages it is taken over."""
        counts = self.counts[: len(self.table)]
        if np.isfinite(counts[row]):
            return {"links_on_this_page": int(counts[row])}
        read = np.isfinite(counts)
        on_host = read & (self.table["host"] == self.table["host"][row])
        which, name = (on_host, "mean_of_its_host") if on_host.any() else (read, "mean_of_all_hosts")
        return {name: float(counts[which].mean()) if which.any() else 0.0, "over_pages": int(np.count_nonzero(which))}

    def _note(self, pairs: Iterable[tuple[int, int]]) -> None:
        self._reserve()
        rows, counts = zip(*pairs, strict=True) if pairs else ((), ())
        self.counts[np.array(rows, np.int64)] = counts

    def _reserve(self) -> None:
        if len(self.counts) < len(self.table):
            self.counts = np.concatenate([self.counts, np.full(len(self.table) * 5 // 4 - len(self.counts), np.nan)])
