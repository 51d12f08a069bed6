"""Which rows have an n-gram, and in which field?  Five bytes a pair; pairs are never removed.

New pairs are buffered, and merged into sorted columns on a query or when there are more of them than in the columns:
the time per pair is bounded on average, and repeated pairs take no memory for long.
"""

import numpy as np
from numba import boolean, float32, int32, int64, uint8, uint32, uint64, void
from numpy.typing import NDArray

from sought.index.word_hashes import ANCHOR, FIELD_BITS, HOST, PATH, ROW_BITS, Hashes, Ints
from sought.web.compiled import Bool, Int, cached, compiled, readable

Rows = NDArray[np.uint32]
Fields = NDArray[np.uint8]
FIELDS = HOST, PATH, ANCHOR  # f has columns 2 * f and 2 * f + 1 of `shares`

_1, _FIELD, _ROW = np.uint64(1), np.uint64(FIELD_BITS), np.uint64(FIELD_BITS + ROW_BITS)
_ROWS, _FIELDS = np.uint64((1 << ROW_BITS) - 1), np.uint64((1 << FIELD_BITS) - 1)
_PATIENCE = 1 << 18  # hits that may be buffered, however few are merged
_INTS = readable(int64)


class Postings:
    """The rows of n-gram i are rows[starts[i] : starts[i + 1]]: sorted, distinct, with a bit for each field.

    Hits in `_waiting` are added by `settle`.
    """

    def __init__(self, grams: int) -> None:
        self.starts: Ints = np.zeros(grams + 1, np.int64)
        self.rows: Rows = np.zeros(0, np.uint32)
        self.fields: Fields = np.zeros(0, np.uint8)
        self._waiting: list[Hashes] = []
        self._count = 0

    def __getitem__(self, gram: int) -> Rows:
        """As of the last `settle`."""
        return self.rows[self.starts[gram] : self.starts[gram + 1]]

    @property
    def nbytes(self) -> int:
        return self.starts.nbytes + self.rows.nbytes + self.fields.nbytes + sum(hits.nbytes for hits in self._waiting)

    def add(self, hits: Hashes) -> None:
        """Hits as `word_hashes.find` writes them."""
        self._waiting.append(hits)
        self._count += len(hits)
        if self._count > _PATIENCE + len(self.rows):
            self.settle()

    def settle(self) -> None:
        """Merge buffered hits."""
        if not self._count:
            return
        new = np.concatenate(self._waiting)
        hits = np.empty_like(new)
        _sort(new, np.zeros_like(self.starts), hits)
        self._waiting, self._count = [], 0
        size = len(self.rows) + len(hits)
        starts, rows, fields = np.empty_like(self.starts), np.empty(size, np.uint32), np.empty(size, np.uint8)
        count = _merge(hits, self.starts, self.rows, self.fields, starts, rows, fields)
        self.starts, self.rows, self.fields = starts, rows[:count].copy(), fields[:count].copy()


def rows_holding(
    queries: Ints, bounds: Ints, grams: Ints, needed: Ints, each: bool, held: Postings
) -> tuple[Ints, Rows]:
    """Rows that have `needed` n-grams of the list of each query, as of the last `settle`: bounds, and sorted rows.

    List i is grams[bounds[i] : bounds[i + 1]].  If `each`, the first `needed` ones are required, else any `needed`.
    """
    out = np.empty(_most(queries, bounds, grams, needed, each, held.starts), np.uint32)
    found = np.zeros(len(queries) + 1, np.int64)
    if each:
        _all_of(queries, bounds, grams, needed, held.starts, held.rows, found, out)
    else:
        counts = np.zeros(int(held.rows.max(initial=0)) + 1, np.int32)
        _some_of(queries, bounds, grams, needed, held.starts, held.rows, counts, found, out)
    return found, out[: found[-1]].copy()


def shares(rows: Ints, queries: Ints, bounds: Ints, grams: Ints, words: int, held: Postings) -> NDArray[np.float32]:
    """The share of a list that each row has, as of the last `settle`: of n-grams below `words`, and of all, by FIELDS.

    Lookups in the postings are expensive, so one lookup serves all fields.
    """
    out = np.zeros((len(queries), 2 * len(FIELDS)), np.float32)
    reached = np.zeros(int(np.diff(bounds).max(initial=0)), np.int64)
    _count(rows, queries, bounds, grams, words, held.starts, held.rows, held.fields, reached, out)
    return out


@cached(void(readable(uint64), int64[::1], uint64[::1]))
def _sort(hits: Hashes, ends: Ints, out: Hashes) -> None:
    """Counting sort by n-gram, then sort the rows of each unless they are in order, as new rows are."""
    for hit in hits:
        ends[(hit >> _ROW) + _1] += 1
    for gram in range(1, ends.size):
        ends[gram] += ends[gram - 1]
    for hit in hits:
        out[ends[hit >> _ROW]] = hit
        ends[hit >> _ROW] += 1
    start = 0
    for gram in range(ends.size - 1):
        for k in range(start + 1, ends[gram]):
            if out[k - 1] > out[k]:
                out[start : ends[gram]].sort()
                break
        start = ends[gram]


