"""Which pages that are not in hand take the place of others?

A page that is found to lead elsewhere leaves its search value (that of the last look at the answers before) to its
target, if there is no copy of that; also what it was left itself.  Of several testators the best counts:
a site that leads all that is gone to one page does not make that page worth all of them.

A page fetched again may have lost a link to one page and have a new link to another of the same name: the last part of
its path, or what others call it.  Then the second is guessed to take the place of the first, until the first is seen to
be as it was, or to lead somewhere else.

Nobody could tell later what a page was worth that is gone: the store keeps it under the key `i`, by heir and testator,
until there is a copy of the heir, or it leads on.  A store that is built anew from the archive has none of it.
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

_RECORD = struct.Struct("<dd?")  # when, the value, and whether it is for sure
_ANCHORS = 8  # that tell what others call a page
_MAX = 1000  # links that a page may lose or gain at once: beyond it is another page

Targets = NDArray[np.uint32]


class Heritage:
    """What rows were left, by whom, and whether that is for sure; only rows without a copy."""

    def __init__(self, holdings: Holdings) -> None:
        self.store, self.table = holdings.store, holdings.table
        self.values = holdings.shared(Values)
        self.links: GraphLinks | None = None  # as of the last look
        self.left: dict[int, dict[int, tuple[float, bool]]] = {}
        for key, value in self.store.scan(b"i"):
            heir, testator = int.from_bytes(key[1:5], "big"), int.from_bytes(key[5:], "big")
            time, worth, is_sure = _RECORD.unpack(value)
            if self._is_settled(heir):  # killed before it was forgotten
                self.forget(heir, testator)
            elif time > holdings.measuring.since:  # before, it was in another unit
                self.left.setdefault(heir, {})[testator] = worth, is_sure

    def take(self, committed: Commit) -> None:
        found = dict(self._moved(committed.finished))
        for pair, value in self._renamed(committed.linked).items():
            if pair not in found and not self._is_sure(*pair):
                found[pair] = value, False
        for (heir, testator), each in found.items():
            self.left.setdefault(heir, {})[testator] = each
        if found:  # at once: the next commit may never come
            now = max(each.outcome.time for each in committed.finished)
            self.store.write((_key(*pair), _RECORD.pack(now, *each)) for pair, each in found.items())
        for row in {each.row for each in committed.finished if self._is_settled(each.row)} & self.left.keys():
            for testator in self.left.pop(row):
                self.forget(row, testator)

    def forget(self, heir: int, testator: int) -> None:
        """If the store may be written: a crawl may also be looked at while it goes on."""
        if self.store.writable:
            self.store.delete(_key(heir, testator))

    def look(self, links: GraphLinks) -> tuple[Column, Column]:
        """What every row was left for sure, and by guess.  Links that come from now on are new beside these."""
        self.links = links
        columns = np.zeros(len(self.table)), np.zeros(len(self.table))
        for heir, estate in self.left.items():
            for testator, (value, is_sure) in estate.items():
                if is_sure or self._may_have_moved(testator):
                    column = columns[0 if is_sure else 1]
                    column[heir] = max(column[heir], value)
        return columns

    def testators(self, row: int) -> Mapping[int, tuple[float, bool]]:
        """Who has left what to a row, and whether for sure."""
        return self.left.get(row, {})

    def _moved(self, finished: Iterable[Finished]) -> Iterable[tuple[tuple[int, int], tuple[float, bool]]]:
        columns = self.table.columns
        passed: dict[int, float] = {}  # on within this batch
        for row in (each.row for each in finished if each.is_observation):
            heir = int(columns["alias"][row])
            if columns["state"][row] == State.ALIAS and heir < len(self.table) and self._is_missing(heir):
                estate = (each for each, is_sure in self.left.get(row, {}).values() if is_sure)
                value = max([self._worth(row), passed.get(row, 0.0), *estate])
                if value > 0.0:
                    passed[heir] = max(passed.get(heir, 0.0), value)
                    yield (heir, row), (value, True)

    def _renamed(self, linked: Mapping[int, Targets]) -> dict[tuple[int, int], float]:
        """Pairs of heir and testator."""
        found: dict[tuple[int, int], float] = {}
        for row, new in linked.items():
            old = self._links_of(row)
            if not len(old):
                continue
            lost = [each for each in np.setdiff1d(old, new).tolist() if self._worth(each) > 0.0]
            came = [each for each in np.setdiff1d(new, old).tolist() if self._is_missing(each)] if lost else []
            if came and max(len(lost), len(came)) <= _MAX:
                heirs, names = self._by_name(came), self._by_name(lost)
                found |= {(heirs[name], names[name]): self._worth(names[name]) for name in heirs.keys() & names.keys()}
        return found

    def _links_of(self, row: int) -> Targets:
        links = self.links
        at = int(np.searchsorted(links.sources, row)) if links else 0
        if links is None or at == len(links.sources) or links.sources[at] != row:
            return np.zeros(0, np.uint32)
        return links.targets[links.bounds[at] : links.bounds[at + 1]]

    def _by_name(self, rows: list[int]) -> dict[str, int]:
        """Names that no two of them share."""
        found: dict[str, int] = {}
        shared: set[str] = set()
        for row, url in zip(rows, self.store.spellings(rows), strict=True):
            anchors = islice(self.store.scan(row_key(b"a", row)), _ANCHORS)
            names = {text.decode().lower() for _, text in anchors if text} | {"/" + url.rstrip("/").rsplit("/", 1)[-1]}
            shared |= {name for name in names if found.setdefault(name, row) != row}
        return {name: row for name, row in found.items() if name not in shared}

    def _worth(self, row: int) -> float:
        gross = self.values.gross
        return float(gross[row]) if row < len(gross) else 0.0

    def _is_missing(self, row: int) -> bool:
        return row < len(self.table) and self.table.columns["state"][row] != State.LIVE

    def _is_settled(self, row: int) -> bool:
        """There is a copy of it, or it leads on: what it was left is with its target."""
        columns = self.table.columns
        return not self._is_missing(row) or (
            columns["state"][row] == State.ALIAS and columns["reason"][row] == Reason.REDIRECT
        )

    def _is_sure(self, heir: int, testator: int) -> bool:
        return self.left.get(heir, {}).get(testator, (0.0, False))[1]

    def _may_have_moved(self, row: int) -> bool:
        """As far as is known: it is gone, or links to it vanished after it was seen."""
        columns = self.table.columns
        if columns["state"][row] == State.LIVE:
            return bool(columns["unlinked"][row] > max(columns["last_fetch"][row], columns["linked"][row]))
        return bool(columns["state"][row] == State.GONE)


def _key(heir: int, testator: int) -> bytes:
    return row_key(b"i", heir) + testator.to_bytes(4, "big")
