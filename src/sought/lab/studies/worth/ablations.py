"""What is each part of Worth for?  Each is left out; the share of the gap lost is its contribution.

A part that contributes nothing on any world should go.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from sought.lab.replay.setting import Setting
from sought.lab.studies.bounds import lacks
from sought.lab.studies.figures import bars
from sought.lab.studies.study import (
    Claim,
    Figure,
    ResultTable,
    Statement,
    Study,
    StudyContext,
    Value,
    WorldResult,
    plain,
)
from sought.lab.studies.worth.arms import (
    ENDS,
    NEEDS,
    WORTH,
    ArmQuality,
    WorthArm,
    arms_table,
    at,
    budgets_in,
    interval,
    measured,
)
from sought.lab.worlds.files import open_world
from sought.policy.worth.worth import PARTS, Worth

BUDGETS, QUICK = (0.01, 0.05), (0.05,)
ARMS: Mapping[str, WorthArm] = {**{f"without {part}": WorthArm(Worth(without=part), "own") for part in PARTS}, **ENDS}
STATEMENTS = {part: Statement(f"{part} bring something on a world, with a 95 % interval above 0") for part in PARTS}


def judge(folder: Path, context: StudyContext) -> WorldResult:
    """The loss without each part; whether to keep a part is decided over all worlds."""
    world = open_world(folder)
    if lack := lacks(world):
        return WorldResult(lack=lack)
    results = measured(folder, ARMS, QUICK if context.quick else BUDGETS, Setting(), context)
    without = [each for each in results if each.name.startswith("without ")]
    numbers: dict[str, Value] = {
        f"{each.name} at {each.budget:.1%}, share of gap lost": plain(_lost(results, each)) for each in without
    }
    tables = [_table(world.name, results, without), arms_table(f"{world.name}: all arms", results)]
    figures = [_figure(world.name, results, budget) for budget in budgets_in(results)]
    return WorldResult((), numbers, tables, figures, data=results)


def _lost(results: Sequence[ArmQuality], each: ArmQuality) -> float:
    return at(results, WORTH, each.budget).share - each.share


def across(results: Mapping[str, Sequence[ArmQuality]], context: StudyContext) -> WorldResult:
    return WorldResult(claims_of(results))


def claims_of(results: Mapping[str, Sequence[ArmQuality]]) -> list[Claim]:
    """A part brings something where Worth is clearly better than without it."""
    claims = []
    for part, statement in STATEMENTS.items():
        each = [(met, world) for world, mets in results.items() for met in mets if met.name == f"without {part}"]
        best, where = max(each, key=lambda one: one[0].lead.low)
        claims.append(Claim(statement, best.lead.low > 0.0, f"{where} at {best.budget:.1%}: {interval(best.lead)}"))
    return claims


def _table(world: str, results: Sequence[ArmQuality], without: Sequence[ArmQuality]) -> ResultTable:
    rows: list[list[Value]] = [
        [each.name, each.budget, each.quality, plain(each.share), plain(_lost(results, each)), *each.lead[:3]]
        for each in sorted(without, key=lambda each: (each.budget, -each.lead.mean))
    ]
    columns = ["arm", "budget", "quality", "share of gap", "share of gap lost", "quality lost", "low", "high"]
    return ResultTable(
        f"{world}: what each part brings", columns, rows, "Low and high: 95 % interval of the quality lost."
    )


def _figure(world: str, results: Sequence[ArmQuality], budget: float) -> Figure:
    title = f"{world}: quality lost without a part, at {budget:.1%} a unit"
    some = [each for each in results if each.name.startswith("without ") and each.budget == budget]
    lost = {each.name: (each.lead.mean, each.lead.low, each.lead.high) for each in some}
    return Figure(title, bars(lost, f"{title} (worth-ablations)"))


ABLATIONS = Study(
    "worth-ablations",
    "",
    "What each part of Worth brings",
    "Which parts of Worth earn their place?",
    NEEDS,
    tuple(STATEMENTS.values()),
    judge,
    across,
    settings={"budgets": list(BUDGETS), "left_out": list(PARTS)},
)
