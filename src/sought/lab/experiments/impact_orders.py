"""Which order of fetching pages brings search most, soonest?

S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §6.2 and Figure 5: impact of the pages that were
fetched by the share of uncrawled pages that were, for four policies and two datasets.  All queries have sketches.

"Query-driven" has the pages that no query asks for in no order, as in the paper.  Ours (SearchImpact(by_queries=1))
takes these by importance; it is shown too, and so is the hybrid with expected instead of scalar impact (§4.2).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sought.lab.experiments.uncrawled import (
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
from sought.lab.figures import lines
from sought.lab.frontier import Frontier, frontier_of
from sought.lab.study import Bench, Figure, Finding, Part, Study, Table, Value, finding
from sought.policy import Random

NAME = "E003-5"
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
EARLY = 0.1  # of the pages
SLACK = 0.01  # of the impact
_TRACE = 1e-7  # of the largest impact by queries: below is the trace of importance that orders equals

RANDOM, INDEPENDENT, DRIVEN, MIXED = "random", "query-independent", "query-driven", "hybrid"
ORDERED, LIKELY, BEST = "query-driven, rest by importance", "hybrid, expected impact", "best possible"

Curves = Mapping[str, Floats]


def run(bench: Bench) -> Finding:
    draws = 1 if bench.quick else DRAWS
    return finding(NAME, bench, [_world(folder, draws, bench) for folder in bench.worlds], draws=draws)


def _world(folder: Path, draws: int, bench: Bench) -> Part:
    judge = judge_in(folder)
    if isinstance(judge, tuple):
        return Part(judge[0].name, None, judge[1])
    impact, told, done = impact_of(judge), bench.progress(f"crawling {judge.world.name}"), 0
    curves: dict[str, Curves] = {}
    facts: dict[str, Value] = {}
    for dataset in DATASETS:
        found = []
        for draw in range(draws):
            told(done, draws * len(DATASETS))
            frontier = frontier_of(judge, [BY_IMPORTANCE, BY_QUERIES, HYBRID, EXPECTED], setting_of(dataset, draw))
            found.append(_curves(frontier, impact))
            facts |= _facts(frontier, impact, dataset) if draw == 0 else {}
            done += 1
        curves[dataset] = {name: np.mean([each[name] for each in found], axis=0) for name in found[0]}
    told(done, done)
    return judged(judge.world.name, curves, facts)


def _curves(frontier: Frontier, impact: Floats) -> dict[str, list[float]]:
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
    return {name: gathered(frontier, each, impact, SHARES) for name, each in values.items()}


def _is_asked_for(frontier: Frontier) -> NDArray[np.bool_]:
    """Rows that queries ask for, as far as one can tell from outside."""
    values = frontier.values(BY_QUERIES)
    return values > _TRACE * float(values[frontier.rows].max(initial=0.0))


def _facts(frontier: Frontier, impact: Floats, dataset: str) -> dict[str, Value]:
    rows = frontier.rows
    asked, brings = _is_asked_for(frontier)[rows], impact[frontier.page[rows]]
    return {
        f"{dataset}: uncrawled pages": len(rows),
        f"{dataset}: share of pages with sketch impact": float(asked.mean()),
        f"{dataset}: share of impact that these have": float(brings[asked].sum()) / (float(brings.sum()) or 1.0),
        f"{dataset}: share of pages without any impact": float((brings == 0).mean()),
    }


def gap(curves: Curves) -> float:
    """By how much the hybrid is above the query-independent order, mean over shares."""
    return float(np.mean(curves[MIXED] - curves[INDEPENDENT]))


def failures(curves: Curves) -> list[str]:
    """What does not hold on one dataset."""
    others = {name: curves[name] for name in (RANDOM, INDEPENDENT, DRIVEN)}
    early = np.array(SHARES) <= EARLY
    means = {name: float(curve[early].mean()) for name, curve in curves.items()}
    failed = []
    if curves[RANDOM].mean() >= curves[INDEPENDENT].mean():
        failed.append(
            f"random is not worse than by importance ({curves[RANDOM].mean():.3f}, {curves[INDEPENDENT].mean():.3f})"
        )
    if means[DRIVEN] <= max(means[RANDOM], means[INDEPENDENT]):
        failed.append("by queries is not better early")
    if not (curves[DRIVEN] < curves[INDEPENDENT])[~early].any():
        failed.append("by queries never falls below by importance")
    for name, curve in others.items():
        lack = curve - curves[MIXED]
        if lack.max() > SLACK:
            failed.append(f"{name} is {lack.max():.3f} above the hybrid at {SHARES[int(lack.argmax())]:.0%}")
    return failed


def judged(world: str, curves: Mapping[str, Curves], facts: Mapping[str, Value] = {}) -> Part:
    failed = [f"{dataset}: {each}" for dataset, found in curves.items() for each in failures(found)]
    first, second = (gap(curves[dataset]) for dataset in DATASETS)
    if second <= first:
        failed.append(f"the hybrid's lead is not larger on Dataset 2 ({second:.3f}, {first:.3f} on Dataset 1)")
    because = "; ".join(failed) or f"all as in the paper; the hybrid leads by {first:.3f}, on Dataset 2 by {second:.3f}"
    numbers: dict[str, Value] = dict(facts)
    for dataset, found in curves.items():
        numbers |= {f"{dataset}: mean of {name}": float(curve.mean()) for name, curve in found.items()}
        numbers[f"{dataset}: lead of the hybrid"] = gap(found)
    tables = [_table(world, dataset, found) for dataset, found in curves.items()]
    return Part(world, not failed, because, numbers, tables, [_figure(world, *item) for item in curves.items()])


def _table(world: str, dataset: str, curves: Curves) -> Table:
    rows: list[list[Value]] = [
        [share, *(float(curve[number]) for curve in curves.values())] for number, share in enumerate(SHARES)
    ]
    note = "In the paper: random < query-independent; query-driven best at first, then below query-independent; hybrid"
    return Table(f"{world}: impact fetched, {dataset}", ["fetched", *curves], rows, f"{note} best throughout.")


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
