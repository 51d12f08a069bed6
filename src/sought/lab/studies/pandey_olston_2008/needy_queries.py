"""Can it be learned which queries new pages will help?

S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §6.3 and Figure 7: queries are divided in two halves.
For each the hybrid fetches c pages; improvement is how many of them are among the query's first ten results then.  The
curve fitted to one half, improvement by mean score of the first ten results before, must predict that of the other.

Theirs are 1000 of 110,000 pages; ours are shares of the frontier.  Each half drives a crawl of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.search_impact.needy import Improvability, fit_improvability, mean_scores
from sought.beliefs.search_impact.query_impact import units
from sought.beliefs.top_results import top_of
from sought.lab.judge.judge import Judge
from sought.lab.replay.frontier import Frontier, ReachedFrontier, at_frontier
from sought.lab.studies.figures import line_figure
from sought.lab.studies.pandey_olston_2008.importance_and_impact import correlation, ranks
from sought.lab.studies.pandey_olston_2008.uncrawled import (
    DATASETS,
    HYBRID,
    NEEDS,
    PAPER,
    Floats,
    judging,
    setting_of,
)
from sought.lab.studies.study import Claim, Figure, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.lab.worlds.world import NOTHING, Numbers

NAME = f"{PAPER}-figure-7"
C, OTHERS = 0.2, (0.05, 0.5)  # shares of the frontier that are fetched
ACCURATE = 0.5  # share of the variance of bucket means that is predicted
FEWEST = 10  # buckets' worth of different scores
SEEN = HYBRID.k
FALLS = Statement(f"improvability falls with the mean score of the first {SEEN} results (c = {C:.0%} of the frontier)")
IS_PREDICTED = Statement(
    f"the curve of one half of the queries predicts at least {ACCURATE} of the variance of the other half's buckets",
    "“with fairly high accuracy”",
)


@dataclass(frozen=True)
class Improved:
    """Of each query of one half: mean score before, how many pages came, and what a crawler would not know.

    `attained` is the mean score before as a share of what it would be if all pages had been crawled.
    """

    x: Floats
    improvement: Floats
    is_full: NDArray[np.bool_]  # it had ten results before
    attained: Floats


def halves(judge: Judge) -> tuple[Judge, Judge]:
    """One that knows and judges by one half of the queries, and one of the other, if demand is split by string."""
    demand = judge.demand
    return (
        replace(judge, demand=replace(demand, judged=demand.known)),
        replace(judge, demand=replace(demand, known=demand.judged)),
    )


def improved(half: Judge, dataset: str, share: float, draw: int = 0) -> Improved:
    """From a crawl of its own."""
    with at_frontier(half, [HYBRID], setting_of(dataset, draw, "string")) as reached:
        frontier = reached.frontier()
        fetched = frontier.pages.fetches > 0
        x, is_full = _before(reached)
        count = max(1, round(share * np.count_nonzero(~fetched)))
        reached.fetch(HYBRID, count)
        asked = half.demand.weights("known", half.world.start) > 0
        came, attained = _new_results(reached, fetched), _attained(half, frontier)
        return Improved(x[asked], came[asked], is_full[asked], attained[asked])


def _before(reached: ReachedFrontier) -> tuple[Floats, NDArray[np.bool_]]:
    """Mean scores of queries, and whether they have all results that are shown."""
    measuring = reached.holdings.measuring
    measure, top = measuring.measure, top_of(measuring, SEEN)
    if measure is None or top is None:
        raise ValueError("nothing is asked")
    return mean_scores(top, SEEN, units(measure)), top.size >= SEEN


def _new_results(reached: ReachedFrontier, fetched: NDArray[np.bool_]) -> Floats:
    """How many of each query's first results had not been fetched."""
    top = top_of(reached.holdings.measuring, SEEN)
    if top is None:
        raise ValueError("nothing is asked")
    is_new = np.ones(len(reached.holdings.table), np.bool_)
    is_new[: len(fetched)] = ~fetched
    shown = np.arange(SEEN) < top.size[:, None]
    came: Floats = np.count_nonzero(shown & is_new[top.pages[:, :SEEN]], axis=1).astype(np.float64)
    return came


def _attained(judge: Judge, frontier: Frontier) -> Floats:
    """Of each query, the scores of its best results among crawled pages by those of its best results there are."""
    live = judge.world.live(judge.world.start)
    crawled = np.full(len(live), NOTHING)
    pages = frontier.page[frontier.crawled]
    crawled[pages] = live[pages]
    now, ever = (_best_scores(judge, versions) for versions in (crawled, live))
    return np.divide(now, ever, out=np.ones_like(ever), where=ever > 0)


def _best_scores(judge: Judge, versions: Numbers) -> Floats:
    best = judge.ranked.lists(versions).top(SEEN)
    return np.bincount(best.query, best.score, len(judge.demand)).astype(np.float64)


