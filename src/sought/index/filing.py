"""Which queries might a page answer?  Each query is filed under the rarest of its terms (a percolator).

A page is looked up by its terms; of the queries filed under a term only the other terms are checked.  Languages analyse
a query differently, so each has its own file; the numbers of terms are common to all.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.index.analysis import LANGUAGES, NO_STEMMER, required_terms, terms
from sought.index.query import MAX_TERMS, parse
from sought.index.vectors import Vocabulary

Numbers = NDArray[np.int32]


class FiledQueries(NamedTuple):
    """The files of all languages, end to end.

    Under term t in file f are `start[f, 3t]` to `start[f, 3t + 3]`: those of one term, from `start[f, 3t + 1]` on those
    of two and from `start[f, 3t + 2]` on those of more.  `file` says which one a language has, -1 if none.  Item i is
    query `query[i]`; its second rarest term is `second[i]` and further ones are `others[first[i]:first[i + 1]]`.
    """

    file: Numbers
    start: NDArray[np.int32]
    query: Numbers
    second: Numbers
    first: Numbers
    others: Numbers


def query_words(text: str) -> str:
    """The words of a query, also quoted ones; empty for a `site:` query, which no workload can measure."""
    query = parse(text)
    return "" if query.site else " ".join([query.words, *query.phrases])


def normal(texts: Sequence[str]) -> list[str]:
    """The normal form of queries with the same answers in every language: distinct words, sorted."""
    return [" ".join(sorted(required_terms(terms(query_words(text), NO_STEMMER))[:MAX_TERMS])) for text in texts]


def terms_of_queries(queries: Sequence[str], language: str) -> list[list[str]]:
    """The distinct terms of each query in a language."""
    return [required_terms(terms(query_words(text), language))[:MAX_TERMS] for text in queries]


class Filing:
    """The queries of a workload under their rarest terms, for each language in use."""

    def __init__(self, queries: Sequence[str], vocabulary: Vocabulary) -> None:
        self._queries = queries
        self._vocabulary = vocabulary
        self._read: dict[int, tuple[Numbers, Numbers]] = {}  # by language: where each query starts, and all terms
        self.files: FiledQueries | None = None

    def read(self, language: int) -> None:
        """Prepare a language for lookups; this may add terms to the vocabulary."""
        if language not in self._read:
            read = terms_of_queries(self._queries, LANGUAGES[language])
            self._vocabulary.add(term for query in read for term in query)
            numbers = self._vocabulary.numbers
            starts = np.zeros(len(read) + 1, np.int32)
            np.cumsum([len(query) for query in read], out=starts[1:])
            found = np.fromiter((numbers[term] for query in read for term in query), np.int32, starts[-1])
            self._read[language] = starts, found
            self.files = None

    @property
    def languages(self) -> list[int]:
        """The languages in use."""
        return sorted(self._read)

    @property
    def nbytes(self) -> int:
        """Memory of the terms of all queries, without the files."""
        return sum(column.nbytes for read in self._read.values() for column in read)

    def terms(self, language: int) -> tuple[Numbers, Numbers]:
        """The start of each query's terms, and all terms."""
        self.read(language)
        return self._read[language]

    def file(self, frequency: NDArray[np.int64]) -> FiledQueries:
        """The files, with each query under its term that the fewest pages have."""
        if self.files is None:
            rarity = np.zeros(len(self._vocabulary), np.int64)
            rarity[: len(frequency)] = frequency[: len(rarity)]
            self.files = _end_to_end(self._read, rarity, len(self._vocabulary))
        return self.files


def _end_to_end(read: dict[int, tuple[Numbers, Numbers]], rarity: NDArray[np.int64], size: int) -> FiledQueries:
    parts = [_under_rarest(starts, found, rarity, size) for starts, found in read.values()]
    number = np.full(len(LANGUAGES), -1, np.int32)
    number[list(read)] = np.arange(len(read))
    sizes, lengths = ([0, *np.cumsum([len(getattr(part, name)) for part in parts])] for name in ("query", "others"))
    start = [part.start + at for part, at in zip(parts, sizes, strict=False)]
    first = [part.first[:-1] + at for part, at in zip(parts, lengths, strict=False)]
    return FiledQueries(
        number,
        np.concatenate([np.zeros((0, 3 * size + 1), np.int32), *start]).astype(np.int32),
        _joined([part.query for part in parts]),
        _joined([part.second for part in parts]),
        _joined([*first, np.array(lengths[-1:])]),
        _joined([part.others for part in parts]),
    )


def _number(column: NDArray[Any]) -> Numbers:
    return column.astype(np.int32)


def _joined(parts: list[NDArray[Any]]) -> Numbers:
    return np.concatenate([np.zeros(0, np.int32), *parts]).astype(np.int32)


def _under_rarest(starts: Numbers, found: Numbers, rarity: NDArray[np.int64], size: int) -> FiledQueries:
    """The file of one language; queries without terms are not in it.

    Scores are summed in its order, so it must not change when another language is added.
    """
    # Among terms equally rare on pages, as all are before the first page, those rare in queries.
    rarity = rarity << 32 | np.bincount(found, minlength=size)
    lengths = np.diff(starts)
    owner = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    found = found[np.lexsort((rarity[found], owner))]  # each query's rarest term comes first
    with_terms = np.flatnonzero(lengths)
    place = 3 * found[starts[with_terms]].astype(np.int64) + np.minimum(lengths[with_terms], 3) - 1
    query = with_terms[np.argsort(place, kind="stable")]
    second = np.where(lengths[query] > 1, np.append(found, 0)[starts[query] + 1], 0)
    more = (lengths[query] - 2).clip(0)
    first = np.append(0, np.cumsum(more))
    others = found[np.repeat(starts[query] + 2 - first[:-1], more) + np.arange(first[-1])]
    start = np.searchsorted(np.sort(place), np.arange(3 * size + 1))
    none = np.zeros(0, np.int32)
    return FiledQueries(none, start[None].astype(np.int32), _number(query), _number(second), _number(first), others)


def single_words(queries: Sequence[str], weights: NDArray[np.float64]) -> tuple[list[str], NDArray[np.float64]]:
    """The words of all queries and their weights; a word weighs as much as the queries that hold it.

    Pandey & Olston 2005, §5.1.1.  A page with one word of a query then matches a part of it, so "new york" also
    favours pages with "new".  Weights sum to 1 again.
    """
    summed: dict[str, float] = {}
    for form, weight in zip(normal(queries), weights.tolist(), strict=True):
        for word in form.split():
            summed[word] = summed.get(word, 0.0) + weight
    totals = np.fromiter(summed.values(), np.float64, len(summed))
    return list(summed), totals / totals.sum() if totals.any() else totals
