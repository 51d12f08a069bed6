"""How much is a page about a topic?  Cosine of tf·idf vectors, as far as the crawl keeps them.

    IS(p, Q) = Σ tf_t·idf_t² / (|p|·|Q|),   |Q|² = Σ idf_t²,   |p|² = Σ (tf_t·idf_t)² + (length - Σ tf_t)·mean idf²

Sums run over the words of the topic (Cho, Garcia-Molina & Page 1998, §2.1).  Of all other words of a page only the
number is stored: they count as all different, and as rare as the topic's own.  So a likeness is at most 1, for a page
with nothing but the topic's words in equal numbers.  idf_t = log(1 + N/n_t), N being the number of pages when
statistics were last taken, n_t that of pages with the word.  For a fetched page title and body count, for a new one its
address and the anchors that point at it; a page that is not searchable has likeness 0.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Column, Supplied, Supplier
from sought.beliefs.holdings import Holdings
from sought.beliefs.topic_words import Rows, Topic, Wording, counted
from sought.index.analysis import LANGUAGES
from sought.index.fields import WORDED
from sought.index.vectors import joined
from sought.record.commit import Commit
from sought.web.expression import brief
from sought.web.pages import Pages

_BATCH = 2048  # rows
_TITLE, _BODY = WORDED.index("title"), WORDED.index("body")

Floats = NDArray[np.float64]


@brief
@dataclass(frozen=True)
class Likeness(Supplied):
    """IS(p, Q), how much a page is about a topic: cosine of tf·idf vectors.

    Of a fetched page by its words, of a new one by those of its address and of the anchors that point at it.
    """

    goes_by_demand: ClassVar[bool] = False

    topic: str

    def supplier(self, holdings: Holdings) -> Supplier:
        return LikenessSupplier(self, holdings)


class LikenessSupplier:
    """A row is judged when it is found, gets a new anchor text or is fetched, and again when statistics change."""

    def __init__(self, belief: Likeness, holdings: Holdings) -> None:
        self.table, self.holdings = holdings.table, holdings
        self.topic = Topic(belief.topic)
        self.wording = Wording(holdings.store, holdings.table)
        self.values = np.zeros(0)
        self.judged = 0  # rows below have been judged
        self.judged_for: tuple[object, ...] = ()  # workload and statistics
        self.noted: set[int] = set()  # rows to judge again

    def take(self, committed: Commit) -> None:
        self.noted.update(committed.named)
        self.noted.update(each.row for each in committed.finished)

    def column(self, pages: Pages) -> Column:
        measure = self.holdings.measuring.measure
        now_for = (measure, measure.statistics if measure else None)
        if not self.judged_for or any(a is not b for a, b in zip(self.judged_for, now_for, strict=True)):
            self.judged, self.judged_for = 0, now_for
        if len(self.values) < len(self.table):
            self.values = np.concatenate([self.values, np.zeros(len(self.table) * 5 // 4 - len(self.values))])
        noted = np.sort(np.fromiter(self.noted, np.int64, len(self.noted)))
        rows = np.concatenate([noted[noted < self.judged], np.arange(self.judged, len(self.table))])
        for at in range(0, len(rows), _BATCH):
            self._judge(rows[at : at + _BATCH])
        self.judged = len(self.table)
        self.noted.clear()
        values = self.values[: len(self.table)]
        values[~(pages.is_new | self.table.is_searchable)] = 0.0  # a page may leave without a fetch
        return values

    def terms(self, row: int) -> dict[str, Any]:
        if np.isneginf(self.table["last_fetch"][row]):
            return {"judged_by": self.wording.texts(np.array([row]))[1]}
        return self._held(row) if self.topic.is_counted(self.holdings.measuring.vocabulary) else NOT_COUNTED

    def _held(self, row: int) -> dict[str, Any]:
        """How often a fetched page contains each word of the topic, and its number of words."""
        measuring = self.holdings.measuring
        vectors = joined([measuring.vector(row)])
        if not vectors.bounds[-1]:
            return {"note": "not searchable, so like nothing"}
        words = self.topic.terms(LANGUAGES[vectors.data[0]])
        counts = counted(vectors, self.topic, measuring.vocabulary).counts[0]
        terms = {word: {"title": int(n[_TITLE]), "body": int(n[_BODY])} for word, n in zip(words, counts, strict=True)}
        return {"words": terms, "of": int(vectors.data[1 + _TITLE]) + int(vectors.data[1 + _BODY])}

    def _judge(self, rows: Rows) -> None:
        new = np.isneginf(self.table["last_fetch"][rows])
        self.values[rows] = 0.0
        for language, some in self.wording.by_language(rows[new]):
            self._judge_new(some, language)
        self._judge_fetched(rows[~new])

    def _judge_new(self, rows: Rows, language: str) -> None:
        owners, texts = self.wording.texts(rows)
        of_texts, of_words = self.topic.reader(language).counts(texts)
        place = np.searchsorted(rows, owners)
        sums: Floats = np.array([np.bincount(place, each, len(rows)) for each in (of_texts, *of_words.T)], np.float64)
        lengths, counts = sums[0], sums[1:].T
        numbers = [self.holdings.measuring.vocabulary.numbers.get(term, -1) for term in self.topic.terms(language)]
        self.values[rows] = _cosine(counts, lengths, self._idf(np.array([numbers], np.int64)))

    def _judge_fetched(self, rows: Rows) -> None:
        measuring = self.holdings.measuring
        vectors = joined([measuring.vector(row) for row in rows.tolist()])
        held = np.flatnonzero(np.diff(vectors.bounds))
        topic = counted(vectors, self.topic, measuring.vocabulary)
        counts = topic.counts[held][:, :, [_TITLE, _BODY]].sum(axis=2, dtype=np.float64)
        start = vectors.bounds[held]
        lengths = (vectors.data[start + 1 + _TITLE] + vectors.data[start + 1 + _BODY]).astype(np.float64)
        is_word = np.arange(counts.shape[1]) < topic.words[held, None]
        self.values[rows[held]] = _cosine(counts, lengths, np.where(is_word, self._idf(topic.numbers[held]), 0.0))

    def _idf(self, numbers: NDArray[Any]) -> Floats:
        """Of terms by their numbers; of those that are not counted, as of one that is on no page."""
        measuring = self.holdings.measuring
        if measuring.measure is None:
            return np.ones(numbers.shape)
        statistics = measuring.measure.statistics
        pages = np.append(statistics.of_terms(len(measuring.vocabulary))[:, -1], 0)
        idf: Floats = np.log1p(max(statistics.pages, 1) / np.maximum(pages[numbers], 1))
        return idf


NOT_COUNTED = {"note": "pages were not read for this topic: crawl with a policy that names it"}


def _cosine(counts: Floats, lengths: Floats, idf: Floats) -> Floats:
    """Of pages, by how often they hold each word of the topic; `idf` is 0 where there is no such word."""
    words = np.maximum((idf > 0).sum(axis=1), 1)
    typical = (idf.sum(axis=1) / words) ** 2
    others = np.maximum(lengths - counts.sum(axis=1), 0.0)
    page = np.sqrt(((counts * idf) ** 2).sum(axis=1) + others * typical)
    topic = np.sqrt((idf**2).sum(axis=1))
    cosine: Floats = (counts * idf**2).sum(axis=1) / np.maximum(page * topic, np.finfo(np.float64).tiny)
    return np.minimum(cosine, 1.0)
