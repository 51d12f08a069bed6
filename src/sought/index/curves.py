"""What does a change of a score gain, approximately?  Twenty bytes a query, however many results it has.

After S. Pandey, C. Olston, User-centric Web crawling, 2005, §5.1.2, with departures.  Sums follow the curve
instead of linear scores within a piece.  A page is ranked in the list without it.  And curves are updated between
fills: a page that enters at rank r moves everything after r by one, and the knots with it.

A fourth departure is optional, and the default: a curve describes only the first `depth` results.  Most shifts happen
further down, where they are hardly visible; leaving them out costs little gain and saves most of the time
(`python -m benchmarks gain` prints how much of either).
"""

from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.index.curve import (
    MIDPOINT,
    PRINTED,
    SUMS,
    Float,
    VisibilityTables,
    gain_of_fall,
    load,
    own_rank,
    visibility_at,
)
from sought.index.curve_loops import Records, attention_on, entry, find_heads, ranks_of, read_knots, scores_at, shift
from sought.index.lists import HeldResults, Numbers, Scores, Shifts, check, no_held, no_shifts
from sought.index.slabs import Slabs
from sought.index.visibility import Floats, Visibility
from sought.web.compiled import Bool, Int, cached, readable
from sought.web.errors import BadInput
from sought.web.expression import brief

Integral = Literal["sums", "midpoint", "printed"]
Ranks = Literal["leave_one_out", "paper"]

_FORMS = {"sums": SUMS, "midpoint": MIDPOINT, "printed": PRINTED}
_TABLE = 1 << 16  # ranks whose visibility and logarithm are in tables
_NUMBERS, _FLOATS = readable(types.uint32), types.float64[::1]
_TABLES = (*[readable(types.float64)] * 3, types.float64, types.float64)


@brief
@dataclass(frozen=True)
class Curves:
    """Three log-log pieces a query, over its first `depth` results (0: all, as in the paper).

    `integral`: how visibility is summed over many ranks; "printed" is the paper's formula, whose upper limit is wrong,
    "midpoint" the corrected one.  `ranks`: "paper" ranks a page in the list that has its old copy.
    """

    depth: int = 100
    integral: Integral = "sums"
    ranks: Ranks = "leave_one_out"

    def __post_init__(self) -> None:
        for name, value, options in (("integral", self.integral, Integral), ("ranks", self.ranks, Ranks)):
            if value not in get_args(options):
                raise BadInput(f"Curves: {name} is one of {', '.join(get_args(options))}, not {value!r}")

        if type(self.depth) is not int or self.depth < 0:
            raise BadInput(f"Curves: depth is a number of results, or 0 for all, not {self.depth!r}")

    def open(self, queries: int, visibility: Visibility) -> "CurveLists":
        return CurveLists(queries, visibility, self)