@cached(int64(readable(uint64), _INTS, readable(uint32), readable(uint8), int64[::1], uint32[::1], uint8[::1]))
def _merge(
    hits: Hashes, starts: Ints, rows: Rows, fields: Fields, to_starts: Ints, to_rows: Rows, to_fields: Fields
) -> Int:
    """Merge existing rows with sorted hits; returns the number of pairs."""
    k = count = 0
    for gram in range(starts.size - 1):
        to_starts[gram] = count
        i, stop = starts[gram], starts[gram + 1]
        while i < stop or (k < hits.size and np.int64(hits[k] >> _ROW) == gram):
            pair = ~np.uint64(0)
            if i < stop:
                pair = np.uint64(gram) << np.uint64(ROW_BITS) | np.uint64(rows[i])
            if k < hits.size:
                pair = min(pair, hits[k] >> _FIELD)
            row, field = np.uint32(pair & _ROWS), np.uint8(0)
            if i < stop and rows[i] == row:
                field |= fields[i]
                i += 1
            while k < hits.size and hits[k] >> _FIELD == pair:
                field |= np.uint8(hits[k] & _FIELDS)
                k += 1
            to_rows[count], to_fields[count] = row, field
            count += 1
    to_starts[starts.size - 1] = count
    return count


@compiled
def _size(gram: Int, starts: Ints) -> Int:
    return starts[gram + 1] - starts[gram]


@compiled
def _rarest(low: Int, high: Int, grams: Ints, starts: Ints) -> Int:
    best = low
    for k in range(low + 1, high):
        if _size(grams[k], starts) < _size(grams[best], starts):
            best = k
    return best


@cached(int64(_INTS, _INTS, _INTS, _INTS, boolean, _INTS))
def _most(queries: Ints, bounds: Ints, grams: Ints, needed: Ints, each: Bool, starts: Ints) -> Int:
    """An upper bound on the rows that will be found."""
    most = 0
    for query in queries:
        low, high = bounds[query], bounds[query + 1]
        if low < high and each:
            most += _size(grams[_rarest(low, low + needed[query], grams, starts)], starts)
        elif low < high:
            hits = 0
            for k in range(low, high):
                hits += _size(grams[k], starts)
            most += hits // needed[query]
    return most


@compiled
def _at_least(rows: Rows, low: Int, high: Int, row: Int) -> Int:
    """The first index from `low` on whose row is not less; fast if it is near."""
    step = 1
    while low + step < high and rows[low + step] < row:
        low += step
        step *= 2
    high = min(high, low + step)
    while low < high:
        middle = (low + high) >> 1
        if rows[middle] < row:
            low = middle + 1
        else:
            high = middle
    return low


@cached(void(_INTS, _INTS, _INTS, _INTS, _INTS, readable(uint32), int64[::1], uint32[::1]))
def _all_of(
    queries: Ints, bounds: Ints, grams: Ints, needed: Ints, starts: Ints, rows: Rows, found: Ints, out: Rows
) -> None:
    """Intersect the rows of the rarest n-gram with those of the others."""
    end = 0
    for i in range(queries.size):
        begin, low = end, bounds[queries[i]]
        if low < bounds[queries[i] + 1]:
            rarest = _rarest(low, low + needed[queries[i]], grams, starts)
            for k in range(starts[grams[rarest]], starts[grams[rarest] + 1]):
                out[end] = rows[k]
                end += 1
            for k in range(low, low + needed[queries[i]]):
                if k != rarest:
                    left, at, stop = begin, starts[grams[k]], starts[grams[k] + 1]
                    for m in range(begin, end):
                        at = _at_least(rows, at, stop, out[m])
                        if at < stop and rows[at] == out[m]:
                            out[left] = out[m]
                            left += 1
                    end = left
        found[i + 1] = end


@cached(void(_INTS, _INTS, _INTS, _INTS, _INTS, readable(uint32), int32[::1], int64[::1], uint32[::1]))
def _some_of(
    queries: Ints,
    bounds: Ints,
    grams: Ints,
    needed: Ints,
    starts: Ints,
    rows: Rows,
    counts: NDArray[np.int32],
    found: Ints,
    out: Rows,
) -> None:
    """Count the n-grams of every row; `counts` are zero before and after."""
    end = 0
    for i in range(queries.size):
        begin, low, high = end, bounds[queries[i]], bounds[queries[i] + 1]
        for k in range(low, high):
            for at in range(starts[grams[k]], starts[grams[k] + 1]):
                counts[rows[at]] += 1
                if counts[rows[at]] == needed[queries[i]]:
                    out[end] = rows[at]
                    end += 1
        for k in range(low, high):
            for at in range(starts[grams[k]], starts[grams[k] + 1]):
                counts[rows[at]] = 0
        out[begin:end].sort()
        found[i + 1] = end


@cached(
    void(*(_INTS, _INTS, _INTS, _INTS, int64), *(_INTS, readable(uint32), readable(uint8), int64[::1], float32[:, ::1]))
)
def _count(
    wanted_rows: Ints,
    queries: Ints,
    bounds: Ints,
    grams: Ints,
    words: Int,
    starts: Ints,
    rows: Rows,
    fields: Fields,
    reached: Ints,
    out: NDArray[np.float32],
) -> None:
    """Rows of one query are mostly sorted: then `reached` is where to continue."""
    for i in range(queries.size):
        low, high = bounds[queries[i]], bounds[queries[i] + 1]
        on = i > 0 and queries[i] == queries[i - 1] and wanted_rows[i] >= wanted_rows[i - 1]
        total = 0
        for k in range(low, high):
            gram = grams[k]
            total += gram < words
            at = _at_least(rows, reached[k - low] if on else starts[gram], starts[gram + 1], wanted_rows[i])
            reached[k - low] = at
            if at < starts[gram + 1] and rows[at] == wanted_rows[i]:
                for field in FIELDS:
                    if fields[at] >> np.uint8(field) & 1:
                        out[i, 2 * field] += gram < words
                        out[i, 2 * field + 1] += 1
        for field in FIELDS:
            out[i, 2 * field] /= max(total, 1)
            out[i, 2 * field + 1] /= max(high - low, 1)
