"""How does a page change?  What was seen of it, how often that happens, and which pages are like it."""

from typing import Any, get_args

import numpy as np

from sought.beliefs.bayes_rate import BayesRate
from sought.beliefs.clusters.clustering import Cluster, Clustering
from sought.beliefs.clusters.feature_names import DIMS, Features
from sought.beliefs.clusters.model import stored_names
from sought.beliefs.columns import Beliefs
from sought.beliefs.gain_rate import GainRate
from sought.beliefs.prospect import Prospect
from sought.crawl.plan import eligible
from sought.graph.distance import sources_of
from sought.index import Index
from sought.index.exact import Exact
from sought.index.ideal import ideal_scores
from sought.index.measure import GainMeasure
from sought.index.quality import AnswerShares, Matches, quality
from sought.index.vectors import joined
from sought.operate.next_fetch import next_fetch
from sought.operate.searches import improved_searches, searches_a_week
from sought.operate.view import Ranking, View
from sought.record.gains import Helped, helped
from sought.record.outcome import Finished, Outcome
from sought.record.swap import part_for_reading
from sought.record.table import NO_ROW
from sought.record.workload import POOR, WorkloadQueries
from sought.web.errors import BadInput
from sought.web.expression import expression_of
from sought.web.pages import Pages
from sought.web.policy import Policy, beliefs_of, explained, reads_links
from sought.web.registry import same_spelling


def change(view: View, beliefs: Beliefs, row: int) -> dict[str, Any]:
    """Observed changes, the rate with its uncertainty, and clusters: those on record, and those of a policy's beliefs.

    The policy's columns have been asked for.
    """
    return {
        "observed": observed(view, row),
        "rate": _rate(view, row),
        "clusters": _clusters(view, beliefs, row),
    }


def observed(view: View, row: int) -> list[dict[str, Any]]:
    """When a page was found to be another than before, and by how much."""
    fetches = [Finished(row, outcome, 0.0) for outcome in view.history(row)]
    seen = [each for each in fetches if each.is_observation]
    return [
        {"time": each.outcome.time, "kind": each.outcome.kind, "difference": each.difference}
        for each in seen[1:]
        if each.changed
    ]


def _rate(view: View, row: int) -> dict[str, Any]:
    """None is told of a page that was never fetched."""
    if not view.table["fetches"][row]:
        return {}
    beliefs = view.beliefs((BayesRate(),))
    beliefs.pages()
    return beliefs.terms(row).get(repr(BayesRate()), {})


def _clusters(view: View, beliefs: Beliefs, row: int) -> dict[str, Any]:
    wanted = {(each.k, each.features, DIMS) for each in beliefs.suppliers if isinstance(each, Cluster)}
    wanted |= set(filter(None, map(_parsed, stored_names(view.store))))
    told = {}
    for k, features, dims in sorted(wanted):
        found = beliefs.holdings.shared(Clustering, k, features, dims).place(row)
        if found:
            told[repr(Cluster(k, features))] = found
    return told


def _parsed(name: str) -> tuple[int, Features, int] | None:
    """None for what another version of the program may have stored."""
    known: dict[str, Features] = {each: each for each in get_args(Features)}
    k, features, dims = (*name.split(" "), "", "")[:3]
    return (int(k), known[features], int(dims)) if features in known and (k + dims).isdecimal() else None


# ---- What does the crawler know of a page, and of a query, and what would it do next?


_DEPTH = 1000  # results of a query as it is served
_PARENTS = 5  # told, of all that link to a page
_BADLY = 0.5  # of the score of a page made for a query: an answer whose best page has less is a poor one


