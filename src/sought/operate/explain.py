"""One page explained: why it was fetched, what that gained, how it changes, what a fetch now is worth."""

from collections.abc import Mapping
from dataclasses import dataclass, field
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
from sought.index.vectors import joined
from sought.operate.known import KnownPage
from sought.operate.next_fetch import NextFetch, next_fetch
from sought.operate.searches import searches_a_week
from sought.operate.typed_report import INLINE, OR_EMPTY, JsonKey, TypedReport
from sought.operate.view import Ranking, View
from sought.record.gains import Helped, helped
from sought.record.outcome import Finished, Outcome
from sought.record.table import NO_ROW
from sought.record.workload import WorkloadQueries
from sought.web.errors import BadInput
from sought.web.expression import expression_of
from sought.web.pages import Pages
from sought.web.policy import Policy, beliefs_of, explained, reads_links
from sought.web.registry import same_spelling

_PARENTS = 5  # shown, of all pages that link to one


@dataclass(frozen=True)
class ExplainedPage(KnownPage):
    """What the table says of a page, where it was discovered, and which pages link to it."""

    found_on: str | None
    linked_from: tuple[str, ...]
    title: str


@dataclass(frozen=True)
class HelpedQuery(TypedReport):
    """A query whose results a fetch improved, or made worse: rank and score of the page before and after.

    The rank is None if the page was not among the results.
    """

    query: str
    gain: float
    gain_searches_a_week: float | None
    rank_before: int | None
    rank_after: int | None
    score_before: float
    score_after: float


@dataclass(frozen=True)
class PageFetch(TypedReport):
    """One fetch of a page: its outcome, its gain, and why the page was chosen.

    `gain` is None if it was not measured; names that end in `_searches_a_week` have the same in searches a week that
    are answered better.  `chosen_by` is the policy that chose the page as number `rank` of its plan, by this `value`;
    None: not on record.  The gain that it `expected`, the `chance` of being chosen and the `purpose` are None if the
    policy did not say.
    """

    time: float
    kind: str
    status: int
    difference: float
    gain: float | None
    gain_searches_a_week: float | None
    expected: float | None
    expected_searches_a_week: float | None
    chance: float | None
    purpose: str | None
    affected: int
    helped: tuple[HelpedQuery, ...]
    chosen_by: str | None
    value: float | None
    rank: int | None


@dataclass(frozen=True)
class ObservedChange(TypedReport):
    """A fetch that saw another page than the fetch before; `difference` is the share of the text that is new."""

    time: float
    kind: str
    difference: float


@dataclass(frozen=True)
class ChangeRate(TypedReport):
    """How often a page is believed to change, with an 80 % interval, and the mean of the pages like it."""

    rate_a_day: float
    fetches: int
    changes: int
    interval_a_day: tuple[float, float]
    prior_a_day: float
    prior_of: str


@dataclass(frozen=True)
class ClusterPlace(TypedReport):
    """The cluster of a page, of how many, and how close the page is to its centre (cosine)."""

    cluster: int
    clusters: int = field(metadata=JsonKey("of").metadata)
    closeness: float


@dataclass(frozen=True)
class PageChange(TypedReport):
    """Observed changes, the believed rate (None: never fetched), and clusters by the belief that made them."""

    observed: tuple[ObservedChange, ...]
    rate: ChangeRate | None = field(metadata=OR_EMPTY)
    clusters: Mapping[str, ClusterPlace]


@dataclass(frozen=True)
class PageAnswer(TypedReport):
    """A query that a page answers: how often it is asked, and the page's rank among its results."""

    query: str
    a_week: float
    rank: int
    results: int = field(metadata=JsonKey("of").metadata)
    score: float


@dataclass(frozen=True)
class PageWorth(TypedReport):
    """What a fetch of a page now is worth.

    `value` is that of the policy, `details` what the policy says of it.  `rank` is the place among all pages that may
    be fetched now; None if this page may not, or the policy does not choose it.  `expected_gain` is in the unit of
    gains.  `beliefs` has the columns that the policy reads, `terms` what each is made of.
    """

    policy: str
    value: float | None
    details: Mapping[str, Any] = field(metadata=INLINE)
    may_be_fetched: bool
    rank: int | None
    expected_gain: float
    beliefs: Mapping[str, float | None]
    terms: Mapping[str, Mapping[str, Any]]
    expected_searches_a_week: float | None


