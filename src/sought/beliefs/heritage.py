"""Which pages without a copy replace pages that have moved, and which search value do they inherit?

A page that is found to redirect leaves its search value (as of the last valuation) to its target, if there is no copy
of the target; also what it has inherited itself.  The target (`heir`) takes the maximum over all pages that redirect to
it (`testators`), not the sum: a site that redirects everything that is gone to one page does not make that page worth
all of them.

A page fetched again may have lost a link to one page and have a new link to another of the same name, which is the last
segment of the path or an anchor text.  Then the second is guessed to replace the first, until the first is seen
unchanged, or redirects elsewhere.

The value of a page cannot be computed after it is gone.  So the store keeps it under the key `i`, by heir and testator,
until there is a copy of the heir, or the heir redirects as well.  A store that is rebuilt from the archive has none of
these values.
"""

import struct
from collections.abc import Iterable, Mapping
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Column
from sought.beliefs.holdings import Holdings
from sought.beliefs.presence import Values
from sought.graph.links import GraphLinks
from sought.record.commit import Commit
from sought.record.outcome import Finished
from sought.record.store import row_key
from sought.record.table import Reason, State

_RECORD = struct.Struct("<dd?")  # time, value, and whether it is certain
_ANCHORS = 8  # read for the names of a page
_MAX = 1000  # links that a page may lose or gain at once; with more it counts as another page

Targets = NDArray[np.uint32]


class Heritage:
    """Inherited values of rows without a copy: from which row, and whether that is certain."""

    def __init__(self, holdings: Holdings) -> None:
        self.store, self.table = holdings.store, holdings.table
        self.values = holdings.shared(Values)
        self.links: GraphLinks | None = None  # as of the last `look`
        self.left: dict[int, dict[int, tuple[float, bool]]] = {}
        for key, value in self.store.scan(b"i"):
            heir, testator = int.from_bytes(key[1:5], "big"), int.from_bytes(key[5:], "big")
            time, worth, is_sure = _RECORD.unpack(value)
            if self._is_settled(heir):  # a kill came before it was deleted
                self.forget(heir, testator)
            elif time > holdings.measuring.since:  # earlier values are in another unit
                self.left.setdefault(heir, {})[testator] = worth, is_sure

    def take(self, committed: Commit) -> None:
        inherited = dict(self._moved(committed.finished))
        for pair, value in self._renamed(committed.linked).items():
            if pair not in inherited and not self._is_sure(*pair):
                inherited[pair] = value, False
        for (heir, testator), each in inherited.items():
            self.left.setdefault(heir, {})[testator] = each
        if inherited:  # written at once: the next commit may never come
            now = max(each.outcome.time for each in committed.finished)
            self.store.write((_key(*pair), _RECORD.pack(now, *each)) for pair, each in inherited.items())
        for row in {each.row for each in committed.finished if self._is_settled(each.row)} & self.left.keys():
            for testator in self.left.pop(row):
                self.forget(row, testator)

    def forget(self, heir: int, testator: int) -> None:
        """Delete a record, if the store is open for writing."""
        if self.store.writable:
            self.store.delete(_key(heir, testator))

    def look(self, links: GraphLinks) -> tuple[Column, Column]:
        """Inherited values of all rows, certain and guessed.  Later links count as new compared with these."""
        self.links = links
        columns = np.zeros(len(self.table)), np.zeros(len(self.table))
        for heir, estate in self.left.items():
            for testator, (value, is_sure) in estate.items():
                if is_sure or self._may_have_moved(testator):
                    column = columns[0 if is_sure else 1]
                    column[heir] = max(column[heir], value)
        return columns

    def testators(self, row: int) -> Mapping[int, tuple[float, bool]]:
        """The rows that a row inherits from, with value and certainty."""
        return self.left.get(row, {})

    def _moved(self, finished: Iterable[Finished]) -> Iterable[tuple[tuple[int, int], tuple[float, bool]]]:
        columns = self.table.columns
        passed: dict[int, float] = {}  # values passed on within this batch
        for row in (each.row for each in finished if each.is_observation):
            heir = int(columns["alias"][row])
            if columns["state"][row] == State.ALIAS and heir < len(self.table) and self._is_missing(heir):
                estate = (each for each, is_sure in self.left.get(row, {}).values() if is_sure)
                value = max([self._worth(row), passed.get(row, 0.0), *estate])
                if value > 0.0:
                    passed[heir] = max(passed.get(heir, 0.0), value)
                    yield (heir, row), (value, True)

    def _renamed(self, linked: Mapping[int, Targets]) -> dict[tuple[int, int], float]:
        """Values by pairs of heir and testator that have the same name."""
        pairs: dict[tuple[int, int], float] = {}
        for row, new in linked.items():
            old = self._links_of(row)
            if not len(old):
                continue
            lost = [each for each in np.setdiff1d(old, new).tolist() if self._worth(each) > 0.0]
            came = [each for each in np.setdiff1d(new, old).tolist() if self._is_missing(each)] if lost else []
            if came and max(len(lost), len(came)) <= _MAX:
                heirs, names = self._by_name(came), self._by_name(lost)
                pairs |= {(heirs[name], names[name]): self._worth(names[name]) for name in heirs.keys() & names.keys()}
        return pairs

    def _links_of(self, row: int) -> Targets:
        links = self.links
        at = int(np.searchsorted(links.sources, row)) if links else 0
        if links is None or at == len(links.sources) or links.sources[at] != row:
            return np.zeros(0, np.uint32)
        return links.targets[links.bounds[at] : links.bounds[at + 1]]

    def _by_name(self, rows: list[int]) -> dict[str, int]:
        """Rows by those of their names that are unique among them."""
        rows_by_name: dict[str, int] = {}
        shared: set[str] = set()
        for row, url in zip(rows, self.store.spellings(rows), strict=True):
            anchors = islice(self.store.scan(row_key(b"a", row)), _ANCHORS)
            names = {text.decode().lower() for _, text in anchors if text} | {"/" + url.rstrip("/").rsplit("/", 1)[-1]}
            shared |= {name for name in names if rows_by_name.setdefault(name, row) != row}
        return {name: row for name, row in rows_by_name.items() if name not in shared}

    def _worth(self, row: int) -> float:
        gross = self.values.gross
        return float(gross[row]) if row < len(gross) else 0.0

    def _is_missing(self, row: int) -> bool:
        return row < len(self.table) and self.table.columns["state"][row] != State.LIVE

    def _is_settled(self, row: int) -> bool:
        """Whether there is a copy of it, or it redirects: then its target has inherited its value."""
        columns = self.table.columns
        return not self._is_missing(row) or (
            columns["state"][row] == State.ALIAS and columns["reason"][row] == Reason.REDIRECT
        )

    def _is_sure(self, heir: int, testator: int) -> bool:
        return self.left.get(heir, {}).get(testator, (0.0, False))[1]

    def _may_have_moved(self, row: int) -> bool:
        """Whether it is gone, or links to it vanished after it was last seen."""
        columns = self.table.columns
        if columns["state"][row] == State.LIVE:
            return bool(columns["unlinked"][row] > max(columns["last_fetch"][row], columns["linked"][row]))
        return bool(columns["state"][row] == State.GONE)


def _key(heir: int, testator: int) -> bytes:
    return row_key(b"i", heir) + testator.to_bytes(4, "big")
