"""Which rows of the table have the words of which queries in their address or their anchors?

The match index of S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §5.1, over a crawl.  It also has
rows that were fetched, because predictions are learned from them.
"""

from collections.abc import Iterable
from itertools import islice
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.holdings import Holdings
from sought.index.ngrams import ADDRESS, ANCHOR, Grams, MatchIndex, most_matches
from sought.record.commit import Commit
from sought.record.store import row_key

Rows = NDArray[np.int64]

_BATCH = 1 << 16  # texts
_TOO_MANY = 100_000  # rows
_MAX_ANCHORS = 64  # of one row: more add little


class Matching:
    """The index for the workload in force; built again when the queries change, and kept up with new words.

    If a row has more anchors than are read, the first ones count; after a restart those of lowest hash.
    """

    def __init__(self, holdings: Holdings, g: int, rho: float) -> None:
        self.store, self.table, self.measuring = holdings.store, holdings.table, holdings.measuring
        self.g, self.rho = g, rho
        self.texts: list[str] = []
        self.index = MatchIndex(Grams([], g, rho))
        self.lengths = np.zeros(0, np.int64)  # words of each query
        self.slashes = np.zeros(0, np.uint8)  # of the path of each row
        self.anchors = np.zeros(0, np.uint8)  # how many, of each row
        self.read = 0  # rows below are in the index
        self.named: set[int] = set()  # rows with words that are not in it

    def take(self, committed: Commit) -> None:
        if self.texts:  # else everything is read by `update`
            self.named.update(committed.named)

    def update(self) -> MatchIndex:
        """The index of everything in the store."""
        asked = self.measuring.asked.texts
        if asked is not self.texts and asked != self.texts:
            self._begin(asked)
        elif self.texts:
            self._add_addresses()
            self._add_anchors((row, self._anchors(row)) for row in sorted(self.named))
        self.texts = asked
        self.named.clear()
        return self.index

    def telling(self, queries: Rows) -> Rows:
        """The queries that are specific enough: they do not match too many rows."""
        return queries[most_matches(self.index, queries) <= _TOO_MANY]

    def _begin(self, asked: list[str]) -> None:
        grams = Grams(asked, self.g, self.rho)
        owner = np.repeat(np.arange(len(asked)), np.diff(grams.bounds))
        self.lengths = np.bincount(owner[grams.grams < grams.ends[1]], minlength=len(asked))
        self.index = MatchIndex(grams)
        self.anchors[:], self.read = 0, 0
        if asked:
            self._add_addresses()
            self._add_all_anchors()

    def _add_addresses(self) -> None:
        size = len(self.table)
        if len(self.slashes) < size:
            more = np.zeros(size * 5 // 4 - len(self.slashes) + 1, np.uint8)
            self.slashes, self.anchors = (np.concatenate([c, more]) for c in (self.slashes, self.anchors))
        for first in range(self.read, size, _BATCH):
            rows = np.arange(first, min(first + _BATCH, size))
            texts = self.store.spellings(rows.tolist())
            self.index.add(rows, [unquote(text) for text in texts], ADDRESS)  # as the search index reads them
            self.slashes[rows] = [min(text.partition("?")[0].count("/") - 2, 255) for text in texts]
        self.read = size

    def _add_all_anchors(self) -> None:
        stored = ((int.from_bytes(key[1:5], "big"), text) for key, text in self.store.scan(b"a"))
        while batch := list(islice(stored, _BATCH)):
            rows = np.array([row for row, _ in batch], np.int64)
            starts = np.searchsorted(rows, rows)  # they ascend
            place = np.arange(len(rows)) - starts + self.anchors[rows]
            kept = np.flatnonzero(place < _MAX_ANCHORS)
            self.index.add(rows[kept], [batch[i][1].decode() for i in kept.tolist()], ANCHOR)
            np.add.at(self.anchors, rows[kept], 1)

    def _add_anchors(self, anchors_by_row: Iterable[tuple[int, list[str]]]) -> None:
        rows, texts = [], []
        for row, anchors in anchors_by_row:
            if self.anchors[row] < _MAX_ANCHORS:
                self.anchors[row] = len(anchors)
                rows += [row] * len(anchors)
                texts += anchors
            if len(texts) >= _BATCH:
                self.index.add(np.array(rows, np.int64), texts, ANCHOR)
                rows, texts = [], []
        self.index.add(np.array(rows, np.int64), texts, ANCHOR)

    def _anchors(self, row: int) -> list[str]:
        return [text.decode() for _, text in islice(self.store.scan(row_key(b"a", row)), _MAX_ANCHORS)]
