"""Which new pages compete for the best results of which needy queries?

The query sketches of S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §5, in order of need until there
are as many as the policy allows.  A query without candidates is skipped.

Departures: a query whose words are in the addresses or anchors of too many rows, such as the name of the site, has no
sketch.  At most a few thousand candidates of each query count, those with most in-links; with distributions of scores,
which take longer, only those with the best predicted scores.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.search_impact.guesses import Floats, Guess, Rows, first_of_each
from sought.beliefs.search_impact.matching import Matching
from sought.beliefs.search_impact.needy import neediest
from sought.beliefs.search_impact.parameters import SearchImpactParameters
from sought.beliefs.top_results import best_scores
from sought.index.sketches import Sketches, keys
from sought.index.top import Top
from sought.record.measuring import Measuring
from sought.record.table import State

Leaves = NDArray[np.int32]

_BATCH = 64  # queries: the matches of all may be too many
_TURNS = 8  # at most so many times the wanted number of queries are tried
_CANDIDATES = 4096  # of one query
_CONTENDERS = 64  # of them, if the time grows with their square
_32 = np.uint64(32)


class Competing(NamedTuple):
    """Candidates of some queries, query by query: their number (`size`), rows, and leaves of predicted scores.

    `turned` are all queries that were tried, including those without candidates.
    """

    queries: Rows
    size: Rows
    rows: Rows
    leaves: Leaves
    turned: Rows

    def first(self, count: int) -> "Competing":
        """The candidates of the first `count` queries that have any."""
        kept = np.flatnonzero(self.size)[:count]
        upto = int(self.size[kept].sum())
        turned = self.queries[: kept[-1] + 1] if len(kept) == count else self.queries
        return Competing(self.queries[kept], self.size[kept], self.rows[:upto], self.leaves[:upto], turned)


_NONE: Rows = np.zeros(0, np.int64)
_NOBODY = Competing(_NONE, _NONE, _NONE, np.zeros(0, np.int32), _NONE)


class Sketched(NamedTuple):
    """Queries, the neediest first, their sketches, the leaf of each candidate, and the queries that were tried."""

    needy: Rows
    sketches: Sketches
    leaves: Leaves
    turned: Rows


class Sketching:
    """Makes sketches from the state of a crawl."""

    def __init__(self, belief: SearchImpactParameters, matching: Matching, measuring: Measuring) -> None:
        self.belief, self.matching, self.measuring = belief, matching, measuring
        self.table = measuring.table

    def __call__(
        self, neediness: Floats, rates: Floats, top: Top, logs: Floats, unit: Floats, guess: Guess
    ) -> Sketched:
        """Those of the neediest queries."""
        wanted = max(self.belief.fewest, int(np.ceil(self.belief.sketches * np.count_nonzero(rates))))
        parts = [_NOBODY, *self._competing(neediness, wanted, logs, unit, guess)]
        needy, size, rows, leaves, turned = map(np.concatenate, zip(*parts, strict=True))
        best = _in_units(top, needy, self.belief.k, unit)
        bounds = np.concatenate([[0], np.cumsum(size)])
        sketches = Sketches(rates[needy], *best, bounds, rows, self.measuring.ties(rows))
        return Sketched(needy, sketches, leaves, turned)

    def _competing(
        self, neediness: Floats, wanted: int, logs: Floats, unit: Floats, guess: Guess
    ) -> Iterator[Competing]:
        turns = neediest(neediness, _TURNS * wanted)
        for first in range(0, len(turns), _BATCH):
            queries = self.matching.telling(turns[first : first + _BATCH])
            rows, query = self._candidates(queries)
            leaves = guess.leaves(self.matching, self.table, logs, unit, rows, queries[query])
            if self.belief.estimate == "expected":
                kept = first_of_each(query, -guess.tree.means[leaves], _CONTENDERS)
                rows, query, leaves = rows[kept], query[kept], leaves[kept]
            size = np.bincount(query, minlength=len(queries))
            competing = Competing(queries, size, rows, leaves, queries).first(wanted)
            yield competing
            wanted -= len(competing.queries)
            if not wanted:
                return

    def _candidates(self, queries: Rows) -> tuple[Rows, Rows]:
        """New rows that match, and which of the queries."""
        bounds, rows = self.matching.index.matches(queries)
        query = np.repeat(np.arange(len(queries)), np.diff(bounds))
        new = np.flatnonzero(self.table["state"][rows] == State.NEW)
        rows, query = rows[new], query[new]
        kept = first_of_each(query, -self.table["inlinks"][rows].astype(np.int64), _CANDIDATES)
        return rows[kept], query[kept]


def _in_units(top: Top, queries: Rows, k: int, unit: Floats) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """The best k scores of queries in comparable units, and their ties; in order, where rounding has made equals."""
    scores = (best_scores(top, k, queries) / unit[queries, None]).astype(np.float32)
    key = np.where(scores > 0, keys(scores, top.ties[queries, :k]), np.uint64(0))
    key = np.sort(key, axis=1)[:, ::-1]
    return (key >> _32).astype(np.uint32).view(np.float32), key.astype(np.uint32)
