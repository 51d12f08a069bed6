"""How much of a query is in the host, the path and the anchors of a row?  And of how many rows can it be, at most?"""

import numpy as np
from numpy.typing import NDArray

from sought.index.ngrams import MatchIndex
from sought.index.postings import shares
from sought.index.word_hashes import Ints


def gram_shares(index: MatchIndex, rows: Ints, queries: Ints) -> NDArray[np.float32]:
    """For each pair two columns of HOST, PATH and ANCHOR: the fraction of the query's words, and of all its n-grams."""
    if len(rows) != len(queries):
        raise ValueError(f"{len(rows)} rows, {len(queries)} queries")
    grams, pairs = index.grams, (np.ascontiguousarray(rows, np.int64), index.asked(queries))
    return shares(*pairs, grams.bounds, grams.grams, grams.ends[1], index.settled())


def most_matches(index: MatchIndex, queries: Ints) -> Ints:
    """How many rows can match each query, at most: those of its rarest n-gram, if it must have all, else of any."""
    grams, asked = index.grams, index.asked(queries)
    sizes, counts = np.diff(index.settled().starts), np.diff(grams.bounds)[asked]
    first = np.cumsum(counts) - counts
    places = np.arange(int(counts.sum())) + np.repeat(grams.bounds[asked] - first, counts)
    most, some = np.zeros(len(asked), np.int64), counts > 0
    if some.any():
        united = np.minimum if grams.rho == 1 else np.add
        most[some] = united.reduceat(sizes[grams.grams[places]], first[some])
    return most