@dataclass(frozen=True)
class PageExplanation(TypedReport):
    """All about one page; `history` has its fetches, the oldest first."""

    page: ExplainedPage
    history: tuple[PageFetch, ...]
    change: PageChange
    answers: tuple[PageAnswer, ...]
    worth_of_answers: float | None
    now: PageWorth
    next_fetch: NextFetch


def explain(view: View, url: str, policy: Policy, now: float, limit: int = 10) -> PageExplanation:
    """What is believed of a page, when and why it was fetched, how it changes, and what a fetch now is worth."""
    row = view.row(url)
    if row < 0:
        raise BadInput(_unknown(view, url))
    beliefs = view.beliefs(beliefs_of(policy), links=reads_links(policy))
    page = _page(view, beliefs, row)
    worth = _worth(view, beliefs, row, policy, now)
    report = view.measuring.report()
    return PageExplanation(
        page=page,
        history=tuple(_fetch(outcome, view, report) for outcome in view.history(row)),
        change=change(view, beliefs, row),
        answers=tuple(answers(view, row, limit)),
        worth_of_answers=view.measuring.measure.worth if view.measuring.measure else None,
        now=worth,
        next_fetch=next_fetch(view, row, view.ranking(policy, now)),
    )


def _unknown(view: View, url: str) -> str:
    """Why there is nothing to explain, and what to do."""
    verdict = view.judge(url)
    if not verdict.admitted:
        return f"{url} is not known to this crawl and would not be admitted: {verdict.why.partition(': ')[2]}"
    if verdict.verdict != "would be fetched":
        return f"{url} is not known to this crawl and would not be fetched: 'sought urltest' says why"
    return f"{url} is not known to this crawl; to fetch it: sought order {view.path} fetch {url}"


def _page(view: View, beliefs: Beliefs, row: int) -> ExplainedPage:
    via = int(view.table["via"][row])
    linked_from = sources_of(beliefs.holdings.linked.links(), np.array([row]))[1][:_PARENTS]
    return ExplainedPage(
        **view.columns(row),
        found_on=view.store.url(via) if via != NO_ROW else None,
        linked_from=tuple(view.store.url(each) for each in linked_from.tolist()),
        title=view.store.details(row).title,
    )


def _fetch(outcome: Outcome, view: View, report: Mapping[str, Any]) -> PageFetch:
    policies = [same_spelling(each) for each in view.store.meta("policies", [])]
    known = 0 <= outcome.policy < len(policies)
    return PageFetch(
        time=outcome.time,
        kind=outcome.kind,
        status=outcome.status,
        difference=outcome.difference,
        gain=outcome.gain,
        gain_searches_a_week=searches_a_week(outcome.gain, report),
        expected=outcome.expected,
        expected_searches_a_week=searches_a_week(outcome.expected, report),
        chance=outcome.chance,
        purpose=outcome.purpose or None,
        affected=outcome.affected,
        helped=tuple(_helped(each, view.measuring.asked, report) for each in helped(outcome)),
        chosen_by=policies[outcome.policy] if known else None,
        value=outcome.value if known else None,
        rank=outcome.rank if known else None,
    )


def _helped(each: Helped, asked: WorkloadQueries, report: Mapping[str, Any]) -> HelpedQuery:
    return HelpedQuery(
        query=asked.text(each.key) or "(no longer asked)",
        gain=each.gain,
        gain_searches_a_week=searches_a_week(each.gain, report),
        rank_before=each.rank_before or None,
        rank_after=each.rank_after or None,
        score_before=each.before,
        score_after=each.after,
    )


def change(view: View, beliefs: Beliefs, row: int) -> PageChange:
    """How a page changes; the columns of `beliefs` have been computed."""
    return PageChange(tuple(observed(view, row)), _rate(view, row), _clusters(view, beliefs, row))


