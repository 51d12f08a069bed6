"""Which distinguishing words do pages have?  Rows of TF-IDF, sparse.

tf·ln(N/df) over the most frequent words of all pages, as CLUTO weighs documents by default.  Words of a page are those
of its title and body that people ask for: the crawl counts no others.  Words of an address are its own (addresses.py).
"""

from typing import NamedTuple

import numpy as np
from numba import float32, int32, int64, uint32, void
from numpy.typing import NDArray

from sought.beliefs.addresses import Addresses, Hashes
from sought.beliefs.clusters.vectors import FeatureRows as Rows
from sought.beliefs.clusters.vectors import sparse
from sought.index.vectors import EACH, HEAD, Vectors
from sought.web.compiled import cached, readable

WORDS = 1000

Numbers = NDArray[np.int64]
Places = NDArray[np.int32]
Singles = NDArray[np.float32]


class ChosenWords(NamedTuple):
    """The most frequent words, and what each weighs."""

    words: NDArray[np.int64] | Hashes
    weights: Singles


def most_frequent(frequency: Numbers, pages: int) -> ChosenWords:
    """Of words by number, in how many pages each is; at most `WORDS` of them, ascending."""
    best = np.lexsort((np.arange(len(frequency)), -frequency))[:WORDS]
    best = np.sort(best[frequency[best] > 0])
    return ChosenWords(best, np.log(pages / np.maximum(frequency[best], 1)).astype(np.float32))


# ---- words of pages


def page_frequency(vectors: Vectors, terms: int) -> Numbers:
    """How many pages hold each term of the vocabulary in title or body."""
    counts = np.zeros(terms, np.int64)
    _count_pages(vectors.data, vectors.bounds, counts)
    return counts


def page_rows(vectors: Vectors, place: Places, weights: Singles) -> Rows:
    """TF-IDF of pages; `place` says which column a term of the vocabulary is in, -1 if in none."""
    most = len(vectors.data) // EACH
    values, columns = np.empty(most, np.float32), np.empty(most, np.int32)
    bounds = np.zeros(len(vectors) + 1, np.int64)
    _weigh(vectors.data, vectors.bounds, place, weights, values, columns, bounds)
    return sparse(values[: bounds[-1]], columns[: bounds[-1]], bounds, len(weights))


def occurrences(vectors: Vectors, place: Places, columns: int) -> Singles:
    """√(tf/length) of a few terms in title and body, a row for each page: what TF-IDF ranks pages by."""
    occurrences = np.zeros((len(vectors), columns), np.float32)
    _occur(vectors.data, vectors.bounds, place, occurrences)
    return occurrences


@cached(void(readable(uint32), readable(int64), int64[::1]))
def _count_pages(data: NDArray[np.uint32], bounds: Numbers, counts: Numbers) -> None:
    for p in range(len(bounds) - 1):
        for at in range(bounds[p] + HEAD, bounds[p + 1], EACH):
            if data[at + 1] and data[at] < len(counts):
                counts[data[at]] += 1


@cached(
    void(readable(uint32), readable(int64), readable(int32), readable(float32), float32[::1], int32[::1], int64[::1])
)
def _weigh(
    data: NDArray[np.uint32],
    bounds: Numbers,
    place: Places,
    weights: Singles,
    values: Singles,
    columns: Places,
    ends: Numbers,
) -> None:
    count = 0
    for p in range(len(bounds) - 1):
        for at in range(bounds[p] + HEAD, bounds[p + 1], EACH):
            held = data[at + 1]
            if held and data[at] < len(place) and place[data[at]] >= 0:
                columns[count] = place[data[at]]
                values[count] = (
                    np.float32((held & np.uint32(0xFFFF)) + (held >> np.uint32(16))) * weights[columns[count]]
                )
                count += 1
        ends[p + 1] = count


@cached(void(readable(uint32), readable(int64), readable(int32), float32[:, ::1]))
def _occur(data: NDArray[np.uint32], bounds: Numbers, place: Places, occurrences: Singles) -> None:
    for p in range(len(bounds) - 1):
        if bounds[p] == bounds[p + 1]:
            continue
        length = max(np.float64(data[bounds[p] + 1]) + np.float64(data[bounds[p] + 2]), 1.0)
        for at in range(bounds[p] + HEAD, bounds[p + 1], EACH):
            held = data[at + 1]
            if held and data[at] < len(place) and place[data[at]] >= 0:
                times = np.float64(held & np.uint32(0xFFFF)) + np.float64(held >> np.uint32(16))
                column = place[data[at]]
                occurrences[p, column] = max(occurrences[p, column], np.float32(np.sqrt(times / length)))


# ---- words of addresses


def address_words(addresses: Addresses) -> ChosenWords:
    """The most frequent ones, ascending."""
    words, number = np.unique(addresses.words, return_inverse=True)
    if not len(words):
        return ChosenWords(words, np.zeros(0, np.float32))
    owner = np.repeat(np.arange(len(addresses.depth)), np.diff(addresses.bounds))
    held = np.sort(owner * len(words) + number)  # np.unique takes ten times as long
    held = held[np.concatenate([[True], held[1:] != held[:-1]])]
    best, weights = most_frequent(np.bincount(held % len(words), minlength=len(words)), len(addresses.depth))
    return ChosenWords(words[best], weights)


def address_rows(addresses: Addresses, chosen: ChosenWords) -> Rows:
    """TF-IDF of addresses."""
    words, weights = chosen
    if not len(words):
        return sparse((), (), np.zeros(len(addresses.depth) + 1, np.int64), 1)
    at = np.minimum(np.searchsorted(words, addresses.words), len(words) - 1)
    owner = np.repeat(np.arange(len(addresses.depth)), np.diff(addresses.bounds))
    known = words[at] == addresses.words
    held, times = np.unique(owner[known] * len(words) + at[known], return_counts=True)
    column = held % len(words)
    bounds = np.searchsorted(held, np.arange(len(addresses.depth) + 1) * len(words))
    return sparse(times * weights[column], column, bounds, len(words))
