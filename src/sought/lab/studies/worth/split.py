"""X2: one currency, or a fixed share of the budget for new pages?

Whoever splits must know the share.  All are tried here, and the best is chosen afterwards, which no crawler can.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from sought.lab.replay.setting import Setting
from sought.lab.studies.bounds import lacks
from sought.lab.studies.figures import lines
from sought.lab.studies.study import Claim, Figure, Finding, Study, StudyContext, Value, WorldResult, finding
from sought.lab.studies.worth.arms import (
    ENDS,
    NEEDS,
    WORTH,
    Met,
    WorthArm,
    arms_table,
    at,
    best_published,
    budgets_in,
    judged,
    measured,
)
from sought.lab.worlds.files import open_world
from sought.policy import SearchImpact, Split, UserCentric
from sought.policy.optimal_freshness import OptimalFreshness
from sought.web.policy import Policy

BUDGETS, QUICK = (0.01, 0.05), (0.05,)
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
BELOW = 0.01  # of quality
RULES: Mapping[str, Policy] = {
    "UserCentric": UserCentric(),
    "OptimalFreshness, views": OptimalFreshness(weight="views"),
}


def name_of(rule: str, share: float) -> str:
    return f"{share:.0%} new, {rule}"


ARMS: Mapping[str, WorthArm] = {
    **{
        name_of(name, share): WorthArm(Split(SearchImpact(), rule, share), "003")
        for name, rule in RULES.items()
        for share in SHARES
    },
    **ENDS,
}


def run(bench: StudyContext) -> Finding:
    parts = [_world(folder, bench) for folder in bench.worlds]
    return finding("worth-split", bench, parts, budgets=list(BUDGETS), shares=list(SHARES))


def _world(folder: Path, bench: StudyContext) -> WorldResult:
    world = open_world(folder)
    if lack := lacks(world):
        return WorldResult(world.name, None, lack)
    found = measured(folder, ARMS, QUICK if bench.quick else BUDGETS, Setting(), bench)
    numbers: dict[str, Value] = {
        f"lead over the best split at {budget:.1%}": best_published(found, budget).lead.mean
        for budget in budgets_in(found)
    }
    part = judged(world.name, claims_of(found), numbers, [arms_table(f"{world.name}: splits", found)])
    return WorldResult(part.world, part.holds, part.because, numbers, part.tables, [_figure(world.name, found)])


def claims_of(found: Sequence[Met]) -> list[Claim]:
    claims = []
    for budget in budgets_in(found):
        ours, best = at(found, WORTH, budget), best_published(found, budget)
        what = f"{budget:.1%}: quality at most {BELOW} below that of the best split"
        claims.append(Claim(what, ours.quality >= best.quality - BELOW, f"{ours.quality:.4f}, {best.told()}"))
    return claims


def _figure(world: str, found: Sequence[Met]) -> Figure:
    title = f"{world}: quality by the share of new pages"
    across, series = [100 * share for share in SHARES], {}
    for budget in budgets_in(found):
        for rule in RULES:
            curve = [at(found, name_of(rule, share), budget).quality for share in SHARES]
            series[f"{rule}, {budget:.1%}"] = (across, curve)
        series[f"{WORTH}, {budget:.1%}"] = (across, [at(found, WORTH, budget).quality] * len(across))
    return Figure(title, lines(series, "fetches for new pages, %", "mean quality", f"{title} (worth-split)"))


SPLIT = Study(
    "worth-split",
    "beyond",
    "One currency or a split (X2)",
    "Is one ranking of new and known pages as good as the best fixed split, without anybody choosing a share?",
    f"at {' and '.join(f'{each:.0%}' for each in BUDGETS)} of the pages a week the quality of Worth is at most {BELOW} "
    "below that of the best of ten splits between search impact and a refresh rule",
    NEEDS,
    run,
    also=("X2",),
)
