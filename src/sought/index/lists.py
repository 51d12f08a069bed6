"""What is known of the scores of each query's results, and what does a change of one score bring?

`Lists` is the state, `ListsOf` the value that opens it: `Exact()` remembers every score, `Curves()` twenty bytes a
query.  *Gain* is the change of what attention finds, Σ I(rank)·score, when one page's score changes and every other
page is taken to be what its copy says (S. Pandey, C. Olston, User-centric Web crawling, 2005, §5.1).
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.index.visibility import Floats, Visibility
from sought.web.compiled import cached, readable

Numbers = NDArray[np.uint32]
Scores = NDArray[np.float32]


class Shifts(NamedTuple):
    """What shifts of scores brought, one by one.  Rank 0: not in the list.  Gains are not weighted by the queries."""

    rank_before: Numbers
    rank_after: Numbers
    gain: Floats


class HeldResults(NamedTuple):
    """What results are worth, one by one, not weighted by the queries.

    `gross` is I(rank)·score, what attention finds in the page itself; `net` is what would be missing without it, when
    those behind it have moved up: gross - Σ (I(k-1) - I(k))·s_k over the ranks k behind.  That is what it would gain
    if it entered now.
    """

    gross: Floats
    net: Floats


class Lists(Protocol):
    """For every query, the scores of its results."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many results each query has."""

    @property
    def best(self) -> Scores:
        """The highest score of each query, 0 if it has no results."""

    @property
    def floors(self) -> Scores:
        """A score below which a result is too deep in a query's list to matter: such shifts need not be told."""

    def attention(self) -> Floats:
        """What attention finds going down each list, Σ I(rank)·score: what the query's answer is worth."""

    @property
    def nbytes(self) -> int:
        """Memory held."""

    def fill(self, queries: Numbers, scores: Scores, ties: Numbers) -> None:
        """Forget everything and hold exactly these results, which may come in any order."""

    def shift(self, queries: Numbers, before: Scores, after: Scores, ties: Numbers) -> Shifts:
        """Measure each change of a page's score for a query and enter it, one after the other.

        Score 0 means that the page is not in the list.  `ties` says which of two equal scores comes first (the larger).
        """

    def entry(self, queries: Numbers, scores: Scores) -> Floats:
        """What each page would gain if it entered with such a score now; nothing changes."""

    def held(self, queries: Numbers, scores: Scores, ties: Numbers) -> HeldResults:
        """What each page that is in a list, with such a score, brings to what attention finds; nothing changes."""


class ListsOf(Protocol):
    """A way to estimate gains, as a value."""

    def open(self, queries: int, visibility: Visibility) -> Lists:
        """Empty lists."""


def no_shifts(count: int) -> Shifts:
    """Room for what shifts bring."""
    return Shifts(np.zeros(count, np.uint32), np.zeros(count, np.uint32), np.zeros(count))


def no_held(count: int) -> HeldResults:
    """Room for what results are worth."""
    return HeldResults(np.zeros(count), np.zeros(count))


def check(count: int, queries: Numbers, *columns: NDArray[Any]) -> None:
    """Compiled code looks at no bounds: what Python hands to it is looked at here."""
    if any(column.shape != queries.shape for column in columns):
        raise ValueError("columns of different lengths")
    if len(queries) and int(queries.max()) >= count:
        raise IndexError(f"query {int(queries.max())} of {count}")
    for column in columns:
        if column.dtype == np.float32 and not _sound(column):
            raise ValueError("scores must be finite and not negative")


@cached(types.boolean(readable(types.float32)))
def _sound(scores: Scores) -> bool:
    sound = True
    for score in scores:
        sound &= 0 <= score < np.inf
    return sound
