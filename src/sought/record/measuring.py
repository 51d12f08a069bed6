"""Measuring every fetch against what people ask for.

The crawl keeps a vector of every searchable page (key `d` of the store): how often it holds the terms of the workload.
From these the scores of all pages for all queries follow without reading a page again, so that the statistics can be
taken anew, and queries made of known terms can come and go.  New terms mean that the pages that hold them are read
again, from the archive.

The workload is drawn from the query log (refresh.py) and handed to `begin`; until the pages that hold new terms have
been read again the old one stays in force; `adopt` changes over.  When nothing is asked any more, `stop` forgets all.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.graph.walks import pr
from sought.index.analysis import LANGUAGES
from sought.index.anchored import with_anchors
from sought.index.lists import ListsOf
from sought.index.measure import GainMeasure, Rows, Ties, concatenate
from sought.index.quality import Matches
from sought.index.scorers import Scorer
from sought.index.statistics import Census, Statistics
from sought.index.vectors import Counter, Vector, Vectors, Vocabulary, joined
from sought.index.visibility import Visibility
from sought.record.config import Config
from sought.record.gain_unit import gains_since, save_currency
from sought.record.gains import FetchGains
from sought.record.links import stored_links
from sought.record.outcome import Finished
from sought.record.store import Store, row_key
from sought.record.table import Table
from sought.record.workload import WorkloadQueries, coverage, load, save

_AT_ONCE = 4096
_FEW = 64  # pages: statistics of fewer say little


class GainSums(NamedTuple):
    """Gains of all fetches so far: how many were measured, what first fetches brought, and what later ones did."""

    fetches: int = 0
    first: float = 0.0
    later: float = 0.0

    @property
    def total(self) -> float:
        return self.first + self.later


class Measuring:
    """The crawl's side of demand.  While there is no workload nothing is measured, at no cost.

    Invariants: only searchable pages have a vector in the store, and once there is a workload all of them have.  A
    vector is of the page as it is indexed, also while the workload is not in force yet: pages are counted as long as
    there is a vocabulary.  It holds all terms of the vocabulary but perhaps those `lacking`, without which the page
    still matches what it should: they are of a workload to come, or of another language than the page's, and then only
    statistics miss them.
    """

    def __init__(
        self,
        config: Config,
        store: Store,
        table: Table,
        estimator: ListsOf | None = None,
        counter: Callable[[Vocabulary, Callable[[int], None]], Counter] = Counter,
    ) -> None:
        """`estimator` takes the place of the one in sought.toml."""
        self._new_counter = counter
        self.config = config
        self.estimator = estimator or config.demand.estimator_value
        self.store = store
        self.table = table
        self.asked = load(store)
        self.since = gains_since(config.demand.scorer, store, table)
        since, *sums = store.meta("gains", (self.since,))
        self.sums = GainSums(*sums) if since == self.since else GainSums()
        self.vocabulary = Vocabulary(store.meta("vocabulary", ()))
        self.lacking: list[str] = store.meta("lacking", [])
        self.saved_terms = len(self.vocabulary)
        self.fresh: dict[int, Vector] = {}  # not in the store yet
        self.coming: WorkloadQueries | None = None
        self.next: GainMeasure | None = None
        self.measure: GainMeasure | None = None
        self.counter: Counter | None = None
        self.catching_up = 0  # how many of those lacking the pages are being read again for
        self.pages = self.frozen_pages = self.shifted = 0
        self.drawn_at, self.drawn_from = -np.inf, object()  # when, and from which state of the query log
        self.spoken: set[int] = set()  # languages of pages that have been counted
        if self.asked.texts or len(self.vocabulary):
            self.counter = self._new_counter(self.vocabulary, self._met)
        if self.asked.texts:
            self.measure = self._opened(self.asked)
            self.measure.freeze(load_statistics(store))
            if self.measure.scorer.is_sum or len(self.measure.statistics.importance):
                self.fill(self.measure)
            else:  # sought.toml names another scorer than when they were taken
                self.refreeze(self.measure)
            self.spoken.update(self.measure.filing.languages)

    # ---- a batch

    def shift(self, removed: Sequence[int], counted: Sequence[int]) -> FetchGains | None:
        """Pages have left the index, or `counter` has read them into it, in this order; what that gains.

        None if nothing is asked.
        """
        if self.counter is None:
            return None
        rows, new = np.array([*removed, *counted], np.int64), self.counter.take()
        old = joined([self.vector(row) for row in rows.tolist()])
        self.fresh.update((row, new[i]) for i, row in enumerate(counted))
        self.fresh.update((row, _NONE) for row in removed)
        self.pages += len(counted) - int(np.count_nonzero(np.diff(old.bounds)))
        self.shifted += len(rows)
        if self.measure is None:
            return None
        new = Vectors(new.data, np.concatenate([np.zeros(len(removed), np.int64), new.bounds]))
        old = self._enter_anchors(self.measure, rows, old, new)
        gains = self.measure.shift(rows, self.ties(rows), old, new)
        is_asked = bool(self.asked.rate.any())  # words are counted for topics, too, which nobody asks
        return FetchGains(rows, gains, self.asked.keys) if is_asked else None

    def _enter_anchors(self, measure: GainMeasure, rows: Rows, old: Vectors, new: Vectors) -> Vectors:
        """Let known pages have what others call them now: that is no merit of their own fetch.  Returns them so."""
        anchored, moved = with_anchors(old, new, len(self.vocabulary))
        if moved.any():
            places = np.flatnonzero(moved)
            some = rows[places]
            measure.shift(some, self.ties(some), old.at(places), anchored.at(places))
        return anchored

    def report(self) -> dict[str, Any]:
        """What is known of the answers without further work; empty if nothing is measured."""
        if self.measure is None:
            return {}
        gains = {"first_fetches": self.sums.first, "later_fetches": self.sums.later}
        found = coverage(self.measure, self.asked) | {"worth_of_answers": self.measure.worth}
        return {**found, "measured_fetches": self.sums.fetches, "gain": gains}

    def vector(self, row: int) -> Vector:
        """What is known of a page; empty if it is not searchable."""
        fresh = self.fresh.get(row)
        return np.frombuffer(self.store.get(row_key(b"d", row)) or b"", np.uint32) if fresh is None else fresh

    def save(self) -> None:
        """Put what has changed into the store's batch."""
        for row, vector in self.fresh.items():
            if len(vector):
                self.store.put(row_key(b"d", row), vector.tobytes())
            else:
                self.store.delete(row_key(b"d", row))
        if self.counter:
            self.store.put_meta("gains", (self.since, *self.sums))
            save_currency(self.config.demand.scorer, self.since, self.store)
        if self.saved_terms != len(self.vocabulary):
            self.saved_terms = len(self.vocabulary)
            self.store.put_meta("vocabulary", list(self.vocabulary.numbers))
            self.store.put_meta("lacking", self.lacking)

    def saved(self) -> None:
        """The store's batch has been written; perhaps so many pages have come or changed that statistics are due."""
        self.fresh.clear()
        has_doubled = self.pages >= 2 * max(self.frozen_pages, _FEW // 2)
        if self.measure and (has_doubled or self.shifted >= max(self.pages, _FEW)):
            self.refreeze(self.measure)

    # ---- the workload

    def begin(self, asked: WorkloadQueries, languages: Iterable[str]) -> list[str]:
        """Prepare for a new workload; returns the terms that are not counted on all pages yet.

        When the pages that hold them have been read again, `adopt`.
        """
        self.coming, self.next = asked, self._opened(asked)
        known = len(self.vocabulary)
        for language in {LANGUAGES.index(each) for each in languages} | set(self._languages()):
            self.next.filing.read(language)
        if self.counter:
            self.lacking += list(self.vocabulary.numbers)[known:]
        self.catching_up = len(self.lacking)
        if self.counter is None:
            self.counter = self._new_counter(self.vocabulary, self._met)
        return self.lacking

    def adopt(self) -> None:
        """Measure by the new workload from now on; nothing is to be saved when this is called."""
        if self.next and self.coming:
            self.asked, self.measure = self.coming, self.next
            self.lacking, self.catching_up = self.lacking[self.catching_up :], 0
            self.coming = self.next = None
            save(self.asked, self.store)
            self.store.put_meta("lacking", self.lacking)
        if self.measure:
            self.refreeze(self.measure)

    def reweigh(self, asked: WorkloadQueries) -> None:
        """The same queries are asked, more or less often; they stay as they are spelled, and so does visibility."""
        if self.measure:
            self.asked = replace(asked, texts=self.asked.texts, exponent=self.asked.exponent)
            self.measure.weights = asked.weights
            save(self.asked, self.store)

    def stop(self) -> None:
        """Nothing is asked any more: forget every query, and what was counted for them."""
        self.asked, self.vocabulary, self.lacking, self.catching_up = WorkloadQueries(), Vocabulary(), [], 0
        self.coming = self.next = self.measure = self.counter = None
        self.pages = self.frozen_pages = self.saved_terms = 0
        self.fresh.clear()
        self.spoken.clear()
        self.store.batch.delete_range(b"d", b"e")
        for name in ("workload", "vocabulary", "lacking", "statistics"):
            self.store.delete(b"m" + name.encode())

    def refreeze(self, measure: GainMeasure) -> None:
        """Take the statistics anew, and score all pages by them."""
        census = Census(len(self.vocabulary))
        for _, _, vectors in self._stored():
            census.add(vectors)
        measure.freeze(census.statistics(importance(measure.scorer, self.store, self.table)))
        save_statistics(measure.statistics, self.store)
        self.fill(measure)

    def rows(self) -> Rows:
        """Those that have a vector in the store, ascending."""
        return np.frombuffer(b"".join(key[1:] for key, _ in self.store.scan(b"d")), ">u4").astype(np.int64)

    def _opened(self, asked: WorkloadQueries) -> GainMeasure:
        d = self.config.demand
        visibility = Visibility(asked.exponent)
        return GainMeasure(asked.texts, asked.weights, self.vocabulary, d.scorer_value, self.estimator, visibility)

    def fill(self, measure: GainMeasure) -> None:
        """Show all pages to a measure."""
        self.pages = 0

        def counted() -> Iterator[tuple[Rows, Ties, Vectors]]:
            for rows, ties, vectors in self._stored():
                self.pages += len(rows)
                yield rows, ties, vectors

        measure.fill(counted())
        self.frozen_pages, self.shifted = measure.statistics.pages, 0

    def _stored(self) -> Iterator[tuple[Rows, Ties, Vectors]]:
        """The vectors of all pages, some at a time."""
        stored = self.store.scan(b"d")
        while some := list(islice(stored, _AT_ONCE)):
            rows = np.frombuffer(b"".join(key[1:] for key, _ in some), ">u4").astype(np.int64)
            bounds = np.zeros(len(some) + 1, np.int64)
            np.cumsum([len(value) // 4 for _, value in some], out=bounds[1:])
            yield rows, self.ties(rows), Vectors(np.frombuffer(b"".join(v for _, v in some), np.uint32), bounds)

    def ties(self, rows: Rows) -> Ties:
        """Equal scores are ordered by a hash of the URL."""
        return (self.table.columns["key"][rows] >> np.uint64(32)).astype(np.uint32)

    def matches(self, measure: GainMeasure | None = None) -> Matches:
        """The score of every page for every query it answers, of this workload or another of the same terms."""
        measure = measure or self.measure
        found = [measure.matches(rows, vectors) for rows, _, vectors in self._stored()] if measure else []
        return concatenate(found)

    def _languages(self) -> list[int]:
        return self.measure.filing.languages if self.measure else []

    def meet(self, language: int) -> None:
        """A text of a language is about to be read: its terms must be known.  Pages of others may lack those."""
        known = len(self.vocabulary)
        for measure in (self.measure, self.next):
            if measure:
                measure.filing.read(language)
        if self.spoken - {language}:
            self.lacking += list(self.vocabulary.numbers)[known:]

    def _met(self, language: int) -> None:
        self.meet(language)
        self.spoken.add(language)

    def add_up(self, finished: Sequence[Finished]) -> None:
        """Take measured fetches into the sums."""
        fetches, first, later = self.sums
        for each in finished:
            gain = each.outcome.gain or 0.0
            first, later = (first + gain, later) if np.isinf(each.gap) else (first, later + gain)
        self.sums = GainSums(fetches + len(finished), first, later)


_NONE: Vector = np.zeros(0, np.uint32)


def save_statistics(statistics: Statistics, store: Store) -> None:
    columns = (statistics.lengths, statistics.frequency, statistics.importance)
    store.put_meta("statistics", [statistics.pages, *(column.tobytes() for column in columns)])


def load_statistics(store: Store) -> Statistics:
    kept = store.meta("statistics")
    if kept is None:
        return Statistics()
    pages, lengths, frequency, importance = kept
    counts = np.frombuffer(lengths, np.int64)
    return Statistics(
        pages, counts, np.frombuffer(frequency, np.int64).reshape(-1, len(counts) + 1), np.frombuffer(importance)
    )


# ---- How important is each page, for the scorers that ask?


def importance(scorer: Scorer, store: Store, table: Table) -> NDArray[np.float64] | None:
    """In-links or PageRank of every row; None if the scorer asks for neither."""
    if scorer.importance == "in-links":
        return table["inlinks"].astype(np.float64)
    if scorer.importance == "PageRank":
        return pr(stored_links(store, len(table)).compact())
    return None
