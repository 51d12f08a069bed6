"""Which order of fetching pages brings search most, soonest?

S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §6.2 and Figure 5: impact of the pages that were
fetched by the share of uncrawled pages that were, for four policies and two datasets.  All queries have sketches.

"Query-driven" has the pages that no query asks for in no order, as in the paper.  Ours (SearchImpact(by_queries=1))
takes these by importance; it is shown too, and so is the hybrid with expected instead of scalar impact (§4.2).

The paper's scores are those of an engine that ranks by importance among other things; ours go by words alone.  So all
is measured again with scores that have PageRank in them: what holds then is told beside, and does not count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sought.lab.judge.judge import Judge
from sought.lab.replay.frontier import Frontier, frontier_of
from sought.lab.studies.adapter import Figure, Finding, ResultTable, Study, StudyContext, Value, WorldResult, finding
from sought.lab.studies.figures import lines
from sought.lab.studies.pandey_olston_2008.uncrawled import (
    BY_IMPORTANCE,
    BY_QUERIES,
    DATASETS,
    DRAWS,
    EXPECTED,
    HYBRID,
    NEEDS,
    Floats,
    gathered,
    impact_of,
    judge_in,
    setting_of,
)
from sought.policy import Random

NAME = "E003-5"
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
EARLY, FIFTH = 0.1, 0.2  # of the pages
SLACK = 0.01  # of the impact
SCORERS = ("BM25()", "TfIdfPageRank(0.5, 0.5)")  # the first one counts
_TRACE = 1e-7  # of the largest impact by queries: below is the trace of importance that orders equals

RANDOM, INDEPENDENT, DRIVEN, MIXED = "random", "query-independent", "query-driven", "hybrid"
ORDERED, LIKELY, BEST = "query-driven, rest by importance", "hybrid, expected impact", "best possible"

Curves = Mapping[str, Floats]


@dataclass(frozen=True)
class Clues:
    """What sketches tell of the uncrawled pages of one sample: shares."""

    pages: int
    asked_for: float  # of the pages, with impact by sketches
    of_impact: float  # of the impact, that these have
    idle: float  # of the pages, without any impact
    important: float  # mean impact of the most important fifth / of all

    @property
    def told(self) -> dict[str, Value]:
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

    def failures(self) -> dict[str, str]:
        """Each statement, and what does not hold of it; nothing if it holds."""
        found: dict[str, list[str]] = {statement: [] for statement in _STATEMENTS}
        for dataset, curves in self.curves.items():
            for statement, fails in _STATEMENTS.items():
                why = fails(curves, self.clues[dataset])
                found[statement] += [f"{dataset}: {why}"] if why else []
        return {**{name: "; ".join(why) for name, why in found.items()}, _GROWS: self._lead_fails()}

    def _lead_fails(self) -> str:
        first, second = (gap(self.curves[dataset]) for dataset in DATASETS)
        if second > first:
            return ""
        told = f"the hybrid's lead is not larger on Dataset 2 ({second:.3f}, {first:.3f} on Dataset 1"
        return (
            f"{told}, where the most important fifth has {self.clues['Dataset 1'].important:.2f} times the mean impact)"
        )

    @property
    def numbers(self) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for dataset, curves in self.curves.items():
            found |= {f"{dataset}: {name}": value for name, value in self.clues[dataset].told.items()}
            found |= {f"{dataset}: mean of {name}": float(curve.mean()) for name, curve in curves.items()}
            found |= {f"{dataset}: lead of the hybrid": gap(curves)}
            found |= {f"{dataset}: standard error of that": _error(self.leads[dataset])}
        return found


def gap(curves: Curves) -> float:
    """By how much the hybrid is above the query-independent order, mean over shares."""
    return float(np.mean(curves[MIXED] - curves[INDEPENDENT]))


def _error(values: Sequence[float]) -> float | None:
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None


# ---- what must hold on each dataset

_IS_EARLY = np.array(SHARES) <= EARLY


def _random_fails(curves: Curves, clues: Clues) -> str:
    chance, importance = curves[RANDOM].mean(), curves[INDEPENDENT].mean()
    return f"random is not worse than by importance ({chance:.3f}, {importance:.3f})" if chance >= importance else ""


def _early_fails(curves: Curves, clues: Clues) -> str:
    driven, *others = (curves[name][_IS_EARLY].mean() for name in (DRIVEN, RANDOM, INDEPENDENT))
    return f"by queries is not better early ({driven:.3f}, {max(others):.3f})" if driven <= max(others) else ""


def _drying_fails(curves: Curves, clues: Clues) -> str:
    if (curves[DRIVEN] < curves[INDEPENDENT])[~_IS_EARLY].any():
        return ""
    return f"by queries never falls below by importance: {clues.asked_for:.0%} of the pages have impact by sketches"


def _hybrid_fails(curves: Curves, clues: Clues) -> str:
    lacks = {name: curves[name] - curves[MIXED] for name in (RANDOM, INDEPENDENT, DRIVEN)}
    name, lack = max(lacks.items(), key=lambda item: float(item[1].max()))
    return f"{name} is {lack.max():.3f} above the hybrid at {SHARES[lack.argmax()]:.0%}" if lack.max() > SLACK else ""


_STATEMENTS = {
    "random < query-independent": _random_fails,
    "query-driven is best early": _early_fails,
    "later it is below query-independent": _drying_fails,
    "the hybrid is best throughout": _hybrid_fails,
}
_GROWS = "the hybrid leads by more on Dataset 2"


# ---- measuring


def run(bench: StudyContext) -> Finding:
    draws = 1 if bench.quick else DRAWS
    parts = [_world(folder, draws, bench) for folder in bench.worlds]
    return finding(NAME, bench, parts, draws=draws, scorers=list(SCORERS))


def _world(folder: Path, draws: int, bench: StudyContext) -> WorldResult:
    found, name = {}, ""
    for scorer in SCORERS:
        judge = judge_in(folder, scorer=scorer)
        if isinstance(judge, tuple):
            return WorldResult(judge[0].name, None, judge[1])
        found[scorer], name = _orders(judge, scorer, draws, bench), judge.world.name
    return judged(name, found)


def _orders(judge: Judge, scorer: str, draws: int, bench: StudyContext) -> Orders:
    impact, told = impact_of(judge), bench.progress(f"crawling {judge.world.name}, {scorer}")
    policies, found = [BY_IMPORTANCE, BY_QUERIES, HYBRID, EXPECTED], Orders({}, {}, {})
    for number, dataset in enumerate(DATASETS):
        curves, clues = [], []
        for draw in range(draws):
            told(number * draws + draw, draws * len(DATASETS))
            frontier = frontier_of(judge, policies, setting_of(dataset, draw, scorer=scorer))
            curves.append(_curves(frontier, impact))
            clues.append(_clues(frontier, impact))
        means = {name: np.mean([each[name] for each in curves], axis=0) for name in curves[0]}
        found = Orders(
            {**found.curves, dataset: means},
            {**found.clues, dataset: clues[0]},
            {**found.leads, dataset: [gap(each) for each in curves]},
        )
    told(draws * len(DATASETS), draws * len(DATASETS))
    return found


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


def judged(world: str, found: Mapping[str, Orders]) -> WorldResult:
    """By scorers; the first one counts."""
    [main, *others] = found.values()
    failed = [why for why in main.failures().values() if why]
    first, second = (gap(main.curves[dataset]) for dataset in DATASETS)
    because = "; ".join(failed) or f"all as in the paper; the hybrid leads by {first:.3f}, on Dataset 2 by {second:.3f}"
    numbers = main.numbers
    for scorer, other in zip(list(found)[1:], others, strict=True):
        numbers |= {f"{scorer}, {name}": value for name, value in other.numbers.items()}
    tables = [_statements(world, found), *(_table(world, *item) for item in main.curves.items())]
    return WorldResult(
        world, not failed, because, numbers, tables, [_figure(world, *item) for item in main.curves.items()]
    )


def _statements(world: str, found: Mapping[str, Orders]) -> ResultTable:
    by_scorer = [orders.failures() for orders in found.values()]
    rows: list[list[Value]] = [
        [statement, *("no" if each[statement] else "yes" for each in by_scorer)] for statement in by_scorer[0]
    ]
    note = (
        "All of them hold in the paper, whose engine has importance in its scores.  Only the first scorer counts here."
    )
    return ResultTable(f"{world}: which statements hold by which scorer", ["statement", *found], rows, note)


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
    return Figure(title, lines(series, "share of pages fetched", "share of impact", f"{title} ({NAME})"))


IMPACT_ORDERS = Study(
    NAME,
    "003",
    "Orders of fetching (Figure 5)",
    "Does the hybrid of queries and importance fetch what search needs first?",
    "random is worse than by importance; by queries is best early and later falls below by importance; the hybrid is"
    f" nowhere more than {SLACK} of the impact below another; it leads by importance by more on Dataset 2",
    NEEDS,
    run,
    also=("E003-5a", "E003-5b"),
)