class CurveLists:
    """For every query the number of its results, and the scores at up to four ranks of the first `depth`.

    Invariant: the curve covers the results that score at least the floor; the number below is that of the last fill.
    """

    def __init__(self, queries: int, visibility: Visibility, kind: Curves) -> None:
        self._records: Records = np.zeros((queries, 5), np.uint32)
        self._visibility = visibility
        self._depth = kind.depth
        self._deeper: NDArray[np.uint32] = np.zeros(queries, np.uint32)
        self.floors: Scores = np.zeros(queries, np.float32)
        self._form, self._paper = _FORMS[kind.integral], kind.ranks == "paper"

    @property
    def counts(self) -> NDArray[np.int64]:
        return self._records[:, 0].astype(np.int64) + self._deeper

    @property
    def best(self) -> Scores:
        return np.maximum(self._records[:, 1].copy().view(np.float32), self.floors)

    @property
    def nbytes(self) -> int:
        return self._records.nbytes + self._deeper.nbytes + self.floors.nbytes

    def attention(self) -> Floats:
        found = np.zeros(len(self._records))
        attention_on(self._records, *self._tables, found)
        return found

    def fill(self, queries: Numbers, scores: Scores, ties: Numbers) -> None:
        check(len(self._records), queries, scores, ties)
        slabs = Slabs(len(self._records))
        slabs.fill(queries, scores, ties)
        self._records[:] = 0
        heads = self._heads(slabs)
        self._deeper = (slabs.sizes - heads).astype(np.uint32)
        read_knots(slabs.items, slabs.starts, heads, self._records, *self._tables)

    def _heads(self, slabs: Slabs) -> NDArray[np.int64]:
        """How many results each curve covers: those better than the first one beyond `depth`."""
        heads, floors = slabs.sizes.copy(), np.zeros(len(self._records), np.uint32)
        if self._depth:
            find_heads(slabs.items, slabs.starts, heads, self._depth, floors)
        self.floors = floors.view(np.float32)
        return heads

    def _above(self, queries: Numbers, scores: Scores) -> Scores:
        """Set scores below the floor to 0."""
        return np.where(scores >= self.floors[queries], scores, np.float32(0)) if self._depth else scores

    def shift(self, queries: Numbers, before: Scores, after: Scores, ties: Numbers) -> Shifts:
        check(len(self._records), queries, before, after, ties)
        out = no_shifts(len(queries))
        before, after = self._above(queries, before), self._above(queries, after)
        columns = queries, before, after, ties, self._records
        missing = shift(*columns, *self._tables, self._form, self._paper, *out)
        if missing >= 0:
            raise ValueError(f"query {queries[missing]} has no results, hence none with score {before[missing]}")
        return out

    def entry(self, queries: Numbers, scores: Scores) -> Floats:
        check(len(self._records), queries, scores)
        gain = np.zeros(len(queries))
        scores = self._above(queries, scores)
        entry(queries, scores, self._records, *self._tables, self._form, gain)
        return gain

    def held(self, queries: Numbers, scores: Scores, ties: Numbers) -> HeldResults:
        check(len(self._records), queries, scores, ties)
        out, scores = no_held(len(queries)), self._above(queries, scores)
        missing = _held(queries, scores, ties, self._records, *self._tables, self._form, self._paper, *out)
        if missing >= 0:
            raise ValueError(f"query {queries[missing]} has no results, hence none with score {scores[missing]}")
        return out

    def ranks(self, queries: Numbers, scores: Scores) -> Floats:
        """The rank of a score in a query's list (F): fractional between knots, n + 1 below all, 1 in an empty list."""
        check(len(self._records), queries, scores)
        out = np.zeros(len(queries))
        ranks_of(queries, scores, self._records, *self._tables, out)
        return out

    def scores(self, queries: Numbers, ranks: Numbers) -> Floats:
        """The inverse of F: the score at a rank, at the last one if it is beyond, 0 in an empty list."""
        check(len(self._records), queries, ranks)
        out = np.zeros(len(queries))
        scores_at(queries, ranks, self._records, *self._tables, out)
        return out

    @property
    def _tables(self) -> VisibilityTables:
        seen = self._visibility.table(_TABLE)
        return seen, *_logarithms_and_roots(), self._visibility.scale, self._visibility.exponent


@cache
def _logarithms_and_roots() -> tuple[Floats, Floats]:
    ranks = np.arange(_TABLE, dtype=np.float64)
    return np.log(np.maximum(ranks, 1)), np.cbrt(ranks)


@cached(
    types.int64(
        *(_NUMBERS, readable(types.float32), _NUMBERS, types.uint32[:, ::1], *_TABLES),
        *(types.int64, types.boolean, _FLOATS, _FLOATS),
    )
)
def _held(
    queries: Numbers,
    held: Scores,
    ties: Numbers,
    records: Records,
    seen: Floats,
    logs: Floats,
    roots: Floats,
    scale: Float,
    exponent: Float,
    form: Int,
    paper: Bool,
    gross: Floats,
    net: Floats,
) -> Int:
    """By the gain of leaving, as in `shift`; returns the index of a page that cannot be in its list, or -1."""
    tables = (seen, logs, roots, scale, exponent)
    arrays = (np.zeros(4), np.zeros(4, np.int64), np.zeros(4), np.zeros(4))
    for i in range(queries.size):
        n, score = np.int64(records[queries[i], 0]), np.float64(held[i])
        if score == 0:
            continue
        if n == 0:
            return i
        curve = (*arrays, load(n, records[queries[i]], (*arrays, 0), tables))
        at = own_rank(score, ties[i], curve)
        gross[i] = visibility_at(at, tables) * score
        others = gain_of_fall(0.0, at, n + paper, form, curve, tables)  # the paper's integrals may exceed it
        net[i] = min(max(gross[i] - others, 0.0), gross[i])
    return -1
