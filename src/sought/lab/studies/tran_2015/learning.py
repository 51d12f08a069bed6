"""Does learning from all rankings beat the best of them?  Figure 8 of Tran, Turk, Cambazoglu & Nejdl (2015).

Features are what the other methods say, what the pages that link to a page bring, and how deep its address is (their
Table 4); the target is the clicks of a week.  Learned on the 65 % of the frontier that ω is tuned on, tested on the
rest: a regression tree on data of low skew, a linear model by online gradient descent on skewed data.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.impacts import IMPACTS
from sought.beliefs.leaf_tree import fit_validated_tree
from sought.beliefs.learned_features import parents_with
from sought.beliefs.online_linear import OnlineLinear
from sought.lab.judge.bootstrap import lost
from sought.lab.studies.study import Claim, Statement, Study, StudyContext, WorldResult
from sought.lab.studies.tran_2015.cases import (
    CLEARLY,
    LOW_SKEW,
    OMEGAS,
    PAPER,
    QUICK_SETTINGS,
    RANDOM,
    RW,
    RW_EG,
    SETTINGS,
    Case,
    FrontierCases,
    Regime,
    above,
    claim_over_draws,
    error,
    judging,
    not_above,
    samples_in,
)
from sought.lab.studies.tran_2015.shares import Shares, means, shares_figure, shares_table, stacked
from sought.policy import Location
from sought.web.pages import Floats

NAME = f"{PAPER}-figure-8"
TREE, LINEAR = "ML, tree", "ML, linear"
OF_LOG = " of log(1 + clicks)"
TREE_WINS = Statement("low skew: the tree is above RW-EG in the clicks of the first 10 %")
LINEAR_DOES_NOT = Statement("skewed: the linear model is not above RW-EG in the clicks of the first 2 %")


def _look(ground: FrontierCases, regime: Regime, context: StudyContext) -> WorldResult:
    cases = context.each(f"learning on {ground.world}", ground.drawn)
    shares = stacked([learned(case, regime, samples_in(context)) for case in cases])
    numbers = {name: float(values[-1]) for name, values in means(shares).items()}
    numbers["pages learned from"] = float(np.mean([len(case.parts[0]) for case in ground.drawn]))
    table = shares_table(ground, regime, shares, "share of the ideal clicks, learned")
    figure = shares_figure(NAME, ground, regime, shares, "learned from all rankings", "clicks")
    return WorldResult([claim_of(shares, regime)], numbers, [table], [figure])


def learned(case: Case, regime: Regime, samples: int) -> dict[str, Floats]:
    """Shares of the ideal clicks on the pages to test on."""
    omega = case.tuned("clicks", regime.cut, OMEGAS, samples).best
    train, test = case.parts
    clicks, table = case.impact("clicks"), features(case, omega)
    scores = {name: case.methods("clicks", omega)[name][test] for name in (RW, RW_EG)}
    for name, fitted in ((TREE, _tree), (LINEAR, _line)):
        scores[name] = fitted(table[train], clicks[train])(table[test])
        scores[name + OF_LOG] = fitted(table[train], np.log1p(clicks[train]))(table[test])
    return {
        name: np.array([1.0 - lost(values, clicks[test], cut) for cut in regime.cuts])
        for name, values in scores.items()
    }


def features(case: Case, omega: float) -> Floats:
    """A row for each page of the frontier."""
    scores = case.methods("clicks", omega)
    columns: list[NDArray[Any]] = [values for name, values in scores.items() if name != RANDOM]
    columns.append(case.importance(Location()))
    for kind in IMPACTS:
        known = case.frontier.known.clicks if kind == "clicks" else case.frontier.known.views
        seen, total, largest = (column[case.rows] for column in parents_with(known, case.frontier.links))
        columns += [seen, total, largest, total / np.maximum(scores["InDegree"], 1.0)]
    return np.stack([column.astype(np.float64) for column in columns], axis=1)


def _tree(table: Floats, target: Floats) -> Callable[[Floats], Floats]:
    tree = fit_validated_tree(table, target).tree
    return lambda rows: tree.predict(rows).astype(np.float64)


def _line(table: Floats, target: Floats) -> Callable[[Floats], Floats]:
    """One pass, in an order by chance (pages come in the order of the table, which is that of their discovery)."""
    line, order = OnlineLinear(table.shape[1]), np.random.default_rng(8).permutation(len(target))
    line.learn(table[order], target[order])
    return line.predict


def claim_of(shares: Shares, regime: Regime) -> Claim:
    ours, walk = (shares[name][:, -1] for name in (TREE if regime is LOW_SKEW else LINEAR, RW_EG))
    detail = f"{ours.mean():.1%} of the ideal clicks, RW-EG {walk.mean():.1%}, a difference of {_apart(ours - walk)}"
    if regime is LOW_SKEW:
        return claim_over_draws(TREE_WINS, above(ours, walk), detail)
    return claim_over_draws(LINEAR_DOES_NOT, not_above(ours, walk), detail)


def _apart(difference: Floats) -> str:
    return f"{100 * difference.mean():+.1f} ± {100 * error(difference):.1f} points"


LEARNING = Study(
    NAME,
    PAPER,
    "Figure 8: learned from all rankings",
    "Does a model that is learned from what all rankings say find more than the walk on the enriched graph?  "
    f"{CLEARLY}.",
    "a world with queries, and 100 pages in its frontier",
    (TREE_WINS, LINEAR_DOES_NOT),
    judging(_look),
    settings=SETTINGS,
    quick_settings=QUICK_SETTINGS,
    aliases=("E002-8",),
)
