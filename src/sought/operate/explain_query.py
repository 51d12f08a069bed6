"""Queries explained: which need pages, how well one is answered, and how good all answers are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sought.beliefs.prospect import MainQuery, Prospect
from sought.index import Index, normal
from sought.index.exact import Exact
from sought.index.ideal import ideal_scores
from sought.index.measure import GainMeasure
from sought.index.quality import AnswerShares, Matches, quality
from sought.operate.known import ServedAnswers
from sought.operate.searches import improved_searches, searches_a_week
from sought.operate.typed_report import TypedReport
from sought.operate.view import View
from sought.record.outcome import number_or_none
from sought.record.swap import part_for_reading
from sought.record.table import State
from sought.record.workload import POOR
from sought.web.errors import BadInput
from sought.web.policy import Policy

_RESULTS = 10
_DEPTH = 1000  # results of a query that quality looks at
_FITS_BADLY = 0.5  # of the score of a page made for a query: if the best page has less, the answer is poor


@dataclass(frozen=True)
class NeedyQuery(TypedReport):
    """A query, its results, and what a page made for it would gain, in the unit of gains and in searches a week."""

    query: str
    a_week: float
    results: int
    best_score: float
    to_gain: float
    to_gain_searches_a_week: float | None
    why: str


@dataclass(frozen=True)
class ShownResult(TypedReport):
    """A result of a query as it is served, and the gain that the policy expects of fetching it now, by all queries."""

    url: str
    title: str
    score: float
    fetched: float
    expected_gain: float | None
    expected_gain_searches_a_week: float | None


@dataclass(frozen=True)
class CandidatePage(TypedReport):
    """A page without a copy that may answer a query, judged by its URL and the links to it."""

    url: str
    prospect: float
    state: str
    prospect_searches_a_week: float | None


@dataclass(frozen=True)
class QueryExplanation(TypedReport):
    """How well a query is answered, and what may improve that.

    A `held_out` query measures quality, and no fetch is chosen for it.
    """

    query: str
    a_week: float
    held_out: bool
    results: int
    why: str
    to_gain: float
    to_gain_searches_a_week: float | None
    shown: tuple[ShownResult, ...]
    would_help: tuple[CandidatePage, ...]


def explain_query(view: View, query: str, policy: Policy, now: float, limit: int = 10) -> QueryExplanation:
    """The results of a query and how old they are, what a page made for it would gain, and which fetches may help."""
    measure, asked = view.measuring.measure, view.measuring.asked
    wanted = normal(query)
    places = [place for place, text in enumerate(asked.texts) if normal(text) == wanted and asked.rate[place] > 0]
    if measure is None or not places:
        raise BadInput(f"nobody has asked {query!r} so far, or not often enough to be measured by")
    [place, *_] = places
    made = ideal_scores(measure)[place : place + 1]
    to_gain = float(measure.weights[place] * measure.lists.entry(np.array([place], np.uint32), made)[0])
    results, held_out = int(measure.lists.counts[place]), bool(asked.held_out[place])
    fit = float(measure.lists.best[place] / made[0]) if made[0] > 0.0 else 1.0
    report = view.measuring.report()
    return QueryExplanation(
        query=asked.texts[place],
        a_week=float(asked.rate[place]),
        held_out=held_out,
        results=results,
        why=needs(results, fit, held_out=held_out),
        to_gain=to_gain,
        to_gain_searches_a_week=improved_searches(to_gain, float(asked.rate[place]), report),
        shown=tuple(_shown(view, query, policy, now, report)),
        would_help=tuple(_candidates(view, place, limit, report)),
    )


def _shown(view: View, query: str, policy: Policy, now: float, report: Mapping[str, Any]) -> list[ShownResult]:
    """The first results as they are served."""
    if not (view.path / "index").exists():
        return []
    index = Index.open(part_for_reading(view.path, "index"), writable=False)
    try:
        hits = index.search(query, _RESULTS).hits
    finally:
        index.close()
    gains, shown = view.ranking(policy, now).gains, []
    for hit in hits:
        if hit.row < len(view.table):  # the index may be ahead of the table as it was read
            gain = None if gains is None else number_or_none(float(gains[hit.row]))
            weekly = searches_a_week(gain, report)
            shown.append(ShownResult(hit.url, hit.title, hit.score, hit.time, gain, weekly))
    return shown


def _candidates(view: View, place: int, limit: int, report: Mapping[str, Any]) -> list[CandidatePage]:
    """The pages without a copy that may gain most for this query, the best first."""
    prospect, query = view.believed(Prospect()), view.believed(MainQuery())
    state = view.table["state"]
    rows = np.flatnonzero((query == place) & (prospect > 0.0) & (state != State.LIVE) & (state != State.DEAD))
    best = rows[np.argsort(-prospect[rows], kind="stable")][:limit]
    gains = prospect[best].tolist()
    return [
        CandidatePage(view.store.url(row), gain, State(state[row]).name.lower(), searches_a_week(gain, report))
        for row, gain in zip(best.tolist(), gains, strict=True)
    ]


def needy(view: View, limit: int, *, unanswered: bool = False) -> list[NeedyQuery]:
    """The queries that need pages: first those without any result, then those with a poor answer, then the others.

    Queries without a result are ordered by how often they are asked, the others by what a page made for the query would
    add if it were there.  Such a page has the query for its title, holds each word three times, and is as long as pages
    are on average.  An answer is poor if it has fewer than ten results, or if its best page scores less than half of
    what a page made for the query would.  With `unanswered` only the queries without any result are listed.
    """
    measure, asked = view.measuring.measure, view.measuring.asked
    if measure is None:
        return []
    made = ideal_scores(measure)
    counts, best = measure.lists.counts, measure.lists.best
    gain = measure.weights * measure.lists.entry(np.arange(len(made), dtype=np.uint32), made)
    fit = np.divide(best, made, out=np.ones(len(made)), where=made > 0.0)
    group = np.where(counts == 0, 0, np.where((counts < POOR) | (fit < _FITS_BADLY), 1, 2))
    order = np.lexsort((np.arange(len(gain)), -np.where(group == 0, asked.rate, gain), group))
    listed = asked.rate[order] > 0  # words of topics are counted, too
    if unanswered:
        listed &= group[order] == 0
    report = view.measuring.report()
    return [
        NeedyQuery(
            query=asked.texts[q],
            a_week=float(asked.rate[q]),
            results=int(counts[q]),
            best_score=float(best[q]),
            to_gain=float(gain[q]),
            to_gain_searches_a_week=improved_searches(float(gain[q]), float(asked.rate[q]), report),
            why=needs(int(counts[q]), float(fit[q]), held_out=bool(asked.held_out[q])),
        )
        for q in order[listed][:limit].tolist()
    ]


def needs(results: int, fit: float, *, held_out: bool = False) -> str:
    """Why a query needs pages; `fit` is its best score over that of a page made for it."""
    reasons = []
    if results == 0:
        reasons.append("no page answers it")
    elif results < POOR:
        reasons.append("only 1 result" if results == 1 else f"only {results} results")
    if results and fit < 1.0:
        reasons.append(
            f"its best page fits {'badly' if fit < _FITS_BADLY else 'in part'} ({fit:.0%} of a page made for it)"
        )
    if not reasons:
        reasons.append("many results, and the best fits well")
    if held_out:
        reasons.append("held out: no fetch is chosen for it")
    return "; ".join(reasons)


def answers_to_all(view: View) -> ServedAnswers:
    """How well all queries are answered, as far as a crawl can know it; empty without queries."""
    if not view.measuring.asked.rate.any():
        return ServedAnswers()
    served, share = served_quality(view)
    return ServedAnswers.read(
        view.measuring.report(), quality_of_own_copies=served.value, judged_by_share_of_demand=share
    )


def served_quality(view: View, heaviest: int = 200) -> tuple[AnswerShares, float]:
    """Q of the answers as the index serves them now, against the copies the crawl holds.

    A crawler cannot know more by itself.  Q is below 1 where the index is behind the copies, or ranks by statistics
    that have moved since those of the scores were frozen.  Only the most frequent queries are judged; their share of
    demand is returned, too.
    """
    main, asked = view.measuring.measure, view.measuring.asked
    if main is None or not (view.path / "index").exists():
        return AnswerShares(0.0, 0.0), 0.0
    chosen = np.argsort(-asked.weights, kind="stable")[:heaviest]
    texts, weights = [asked.texts[q] for q in chosen], asked.weights[chosen]
    some = GainMeasure(texts, weights, main.vocabulary, main.scorer, Exact(), main.visibility)
    some.freeze(main.statistics)
    view.measuring.fill(some)
    copies = view.measuring.matches(some)
    index = Index.open(part_for_reading(view.path, "index"), writable=False)
    try:
        rankings = [index.ranking(text, _DEPTH) for text in some.queries]
    finally:
        index.close()
    served = _as_served(copies, rankings, len(view.table), some)
    ties = view.measuring.ties(np.arange(len(view.table)))
    ideal = quality(copies, copies, some.weights, ties, main.visibility)
    return AnswerShares(served, ideal.numerator), float(some.weights.sum())


def _as_served(copies: Matches, rankings: list[list[int]], rows: int, measure: GainMeasure) -> float:
    """The numerator of Q: the scores of the results, weighted by how visible their ranks are."""
    pair = copies.queries.astype(np.int64) * rows + copies.pages
    order = np.argsort(pair)
    pair, scores = pair[order], np.append(copies.scores[order], np.float32(0))
    total = 0.0
    for query, ranking in enumerate(rankings):
        wanted = query * rows + np.array(ranking, np.int64)
        at = np.searchsorted(pair, wanted)
        held = np.append(pair, -1)[at] == wanted
        seen = measure.visibility.at(np.arange(1.0, len(ranking) + 1))
        total += float(measure.weights[query] * np.sum(seen * np.where(held, scores[at], 0.0)))
    return total