def observed(view: View, row: int) -> list[ObservedChange]:
    """The fetches that saw another page than the fetch before."""
    fetches = [Finished(row, outcome, 0.0) for outcome in view.history(row)]
    seen = [each for each in fetches if each.is_observation]
    return [ObservedChange(each.outcome.time, each.outcome.kind, each.difference) for each in seen[1:] if each.changed]


def _rate(view: View, row: int) -> ChangeRate | None:
    if not view.table["fetches"][row]:
        return None
    beliefs = view.beliefs((BayesRate(),))
    beliefs.pages()
    terms = beliefs.terms(row).get(repr(BayesRate()))
    return ChangeRate(**terms) if terms else None


def _clusters(view: View, beliefs: Beliefs, row: int) -> dict[str, ClusterPlace]:
    """By the clusters in the store and those that the policy's beliefs read."""
    wanted = {(each.k, each.features, DIMS) for each in beliefs.suppliers if isinstance(each, Cluster)}
    wanted |= set(filter(None, map(_parsed, stored_names(view.store))))
    places = {}
    for k, features, dims in sorted(wanted):
        if place := beliefs.holdings.shared(Clustering, k, features, dims).place(row):
            places[repr(Cluster(k, features))] = ClusterPlace(place["cluster"], place["of"], place["closeness"])
    return places


def _parsed(name: str) -> tuple[int, Features, int] | None:
    """None for what another version of the program may have stored."""
    known: dict[str, Features] = {each: each for each in get_args(Features)}
    k, features, dims = (*name.split(" "), "", "")[:3]
    return (int(k), known[features], int(dims)) if features in known and (k + dims).isdecimal() else None


def answers(view: View, row: int, limit: int) -> list[PageAnswer]:
    """The queries that a page answers, ordered by weight × visibility of its rank × its score."""
    measure, vector = view.measuring.measure, view.measuring.vector(row)
    if measure is None or not len(vector):
        return []
    matches = measure.matches(np.array([row]), joined([vector]))
    ranks = measure.ranks(matches, view.measuring.ties(matches.pages.astype(np.int64)))
    shown = measure.weights[matches.queries] * measure.visibility.at(ranks.astype(np.float64)) * matches.scores
    asked = view.measuring.asked
    best = np.argsort(-shown, kind="stable")
    best = best[asked.rate[matches.queries[best]] > 0][:limit]
    return [
        PageAnswer(asked.texts[q], float(asked.rate[q]), int(rank), int(measure.lists.counts[q]), float(score))
        for q, rank, score in zip(
            matches.queries[best].tolist(), ranks[best].tolist(), matches.scores[best].tolist(), strict=True
        )
    ]


def _worth(view: View, beliefs: Beliefs, row: int, policy: Policy, now: float) -> PageWorth:
    """What a fetch now is worth: by the policy's own value, and in the unit of all gains."""
    pages, ranking = beliefs.pages(), view.ranking(policy, now)
    values = ranking.values
    may = eligible(view.table, now, view.config.revisit_after, np.zeros(0, np.int64))
    before = np.count_nonzero(may & (values > values[row]))
    details = explained(policy, pages, row, now)
    gain = _expected(view, ranking, pages, row)
    return PageWorth(
        policy=expression_of(policy),
        value=details.pop("value", _finite(values[row])),  # a policy may name one that people can read
        details=details,
        may_be_fetched=bool(may[row]),
        rank=int(before) + 1 if may[row] and np.isfinite(values[row]) else None,
        expected_gain=gain,
        beliefs={repr(name): _finite(column[row]) for name, column in pages.beliefs.items()},
        terms=beliefs.terms(row),
        expected_searches_a_week=searches_a_week(gain, view.measuring.report()),
    )


def _expected(view: View, ranking: Ranking, pages: Pages, row: int) -> float:
    """The gain of a fetch now as the policy expects it; if it does not say, by `Prospect` or `GainRate`."""
    if ranking.gains is not None and np.isfinite(ranking.gains[row]):
        return float(ranking.gains[row])
    if pages.is_new[row]:
        return float(view.believed(Prospect())[row])
    return float(view.believed(GainRate())[row] * (ranking.now - pages.last_fetch[row]))


def _finite(value: float) -> float | None:
    """None for what JSON cannot hold."""
    return float(value) if np.isfinite(value) else None
