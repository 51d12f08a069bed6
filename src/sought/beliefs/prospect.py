"""What would the first fetch of a URL bring?  Believed before a word of the page has been read."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Supplied, Supplier
from sought.beliefs.holdings import Growth, Holdings
from sought.index import Entry
from sought.index.analysis import stemming
from sought.index.fields import texts
from sought.index.measure import GainMeasure
from sought.index.quality import Matches
from sought.index.vectors import Counter, Vectors, joined
from sought.record.commit import Commit
from sought.record.store import row_key
from sought.record.table import NO_ROW, State
from sought.web.expression import brief
from sought.web.pages import Pages


@brief
@dataclass(frozen=True)
class Prospect(Supplied):
    """Expected gain of the first fetch of a URL, from the queries that its address and the anchors to it match.

    Rows of which there is a copy may hold anything; no policy reads them.
    """

    def supplier(self, holdings: Holdings) -> Supplier:
        return NewProspects(self, holdings)


# ---- Which query would a page never fetched serve most?


@brief
@dataclass(frozen=True)
class MainQuery(Supplied):
    """The number of the query that the first fetch of a URL would bring most for, as Prospect sees it; -1: none.

    Rows of which there is a copy may hold anything.
    """

    def supplier(self, holdings: Holdings) -> Supplier:
        return MainQueries(self, holdings)


@brief
@dataclass(frozen=True)
class MainShare(Supplied):
    """The share of its Prospect that is of this query."""

    def supplier(self, holdings: Holdings) -> Supplier:
        return MainQueries(self, holdings)


# ---- How much higher do pages score than their names alone?
#
# A page says more of what its address and the links to it say, or something else.  So the score of a page never fetched
# is that of its names, times one of a few numbers that are as likely as each other: quantiles of what was seen with
# pages in hand.


USUAL: tuple[float, ...] = (1.0, 1.75, 2.0, 2.1, 2.3)  # while little was seen
_QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)
_PAGES = 1000  # that are compared: those of the lowest keys, which are hashes
_ENOUGH = 100.0  # pairs of page and query: with fewer it is as usual

Rows = NDArray[np.int64]


def sample(rows: Rows, keys: NDArray[np.uint64]) -> Rows:
    """Some of the rows, the same ones as long as they are there."""
    return rows if len(rows) <= _PAGES else np.sort(rows[np.argpartition(keys, _PAGES)[:_PAGES]])


def times_of(named: Matches, matches: Matches, weights: NDArray[np.float64]) -> tuple[float, ...]:
    """What pages score for the queries that their names match, beside these; high scores count for more."""
    names, pages = _pairs(named), _pairs(matches)
    order = np.argsort(pages)
    at = np.minimum(np.searchsorted(pages, names, sorter=order), max(len(pages) - 1, 0))
    score = np.zeros(len(names))
    if len(pages):
        is_same = pages[order[at]] == names
        score[is_same] = matches.scores[order[at]][is_same]
    used = (named.scores > 0.0) & (weights[named.queries] > 0.0)
    counts = weights[named.queries][used] * named.scores[used]
    if not len(counts) or counts.sum() ** 2 < _ENOUGH * np.sum(counts**2):
        return USUAL
    times = score[used] / named.scores[used]
    order = np.argsort(times, kind="stable")
    upto = np.cumsum(counts[order])
    return tuple(times[order[np.searchsorted(upto, np.array(_QUANTILES) * upto[-1])]].tolist())


def _pairs(matches: Matches) -> NDArray[np.uint64]:
    """One number for page and query."""
    pairs: NDArray[np.uint64] = (matches.pages.astype(np.uint64) << np.uint64(32)) | matches.queries
    return pairs


# ---- What might a page bring that was never fetched?  Judged by the words that others and its own address use for it.
#
# The address and the anchors of a new URL are scored like a page that has nothing else, for every query that they
# match.  What a page would add to the answers now whose scores are as much higher, or lower, as those of pages in hand
# are than those of their names, is its prospect.  It is judged when the URL is found, when another
# wording points at it, and again when the workload, the statistics or what is known of names have changed; between
# these, it stays what it was by the answers of that time.


_AT_ONCE = 2048
_ANCHORS = 64


class Prospects:
    """A column that is filled in for rows without a copy, once it has been asked for."""

    def __init__(self, holdings: Holdings) -> None:
        self.store = store = holdings.store
        self.table = holdings.table
        self.measuring = holdings.measuring
        self.values = np.zeros(0)
        self.query, self.most = np.zeros(0, np.int64), np.zeros(0)  # what it would bring most for
        self.judged = 0  # rows below have been judged
        self.wanted = False
        self.judged_for: tuple[object, object] = (None, None)  # statistics and weights
        self.times, self.growth = USUAL, Growth(1.0)  # what pages score, beside their names
        self.language = lru_cache(maxsize=10_000)(lambda row: store.details(row).language)

    def take(self, committed: Commit) -> None:
        state = self.table.columns["state"]
        absent = [each.row for each in committed.finished if state[each.row] != State.LIVE]
        self.judge([*committed.named, *absent])

    def column(self, pages: Pages) -> NDArray[np.float64]:
        """The prospect of every row without a copy; the others may hold anything."""
        measure = self.measuring.measure
        now_for = (measure.statistics, measure.weights) if measure else (None, None)
        is_new = any(was is not now for was, now in zip(self.judged_for, now_for, strict=True))
        if self._compared(is_new) or is_new:
            self.judged_for, self.judged = now_for, 0
            self.values[:], self.query[:], self.most[:] = 0.0, -1, 0.0
        self.wanted = True
        self.judge(())
        return self.values[: len(self.table)]

    def terms(self, row: int) -> dict[str, Any]:
        return {"anchors": self._anchors(row).split("\n")}

    def judge(self, rows: Iterable[int]) -> None:
        """Judge rows that other words point at now, and those that have come since; they are in the store."""
        if not self.wanted:
            return
        if len(self.values) < len(self.table):
            more = len(self.table) * 5 // 4
            self.values = np.concatenate([self.values[: self.judged], np.zeros(more)])
            self.query = np.concatenate([self.query[: self.judged], np.full(more, -1)])
            self.most = np.concatenate([self.most[: self.judged], np.zeros(more)])
        fresh = np.arange(self.judged, len(self.table))
        todo = np.concatenate([np.fromiter(rows, np.int64), fresh])
        self.judged = len(self.table)
        todo = np.unique(todo[self.table["state"][todo] != State.LIVE])
        for at in range(0, len(todo), _AT_ONCE):
            self._judge(todo[at : at + _AT_ONCE])

    def _compared(self, is_new: bool) -> bool:
        """Whether pages in hand say something else of names than before; asked when there are twice as many."""
        measure, searchable = self.measuring.measure, self.table.searchable()
        if measure is None or not (self.growth.is_due(len(searchable), 0) or is_new):
            return False
        before, rows = self.times, sample(searchable, self.table["key"][searchable])
        named = measure.matches(rows, self._named(measure, rows))
        matches = measure.matches(rows, joined([self.measuring.vector(row) for row in rows.tolist()]))
        self.times = times_of(named, matches, measure.weights)
        return self.times != before

    def _judge(self, rows: NDArray[np.int64]) -> None:
        measure = self.measuring.measure
        if measure is not None:
            entries = measure.entry(rows, self._named(measure, rows), self.times)
            self.values[rows], self.query[rows], self.most[rows] = entries

    def _named(self, measure: GainMeasure, rows: NDArray[np.int64]) -> Vectors:
        """Pages that have nothing but their names."""
        counter = Counter(measure.vocabulary, self.measuring.meet)
        for row, url in zip(rows.tolist(), self.store.spellings(rows.tolist()), strict=True):
            via = int(self.table.columns["via"][row])
            language = stemming("" if via == NO_ROW else self.language(via))
            for text in texts(Entry(row, url, anchors=self._anchors(row))):
                counter.read(text, language)
            counter.end_page(language)
        return counter.take()

    def _anchors(self, row: int) -> str:
        return "\n".join(text.decode() for _, text in islice(self.store.scan(row_key(b"a", row)), _ANCHORS))


def shared(holdings: Holdings) -> Prospects:
    """Those that several beliefs go by."""
    return holdings.shared(Prospects)


class NewProspects:
    """The supplier of `Prospect`."""

    def __init__(self, belief: Prospect, holdings: Holdings) -> None:
        self.prospects = shared(holdings)

    def take(self, committed: Commit) -> None:
        """The prospects are kept up by themselves."""

    def column(self, pages: Pages) -> NDArray[np.float64]:
        return self.prospects.column(pages)

    def terms(self, row: int) -> dict[str, Any]:
        return self.prospects.terms(row)


class MainQueries:
    """The supplier of `MainQuery` and `MainShare`."""

    def __init__(self, belief: MainQuery | MainShare, holdings: Holdings) -> None:
        self.prospects, self.is_share = shared(holdings), isinstance(belief, MainShare)

    def take(self, committed: Commit) -> None:
        """The prospects are kept up by themselves."""

    def column(self, pages: Pages) -> NDArray[np.float64]:
        values, size = self.prospects.column(pages), len(pages)
        if not self.is_share:
            return self.prospects.query[:size].astype(np.float64)
        return np.divide(self.prospects.most[:size], values, out=np.zeros(size), where=values > 0.0)

    def terms(self, row: int) -> dict[str, Any]:
        query = int(self.prospects.query[row])
        return {} if self.is_share or query < 0 else {"query": self.prospects.measuring.asked.texts[query]}
