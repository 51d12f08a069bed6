"""Where do the words of a topic occur?  On pages that were read, in addresses, and in anchor texts.

Words are compared as in the search index: stemmed by the language of the page, or for a page that was never fetched, by
the language of the page on which it was found.  If that page changes its language later, words are not read again until
the next start.
"""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np
from numba import int32, int64, uint32, void
from numpy.typing import NDArray

from sought.index.analysis import LANGUAGES, piece_reader, stemming
from sought.index.filing import terms_of_queries
from sought.index.lexicon import Lexicon, TextMarks
from sought.index.vectors import EACH, FIELDS, HEAD, Vectors, Vocabulary
from sought.record.store import Store, row_key
from sought.record.table import NO_ROW, Table
from sought.web.compiled import cached, readable

Rows = NDArray[np.int64]
_ANCHORS = 64  # of a row, those of lowest hash, as the index takes them


class Topic:
    """The words of a topic as terms of each language, and their counters."""

    def __init__(self, text: str) -> None:
        self.terms = cache(lambda language: tuple(terms_of_queries([text], language)[0]))
        self.reader = cache(lambda language: TopicCounter(self.terms(language), language))

    def is_counted(self, vocabulary: Vocabulary) -> bool:
        """Whether there is a language in which all its words are counted on pages."""
        by_language = map(self.terms, LANGUAGES)
        return any(terms and all(term in vocabulary.numbers for term in terms) for terms in by_language)


class TopicCounts(NamedTuple):
    """How often pages contain each word of a topic (page, word, field); `words` is the number of words by page."""

    counts: NDArray[np.int32]
    words: NDArray[np.int32]
    numbers: NDArray[np.int32]  # of these words in the vocabulary, -1 for words that are not counted

    def everywhere(self, field: int, least: int) -> NDArray[np.bool_]:
        """Whether a field of a page contains every word at least so often."""
        is_word = np.arange(self.counts.shape[1]) < self.words[:, None]
        enough = (self.counts[:, :, field] >= least) | ~is_word
        everywhere: NDArray[np.bool_] = enough.all(axis=1) & (self.words > 0)
        return everywhere


def counted(vectors: Vectors, topic: Topic, vocabulary: Vocabulary) -> TopicCounts:
    """Count the words of a topic in the vectors of pages; an empty vector has none."""
    read = {language: topic.terms(LANGUAGES[language]) for language in vectors.languages}
    most = max(map(len, read.values()), default=0)
    numbers, words = np.full((len(LANGUAGES), most), -1, np.int32), np.zeros(len(LANGUAGES), np.int32)
    for language, terms in read.items():
        words[language] = len(terms)
        numbers[language, : len(terms)] = [vocabulary.numbers.get(term, -1) for term in terms]
    held = np.diff(vectors.bounds) > 0
    counts = np.zeros((len(vectors), most, FIELDS), np.int32)
    _count(vectors.data, vectors.bounds, numbers, counts)
    spoken = np.zeros(len(vectors), np.int64)
    spoken[held] = vectors.data[vectors.bounds[:-1][held]]
    return TopicCounts(counts, np.where(held, words[spoken], 0), numbers[spoken])


@cached(void(readable(uint32), readable(int64), int32[:, ::1], int32[:, :, ::1]))
def _count(
    data: NDArray[np.uint32], bounds: NDArray[np.int64], numbers: NDArray[np.int32], counts: NDArray[np.int32]
) -> None:
    for p in range(len(bounds) - 1):
        if bounds[p] == bounds[p + 1]:
            continue
        language = data[bounds[p]]
        for at in range(bounds[p] + HEAD, bounds[p + 1], EACH):
            for word in range(numbers.shape[1]):
                if numbers[language, word] == data[at]:
                    for field in range(FIELDS):
                        counts[p, word, field] = (data[at + 1 + (field >> 1)] >> (16 * (field & 1))) & 0xFFFF


class Wording:
    """The words of addresses, and of anchors that point at them."""

    def __init__(self, store: Store, table: Table) -> None:
        self.store, self.table = store, table
        self.language = lru_cache(maxsize=100_000)(lambda row: stemming(store.details(row).language))

    def by_language(self, rows: Rows) -> Iterator[tuple[str, Rows]]:
        """Rows (ascending) by the language in which their words are read."""
        sources, source = np.unique(self.table["via"][rows], return_inverse=True)
        languages = [stemming("") if via == NO_ROW else self.language(via) for via in sources.tolist()]
        names, number = np.unique(np.array(languages, object), return_inverse=True)
        for i, name in enumerate(names.tolist()):
            yield name, rows[number[source] == i]

    def addresses(self, rows: Rows) -> list[str]:
        """Host and path of rows (ascending), without the scheme."""
        return [unquote(url.partition("://")[2]) for url in self.store.spellings(rows.tolist())]

    def anchors(self, rows: Rows) -> Iterator[tuple[int, str]]:
        """Rows (ascending) with their anchor texts; runs of rows are read together."""
        for run in np.split(rows, np.flatnonzero(np.diff(rows) != 1) + 1):
            if len(run):
                yield from self._anchors_between(int(run[0]), int(run[-1]))

    def _anchors_between(self, first: int, last: int) -> Iterator[tuple[int, str]]:
        row, taken = -1, 0
        for key, text in self.store.between(row_key(b"a", first), row_key(b"a", last + 1)):
            here = int.from_bytes(key[1:5], "big")
            taken = taken + 1 if here == row else 1
            row = here
            if taken <= _ANCHORS:
                yield row, text.decode()

    def texts(self, rows: Rows) -> tuple[Rows, list[str]]:
        """Addresses and anchors, with the row of each."""
        anchors = list(self.anchors(rows))
        owners = np.fromiter(chain(rows.tolist(), (row for row, _ in anchors)), np.int64)
        return owners, [*self.addresses(rows), *(text for _, text in anchors)]


class TopicCounter:
    """Counts the words of a topic in texts of one language, many texts in one go."""

    def __init__(self, words: Sequence[str], language: str) -> None:
        self.words = words
        self.lexicon = Lexicon(piece_reader(language), self._kind)
        self.kinds: dict[tuple[int, ...], int] = {}  # by the number of terms, and how often each word is one of them

    def counts(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The number of terms in each text, and how often each word is one of them (text, word)."""
        joined, noted = "\n".join(texts), TextMarks()
        self.lexicon.reading(joined, noted)
        starts, marks = self.lexicon.placed(joined).places[:, 0], noted.marks[: noted.count]
        sizes = np.fromiter((len(t) if t.isascii() else len(t.encode("utf-8", "replace")) for t in texts), np.int64)
        owner = np.searchsorted(np.cumsum(sizes + 1), starts, "right")
        kinds = np.array(list(self.kinds), np.int64).reshape(-1, 1 + len(self.words))
        counts = np.zeros((1 + len(self.words), len(texts)), np.int64)
        for i in range(len(counts)):
            counts[i] = np.bincount(owner, kinds[marks, i], len(texts))
        return counts[0], counts[1:].T

    def _kind(self, reading: str) -> int:
        terms = reading.split()
        return self.kinds.setdefault((len(terms), *map(terms.count, self.words)), len(self.kinds))
