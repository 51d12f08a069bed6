"""What is the first fetch of a page worth?"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Column, Supplied, Supplier
from sought.beliefs.entry_model import WEIGHTS, EntryFeatures, EntryModel, fit, prior
from sought.beliefs.entry_signs import EntrySigns
from sought.beliefs.holdings import Growth, Holdings
from sought.record.commit import Commit
from sought.record.store import Store, row_key
from sought.web.expression import brief
from sought.web.pages import Pages, pieces


@brief
@dataclass(frozen=True)
class EntryValue(Supplied):
    """Expected measured gain of the first fetch of a URL, from all that is known of it without its content.

    The queries that its address and its anchors match (`Prospect`), the pages that moved there, what else its parents
    link to, its in-links, and what first fetches on its host have brought; put together as entry_model.py says, and
    calibrated by every first fetch of this crawl.  In the unit of gains.

    Rows that are not new have 0.
    """

    def supplier(self, holdings: Holdings) -> Supplier:
        return EntryValueSupplier(self, holdings)


# ---- First fetches with what was known of their pages before, for the model to learn from.
#
# The store keeps them under the key `e`, because what was known then cannot be computed later.  Those of a
# store that is rebuilt from the archive are lost, as are the last ones before a crash; later ones replace them.


SAMPLE = 20_000  # of the latest, which are learned from
_RECORD = np.dtype(
    [("time", "<f8"), ("gain", "<f8"), ("chance", "<f8"), ("known", "<f4", (len(EntryFeatures._fields),))]
)
_STORED = np.dtype([("row", "<u4"), *((name, _RECORD[name]) for name in _RECORD.names or ())])

Rows = NDArray[np.int64]


class FirstFetches:
    """Those that were measured in the present unit, after `since`; at least the latest SAMPLE are at hand."""

    def __init__(self, store: Store, since: float) -> None:
        self.store = store
        self.count = 0  # of all that there were
        self._records = [np.zeros(0, _STORED)]
        for some in _stored(store):
            self._add(some[some["time"] > since])

    def add(self, rows: Rows, times: Column, gains: Column, chances: Column, known: EntryFeatures) -> None:
        """Stored with the next commit."""
        records = np.zeros(len(rows), _STORED)
        records["row"], records["time"], records["gain"], records["chance"] = rows, times, gains, chances
        records["known"] = np.stack(known, axis=1)
        kept = _kept(records)
        for row, each in zip(rows.tolist(), kept, strict=True):
            self.store.put(row_key(b"e", row), each.tobytes())
        self._add(records)

    def latest(self) -> tuple[Rows, Column, Column, EntryFeatures]:
        """Rows, gains, chances and what was known, in the order of fetches."""
        self._trim()
        [records] = self._records
        known = EntryFeatures(*records["known"].astype(np.float64).T.copy())
        return records["row"].astype(np.int64), records["gain"].copy(), records["chance"].copy(), known

    def _add(self, records: NDArray[Any]) -> None:
        self._records.append(records)
        self.count += len(records)
        if sum(map(len, self._records)) > 2 * SAMPLE:
            self._trim()

    def _trim(self) -> None:
        records = np.concatenate(self._records)
        self._records = [records[np.lexsort((records["row"], records["time"]))][-SAMPLE:]]


def _kept(records: NDArray[Any]) -> NDArray[Any]:
    """As the store has them: rows are in the keys."""
    kept = np.empty(len(records), _RECORD)
    for name in _RECORD.names or ():
        kept[name] = records[name]
    return kept


def _stored(store: Store) -> Iterator[NDArray[Any]]:
    pairs = (pair for pair in store.scan(b"e") if len(pair[1]) == _RECORD.itemsize)  # another version's may not be
    while some := list(islice(pairs, SAMPLE)):
        kept = np.frombuffer(b"".join(value for _, value in some), _RECORD)
        records = np.empty(len(some), _STORED)
        records["row"] = np.frombuffer(b"".join(key[1:] for key, _ in some), ">u4")
        for name in _RECORD.names or ():
            records[name] = kept[name]
        yield records


# ---- The column of `EntryValue`: features of new pages, and a model that every first fetch teaches.


_GROWTH = 0.1  # so many more first fetches, and the model is fitted again


class EntryValueSupplier:
    """Expectations for new rows; 0 for the others."""

    def __init__(self, belief: EntryValue, holdings: Holdings) -> None:
        self.table = holdings.table
        self.signs = EntrySigns(holdings)
        self.fetched = FirstFetches(holdings.store, holdings.measuring.since)
        self.growth = Growth(_GROWTH)
        self.model = EntryModel()

    def take(self, committed: Commit) -> None:
        """Keep what was known of pages that are no longer new, and what they have brought."""
        fetches, known = self.table.columns["fetches"], len(self.signs)
        first = [
            each
            for each in committed.finished
            if each.row < known and fetches[each.row] == 1 and each.is_observation and each.outcome.gain is not None
        ]
        if first:
            rows = np.array([each.row for each in first], np.int64)
            outcomes = [(each.outcome.time, each.outcome.gain, each.outcome.chance) for each in first]
            times, gains, chances = np.array(outcomes, np.float64).T  # None is NaN
            self.fetched.add(rows, times, gains, chances, self.signs.of(rows))
        self.signs.heritage.take(committed)

    def column(self, pages: Pages) -> Column:
        if self.growth.is_due(self.fetched.count, 0):
            rows, gain, chance, known = self.fetched.latest()
            self.model = fit(known, gain, chance)
            self.signs.learn(rows, gain)
        self.signs.look(pages)
        value, new = np.zeros(len(pages)), np.flatnonzero(pages.is_new)
        for piece in pieces(len(new)):
            value[new[piece]] = self.model.expected(self.signs.of(new[piece]))
        return value

    def terms(self, row: int) -> dict[str, Any]:
        """What is known of a row, what is made of it before anything is learned, and what was."""
        known = self.signs.of(np.array([row], np.int64))
        return {
            "known": {name: float(column[0]) for name, column in zip(EntryFeatures._fields, known, strict=True)},
            "left_by": self.signs.testators(row),
            "before_learning": float(prior(known)[0]),
            "weights": dict(zip(WEIGHTS, self.model.weights, strict=True)),
            "learnt_from": self.model.learnt_from,
        }
