"""How many queries need a sketch?

S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §6.4, Figures 8 and 9: the hybrid with sketches of the
neediest queries only.  Improvability is learned from one half of the queries (needy_queries.py), the other half is
crawled for and judges.

The paper's log has all queries of five days and its 0.0007 of the sketches are many; of our thousands they are a
handful.  So the statements are judged by a share that leaves hundreds, and the share at which it does is reported, for
0.0007 too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

import numpy as np

from sought.beliefs.search_impact.needy import Improvability, ImprovabilitySupplier, fit_improvability
from sought.lab.judge.judge import Judge
from sought.lab.replay.frontier import at_frontier
from sought.lab.studies.figures import line_figure
from sought.lab.studies.pandey_olston_2008.needy_queries import C, halves, improved
from sought.lab.studies.pandey_olston_2008.uncrawled import (
    DATASETS,
    HYBRID,
    NEEDS,
    PAPER,
    Floats,
    gathered,
    impact_of,
    judging,
    setting_of,
)
from sought.lab.studies.study import Claim, Figure, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.policy import Random, SearchImpact

NAME, FIGURE_9 = f"{PAPER}-figure-8", f"{PAPER}-figure-9"
PRINTED, SMALL = 0.0007, 0.05
KEPT = (0.0, PRINTED, 0.002, 0.005, 0.01, 0.02, SMALL, 0.1, 0.2, 0.5, 1.0)
QUICK = (0.0, PRINTED, SMALL, 0.2, 1.0)
BUDGETS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)  # c, as a share of the frontier
DRAWN = (0.01, 0.05, 0.1, 0.2, 0.5)  # those of Figure 8
ENOUGH = 0.9  # of the impact with all sketches
DRAWS = 3  # samples
FEW_SUFFICE = Statement(
    f"{SMALL:.0%} of the sketches give at least {ENOUGH:.0%} of the impact that all give, for every c",
    f"{PRINTED} of the sketches",
)


@dataclass(frozen=True)
class SketchImpact:
    """Impact that is fetched, by budget, for each share of sketches, and by random choice."""

    impact: Mapping[float, Floats]
    random: Floats
    queries: int
    pages: int

    def ratio(self, share: float) -> Floats:
        """Impact of a share of the sketches by that of all, by budget."""
        everything = self.impact[1.0]
        return np.divide(self.impact[share], everything, out=np.ones_like(everything), where=everything > 0)

    def enough(self, budget: float) -> float:
        """The least share of sketches from which on there is enough impact at a budget."""
        at = BUDGETS.index(budget)
        shares = sorted(self.impact, reverse=True)
        return next((above for above, share in pairwise(shares) if self.ratio(share)[at] < ENOUGH), 0.0)


def policy_of(share: float) -> SearchImpact:
    return replace(HYBRID, sketches=share)


def measured(test: Judge, dataset: str, curve: Improvability, shares: tuple[float, ...], draw: int = 0) -> SketchImpact:
    """What the hybrid fetches for the queries of a judge, by a curve learned from other queries."""
    policies = {share: policy_of(share) for share in shares}
    with at_frontier(test, list(policies.values()), setting_of(dataset, draw, "string")) as reached:
        reached.holdings.shared(ImprovabilitySupplier).curve = curve
        frontier = reached.frontier()
    impact = impact_of(test)
    by_scorer = {s: np.array(gathered(frontier, frontier.values(p), impact, BUDGETS)) for s, p in policies.items()}
    asked = int(np.count_nonzero(test.demand.weights("known", test.world.start)))
    by_chance = np.array(gathered(frontier, frontier.values(Random()), impact, BUDGETS))
    return SketchImpact(by_scorer, by_chance, asked, len(frontier.rows))


def _look(judge: Judge, context: StudyContext) -> WorldResult:
    shares, draws = (QUICK, 1) if context.quick else (KEPT, DRAWS)
    train, test = halves(judge)
    several: dict[str, list[SketchImpact]] = {dataset: [] for dataset in DATASETS}
    for dataset, draw in context.each(f"sketching {judge.world.name}", list(product(DATASETS, range(draws)))):
        taught = improved(train, dataset, C, draw)
        curve = fit_improvability(taught.x, taught.improvement)
        several[dataset].append(measured(test, dataset, curve, shares, draw))
    return judged(judge.world.name, {dataset: on_average(each) for dataset, each in several.items()})


def on_average(several: Sequence[SketchImpact]) -> SketchImpact:
    """Of several samples."""
    impact = {share: np.mean([each.impact[share] for each in several], axis=0) for share in several[0].impact}
    by_chance = np.mean([each.random for each in several], axis=0)
    return SketchImpact(impact, by_chance, several[0].queries, round(np.mean([each.pages for each in several])))


def judged(world: str, impacts: Mapping[str, SketchImpact]) -> WorldResult:
    claims, numbers = [], dict[str, Value]()
    for dataset, kept in impacts.items():
        ratio = kept.ratio(SMALL)
        least = f"{ratio.min():.3f} of the impact at c = {BUDGETS[int(ratio.argmin())]:.0%}"
        claims.append(Claim(FEW_SUFFICE, bool(ratio.min() >= ENOUGH), least, dataset))
        enough = [kept.enough(budget) for budget in DRAWN]
        numbers |= {
            f"{dataset}: queries": kept.queries,
            f"{dataset}: uncrawled pages": kept.pages,
            f"{dataset}: least ratio with {SMALL} of the sketches": float(ratio.min()),
            f"{dataset}: mean ratio with {SMALL} of the sketches": float(ratio.mean()),
            f"{dataset}: least ratio with {PRINTED} of the sketches": float(kept.ratio(PRINTED).min()),
            f"{dataset}: mean ratio with {PRINTED} of the sketches": float(kept.ratio(PRINTED).mean()),
            f"{dataset}: mean ratio without sketches": float(kept.ratio(0.0).mean()),
            f"{dataset}: share of sketches that is enough": max(enough),
            f"{dataset}: such queries for each uncrawled page": max(enough) * kept.queries / max(kept.pages, 1),
        }
    figures = [figure for item in impacts.items() for figure in _figures(world, *item)]
    return WorldResult(claims, numbers, [_table(world, *item) for item in impacts.items()], figures)


def _table(world: str, dataset: str, kept: SketchImpact) -> ResultTable:
    rows: list[list[Value]] = [
        [share, int(np.ceil(share * kept.queries)), *(float(impact[BUDGETS.index(c)]) for c in DRAWN)]
        for share, impact in kept.impact.items()
    ]
    columns = ["share of sketches", "queries", *(f"impact, c = {c:.0%}" for c in DRAWN)]
    note = f"In the paper {PRINTED} of the sketches give most of the impact, for every c."
    return ResultTable(f"{world}: impact by sketches, {dataset}", columns, rows, note)


def _figures(world: str, dataset: str, kept: SketchImpact) -> list[Figure]:
    shares, title = list(kept.impact), f"{world}: impact by sketches, {dataset}"
    by_share = {f"c = {c:.0%}": (shares, [float(kept.impact[s][BUDGETS.index(c)]) for s in shares]) for c in DRAWN}
    over = f"{world}: impact with few sketches, {dataset}"
    curves = {"all sketches": kept.impact[1.0], **{f"{s} of the sketches": kept.impact[s] for s in (SMALL, PRINTED)}}
    by_budget = {name: (list(BUDGETS), curve.tolist()) for name, curve in {**curves, "random": kept.random}.items()}
    return [
        line_figure(NAME, title, by_share, "share of sketches", "share of impact"),
        line_figure(FIGURE_9, over, by_budget, "share of pages fetched (c)", "share of impact"),
    ]


SKETCH_BUDGET = Study(
    NAME,
    PAPER,
    "Figures 8 and 9: few sketches",
    "Are sketches of a few needy queries as good as sketches of all?",
    NEEDS,
    (FEW_SUFFICE,),
    judging(_look, "string"),
    settings={"sketches": list(KEPT), "draws": DRAWS},
    quick_settings={"sketches": list(QUICK), "draws": 1},
    aliases=(FIGURE_9, "E003-8", "E003-8a", "E003-8b", "E003-9", "E003-9a", "E003-9b"),
)
