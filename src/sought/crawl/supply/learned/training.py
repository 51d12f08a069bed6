"""What was said of pages before they were fetched, on record for those who learn from it.

The store keeps it under the key `f`, 80 bytes a page, for nobody could tell it later: once a page has been fetched,
what others say of it is no longer what they said (of a fetched page even its impact).  A store that is built anew from
the archive has none of it.  Features are those of one kind of impact; those of the other are left alone.
"""

from itertools import islice

import numpy as np
from numpy.typing import NDArray

from sought.crawl.store import Store, row_key

_AT_ONCE = 100_000

Rows = NDArray[np.int64]
Features = NDArray[np.float32]


class Training:
    """Rows with the times of their first fetches and their features, in the order of fetches."""

    def __init__(self, store: Store, kind: int, width: int) -> None:
        self.store = store
        self.kind = kind
        self.record = np.dtype([("time", "<f8"), ("kind", "u1"), ("features", "<f4", (width,))])
        self._rows, self._found = [np.zeros(0, np.int64)], [np.zeros(0, self.record)]
        stored = ((key, value) for key, value in store.scan(b"f") if len(value) == self.record.itemsize)
        while some := list(islice(stored, _AT_ONCE)):
            found = np.frombuffer(b"".join(value for _, value in some), self.record)
            rows = np.frombuffer(b"".join(key[1:] for key, _ in some), ">u4").astype(np.int64)
            own = found["kind"] == kind
            self._rows.append(rows[own])
            self._found.append(found[own])

    def __len__(self) -> int:
        return sum(map(len, self._rows))

    def add(self, rows: Rows, times: NDArray[np.float64], features: Features) -> None:
        """Stored with the next commit; after a crash before that these pages are not learnt from."""
        found = np.zeros(len(rows), self.record)
        found["time"], found["kind"], found["features"] = times, self.kind, features
        for row, each in zip(rows.tolist(), found, strict=True):
            self.store.put(row_key(b"f", row), each.tobytes())
        self._rows.append(rows)
        self._found.append(found)

    def all(self) -> tuple[Rows, Features]:
        """Rows and features."""
        rows, found = np.concatenate(self._rows), np.concatenate(self._found)
        order = np.lexsort((rows, found["time"]))
        rows, found = rows[order], found[order]
        self._rows, self._found = [rows], [found]
        return rows, found["features"]
