"""How much of a query is in the host, the path and the anchors of a row?  All of it at one look; and of how many rows?

What `MatchIndex.fractions` says field by field; a look into the postings of an n-gram is what costs, so all fields are
counted by one.
"""

import numpy as np
from numba import float32, int64, uint8, uint32, void
from numpy.typing import NDArray

from sought.index.ngrams import ANCHOR, HOST, PATH, Grams, MatchIndex
from sought.index.postings import Fields, Postings, Rows
from sought.index.word_hashes import Ints
from sought.web.compiled import Int, cached, compiled, readable

FIELDS = HOST, PATH, ANCHOR
_INTS = readable(int64)


def gram_shares(index: MatchIndex, rows: Ints, queries: Ints) -> NDArray[np.float32]:
    """For each pair and each of FIELDS two columns: the fraction of the query's words, and of all its n-grams."""
    if len(rows) != len(queries):
        raise ValueError(f"{len(rows)} rows, {len(queries)} queries")
    grams, held = _settled(index, queries)
    out = np.zeros((len(rows), 2 * len(FIELDS)), np.float32)
    pairs = np.ascontiguousarray(rows, np.int64), np.ascontiguousarray(queries, np.int64)
    reached = np.zeros(int(np.diff(grams.bounds).max(initial=0)), np.int64)
    _count(*pairs, grams.bounds, grams.grams, grams.ends[1], held.starts, held.rows, held.fields, reached, out)
    return out


def most_matches(index: MatchIndex, queries: Ints) -> Ints:
    """How many rows can match each query, at most: those of its rarest n-gram, if it must have all, else of any."""
    grams, held = _settled(index, queries)
    sizes, counts = np.diff(held.starts), np.diff(grams.bounds)[queries]
    first = np.cumsum(counts) - counts
    places = np.arange(int(counts.sum())) + np.repeat(grams.bounds[queries] - first, counts)
    most, some = np.zeros(len(queries), np.int64), counts > 0
    if some.any():
        united = np.minimum if grams.rho == 1 else np.add
        most[some] = united.reduceat(sizes[grams.grams[places]], first[some])
    return most


def _settled(index: MatchIndex, queries: Ints) -> tuple[Grams, Postings]:
    grams, held = index.grams, index._postings
    if len(queries) and not 0 <= int(queries.min()) <= int(queries.max()) < len(grams.bounds) - 1:
        raise IndexError(f"query {int(queries.min())} … {int(queries.max())} of {len(grams.bounds) - 1}")
    held.settle()
    return grams, held


@compiled
def _at_least(rows: Rows, low: Int, high: Int, row: Int) -> Int:
    """The first place of a row or of a larger one, among places from `low` to `high`; it is near `low`, mostly."""
    step = 1
    while low + step < high and rows[low + step] < row:
        low += step
        step *= 2
    high = min(high, low + step + 1)
    while low < high:
        middle = (low + high) >> 1
        if rows[middle] < row:
            low = middle + 1
        else:
            high = middle
    return low


@cached(
    void(*(_INTS, _INTS, _INTS, _INTS, int64), *(_INTS, readable(uint32), readable(uint8), int64[::1], float32[:, ::1]))
)
def _count(
    of_rows: Ints,
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
    """Rows of one query mostly ascend: then `reached` says where to look on."""
    for i in range(queries.size):
        low, high = bounds[queries[i]], bounds[queries[i] + 1]
        on = i > 0 and queries[i] == queries[i - 1] and of_rows[i] >= of_rows[i - 1]
        total = 0
        for k in range(low, high):
            gram = grams[k]
            total += gram < words
            at = _at_least(rows, reached[k - low] if on else starts[gram], starts[gram + 1], of_rows[i])
            reached[k - low] = at
            if at < starts[gram + 1] and rows[at] == of_rows[i]:
                for field in range(3):
                    if fields[at] >> np.uint8(field) & 1:
                        out[i, 2 * field] += gram < words
                        out[i, 2 * field + 1] += 1
        for field in range(3):
            out[i, 2 * field] /= max(total, 1)
            out[i, 2 * field + 1] /= max(high - low, 1)
