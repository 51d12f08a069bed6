"""Which order of fetching pages brings search most, soonest?

S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §6.2 and Figure 5: impact of the pages that were
fetched by the share of uncrawled pages that were, for four policies and two datasets.  All queries have sketches.

"Query-driven" has the pages that no query asks for in no order, as in the paper.  Ours (SearchImpact(by_queries=1))
takes these by importance; it is shown too, and so is the hybrid with expected instead of scalar impact (§4.2).

The paper's scores are those of an engine that ranks by importance among other things; ours go by words alone.  So all
is measured again with scores that have PageRank in them: those results are shown beside and do not count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sought.lab.judge.judge import Judge
from sought.lab.replay.frontier import Frontier, frontier_of
from sought.lab.studies.figures import line_figure
from sought.lab.studies.pandey_olston_2008.uncrawled import (
    BY_IMPORTANCE,
    BY_QUERIES,
    DATASETS,
    DRAWS,
    EXPECTED,
    HYBRID,
    NEEDS,
    PAPER,
    Floats,
    gathered,
    impact_of,
    judge_in,
    setting_of,
)
from sought.lab.studies.study import Claim, Figure, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.policy import Random

NAME = f"{PAPER}-figure-5"
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
EARLY, FIFTH = 0.1, 0.2  # of the pages
SLACK = 0.01  # of the impact
SCORERS = ("BM25()", "TfIdfPageRank(0.5, 0.5)")  # the first one counts
_TRACE = 1e-7  # of the largest impact by queries: below is the trace of importance that orders equals

RANDOM, INDEPENDENT, DRIVEN, MIXED = "random", "query-independent", "query-driven", "hybrid"
ORDERED, LIKELY, BEST = "query-driven, rest by importance", "hybrid, expected impact", "best possible"

STATEMENTS = RANDOM_WORST, EARLY_BEST, DRIES_UP, HYBRID_BEST, LEADS_BY_MORE = (
    Statement("random < query-independent"),
    Statement(f"query-driven is best early (to {EARLY:.0%} of the pages)"),
    Statement("later it is below query-independent"),
    Statement(f"the hybrid is best throughout (to within {SLACK} of the impact)"),
    Statement("the hybrid leads by more on Dataset 2"),
)
_IS_EARLY = np.array(SHARES) <= EARLY

Curves = Mapping[str, Floats]


@dataclass(frozen=True)
class Clues:
    """The uncrawled pages of one sample according to sketches, as shares."""

    pages: int
    asked_for: float  # of the pages, with impact by sketches
    of_impact: float  # of the impact, that these have
    idle: float  # of the pages, without any impact
    important: float  # mean impact of the most important fifth / of all

    @property
    def numbers(self) -> dict[str, Value]:
        return {
            "uncrawled pages": self.pages,
            "share of pages with impact by sketches": self.asked_for,
            "share of impact that these have": self.of_impact,
            "share of pages without any impact": self.idle,
            "impact of the most important fifth / of all": self.important,
        }


@dataclass(frozen=True)
class Orders:
    """Of each dataset: curves, means over samples; clues of the first sample; the hybrid's lead in every sample."""

    curves: Mapping[str, Curves]
    clues: Mapping[str, Clues]
    leads: Mapping[str, Sequence[float]]

    def claims(self) -> list[Claim]:
        first, second = (gap(self.curves[dataset]) for dataset in DATASETS)
        lead = (
            f"{second:.3f}, {first:.3f} on Dataset 1, where the most important fifth has "
            f"{self.clues['Dataset 1'].important:.2f} times the mean impact"
        )
        of_datasets = [_claims(dataset, curves, self.clues[dataset]) for dataset, curves in self.curves.items()]
        return [*(claim for claims in of_datasets for claim in claims), Claim(LEADS_BY_MORE, second > first, lead)]

    @property
    def numbers(self) -> dict[str, Value]:
        numbers: dict[str, Value] = {}
        for dataset, curves in self.curves.items():
            numbers |= {f"{dataset}: {name}": value for name, value in self.clues[dataset].numbers.items()}
            numbers |= {f"{dataset}: mean of {name}": float(curve.mean()) for name, curve in curves.items()}
            numbers |= {f"{dataset}: lead of the hybrid": gap(curves)}
            numbers |= {f"{dataset}: standard error of that": _error(self.leads[dataset])}
        return numbers


def gap(curves: Curves) -> float:
    """By how much the hybrid is above the query-independent order, mean over shares."""
    return float(np.mean(curves[MIXED] - curves[INDEPENDENT]))


def _error(values: Sequence[float]) -> float | None:
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None


def _claims(dataset: str, curves: Curves, clues: Clues) -> list[Claim]:
    chance, importance = curves[RANDOM].mean(), curves[INDEPENDENT].mean()
    driven, *others = (curves[name][_IS_EARLY].mean() for name in (DRIVEN, RANDOM, INDEPENDENT))
    dries_up = (curves[DRIVEN] < curves[INDEPENDENT])[~_IS_EARLY].any()
    above = {name: curves[name] - curves[MIXED] for name in (RANDOM, INDEPENDENT, DRIVEN)}
    name, most = max(above.items(), key=lambda item: float(item[1].max()))
    most_above = f"{name} is {most.max():+.3f} above the hybrid at {SHARES[most.argmax()]:.0%}"
    asked_for = f"{clues.asked_for:.0%} of the pages have impact by sketches"
    return [
        Claim(RANDOM_WORST, bool(chance < importance), f"{chance:.3f}, {importance:.3f}", dataset),
        Claim(EARLY_BEST, bool(driven > max(others)), f"{driven:.3f}, {max(others):.3f}", dataset),
        Claim(DRIES_UP, bool(dries_up), asked_for, dataset),
        Claim(HYBRID_BEST, bool(most.max() <= SLACK), most_above, dataset),
    ]


