"""Has this text been seen at another address?  Exactly, by its hash; nearly, by bands of its sketch."""

import numpy as np

from sought.record.discovery import REFUSED
from sought.record.store import Details, Store, hash_key
from sought.record.table import State, Table
from sought.web.document import Document, Sketch
from sought.web.sketch import NEAR_DUPLICATE, bands, similarity

_MIN_WORDS = 40  # shorter pages are too much alike: only exact equality counts


class Duplicates:
    """Looks up and files texts.  Texts filed by a batch are found by the same batch before they are stored."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.fresh: dict[bytes, int] = {}

    def find(self, row: int, document: Document, table: Table, details: dict[int, Details]) -> tuple[int, bool]:
        """(row of the page this one repeats or REFUSED, whether exactly); files the text if it is the first."""
        content = hash_key(b"c", document.content)
        other = self._filed(content)
        if self._is_page(other, row, table) and self._details(other, details).content == document.content:
            return other, True
        self._file(content, row)
        if document.counts.words < _MIN_WORDS:
            return REFUSED, False
        for band in bands(document.sketch):
            key = hash_key(b"n", band)
            other = self._filed(key)
            if self._is_page(other, row, table):
                if self._alike(document.sketch, self._details(other, details)):
                    return other, False
            else:
                self._file(key, row)
        return REFUSED, False

    def _is_page(self, other: int, row: int, table: Table) -> bool:
        """Whether the other row is still a page of its own."""
        return other not in (REFUSED, row) and table.columns["state"][other] == State.LIVE

    def _alike(self, sketch: Sketch, other: Details) -> bool:
        theirs = np.frombuffer(other.sketch, sketch.dtype)
        return len(theirs) == len(sketch) and similarity(sketch, theirs) >= NEAR_DUPLICATE

    def _details(self, row: int, details: dict[int, Details]) -> Details:
        return details.get(row) or self.store.details(row)

    def _filed(self, key: bytes) -> int:
        row = self.fresh.get(key)
        if row is None:
            stored = self.store.get(key)
            row = int.from_bytes(stored, "big") if stored else REFUSED
        return row

    def _file(self, key: bytes, row: int) -> None:
        self.fresh[key] = row
        self.store.put(key, row.to_bytes(4, "big"))

    def committed(self) -> None:
        self.fresh.clear()
