"""What does a change of one score gain?  The interface of result lists.

`Lists` is the state, `ListsOf` the value that opens it: `Exact()` keeps every score, `Curves()` twenty bytes a query.
*Gain* is the change of Σ I(rank)·score when one page's score changes and every other page is assumed to be as its copy
(S. Pandey, C. Olston, User-centric Web crawling, 2005, §5.1).
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
    """The results of score changes, one by one.  Rank 0: not in the list.  Gains are not weighted by query."""

    rank_before: Numbers
    rank_after: Numbers
    gain: Floats


class HeldResults(NamedTuple):
    """What results are worth, one by one, not weighted by query.

    `gross` is I(rank)·score; `net` is what would be lost without the page, after the results behind it have moved up:
    gross - Σ (I(k-1) - I(k))·s_k over the ranks k behind.  That is what it would gain if it entered now.
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
        """Scores below which a result is too deep in a query's list to matter: such changes need not be passed."""

    def attention(self) -> Floats:
        """Σ I(rank)·score of each list: what the query's answer is worth."""

    @property
    def nbytes(self) -> int:
        """Memory used."""

    def fill(self, queries: Numbers, scores: Scores, ties: Numbers) -> None:
        """Replace all results by these, in any order."""

    def shift(self, queries: Numbers, before: Scores, after: Scores, ties: Numbers) -> Shifts:
        """Measure and apply each change of a page's score for a query, one after the other.

        Score 0: the page is not in the list.  Of equal scores the larger of `ties` comes first.
        """

    def entry(self, queries: Numbers, scores: Scores) -> Floats:
        """What each page would gain if it entered with such a score now; nothing changes."""

    def held(self, queries: Numbers, scores: Scores, ties: Numbers) -> HeldResults:
        """What each page in a list, with such a score, is worth there; nothing changes."""


class ListsOf(Protocol):
    """A way to estimate gains, as a value."""

    def open(self, queries: int, visibility: Visibility) -> Lists:
        """Empty lists."""


def no_shifts(count: int) -> Shifts:
    """Zeros for the results of shifts."""
    return Shifts(np.zeros(count, np.uint32), np.zeros(count, np.uint32), np.zeros(count))


def no_held(count: int) -> HeldResults:
    """Zeros for the worth of results."""
    return HeldResults(np.zeros(count), np.zeros(count))


def check(count: int, queries: Numbers, *columns: NDArray[Any]) -> None:
    """Check columns before they are passed to compiled code, which checks no bounds."""
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
