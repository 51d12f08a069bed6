"""Entries and scorers for tests of what a change of pages changes in the answers."""

import numpy as np
from hypothesis import strategies as st

from sought.index import Entry
from sought.index.scorers import BM25, Inlinks, TfIdf, TfIdfPageRank
from sought.index.vectors import EMPTY, joined
from tests.testing.plain_measure import (
    counted,
    counter_of,
    measure_of,
    rows_of,
    scores_of,
    survey,
)

PAGES = 6
WORDS = ["boat", "boats", "running", "lake", "city", "cities", "東京都", "état-major", "rouge"]
QUERIES = [*WORDS, "boat lake", "city boat", "running city lake", "東京 boat", "boat lake city running", "京", "major"]
WEIGHTS = np.linspace(1, 2, len(QUERIES)) ** 3
TIES = np.random.default_rng(7).permutation(PAGES).astype(np.uint32)
IMPORTANCE = np.array([3.0, 0, 7, 7, 1])  # of the last page nothing is known
SCORERS = [BM25(), TfIdf(), Inlinks(), TfIdfPageRank()]
SOME = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
ENTRY = st.builds(Entry, st.just(0), st.just(""), SOME, SOME, SOME, st.sampled_from(["en", "en", "fr", "de", ""]))


class Pages:
    """Copies of pages, and the measure that is told of every change."""

    def __init__(self, scorer, frozen):
        self.measure = measure_of(QUERIES, scorer, WEIGHTS)
        self.counter = counter_of(self.measure)
        self.copies = {}
        known = counted(frozen, self.counter)
        survey(self.measure, known, IMPORTANCE)
        self.measure.fill([(rows_of(known)[:0], TIES[:0], known.some(0, 0))])

    def vectors(self, rows):
        return joined([self.copies.get(row, EMPTY) for row in rows])

    def matrix(self):
        return scores_of(self.matches())

    def matches(self):
        rows = sorted(self.copies)
        return self.measure.matches(np.array(rows, np.int64), self.vectors(rows))

    def read(self, batch):
        """The vectors of a batch; None is a page that is gone."""
        found = counted([entry for entry in batch.values() if entry], self.counter)
        at = iter(range(len(found)))
        return joined([found[next(at)] if entry else EMPTY for entry in batch.values()])

    def shift(self, batch):
        rows, old, new = list(batch), self.vectors(batch), self.read(batch)
        gains = self.measure.shift(np.array(rows, np.int64), TIES[rows], old, new)
        self.copies.update((row, new[i]) for i, row in enumerate(rows))
        return gains
