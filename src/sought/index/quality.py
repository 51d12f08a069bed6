"""How good are the answers?  Their value to users, over the value if every copy were up to date.

    Q = Σ_q f_q Σ_p I(rank of p among the copies)·S(live p, q)  /  Σ_q f_q Σ_p I(rank of p on the live Web)·S(live p, q)

S. Pandey, C. Olston, User-centric Web crawling, 2005, eq. 5.  It needs the live Web, so it
is for the laboratory and for estimates; `lab/judge/evaluator.py` updates it step by step.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sought.index.visibility import Floats, Visibility

Tie = Literal["hash", "mean"]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Matches:
    """Scores of pages for queries, as columns in any order; each pair at most once, scores above 0."""

    pages: NDArray[np.uint32]
    queries: NDArray[np.uint32]
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class AnswerShares:
    """The numerator and denominator of quality."""

    numerator: float
    denominator: float

    @property
    def value(self) -> float:
        """Quality; 1 if the denominator is 0."""
        return self.numerator / self.denominator if self.denominator else 1.0


def quality(
    repository: Matches,
    live: Matches,
    weights: Floats,
    ties: NDArray[np.uint32],
    visibility: Visibility = Visibility(),  # noqa: B008  a frozen value
    *,
    tie: Tie = "hash",
    per_query_norm: bool = False,
) -> AnswerShares:
    """Quality of a repository; f_q is weights[q].

    Among equal scores the page p with the larger ties[p] comes first, then the larger p; with tie="mean" all of them
    share the visibility of their ranks.  A page that is no longer live keeps its rank, with score 0.  `per_query_norm`
    divides each query by its ideal: then each weighs f_q, whatever its scores.
    """
    achieved = _attention_by_query(repository, _live_scores(repository, live), len(weights), ties, visibility, tie)
    ideal = _attention_by_query(live, live.scores, len(weights), ties, visibility, tie)
    return total(achieved, ideal, weights, per_query_norm)


def total(achieved: Floats, ideal: Floats, weights: Floats, per_query_norm: bool) -> AnswerShares:
    """Quality from the achieved and ideal sums of each query."""
    if per_query_norm:
        achieved, ideal = achieved / np.where(ideal, ideal, 1.0), (ideal > 0).astype(np.float64)
    # Not a dot product: waking BLAS's threads takes longer than evaluating a step.
    return AnswerShares(float((weights * achieved).sum()), float((weights * ideal).sum()))


def _attention_by_query(
    ranked: Matches,
    worth: NDArray[np.float32],
    queries: int,
    ties: NDArray[np.uint32],
    visibility: Visibility,
    tie: Tie,
) -> Floats:
    """Σ I(rank)·worth for every query, with ranks by the scores of `ranked`."""
    order = _order(ranked, ties)
    query, score = ranked.queries[order], ranked.scores[order]
    starts_list = _starts(query)
    if tie == "hash":
        ranks = _positions(starts_list) + 1
        seen = visibility.table(int(ranks.max(initial=0)))[ranks]
    else:
        seen = _mean_visibility(starts_list, starts_list | _starts(score), visibility)
    return np.bincount(query, seen * worth[order], queries).astype(np.float64)  # bincount of nothing gives integers


def attention(found: Matches, rates: Floats, ties: NDArray[np.uint32], visibility: Visibility) -> Floats:
    """Σ_q rate_q·I(rank of p for q) for every page p; ties as for `quality`."""
    asked = rates[found.queries] > 0.0
    some = Matches(found.pages[asked], found.queries[asked], found.scores[asked])
    order = _order(some, ties)
    pages, queries = some.pages[order], some.queries[order]
    ranks = _positions(_starts(queries)) + 1
    seen = rates[queries] * visibility.table(int(ranks.max(initial=0)))[ranks]
    return np.bincount(pages, seen, len(ties)).astype(np.float64)  # bincount of nothing gives integers


def _order(ranked: Matches, ties: NDArray[np.uint32]) -> Rows:
    """The order by query, then by descending score.  Two sorts of integers are many times as fast as a lexsort."""
    number = np.empty(len(ties), np.uint64)
    number[np.lexsort((np.arange(len(ties)), ties))] = np.arange(len(ties), dtype=np.uint64)
    bits = ranked.scores.view(np.uint32).astype(np.uint64)  # positive floats are ordered like their bits
    order = np.argsort(~(bits << np.uint64(32) | number[ranked.pages]))
    return order[np.argsort(ranked.queries[order], kind="stable")]


def _mean_visibility(starts_list: NDArray[np.bool_], starts_block: NDArray[np.bool_], visibility: Visibility) -> Floats:
    """Mean of I over the ranks of each block of equal scores."""
    place = _positions(starts_list)
    first = np.flatnonzero(starts_block)
    sizes = np.diff(first, append=len(starts_block))
    before = place[first]
    sums = visibility.sums(int(place.max(initial=0)) + 1)
    return np.repeat((sums[before + sizes] - sums[before]) / sizes, sizes)


def _starts(column: NDArray[np.uint32] | NDArray[np.float32]) -> NDArray[np.bool_]:
    """Where a new value begins."""
    starts = np.ones(len(column), np.bool_)
    starts[1:] = column[1:] != column[:-1]
    return starts


def _positions(starts: NDArray[np.bool_]) -> Rows:
    """The position of each item in its list, from 0."""
    at = np.arange(len(starts))
    return at - np.maximum.accumulate(np.where(starts, at, 0))


def _live_scores(repository: Matches, live: Matches) -> NDArray[np.float32]:
    """The live scores of the repository's pages; 0 if they no longer match or no longer exist."""
    pairs, wanted = _pairs(live), _pairs(repository)
    order, by_pair = np.argsort(pairs), np.argsort(wanted)
    pairs, wanted = pairs[order], wanted[by_pair]
    at = np.searchsorted(pairs, wanted)
    held = at < len(pairs)
    held[held] = pairs[at[held]] == wanted[held]
    scores = np.zeros(len(wanted), np.float32)
    scores[by_pair[held]] = live.scores[order[at[held]]]
    return scores


def _pairs(matches: Matches) -> NDArray[np.uint64]:
    return matches.queries.astype(np.uint64) << np.uint64(32) | matches.pages
