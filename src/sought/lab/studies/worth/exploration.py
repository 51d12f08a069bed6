"""X6: which way of finding out what is not known costs least, and which teaches most?

    none    greedy: by what is expected
    share   some fetches go to pages of which little is known (what Worth does)
    draw    values are drawn from what is believed (W. R. Thompson, Biometrika 1933)
    bound   by an upper bound of what is believed

Quality after the first quarter of a year is judged, warm and cold: before, exploring only costs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import numpy as np

from sought.lab.judge.statistics import Interval
from sought.lab.measures.calibration import calibrated
from sought.lab.replay.setting import Setting
from sought.lab.studies.bounds import lacks
from sought.lab.studies.figures import line_figure
from sought.lab.studies.grid import NO_LEAD, QUALITY, Grid
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
from sought.lab.studies.worth.arms import NEEDS, interval
from sought.lab.worlds.files import open_world
from sought.policy.worth.explore import Explore
from sought.policy.worth.worth import Worth

WAYS: Mapping[str, Worth] = {way: Worth(explore=way) for way in get_args(Explore)}
OURS = Worth().explore
WARM_UP = 13  # units, or a quarter of all if these are fewer than 52
AS_GOOD = Statement(
    f"from the unit {WARM_UP} on the way that Worth takes ({OURS}) is not clearly (95 % interval) below any other of "
    f"{', '.join(WAYS)}"
)
STARTS: Mapping[str, tuple[Setting, float]] = {
    "warm, 1%": (Setting(), 0.01),
    "warm, 5%": (Setting(), 0.05),
    "cold, 2%": (Setting("cold"), 0.02),
}


@dataclass(frozen=True)
class Explored:
    """By each way from one start: quality unit by unit, and how well gains of new pages are predicted (the slope).

    `leads` are those of the way that Worth takes over each other, after warming up.
    """

    start: str
    quality: Mapping[str, Sequence[float]]
    slopes: Mapping[str, float]
    leads: Mapping[str, Interval]
    warm_up: int

    def mean(self, way: str, *, early: bool) -> float:
        values = self.quality[way]
        return float(np.mean(values[: max(1, self.warm_up)] if early else values[self.warm_up :]))


def judge(folder: Path, context: StudyContext) -> WorldResult:
    world = open_world(folder)
    if lack := lacks(world):
        return WorldResult(lack=lack)
    warm_up = min(WARM_UP, world.units // 4)
    results = [measured(folder, start, warm_up, context) for start in STARTS]
    numbers: dict[str, Value] = {
        f"{each.start}: quality of {OURS} above that of {way}, after warming up": lead.mean
        for each in results
        for way, lead in each.leads.items()
    }
    figures = [_figure(world.name, each) for each in results]
    return WorldResult(claims_of(results), numbers, [_table(world.name, results)], figures)


def measured(folder: Path, start: str, warm_up: int, context: StudyContext) -> Explored:
    setting, budget = STARTS[start]
    replayed = Grid(WAYS, (budget,), (setting,)).replay(folder, context)
    return Explored(
        start,
        {way: replayed[way].series(QUALITY).tolist() for way in WAYS},
        {way: calibrated(replayed[way].measured()).slope for way in WAYS},
        {way: replayed.lead(OURS, way, budget, first=warm_up) for way in WAYS if way != OURS},
        warm_up,
    )


def claims_of(results: Sequence[Explored]) -> list[Claim]:
    """As good as the best; not judged where intervals are too wide."""
    claims = []
    for each in results:
        worst = min(each.leads, key=lambda way: each.leads[way].high)
        lead = each.leads[worst]
        claims.append(Claim(AS_GOOD, lead.high >= 0.0, f"lead over {worst} {interval(lead)}", each.start))
    return claims


def _table(world: str, results: Sequence[Explored]) -> ResultTable:
    rows: list[list[Value]] = []
    for each in results:
        for way in each.quality:
            lead = each.leads.get(way, NO_LEAD)
            means = each.mean(way, early=True), each.mean(way, early=False)
            rows.append([way, each.start, *means, *lead[:3], plain(each.slopes[way])])
    columns = ["way", "start", "quality while warming up", "quality afterwards", f"lead of {OURS}", "low", "high"]
    note = "The lead is afterwards, with its 95 % interval.  The slope is that of measured over expected gain."
    return ResultTable(f"{world}: ways of finding out", [*columns, "slope for new pages"], rows, note)


def _figure(world: str, each: Explored) -> Figure:
    title = f"{world}, {each.start}: quality over time by way of finding out"
    series = {way: (list(range(len(values))), values) for way, values in each.quality.items()}
    return line_figure("worth-exploration", title, series, "unit", "quality")


EXPLORATION = Study(
    "worth-exploration",
    "",
    "Ways of finding out what is not known (X6)",
    "Does the way in which Worth explores cost anything, once it had time to teach?",
    NEEDS,
    (AS_GOOD,),
    judge,
    settings={"warm_up": WARM_UP, "ways": list(WAYS)},
    aliases=("X6",),
)
