"""What is each part of Worth for?  It is left out, and what is lost of the gap is what it brings.

A part that brings nothing anywhere has no place.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from sought.lab.replay.setting import Setting
from sought.lab.studies.bounds import lacks
from sought.lab.studies.figures import bars
from sought.lab.studies.study import (
    Claim,
    Figure,
    Finding,
    ResultTable,
    Study,
    StudyContext,
    Value,
    WorldResult,
    finding,
    plain,
)
from sought.lab.studies.worth.arms import (
    ENDS,
    NEEDS,
    WORTH,
    Met,
    WorthArm,
    arms_table,
    at,
    budgets_in,
    interval,
    measured,
    together,
)
from sought.lab.worlds.files import open_world
from sought.policy.worth.worth import PARTS, Worth

BUDGETS, QUICK = (0.01, 0.05), (0.05,)
ARMS: Mapping[str, WorthArm] = {**{f"without {part}": WorthArm(Worth(without=part), "own") for part in PARTS}, **ENDS}


def run(bench: StudyContext) -> Finding:
    found: dict[str, list[Met]] = {}
    parts = [_world(folder, bench, found) for folder in bench.worlds]
    return finding("worth-ablations", bench, judged(parts, found), budgets=list(BUDGETS), left_out=list(PARTS))


def _world(folder: Path, bench: StudyContext, found: dict[str, list[Met]]) -> WorldResult:
    world = open_world(folder)
    if lack := lacks(world):
        return WorldResult(world.name, None, lack)
    budgets = QUICK if bench.quick else BUDGETS
    found[world.name] = measured(folder, ARMS, budgets, Setting(), bench)
    return told(world.name, found[world.name])


def told(world: str, found: Sequence[Met]) -> WorldResult:
    """What a world has to say; whether a part has a place, all of them say together."""
    without = [each for each in found if each.name.startswith("without ")]
    most = max(without, key=lambda each: each.lead.mean)
    because = f"most is lost {most.name} at {most.budget:.1%}: {interval(most.lead)}"
    numbers: dict[str, Value] = {
        f"{each.name} at {each.budget:.1%}, share of gap lost": plain(_lost(found, each)) for each in without
    }
    tables = [_table(world, found, without), arms_table(f"{world}: all arms", found)]
    return WorldResult(
        world, None, because, numbers, tables, [_figure(world, found, budget) for budget in budgets_in(found)]
    )


def _lost(found: Sequence[Met], each: Met) -> float:
    return at(found, WORTH, each.budget).share - each.share


def judged(parts: Sequence[WorldResult], found: Mapping[str, Sequence[Met]]) -> list[WorldResult]:
    return together(parts, claims_of(found)) if found else list(parts)


def claims_of(found: Mapping[str, Sequence[Met]]) -> list[Claim]:
    """A part brings something where Worth is clearly better than without it."""
    claims = []
    for part in PARTS:
        each = [(met, world) for world, mets in found.items() for met in mets if met.name == f"without {part}"]
        best, where = max(each, key=lambda one: one[0].lead.low)
        says = f"{where} at {best.budget:.1%}: {interval(best.lead)}"
        what = f"{part} bring something on a world, with a 95 % interval above 0"
        claims.append(Claim(what, best.lead.low > 0.0, says))
    return claims


def _table(world: str, found: Sequence[Met], without: Sequence[Met]) -> ResultTable:
    rows: list[list[Value]] = [
        [each.name, each.budget, each.quality, plain(each.share), plain(_lost(found, each)), *each.lead[:3]]
        for each in sorted(without, key=lambda each: (each.budget, -each.lead.mean))
    ]
    columns = ["arm", "budget", "quality", "share of gap", "share of gap lost", "quality lost", "low", "high"]
    return ResultTable(
        f"{world}: what each part brings", columns, rows, "Low and high: 95 % interval of the quality lost."
    )


def _figure(world: str, found: Sequence[Met], budget: float) -> Figure:
    title = f"{world}: quality lost without a part, at {budget:.1%} a unit"
    some = [each for each in found if each.name.startswith("without ") and each.budget == budget]
    lost = {each.name: (each.lead.mean, each.lead.low, each.lead.high) for each in some}
    return Figure(title, bars(lost, f"{title} (worth-ablations)"))


ABLATIONS = Study(
    "worth-ablations",
    "beyond",
    "What each part of Worth brings",
    "Which parts of Worth earn their place?",
    f"on one of the worlds at least, at {' or '.join(f'{each:.0%}' for each in BUDGETS)} of the pages a week, Worth is "
    f"better than without the part, with a 95 % interval above 0: {', '.join(PARTS)}",
    NEEDS,
    run,
)
