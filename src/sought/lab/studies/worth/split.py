"""X2: one currency, or a fixed share of the budget for new pages?

A split needs a share.  All are tried here, and the best is chosen afterwards, which no crawler can do.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from sought.lab.replay.setting import Setting
from sought.lab.studies.bounds import lacks
from sought.lab.studies.figures import line_figure
from sought.lab.studies.study import Claim, Figure, Statement, Study, StudyContext, Value, WorldResult
from sought.lab.studies.worth.arms import (
    ENDS,
    NEEDS,
    WORTH,
    ArmQuality,
    WorthArm,
    arms_table,
    at,
    best_published,
    budgets_in,
    measured,
)
from sought.lab.worlds.files import open_world
from sought.policy import SearchImpact, Split, UserCentric
from sought.policy.optimal_freshness import OptimalFreshness
from sought.web.policy import Policy

BUDGETS, QUICK = (0.01, 0.05), (0.05,)
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
BELOW = 0.01  # of quality
AS_GOOD = Statement(
    f"the quality of Worth is at most {BELOW} below that of the best of ten splits between search impact and a refresh "
    "rule"
)
RULES: Mapping[str, Policy] = {
    "UserCentric": UserCentric(),
    "OptimalFreshness, views": OptimalFreshness(weight="views"),
}


def name_of(rule: str, share: float) -> str:
    return f"{share:.0%} new, {rule}"


ARMS: Mapping[str, WorthArm] = {
    **{
        name_of(name, share): WorthArm(Split(SearchImpact(), rule, share), "pandey-olston-2008")
        for name, rule in RULES.items()
        for share in SHARES
    },
    **ENDS,
}


def judge(folder: Path, context: StudyContext) -> WorldResult:
    world = open_world(folder)
    if lack := lacks(world):
        return WorldResult(lack=lack)
    results = measured(folder, ARMS, QUICK if context.quick else BUDGETS, Setting(), context)
    numbers: dict[str, Value] = {
        f"lead over the best split at {budget:.1%}": best_published(results, budget).lead.mean
        for budget in budgets_in(results)
    }
    tables = [arms_table(f"{world.name}: splits", results)]
    return WorldResult(claims_of(results), numbers, tables, [_figure(world.name, results)])


def claims_of(results: Sequence[ArmQuality]) -> list[Claim]:
    claims = []
    for budget in budgets_in(results):
        ours, best = at(results, WORTH, budget), best_published(results, budget)
        holds = ours.quality >= best.quality - BELOW
        claims.append(Claim(AS_GOOD, holds, f"{ours.quality:.4f}, {best.summary()}", f"{budget:.1%}"))
    return claims


def _figure(world: str, results: Sequence[ArmQuality]) -> Figure:
    title = f"{world}: quality by the share of new pages"
    across, series = [100 * share for share in SHARES], {}
    for budget in budgets_in(results):
        for rule in RULES:
            curve = [at(results, name_of(rule, share), budget).quality for share in SHARES]
            series[f"{rule}, {budget:.1%}"] = (across, curve)
        series[f"{WORTH}, {budget:.1%}"] = (across, [at(results, WORTH, budget).quality] * len(across))
    return line_figure("worth-split", title, series, "fetches for new pages, %", "mean quality")


SPLIT = Study(
    "worth-split",
    "",
    "One currency or a split (X2)",
    "Is one ranking of new and known pages as good as the best fixed split, without anybody choosing a share?",
    NEEDS,
    (AS_GOOD,),
    judge,
    settings={"budgets": list(BUDGETS), "shares": list(SHARES)},
    aliases=("X2",),
)