def explain(view: View, url: str, policy: Policy, now: float, limit: int = 10) -> dict[str, Any]:
    """What is believed of a page, when and why it was fetched, how it changes, and what a fetch now is worth."""
    row = view.row(url)
    if row < 0:
        raise BadInput(_unknown(view, url))
    via = int(view.table["via"][row])
    beliefs = view.beliefs(beliefs_of(policy), links=reads_links(policy))
    linked_from = sources_of(beliefs.holdings.linked.links(), np.array([row]))[1][:_PARENTS]
    known = view.describe(row) | {
        "found_on": view.store.url(via) if via != NO_ROW else None,
        "linked_from": [view.store.url(each) for each in linked_from.tolist()],
    }
    worth = _worth(view, beliefs, row, policy, now)
    report = view.measuring.report()
    return {
        "page": known | {"title": view.store.details(row).title},
        "history": [_fetch(outcome, view, report) for outcome in view.history(row)],
        "change": change(view, beliefs, row),
        "answers": answers(view, row, limit),
        "worth_of_answers": view.measuring.measure.worth if view.measuring.measure else None,
        "now": worth | {"expected_searches_a_week": searches_a_week(worth["expected_gain"], report)},
        "next_fetch": next_fetch(view, row, view.ranking(policy, now)),
    }


def _unknown(view: View, url: str) -> str:
    """What to tell somebody who asks about a page that the crawl has never heard of."""
    judged = view.judge(url)
    if not judged["admitted"]:
        return f"{url} is not known to this crawl and would not be admitted: {judged['why'].partition(': ')[2]}"
    if judged["verdict"] != "would be fetched":
        return f"{url} is not known to this crawl and would not be fetched: 'sought urltest' says why"
    return f"{url} is not known to this crawl; to fetch it: sought order {view.path} fetch {url}"


def _fetch(outcome: Outcome, view: View, report: dict[str, Any]) -> dict[str, Any]:
    policies = [same_spelling(each) for each in view.store.meta("policies", [])]
    known = 0 <= outcome.policy < len(policies)
    return {
        "time": outcome.time,
        "kind": outcome.kind,
        "status": outcome.status,
        "difference": outcome.difference,
        "gain": outcome.gain,
        "gain_searches_a_week": searches_a_week(outcome.gain, report),
        "expected": outcome.expected,
        "expected_searches_a_week": searches_a_week(outcome.expected, report),
        "chance": outcome.chance,
        "purpose": outcome.purpose or None,
        "affected": outcome.affected,
        "helped": [_helped(each, view.measuring.asked, report) for each in helped(outcome)],
        "chosen_by": policies[outcome.policy] if known else None,
        "value": outcome.value if known else None,
        "rank": outcome.rank if known else None,
    }


def _helped(each: Helped, asked: WorkloadQueries, report: dict[str, Any]) -> dict[str, Any]:
    query = asked.text(each.key) or "(no longer asked)"
    return {
        "query": query,
        "gain": each.gain,
        "gain_searches_a_week": searches_a_week(each.gain, report),
        "rank_before": each.rank_before or None,
        "rank_after": each.rank_after or None,
        "score_before": each.before,
        "score_after": each.after,
    }


def answers(view: View, row: int, limit: int) -> list[dict[str, Any]]:
    """The queries that a page answers, those first to which it matters most: by weight, visibility and score."""
    measure, vector = view.measuring.measure, view.measuring.vector(row)
    if measure is None or not len(vector):
        return []
    found = measure.matches(np.array([row]), joined([vector]))
    ranks = measure.ranks(found, view.measuring.ties(found.pages.astype(np.int64)))
    shown = measure.weights[found.queries] * measure.visibility.at(ranks.astype(np.float64)) * found.scores
    asked = view.measuring.asked
    best = np.argsort(-shown, kind="stable")
    best = best[asked.rate[found.queries[best]] > 0][:limit]
    return [
        {
            "query": asked.texts[q],
            "a_week": float(asked.rate[q]),
            "rank": int(rank),
            "of": int(measure.lists.counts[q]),
            "score": float(score),
        }
        for q, rank, score in zip(
            found.queries[best].tolist(), ranks[best].tolist(), found.scores[best].tolist(), strict=True
        )
    ]


