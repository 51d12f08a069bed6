"""First fetches with what was known of their pages before, for the model to learn from.

The store keeps them under the key `e`, for nobody could tell later what was known (training.py).  Those of a store that
is built anew from the archive are lost, as are those of the last moment before a crash; later ones teach.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.crawl.store import Store, row_key
from sought.crawl.supply.supplier import Column
from sought.policy.entry_model import Known

SAMPLE = 20_000  # of the latest, which are learnt from
_RECORD = np.dtype([("time", "<f8"), ("gain", "<f8"), ("chance", "<f8"), ("known", "<f4", (len(Known._fields),))])
_STORED = np.dtype([("row", "<u4"), *((name, _RECORD[name]) for name in _RECORD.names or ())])

Rows = NDArray[np.int64]


class FirstFetches:
    """Those that were measured in the present unit, after `since`; at least the latest SAMPLE are at hand."""

    def __init__(self, store: Store, since: float) -> None:
        self.store = store
        self.count = 0  # of all that there were
        self._found = [np.zeros(0, _STORED)]
        for some in _stored(store):
            self._add(some[some["time"] > since])

    def add(self, rows: Rows, times: Column, gains: Column, chances: Column, known: Known) -> None:
        """Stored with the next commit."""
        found = np.zeros(len(rows), _STORED)
        found["row"], found["time"], found["gain"], found["chance"] = rows, times, gains, chances
        found["known"] = np.stack(known, axis=1)
        kept = _kept(found)
        for row, each in zip(rows.tolist(), kept, strict=True):
            self.store.put(row_key(b"e", row), each.tobytes())
        self._add(found)

    def latest(self) -> tuple[Rows, Column, Column, Known]:
        """Rows, gains, chances and what was known, in the order of fetches."""
        self._trim()
        [found] = self._found
        known = Known(*found["known"].astype(np.float64).T.copy())
        return found["row"].astype(np.int64), found["gain"].copy(), found["chance"].copy(), known

    def _add(self, found: NDArray[Any]) -> None:
        self._found.append(found)
        self.count += len(found)
        if sum(map(len, self._found)) > 2 * SAMPLE:
            self._trim()

    def _trim(self) -> None:
        found = np.concatenate(self._found)
        self._found = [found[np.lexsort((found["row"], found["time"]))][-SAMPLE:]]


def _kept(found: NDArray[Any]) -> NDArray[Any]:
    """As the store has them: rows are in the keys."""
    kept = np.empty(len(found), _RECORD)
    for name in _RECORD.names or ():
        kept[name] = found[name]
    return kept


def _stored(store: Store) -> Iterator[NDArray[Any]]:
    pairs = (pair for pair in store.scan(b"e") if len(pair[1]) == _RECORD.itemsize)  # another version's may not be
    while some := list(islice(pairs, SAMPLE)):
        kept = np.frombuffer(b"".join(value for _, value in some), _RECORD)
        found = np.empty(len(some), _STORED)
        found["row"] = np.frombuffer(b"".join(key[1:] for key, _ in some), ">u4")
        for name in _RECORD.names or ():
            found[name] = kept[name]
        yield found
