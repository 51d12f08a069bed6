"""What must be known of all pages before the features of one can be computed?  Their words, domains and best pages.

Pages are clustered by their words alone, and so are addresses; features are how far a page's cluster is from the
largest ones (Tan & Mitra 2010, §3).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.addresses import Addresses, domain_hash, domain_of, read_addresses
from sought.beliefs.clusters.bisection import bisected
from sought.beliefs.clusters.feature_names import DIMS, DOMAINS, GROUPS, Group
from sought.beliefs.clusters.keywords import BestKeywords, asked_terms, heaviest, no_pages, spellings, with_pages
from sought.beliefs.clusters.partition import anchor_distances, assigned
from sought.beliefs.clusters.vectors import FeatureRows as Sparse
from sought.beliefs.clusters.words import (
    ChosenWords,
    Places,
    address_rows,
    address_words,
    most_frequent,
    occurrences,
    page_frequency,
    page_rows,
)
from sought.beliefs.holdings import Holdings
from sought.index.vectors import Vectors, joined
from sought.record.measuring import Measuring
from sought.record.store import Store
from sought.web.url import hostname

_CLUSTERS = 100  # of words

Rows = NDArray[np.int64]
Singles = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Space:
    """Clusters by words, and how far each is from the largest ones."""

    centroids: Singles
    distances: Singles

    def of(self, rows: Sparse) -> Singles:
        """The features of rows: those of the nearest cluster."""
        distances: Singles = self.distances[assigned(rows, self.centroids)[0]]
        return distances


def space_of(rows: Sparse, dims: int) -> Space:
    """From the pages there are."""
    clusters = bisected(rows, _CLUSTERS)
    return Space(clusters.centroids, anchor_distances(clusters.centroids, clusters.sizes, dims))


def no_space(dims: int) -> Space:
    """Where there are no words all pages are alike."""
    return Space(np.zeros((1, 1), np.float32), np.zeros((1, dims), np.float32))


@dataclass(frozen=True, eq=False)
class PageCollection:
    """Words of pages and what they weigh, words of addresses, the most frequent domains, keywords and who is best.

    Keywords are spelled as these terms, each for one of them.
    """

    dims: int = DIMS
    terms: Sequence[str] = ()
    term_weights: Singles = field(default_factory=lambda: np.zeros(0, np.float32))
    pages: Space = field(default_factory=lambda: no_space(DIMS))
    words: ChosenWords = field(default_factory=lambda: ChosenWords(np.zeros(0, np.uint64), np.zeros(0, np.float32)))
    addresses: Space = field(default_factory=lambda: no_space(DIMS))
    domains: Sequence[str] = ()
    keywords: Sequence[str] = ()
    spelled: Sequence[str] = ()
    spelled_for: Rows = field(default_factory=lambda: np.zeros(0, np.int64))
    best: BestKeywords = field(default_factory=lambda: no_pages(0))

    @property
    def domain_hashes(self) -> NDArray[np.uint64]:
        return np.array([domain_hash(name) for name in self.domains], np.uint64)


def collect(
    holdings: Holdings, rows: Rows, groups: Collection[Group] = GROUPS["all"], dims: int = DIMS
) -> PageCollection:
    """From these rows, which ascend, what features of these groups need."""
    parts: dict[str, Any] = {"dims": dims, "pages": no_space(dims), "addresses": no_space(dims)}
    if "address" in groups:
        parts |= _of_addresses(holdings.store, rows, dims)
    if "content" in groups or "ranking" in groups:
        measuring = holdings.measuring
        vectors = vectors_of(measuring, rows)
        if "content" in groups:
            parts |= _of_words(measuring, vectors, dims)
        if "ranking" in groups:
            parts |= _of_keywords(measuring, vectors, holdings.table["key"][rows])
    return PageCollection(**parts)


def vectors_of(measuring: Measuring, rows: Rows) -> Vectors:
    """How often pages hold the words that are counted."""
    return joined([measuring.vector(row) for row in rows.tolist()])


def numbers_of(terms: Sequence[str], measuring: Measuring) -> Rows:
    """The number of each term in the vocabulary, -1 if it is not counted."""
    numbers = measuring.vocabulary.numbers
    return np.array([numbers.get(term, -1) for term in terms], np.int64)


def lacking(terms: Sequence[str], measuring: Measuring) -> NDArray[np.bool_]:
    """Which terms there are pages with that have not been looked through for them."""
    lacking_terms = set(measuring.lacking)
    return np.array([term in lacking_terms for term in terms], np.bool_)


def places(numbers: Rows, columns: Rows | None = None) -> Places:
    """In which column each term of the vocabulary is, -1 if in none; terms of these numbers are, each in its own."""
    places = np.full(int(numbers.max(initial=-1)) + 1, -1, np.int32)
    known = np.flatnonzero(numbers >= 0)
    places[numbers[known]] = known if columns is None else columns[known]
    return places


def _of_addresses(store: Store, rows: Rows, dims: int) -> dict[str, Any]:
    urls = store.spellings(rows.tolist())
    addresses = read_addresses(urls)
    words = address_words(addresses)
    return {
        "words": words,
        "addresses": space_of(address_rows(addresses, words), dims),
        "domains": _domains(addresses, urls),
    }


def _domains(addresses: Addresses, urls: Sequence[str]) -> list[str]:
    """The most frequent ones; among equals by name."""
    _, first, counts = np.unique(addresses.domain, return_index=True, return_counts=True)
    named = sorted((-n, domain_of(hostname(urls[i]))) for i, n in zip(first.tolist(), counts.tolist(), strict=True))
    return [name for _, name in named if name][:DOMAINS]


def _of_words(measuring: Measuring, vectors: Vectors, dims: int) -> dict[str, Any]:
    """Terms are put in the order of their spelling: their numbers tell when they were first asked for."""
    spelled, wanted = list(measuring.vocabulary.numbers), np.flatnonzero(asked_terms(measuring))
    numbers = np.array(sorted(wanted.tolist(), key=spelled.__getitem__), np.int64)
    frequency = page_frequency(vectors, len(spelled))[numbers]
    best, weights = most_frequent(frequency, int(np.count_nonzero(np.diff(vectors.bounds))))
    if not len(best):
        return {}
    rows = page_rows(vectors, places(numbers[best]), weights)
    terms = [spelled[i] for i in numbers[best].tolist()]
    return {"terms": terms, "term_weights": weights, "pages": space_of(rows, dims)}


def _of_keywords(measuring: Measuring, vectors: Vectors, keys: NDArray[np.uint64]) -> dict[str, Any]:
    words = heaviest(measuring)
    spelled = spellings(words, measuring)
    terms, columns = [term for term, _ in spelled], np.array([column for _, column in spelled], np.int64)
    scores = occurrences(vectors, places(numbers_of(terms, measuring), columns), len(words))
    best = with_pages(no_pages(len(words)), scores, keys)
    return {"keywords": words, "spelled": terms, "spelled_for": columns, "best": best}