def _worth(view: View, beliefs: Beliefs, row: int, policy: Policy, now: float) -> dict[str, Any]:
    """What a fetch now is worth: by the policy's own value, and in the currency of all fetches."""
    pages, ranking = beliefs.pages(), view.ranking(policy, now)
    values = ranking.values
    may = eligible(view.table, now, view.config.revisit_after, np.zeros(0, np.int64))
    before = np.count_nonzero(may & (values > values[row]))
    return {
        "policy": expression_of(policy),
        "value": _finite(values[row]),
        **explained(policy, pages, row, now),
        "may_be_fetched": bool(may[row]),
        "rank": int(before) + 1 if may[row] and np.isfinite(values[row]) else None,
        "expected_gain": _expected(view, ranking, pages, row),
        "beliefs": {repr(name): _finite(column[row]) for name, column in pages.beliefs.items()},
        "terms": beliefs.terms(row),
    }


def _expected(view: View, ranking: Ranking, pages: Pages, row: int) -> float:
    """The gain of a fetch now as the policy expects it; if it does not say, as new and known pages are judged here."""
    if ranking.gains is not None and np.isfinite(ranking.gains[row]):
        return float(ranking.gains[row])
    if pages.is_new[row]:
        return float(view.believed(Prospect())[row])
    return float(view.believed(GainRate())[row] * (ranking.now - pages.last_fetch[row]))


def _finite(value: float) -> float | None:
    """As JSON has it."""
    return float(value) if np.isfinite(value) else None


def needy(view: View, limit: int, *, unanswered: bool = False) -> list[dict[str, Any]]:
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
    group = np.where(counts == 0, 0, np.where((counts < POOR) | (fit < _BADLY), 1, 2))
    order = np.lexsort((np.arange(len(gain)), -np.where(group == 0, asked.rate, gain), group))
    listed = asked.rate[order] > 0  # words of topics are counted, too
    if unanswered:
        listed &= group[order] == 0
    report = view.measuring.report()
    return [
        {
            "query": asked.texts[q],
            "a_week": float(asked.rate[q]),
            "results": int(counts[q]),
            "best_score": float(best[q]),
            "to_gain": float(gain[q]),
            "to_gain_searches_a_week": improved_searches(float(gain[q]), float(asked.rate[q]), report),
            "why": needs(int(counts[q]), float(fit[q]), held_out=bool(asked.held_out[q])),
        }
        for q in order[listed][:limit].tolist()
    ]


def needs(results: int, fit: float, *, held_out: bool = False) -> str:
    """Why a query needs pages; `fit` is its best score over that of a page made for it."""
    said = []
    if results == 0:
        said.append("no page answers it")
    elif results < POOR:
        said.append("only 1 result" if results == 1 else f"only {results} results")
    if results and fit < 1.0:
        said.append(f"its best page fits {'badly' if fit < _BADLY else 'in part'} ({fit:.0%} of a page made for it)")
    if not said:
        said.append("many results, and the best fits well")
    if held_out:
        said.append("held out: no fetch is chosen for it")
    return "; ".join(said)


def answers_to_all(view: View) -> dict[str, Any]:
    """What the crawl can know of its answers: how much of demand has one, how well they are ranked, what was gained."""
    if not view.measuring.asked.rate.any():
        return {}
    served, share = served_quality(view)
    return {**view.measuring.report(), "quality_of_own_copies": served.value, "judged_by_share_of_demand": share}


def served_quality(view: View, heaviest: int = 200) -> tuple[AnswerShares, float]:
    """Q of the answers as the index serves them now, against the copies the crawl holds.

    That is all a crawler can know by itself: it is below 1 where the index is behind its copies, or ranks by statistics
    that have moved since those of the scores were frozen.  Judged by the heaviest queries, whose share of demand is
    returned too.
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
    found = _as_served(copies, rankings, len(view.table), some)
    ties = view.measuring.ties(np.arange(len(view.table)))
    ideal = quality(copies, copies, some.weights, ties, main.visibility)
    return AnswerShares(found, ideal.numerator), float(some.weights.sum())


def _as_served(copies: Matches, rankings: list[list[int]], rows: int, measure: GainMeasure) -> float:
    """What attention finds, going down the rankings."""
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
