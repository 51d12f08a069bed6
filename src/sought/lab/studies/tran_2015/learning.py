"""Does learning from all rankings beat the best of them?  E002-8, Figure 8 of Tran, Turk, Cambazoglu & Nejdl (2015).

Features are what the other methods say, what the pages that link to a page bring, and how deep its address is (their
Table 4); the target is the clicks of a week.  Learned on the 65 % of the frontier that ω is tuned on, tested on the
rest: a regression tree on data of low skew, a linear model by online gradient descent on skewed data.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.impacts import IMPACTS
from sought.beliefs.leaf_tree import fit_validated_tree
from sought.beliefs.learned_features import parents_with
from sought.beliefs.online_linear import OnlineLinear
from sought.lab.judge.bootstrap import SAMPLES, lost
from sought.lab.studies.adapter import (
    Claim,
    Figure,
    Finding,
    ResultTable,
    Study,
    StudyContext,
    Value,
    WorldResult,
    finding,
    verdict,
)
from sought.lab.studies.figures import lines
from sought.lab.studies.tran_2015.cases import (
    EVEN,
    LOW_SKEW,
    OMEGAS,
    RANDOM,
    RW,
    RW_EG,
    Case,
    FrontierCases,
    Regime,
    above,
    error,
    ground_of,
    settled,
)
from sought.lab.studies.tran_2015.shares import Shares, means, stacked
from sought.lab.worlds.files import read_name
from sought.policy import Location
from sought.web.pages import Floats

TREE, LINEAR = "ML, tree", "ML, linear"
OF_LOG = " of log(1 + clicks)"


def run(bench: StudyContext) -> Finding:
    parts = [_world(folder, bench) for folder in bench.worlds]
    return finding("E002-8", bench, parts, even=EVEN, samples=SAMPLES)


def _world(folder: Path, bench: StudyContext) -> WorldResult:
    ground = ground_of(folder, bench)
    if isinstance(ground, str):
        return WorldResult(read_name(folder), None, ground)
    regime = ground.regime
    if not regime:
        return WorldResult(ground.world, None, ground.unfit, ground.numbers)
    report, each = bench.progress(f"learning on {ground.world}"), []
    for done, case in enumerate(ground.drawn):
        report(done, len(ground.drawn))
        each.append(learned(case, regime, 5 if bench.quick else SAMPLES))
    report(len(each), len(each))
    found = stacked(each)
    claim, is_clear = claim_of(found, regime)
    claims, shown = settled([(claim, is_clear)], ground.world)
    because = verdict(claims)[1] if is_clear else f"draws are too few to tell: {claim.found}"
    because += f"; learnt from {np.mean([len(case.parts[0]) for case in ground.drawn]):.0f} pages"
    numbers = ground.numbers | {name: float(values[-1]) for name, values in means(found).items()}
    tables = [_table(ground, means(found), regime), *shown]
    holds = claim.holds if is_clear else None
    return WorldResult(ground.world, holds, because, numbers, tables, [_figure(ground, means(found), regime)])


def learned(case: Case, regime: Regime, samples: int) -> dict[str, Floats]:
    """Shares of the ideal clicks on the pages to test on."""
    omega = case.tuned("clicks", regime.cut, OMEGAS, samples).best
    train, test = case.parts
    clicks, table = case.impact("clicks"), features(case, omega)
    said = {name: case.methods("clicks", omega)[name][test] for name in (RW, RW_EG)}
    for name, fitted in ((TREE, _tree), (LINEAR, _line)):
        said[name] = fitted(table[train], clicks[train])(table[test])
        said[name + OF_LOG] = fitted(table[train], np.log1p(clicks[train]))(table[test])
    return {
        name: np.array([1.0 - lost(values, clicks[test], cut) for cut in regime.cuts]) for name, values in said.items()
    }


def features(case: Case, omega: float) -> Floats:
    """A row for each page of the frontier."""
    said = case.methods("clicks", omega)
    columns: list[NDArray[Any]] = [values for name, values in said.items() if name != RANDOM]
    columns.append(case.said(Location()))
    for kind in IMPACTS:
        known = case.frontier.known.clicks if kind == "clicks" else case.frontier.known.views
        seen, total, largest = (column[case.rows] for column in parents_with(known, case.frontier.links))
        columns += [seen, total, largest, total / np.maximum(said["InDegree"], 1.0)]
    return np.stack([column.astype(np.float64) for column in columns], axis=1)


def _tree(table: Floats, target: Floats) -> Callable[[Floats], Floats]:
    tree = fit_validated_tree(table, target).tree
    return lambda rows: tree.predict(rows).astype(np.float64)


def _line(table: Floats, target: Floats) -> Callable[[Floats], Floats]:
    """One pass, in an order by chance (pages come in the order of the table, which is that of their discovery)."""
    line, order = OnlineLinear(table.shape[1]), np.random.default_rng(8).permutation(len(target))
    line.learn(table[order], target[order])
    return line.predict


def claim_of(found: Shares, regime: Regime) -> tuple[Claim, bool]:
    """And whether draws are enough to tell."""
    ours, walk = (found[name][:, -1] for name in (TREE if regime is LOW_SKEW else LINEAR, RW_EG))
    told = f"{ours.mean():.1%} of the ideal clicks, RW-EG {walk.mean():.1%}, a difference of {_apart(ours - walk)}"
    is_above = above(ours, walk)
    if regime is LOW_SKEW:
        return Claim("low skew: the tree is above RW-EG", bool(is_above), told), is_above is not None
    return Claim("skewed: the linear model is not above RW-EG", not is_above, told), is_above is not None


def _apart(difference: Floats) -> str:
    return f"{100 * difference.mean():+.1f} ± {100 * error(difference):.1f} points"


def _table(ground: FrontierCases, found: Shares, regime: Regime) -> ResultTable:
    rows: list[list[Value]] = [[name, *values.tolist()] for name, values in found.items()]
    columns = ["method", *(f"{cut:.1%}" for cut in regime.cuts)]
    return ResultTable(
        f"{ground.world}: share of the ideal clicks, learned", columns, rows, f"{len(ground.drawn)} draws"
    )


def _figure(ground: FrontierCases, found: Shares, regime: Regime) -> Figure:
    across = [100 * cut for cut in regime.cuts]
    title = f"{ground.world}: learned from all rankings"
    series = {name: (across, (100 * values).tolist()) for name, values in found.items()}
    return Figure(title, lines(series, "first of the frontier, %", "clicks, % of ideal", f"{title} (E002-8)"))


LEARNING = Study(
    "E002-8",
    "002",
    "Learned from all rankings (Fig. 8a, 8b)",
    "Does a model that is learnt from what all rankings say find more than the walk on the enriched graph?",
    "low skew: the tree finds more clicks in 10 % of the frontier than RW-EG; skewed: the linear model finds no more "
    f"in 2 %; 'more' is by more than {EVEN:.1%} of the ideal, and by more than two standard errors over draws",
    "a world with queries, and 100 pages in its frontier",
    run,
)
