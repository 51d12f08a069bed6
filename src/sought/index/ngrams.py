"""Which unfetched pages might match a query?  Those whose address and anchors have its n-grams.

S. Pandey, C. Olston, Crawl ordering by search impact, 2008: a page matches a query if, of the query's word n-grams
with n up to g, a share of at least rho is in the page's address or in anchors of links to it.  Different n-grams may
come from different strings, but with rho = 1, a query of up to g words must occur in one string.

Departure: stop words are removed from the strings, too, and do not separate their neighbours.  Addresses often lack
them ("bank-america"), and a query without them would not match a string that has them.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sought.index.postings import Postings, rows_holding, shares
from sought.index.word_hashes import (
    ADDRESS,
    ANCHOR,
    HOST,
    PATH,
    ROW_BITS,
    STOP,
    Hashes,
    Ints,
    find,
    kinds,
    lowered,
    table_of,
    words_of,
)
from sought.web.errors import BadInput

__all__ = ["ADDRESS", "ANCHOR", "HOST", "PATH", "Grams", "MatchIndex"]

# Only English words that have no meaning alone: a longer list would have words that other languages need, or that
# matter in a short query ("it", "who", "can").
_STOP_WORDS = ("a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with")
_LONGEST = 8
_MOST_GRAMS = 1 << 28  # limited by the bits of a hit
_ROOM = 1 << 16
_32, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


class Grams:
    """The n-grams of a workload, as numbers: words first, then the longer ones, by length.

    Those of query q are grams[bounds[q] : bounds[q + 1]], each once, the longest first.  Invariant: every prefix of an
    n-gram is one, too, so each is stored as a shorter one and a last word (`parts`; for a word, -1 and itself).
    """

    def __init__(self, queries: Sequence[str], g: int = 3, rho: float = 1.0) -> None:
        if type(g) is not int or not 1 <= g <= _LONGEST:
            raise BadInput(f"g is a number of words from 1 to {_LONGEST}, not {g!r}")
        if not 0 < rho <= 1:
            raise BadInput(f"rho is a share above 0 and at most 1, not {rho!r}")
        self.g, self.rho = g, rho
        data = lowered(queries)
        found = words_of(data)
        stops = words_of(lowered(_STOP_WORDS)).hashes
        kept = np.flatnonzero(~np.isin(found.hashes, stops))
        hashes, first, words = np.unique(found.hashes[kept], return_index=True, return_inverse=True)
        spans = zip(found.starts[kept[first]].tolist(), found.stops[kept[first]].tolist(), strict=True)
        self.words = [data[start:stop].decode("utf-8", "surrogatepass") for start, stop in spans]
        numbers = np.append(np.arange(len(hashes)), np.full(len(stops), STOP))
        self.word_table = table_of(np.append(hashes, stops), numbers)
        self._build(found.texts[kept], words.astype(np.int64), len(queries))

    def __len__(self) -> int:
        return len(self.parts)

    def _build(self, texts: Ints, words: Ints, queries: int) -> None:
        """Build n-grams of all lengths from words; those of length n are numbers ends[n - 1] to below ends[n]."""
        at, numbers, parts = np.arange(len(texts)), words, [np.arange(1, len(self.words) + 1, dtype=np.uint64)]
        self.ends, pairs = [0, len(self.words)], [_pairs(texts, words)]
        for n in range(2, self.g + 1):
            inside = at + n - 1 < len(texts)
            inside[inside] = texts[at[inside]] == texts[at[inside] + n - 1]
            at, numbers = at[inside], numbers[inside]
            keys, places = np.unique(_key(numbers, words[at + n - 1]), return_inverse=True)
            numbers = self.ends[-1] + places.astype(np.int64)
            parts.append(keys)
            pairs.append(_pairs(texts[at], numbers))
            self.ends.append(self.ends[-1] + len(keys))
        if self.ends[-1] > _MOST_GRAMS:
            raise BadInput(f"a workload of {self.ends[-1]} n-grams is too large; there is room for {_MOST_GRAMS}")
        self.parts = np.concatenate(parts)
        longer = np.arange(len(self.words), len(self.parts))
        self.table = table_of(self.parts[len(self.words) :], longer)
        self._set_queries(np.unique(np.concatenate(pairs)), queries)

    def _set_queries(self, pairs: Hashes, queries: int) -> None:
        """Set the n-grams of each query, and how many of them a page must have."""
        self.grams = (_LOW - (pairs & _LOW)).astype(np.int64)
        self.bounds = np.searchsorted(pairs >> _32, np.arange(queries + 1, dtype=np.uint64)).astype(np.int64)
        counts = np.diff(self.bounds)
        if self.rho == 1:  # a string with the longest ones has the shorter ones, too
            length = np.searchsorted(self.ends, self.grams, side="right")
            query = np.repeat(np.arange(queries), counts)
            longest = length == length[self.bounds[query]]
            self.needed = np.bincount(query[longest], minlength=queries)
        else:
            self.needed = np.ceil(self.rho * counts).astype(np.int64)
            least = np.maximum(counts, 1)
            self.needed -= (self.needed - 1) / least >= self.rho  # exact to the precision of a division
            self.needed += self.needed / least < self.rho

    def text(self, gram: int) -> str:
        """The words of an n-gram."""
        words = []
        while gram >= 0:
            part = int(self.parts[gram])
            words.append(self.words[(part & 0xFFFFFFFF) - 1])
            gram = (part >> 32) - 1
        return " ".join(reversed(words))


class MatchIndex:
    """Which rows have which n-grams of a workload; other n-grams are ignored.

    Rows may be added again with further strings.
    """

    def __init__(self, grams: Grams) -> None:
        self.grams = grams
        self._postings = Postings(len(grams))
        self._room = np.empty(max(_ROOM, grams.g), np.uint64)

    @property
    def nbytes(self) -> int:
        """Memory of the rows."""
        return self._postings.nbytes

    def add(self, rows: Ints, texts: Sequence[str], field: int = ADDRESS) -> None:
        """Each text is one string of a row: an anchor, a whole address, or only the host or the path of one.

        Pass whole addresses if possible: n-grams may reach from the host into the path.
        """
        if len(rows) != len(texts) or field not in range(ADDRESS + 1):
            raise ValueError(f"{len(rows)} rows, {len(texts)} texts, field {field}")
        _check(rows, 1 << ROW_BITS, "row")
        data, reached = np.frombuffer(lowered(texts), np.uint8), np.zeros(3, np.int64)
        tables = *self.grams.word_table, *self.grams.table
        rows, chains, read = np.ascontiguousarray(rows, np.int64), np.empty((2, self.grams.g), np.int64), False
        while not read:
            read = find(data, kinds(), rows, field, *tables, chains[0], chains[1], self._room, reached)
            self._postings.add(self._room[: reached[2]].copy())
            if not read and not reached[2]:
                self._room = np.empty(2 * len(self._room), np.uint64)

    def matches(self, queries: Ints) -> tuple[Ints, Ints]:
        """The rows that match each query: for the i-th, those from bounds[i] to below bounds[i + 1], sorted."""
        grams = self.grams
        lists = grams.bounds, grams.grams, grams.needed, grams.rho == 1
        bounds, rows = rows_holding(self.checked_queries(queries), *lists, self.merged_postings())
        return bounds, rows.astype(np.int64)

    def why(self, row: int, query: int) -> list[str]:
        """The n-grams of a query that a row has, the longest first."""
        grams = self.grams.grams[self.grams.bounds[query] : self.grams.bounds[query + 1]]
        held = self.merged_postings()
        return [self.grams.text(gram) for gram in grams.tolist() if row in held[gram]]

    def merged_postings(self) -> Postings:
        """The postings of all rows added so far."""
        self._postings.settle()
        return self._postings

    def checked_queries(self, queries: Ints) -> Ints:
        """Checked numbers of queries, for compiled code."""
        _check(queries, len(self.grams.bounds) - 1, "query")
        return np.ascontiguousarray(queries, np.int64)


def _check(numbers: NDArray[np.int64], count: int, name: str) -> None:
    """Check numbers before they are passed to compiled code, which checks no bounds."""
    if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < count:
        raise IndexError(f"{name} {int(numbers.min())} … {int(numbers.max())} of {count}")


def _key(before: Ints, word: Ints) -> Hashes:
    """The key of an n-gram: its prefix and its last word."""
    return (before + 1).astype(np.uint64) << _32 | (word + 1).astype(np.uint64)


def _pairs(queries: Ints, grams: Ints) -> Hashes:
    """Keys that sort by query, then by n-gram, descending."""
    return queries.astype(np.uint64) << _32 | (_LOW - grams.astype(np.uint64))


def gram_shares(index: MatchIndex, rows: Ints, queries: Ints) -> NDArray[np.float32]:
    """For each pair two columns of HOST, PATH and ANCHOR: the fraction of the query's words, and of all its n-grams."""
    if len(rows) != len(queries):
        raise ValueError(f"{len(rows)} rows, {len(queries)} queries")
    grams, pairs = index.grams, (np.ascontiguousarray(rows, np.int64), index.checked_queries(queries))
    return shares(*pairs, grams.bounds, grams.grams, grams.ends[1], index.merged_postings())


def most_matches(index: MatchIndex, queries: Ints) -> Ints:
    """A bound on the rows that match each query: those of its rarest n-gram if all are required, else of any."""
    grams, numbers = index.grams, index.checked_queries(queries)
    sizes, counts = np.diff(index.merged_postings().starts), np.diff(grams.bounds)[numbers]
    first = np.cumsum(counts) - counts
    places = np.arange(int(counts.sum())) + np.repeat(grams.bounds[numbers] - first, counts)
    most, some = np.zeros(len(numbers), np.int64), counts > 0
    if some.any():
        united = np.minimum if grams.rho == 1 else np.add
        most[some] = united.reduceat(sizes[grams.grams[places]], first[some])
    return most