# ---- measuring


def judge(folder: Path, context: StudyContext) -> WorldResult:
    orders, name = dict[str, Orders](), ""
    for scorer in SCORERS:
        knowing = judge_in(folder, scorer=scorer)
        if isinstance(knowing, str):
            return WorldResult(lack=knowing)
        orders[scorer], name = _orders(knowing, scorer, context), knowing.world.name
    return judged(name, orders)


def _orders(judge: Judge, scorer: str, context: StudyContext) -> Orders:
    impact, policies = impact_of(judge), [BY_IMPORTANCE, BY_QUERIES, HYBRID, EXPECTED]
    curves: dict[str, list[Curves]] = {dataset: [] for dataset in DATASETS}
    clues: dict[str, Clues] = {}
    samples = list(product(DATASETS, range(1 if context.quick else DRAWS)))
    for dataset, draw in context.each(f"crawling {judge.world.name}, {scorer}", samples):
        frontier = frontier_of(judge, policies, setting_of(dataset, draw, scorer=scorer))
        curves[dataset].append(_curves(frontier, impact))
        clues.setdefault(dataset, _clues(frontier, impact))
    means = {
        dataset: {name: np.mean([each[name] for each in several], axis=0) for name in several[0]}
        for dataset, several in curves.items()
    }
    return Orders(means, clues, {dataset: [gap(each) for each in several] for dataset, several in curves.items()})


def _curves(frontier: Frontier, impact: Floats) -> dict[str, Floats]:
    driven = frontier.values(BY_QUERIES)
    values = {
        RANDOM: frontier.values(Random()),
        INDEPENDENT: frontier.values(BY_IMPORTANCE),
        DRIVEN: np.where(_is_asked_for(frontier), driven, 0.0),
        MIXED: frontier.values(HYBRID),
        ORDERED: driven,
        LIKELY: frontier.values(EXPECTED),
        BEST: impact[frontier.page],
    }
    return {name: np.array(gathered(frontier, each, impact, SHARES)) for name, each in values.items()}


def _is_asked_for(frontier: Frontier) -> NDArray[np.bool_]:
    """Rows that queries ask for, as far as one can tell from outside."""
    values = frontier.values(BY_QUERIES)
    return values > _TRACE * float(values[frontier.rows].max(initial=0.0))


def _clues(frontier: Frontier, impact: Floats) -> Clues:
    asked, brings = _is_asked_for(frontier)[frontier.rows], impact[frontier.page[frontier.rows]]
    total = float(brings.sum()) or 1.0
    [important] = gathered(frontier, frontier.values(BY_IMPORTANCE), impact, [FIFTH])
    idle = float((brings == 0).mean())
    return Clues(len(brings), float(asked.mean()), float(brings[asked].sum()) / total, idle, important / FIFTH)


# ---- telling


def judged(world: str, orders: Mapping[str, Orders]) -> WorldResult:
    """By scorers; the first one counts."""
    [main, *others] = orders.values()
    numbers = main.numbers
    for scorer, other in zip(list(orders)[1:], others, strict=True):
        numbers |= {f"{scorer}, {name}": value for name, value in other.numbers.items()}
    tables = [_by_scorer(world, orders), *(_table(world, *item) for item in main.curves.items())]
    return WorldResult(main.claims(), numbers, tables, [_figure(world, *item) for item in main.curves.items()])


def _by_scorer(world: str, by_dataset: Mapping[str, Orders]) -> ResultTable:
    claims = {scorer: orders.claims() for scorer, orders in by_dataset.items()}
    rows: list[list[Value]] = []
    for statement in STATEMENTS:
        holds = [all(c.holds for c in each if c.statement == statement) for each in claims.values()]
        rows.append([statement.text, *("yes" if each else "no" for each in holds)])
    note = (
        "All of them hold in the paper, whose engine has importance in its scores.  Only the first scorer counts here."
    )
    return ResultTable(f"{world}: which statements hold by which scorer", ["statement", *by_dataset], rows, note)


def _table(world: str, dataset: str, curves: Curves) -> ResultTable:
    rows: list[list[Value]] = [
        [share, *(float(curve[number]) for curve in curves.values())] for number, share in enumerate(SHARES)
    ]
    note = "In the paper: random < query-independent; query-driven best at first, then below query-independent; hybrid"
    return ResultTable(f"{world}: impact fetched, {dataset}", ["fetched", *curves], rows, f"{note} best throughout.")


def _figure(world: str, dataset: str, curves: Curves) -> Figure:
    title = f"{world}: impact fetched, {dataset}"
    across: Sequence[float] = [0.0, *SHARES, 1.0]
    series = {name: (across, [0.0, *curve.tolist(), 1.0]) for name, curve in curves.items()}
    return line_figure(NAME, title, series, "share of pages fetched", "share of impact")


IMPACT_ORDERS = Study(
    NAME,
    PAPER,
    "Figure 5: orders of fetching",
    "Does the hybrid of queries and importance fetch what search needs first?",
    NEEDS,
    STATEMENTS,
    judge,
    settings={"draws": DRAWS, "scorers": list(SCORERS)},
    quick_settings={"draws": 1},
    aliases=("E003-5", "E003-5a", "E003-5b"),
)