@dataclass(frozen=True)
class LearnedHalves:
    """What was learned from one half, and what the other half shows.

    `shown` is fitted to the other half, and its buckets are the points.  Of both halves: `full` is fitted to those
    queries that had ten results before, which are the share `is_full` of them; `lacking` to what queries had attained.
    """

    curve: Improvability
    shown: Improvability
    full: Improvability
    is_full: float
    lacking: Improvability

    @property
    def predicted(self) -> Floats:
        return self.curve(self.shown.buckets.x)

    @property
    def accuracy(self) -> float:
        return explained(self.shown, self.predicted)

    @property
    def at_best(self) -> float:
        """As much as a curve of that form can explain."""
        return explained(self.shown, self.shown(self.shown.buckets.x))

    @property
    def trend(self) -> float:
        """Rank correlation of score and improvement of buckets."""
        buckets = self.shown.buckets
        return correlation(ranks(buckets.x), ranks(buckets.improvement))


def learned_halves(one: Improved, other: Improved) -> LearnedHalves:
    x, came, is_full, attained = (
        np.concatenate([getattr(each, field.name) for each in (one, other)]) for field in fields(Improved)
    )
    return LearnedHalves(
        fit_improvability(one.x, one.improvement),
        fit_improvability(other.x, other.improvement),
        fit_improvability(x[is_full], came[is_full]),
        float(is_full.mean()),
        fit_improvability(attained, came),
    )


def explained(shown: Improvability, predicted: Floats) -> float:
    """Share of the variance of bucket means; 0 where there is none."""
    _, means, weights = shown.buckets
    if not len(means) or not np.ptp(means):
        return 0.0
    middle = np.average(means, weights=weights)
    return 1.0 - float(np.average((means - predicted) ** 2, weights=weights)) / float(
        np.average((means - middle) ** 2, weights=weights)
    )


def _look(judge: Judge, context: StudyContext) -> WorldResult:
    wanted = list(product(DATASETS, (C,) if context.quick else (C, *OTHERS)))
    sides = halves(judge)
    learned = {
        (dataset, share): learned_halves(*(improved(half, dataset, share) for half in sides))
        for dataset, share in context.each(f"improving {judge.world.name}", wanted)
    }
    return judged(judge.world.name, learned)


def judged(world: str, halves: Mapping[tuple[str, float], LearnedHalves]) -> WorldResult:
    main = {dataset: each for (dataset, share), each in halves.items() if share == C}
    few = [dataset for dataset, each in main.items() if len(each.shown.buckets.x) < FEWEST]
    if few or not any(each.shown.buckets.improvement.any() for each in main.values()):
        return WorldResult(lack="too few queries have different scores, or none is improved")
    claims = [claim for dataset, each in main.items() for claim in _claims(dataset, each)]
    numbers: dict[str, Value] = {}
    for dataset, each in main.items():
        numbers |= {
            f"{dataset}: b": each.curve.b,
            f"{dataset}: b of the other half": each.shown.b,
            f"{dataset}: share of variance predicted": each.accuracy,
            f"{dataset}: share that such a curve can explain": each.at_best,
            f"{dataset}: rank correlation of buckets": each.trend,
            f"{dataset}: share of queries with ten results before": each.is_full,
            f"{dataset}: b of these": each.full.b,
            f"{dataset}: b by share of score attained": each.lacking.b,
        }
    figures = [_figure(world, dataset, each) for dataset, each in main.items()]
    return WorldResult(claims, numbers, [_table(world, halves)], figures)


def _claims(dataset: str, each: LearnedHalves) -> list[Claim]:
    slope = (
        f"b = {each.curve.b:.2f}; {each.is_full:.0%} of the queries have ten results before, of these b = "
        f"{each.full.b:.2f}; by the share of the score that was attained b = {each.lacking.b:.2f}"
    )
    accuracy = f"{each.accuracy:.2f}; a curve fitted to them {each.at_best:.2f}"
    return [
        Claim(FALLS, bool(each.curve.b < 0), slope, dataset),
        Claim(IS_PREDICTED, bool(each.accuracy >= ACCURATE), accuracy, dataset),
    ]


def _table(world: str, halves: Mapping[tuple[str, float], LearnedHalves]) -> ResultTable:
    rows: list[list[Value]] = [
        [dataset, share, int(each.shown.buckets.queries.sum()), each.curve.a, each.curve.b, each.accuracy, each.at_best]
        for (dataset, share), each in halves.items()
    ]
    columns = ["dataset", "share fetched (c)", "queries", "a", "b", "variance predicted", "by a curve of its own"]
    note = "In the paper: falls, and is predicted “with fairly high accuracy”; c = 1000 of 110,000 pages, others alike."
    return ResultTable(f"{world}: improvability", columns, rows, note)


def _figure(world: str, dataset: str, each: LearnedHalves) -> Figure:
    title, buckets = f"{world}: improvability, {dataset}", each.shown.buckets
    across = buckets.x.tolist()
    series = {
        "test queries": (across, buckets.improvement.tolist()),
        "learned from training queries": (across, each.predicted.tolist()),
    }
    return line_figure(NAME, title, series, "mean score of the first ten", "pages that came")


NEEDY_QUERIES = Study(
    NAME,
    PAPER,
    "Figure 7: learning improvability",
    "Do poor results tell which queries new pages will help?",
    NEEDS,
    (FALLS, IS_PREDICTED),
    judging(_look, "string"),
    settings={"c": [C, *OTHERS]},
    quick_settings={"c": [C]},
    aliases=("E003-7", "E003-7a", "E003-7b"),
)
