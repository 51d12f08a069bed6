"""How much did each fetch improve the answers to what people ask?

The crawl keeps a vector of every searchable page (key `d` of the store): how often the page contains each term of the
workload.  The scores of all pages for all queries follow from these vectors without reading a page again, so statistics
can be renewed, and queries made of known terms can come and go.  If a query brings a new term, the pages that contain
it are read again from the archive.

The workload is drawn from the query log (workload_refresh.py) and handed to `begin`.  The old workload stays in force
until the pages that contain new terms have been read again; then `adopt` puts the new one in force.  When nobody asks
anything any more, `stop` forgets everything.
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
from sought.record.gains import FetchGains, gains_since, save_unit
from sought.record.links import stored_links
from sought.record.outcome import Finished
from sought.record.store import Store, row_key
from sought.record.table import Table
from sought.record.workload import WorkloadQueries, coverage, load, save

_BATCH = 4096
_MIN_PAGES = 64  # statistics of fewer say little


class GainSums(NamedTuple):
    """The number of measured fetches so far, and the summed gains of first and of later fetches."""

    fetches: int = 0
    first: float = 0.0
    later: float = 0.0

    @property
    def total(self) -> float:
        return self.first + self.later


class Measuring:
    """Vectors of pages, the workload in force, and the gains measured by it.  Without a workload it costs nothing.

    Invariants: only searchable pages have a vector in the store, and once there is a workload all of them have one.  A
    vector describes the page as it is indexed, also before the workload is in force: pages are counted as long as there
    is a vocabulary.  A vector has all terms of the vocabulary, except perhaps those in `lacking`.  These belong to a
    workload that is not in force yet, or to a language other than the page's; so the page still matches all queries
    that it should, and only statistics miss them.
    """

    def __init__(
        self,
        config: Config,
        store: Store,
        table: Table,
        estimator: ListsOf | None = None,
        counter: Callable[[Vocabulary, Callable[[int], None]], Counter] = Counter,
    ) -> None:
        """`estimator` replaces the one in sought.toml."""
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
        self.catching_up = 0  # of the terms in `lacking`: how many are being counted now
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
        """The gains of a batch: rows that left the index, then rows that `counter` has counted while they were indexed.

        None if nobody asks anything.
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
        """Give known pages the anchors they have now: that is not a gain of their fetch.  Returns the new vectors."""
        anchored, moved = with_anchors(old, new, len(self.vocabulary))
        if moved.any():
            places = np.flatnonzero(moved)
            some = rows[places]
            measure.shift(some, self.ties(some), old.at(places), anchored.at(places))
        return anchored

    def report(self) -> dict[str, Any]:
        """What is known about the answers, at no further cost; empty if nothing is measured."""
        if self.measure is None:
            return {}
        gains = {"first_fetches": self.sums.first, "later_fetches": self.sums.later}
        answers = coverage(self.measure, self.asked) | {"worth_of_answers": self.measure.worth}
        return {**answers, "measured_fetches": self.sums.fetches, "gain": gains}

    def vector(self, row: int) -> Vector:
        """The term counts of a page; empty if it is not searchable."""
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
            save_unit(self.config.demand.scorer, self.since, self.store)
        if self.saved_terms != len(self.vocabulary):
            self.saved_terms = len(self.vocabulary)
            self.store.put_meta("vocabulary", list(self.vocabulary.numbers))
            self.store.put_meta("lacking", self.lacking)

    def saved(self) -> None:
        """The store's batch has been written.  Renew the statistics if many pages have come or changed since."""
        self.fresh.clear()
        has_doubled = self.pages >= 2 * max(self.frozen_pages, _MIN_PAGES // 2)
        if self.measure and (has_doubled or self.shifted >= max(self.pages, _MIN_PAGES)):
            self.refreeze(self.measure)

    # ---- the workload

    def begin(self, asked: WorkloadQueries, languages: Iterable[str]) -> list[str]:
        """Prepare a new workload; returns the terms that are not counted on all pages yet.

        Call `adopt` when the pages that contain them have been read again.
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
        """Put the new workload in force; to be called when nothing waits to be saved."""
        if self.next and self.coming:
            self.asked, self.measure = self.coming, self.next
            self.lacking, self.catching_up = self.lacking[self.catching_up :], 0
            self.coming = self.next = None
            save(self.asked, self.store)
            self.store.put_meta("lacking", self.lacking)
        if self.measure:
            self.refreeze(self.measure)

    def note_drawn(self, at: float, stamp: object = None) -> None:
        """The workload is as of a time and, if given, of another state of the query log."""
        self.drawn_at = at
        self.drawn_from = self.drawn_from if stamp is None else stamp

    def reweigh(self, asked: WorkloadQueries) -> None:
        """Change how often the same queries are asked; their spelling and the visibility exponent stay."""
        if self.measure:
            self.asked = replace(asked, texts=self.asked.texts, exponent=self.asked.exponent)
            self.measure.weights = asked.weights
            save(self.asked, self.store)

    def stop(self) -> None:
        """Nobody asks anything any more: forget the queries and the vectors."""
        self.asked, self.vocabulary, self.lacking, self.catching_up = WorkloadQueries(), Vocabulary(), [], 0
        self.coming = self.next = self.measure = self.counter = None
        self.pages = self.frozen_pages = self.saved_terms = 0
        self.fresh.clear()
        self.spoken.clear()
        self.store.batch.delete_range(b"d", b"e")
        for name in ("workload", "vocabulary", "lacking", "statistics"):
            self.store.delete(b"m" + name.encode())

    def refreeze(self, measure: GainMeasure) -> None:
        """Renew the statistics, and score all pages by them."""
        census = Census(len(self.vocabulary))
        for _, _, vectors in self._stored():
            census.add(vectors)
        measure.freeze(census.statistics(importance(measure.scorer, self.store, self.table)))
        save_statistics(measure.statistics, self.store)
        self.fill(measure)

    def rows(self) -> Rows:
        """The rows that have a vector in the store, ascending."""
        return np.frombuffer(b"".join(key[1:] for key, _ in self.store.scan(b"d")), ">u4").astype(np.int64)

    def _opened(self, asked: WorkloadQueries) -> GainMeasure:
        d = self.config.demand
        visibility = Visibility(asked.exponent)
        return GainMeasure(asked.texts, asked.weights, self.vocabulary, d.scorer_value, self.estimator, visibility)

    def fill(self, measure: GainMeasure) -> None:
        """Enter all pages into a measure."""
        self.pages = 0

        def counted() -> Iterator[tuple[Rows, Ties, Vectors]]:
            for rows, ties, vectors in self._stored():
                self.pages += len(rows)
                yield rows, ties, vectors

        measure.fill(counted())
        self.frozen_pages, self.shifted = measure.statistics.pages, 0

    def _stored(self) -> Iterator[tuple[Rows, Ties, Vectors]]:
        """The vectors of all pages, in batches."""
        stored = self.store.scan(b"d")
        while batch := list(islice(stored, _BATCH)):
            rows = np.frombuffer(b"".join(key[1:] for key, _ in batch), ">u4").astype(np.int64)
            bounds = np.zeros(len(batch) + 1, np.int64)
            np.cumsum([len(value) // 4 for _, value in batch], out=bounds[1:])
            yield rows, self.ties(rows), Vectors(np.frombuffer(b"".join(v for _, v in batch), np.uint32), bounds)

    def ties(self, rows: Rows) -> Ties:
        """Equal scores are ordered by a hash of the URL."""
        return (self.table.columns["key"][rows] >> np.uint64(32)).astype(np.uint32)

    def matches(self, measure: GainMeasure | None = None) -> Matches:
        """The score of every page for every query that it answers, by this measure or another of the same terms."""
        measure = measure or self.measure
        return concatenate([measure.matches(rows, vectors) for rows, _, vectors in self._stored()] if measure else [])

    def _languages(self) -> list[int]:
        return self.measure.filing.languages if self.measure else []

    def meet(self, language: int) -> None:
        """A text of a language is about to be read: make its terms known.  Pages of other languages may lack them."""
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
        """Add measured fetches to the sums."""
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


def importance(scorer: Scorer, store: Store, table: Table) -> NDArray[np.float64] | None:
    """In-links or PageRank of every row, whichever the scorer uses; None if neither."""
    if scorer.importance == "in-links":
        return table["inlinks"].astype(np.float64)
    if scorer.importance == "PageRank":
        return pr(stored_links(store, len(table)).compact())
    return None
