"""In how many searches a week would a new page be shown?  By sketches of the neediest queries.

S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, Figure 4: the queries with the largest need, the new
pages that match them, the scores these would have, and which of them would be among the first K.  The impact of a page
is Σ f(q)·T(p, q), f(q) being searches a week.  The cost of a cycle is in the matches of needy queries; predictions are
learned again when fetched pages have grown by a tenth.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Column
from sought.beliefs.holdings import Growth, Holdings
from sought.beliefs.page_rank import PageRankScore, PageRankSupplier
from sought.beliefs.search_impact.guesses import Guess, fit_guess, no_guess
from sought.beliefs.search_impact.importance_curve import rescale
from sought.beliefs.search_impact.matching import Matching
from sought.beliefs.search_impact.needy import ImprovabilitySupplier, mean_scores
from sought.beliefs.search_impact.parameters import SearchImpactParameters
from sought.beliefs.search_impact.sketching import Sketching
from sought.beliefs.top_results import best_scores, top_of
from sought.index.measure import GainMeasure
from sought.index.sketch_expected import expected_impact
from sought.index.sketches import Sketches, impact_by_page, scalar_impact, scalar_ranks
from sought.index.sketches import top_k as seen
from sought.index.top import Top
from sought.record.commit import Commit
from sought.record.measuring import Measuring
from sought.web.pages import Pages


def units(measure: GainMeasure) -> NDArray[np.float64]:
    """The unit of scores of each query: the sum of its terms' weights (with BM25 in proportion to idf), 1 if it is 0.

    Scores are sums over terms, and rare terms add more.  As shares of the maximum they are comparable across queries,
    as §5.2 demands.  Terms are those of the language whose terms are on most pages.  For scorers that do not return
    this sum, scores are comparable already: 1.
    """
    queries = len(measure.queries)
    languages = measure.filing.languages
    if not measure.scorer.is_sum or not languages:
        return np.ones(queries)
    terms = len(measure.vocabulary)
    held = measure.statistics.of_terms(terms)[:, -1]
    starts, occurrences = max(map(measure.filing.terms, languages), key=lambda read: int(held[read[1]].sum()))
    weight = measure.scorer.weights(measure.statistics, terms).sum(axis=1, dtype=np.float64)
    owner = np.repeat(np.arange(queries), np.diff(starts))
    total = np.bincount(owner, weight[occurrences], minlength=queries)
    return np.where(total > 0, total, 1.0)


class LogRanks:
    """The logarithm of PageRank; computed for new rows, and for all after a new walk (`walks` counts them)."""

    def __init__(self, holdings: Holdings) -> None:
        self.ranks = PageRankSupplier(PageRankScore(), holdings)
        self.walks = 0
        self.logs = np.zeros(0)
        self.rows = 0

    def take(self, committed: Commit) -> None:
        self.ranks.take(committed)

    def update(self, pages: Pages) -> Column:
        """The column, for every row."""
        ranks = self.ranks.column(pages)
        if self.ranks.flow.walks != self.walks:
            self.walks, self.rows = self.ranks.flow.walks, 0
        if len(self.logs) < len(ranks):
            self.logs = np.concatenate([self.logs, np.zeros(len(ranks) * 5 // 4 - len(self.logs) + 1)])
        fresh = slice(self.rows, len(ranks))
        self.logs[fresh] = np.log(np.maximum(ranks[fresh], np.finfo(np.float64).tiny))
        self.rows = len(ranks)
        return self.logs[: self.rows]


Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

REFIT = 0.1  # growth of fetched pages after which predictions are learned again
_SHOWN = 10


@dataclass(frozen=True, eq=False)
class NeedyMatches:
    """The needy queries with their candidates, and the result: rows and their impact.

    `scale` corrects for queries that were not sketched.
    """

    k: int
    needy: Rows
    neediness: Floats
    sketches: Sketches
    leaves: NDArray[np.int32]
    guess: Guess
    units: Floats
    scale: float
    rows: Rows
    impact: Floats

    @cached_property
    def scores(self) -> NDArray[np.float32]:
        return self.guess.tree.means[self.leaves]

    @cached_property
    def ranks(self) -> NDArray[np.int32]:
        return scalar_ranks(self.sketches, self.scores, self.k)


@dataclass(eq=False)
class LearnedImpact:
    """The predictions learned from fetched pages, and the workload they are for."""

    guess: Guess = field(default_factory=no_guess)
    growth: Growth = field(default_factory=lambda: Growth(REFIT))
    asked: object = None


class QueryImpact:
    """The pipeline; several beliefs may share it.  Its result stays until something has changed."""

    def __init__(self, holdings: Holdings, belief: SearchImpactParameters) -> None:
        self.belief, self.table = belief, holdings.table
        self.measuring: Measuring = holdings.measuring
        self.matching = holdings.shared(Matching, belief.g, belief.rho)
        self.ranks = holdings.shared(LogRanks)
        self.improving = holdings.shared(ImprovabilitySupplier)
        self.sketching = Sketching(belief, self.matching, self.measuring)
        self.learned = LearnedImpact()
        self.matches: NeedyMatches | None = None
        self.top: Top | None = None
        self._units: tuple[tuple[object, ...], Floats] = ((), np.zeros(0))
        self.logs = np.zeros(0)
        self._state: tuple[object, ...] = ()
        self._is_known = False
        self._commit = object()  # another object after every commit
        self.fetches = int(self.table["fetches"].sum(dtype=np.int64))

    def take(self, committed: Commit) -> None:
        self._commit = object()
        self.fetches += len(committed.finished)

    @property
    def rates(self) -> Floats:
        """How often each query is asked a week; 0 for held-out ones."""
        asked = self.measuring.asked
        return np.where(asked.held_out, 0.0, asked.rate)

    def look(self, pages: Pages) -> None:
        """Bring result lists and the importance of rows up to date."""
        self.top = top_of(self.measuring, self.belief.k)
        measure = self.measuring.measure
        state = self._commit, len(pages), self.measuring.asked, measure and measure.statistics
        if not _same(self._state, state):
            self._state, self._is_known = state, False
            self.logs = self.ranks.update(pages)

    def update(self, pages: Pages) -> NeedyMatches | None:
        """The present result; None without queries."""
        self.look(pages)
        measure, top_k = self.measuring.measure, self.top
        if not self._is_known:
            self.matches = None if measure is None or top_k is None else self._match(self.logs, measure, top_k)
            self._is_known = True
        return self.matches

    def _match(self, logs: Floats, measure: GainMeasure, top_k: Top) -> NeedyMatches:
        belief, rates, unit = self.belief, self.rates, self._units_of(measure)
        self.matching.update()
        asked = np.flatnonzero(rates > 0)
        if self.learned.growth.is_due(self.fetches, len(logs)) or self.learned.asked is not self.matching.texts:
            guess = fit_guess(self.matching, self.measuring, logs, unit, asked)
            self.learned = LearnedImpact(guess, self.learned.growth, self.matching.texts)
        x = mean_scores(top_k, belief.k, unit)
        neediness = rates * self.improving.update(top_k, measure.statistics, x, asked)(x)
        needy, sketches, leaves, turned = self.sketching(neediness, rates, top_k, logs, unit, self.learned.guess)
        rows, impact = impact_by_page(sketches.rows, self._impact(sketches, leaves))
        held = rates * np.minimum(top_k.size, belief.k)
        scale = rescale(float(held.sum()), float(held[turned].sum()))
        guess = self.learned.guess
        return NeedyMatches(belief.k, needy, neediness[needy], sketches, leaves, guess, unit, scale, rows, impact)

    def _impact(self, sketches: Sketches, leaves: NDArray[np.int32]) -> Floats:
        tree = self.learned.guess.tree
        if self.belief.estimate == "scalar":
            return scalar_impact(sketches, tree.means[leaves], self.belief.k)
        return expected_impact(sketches, leaves, tree.quantiles, seen(self.belief.k))

    def _units_of(self, measure: GainMeasure) -> Floats:
        now = measure, measure.statistics
        if not _same(self._units[0], now):
            self._units = now, units(measure)
        return self._units[1]

    def terms(self, row: int) -> list[dict[str, Any]]:
        """The needy queries that a row matches, the neediest first."""
        matches = self.matches
        if matches is None or self.top is None:
            return []
        pairs = np.flatnonzero(matches.sketches.rows == row)
        owner = np.searchsorted(matches.sketches.bounds, pairs, side="right") - 1
        order = np.argsort(-matches.neediness[owner], kind="stable")[:_SHOWN]
        return [
            self._pair(matches, self.top, int(pair), int(which))
            for pair, which in zip(pairs[order], owner[order], strict=True)
        ]

    def _pair(self, matches: NeedyMatches, top_k: Top, pair: int, which: int) -> dict[str, Any]:
        query, k = int(matches.needy[which]), self.belief.k
        return {
            "query": self.measuring.asked.texts[query],
            "a_week": float(matches.sketches.weights[which]),
            "neediness": float(matches.neediness[which]),
            "matched": self.matching.index.why(int(matches.sketches.rows[pair]), query),
            "predicted_score": float(matches.scores[pair] * matches.units[query]),
            "rank": int(matches.ranks[pair]) or None,
            f"score_at_{k}": float(best_scores(top_k, k)[query, k - 1]),
        }


def _same(before: tuple[object, ...], now: tuple[object, ...]) -> bool:
    """Whether these are equal numbers and identical objects."""
    return len(before) == len(now) and all(
        a is b or (type(a) is int and a == b) for a, b in zip(before, now, strict=True)
    )
