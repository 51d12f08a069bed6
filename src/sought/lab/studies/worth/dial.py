"""Does the budget dial predict what budgets really bring?

Worth is replayed at several budgets.  At mid-year the dial estimates, from the record of one of these crawls and
nothing else, what quality each budget will have in the second half; the replays show what it really was.

Quality is a share of what is attainable with all copies up to date: that is how it is measured anyway, so no other run
is needed to compare with.  It is the mean over time: half-way between what it is just after the fetches of a unit and
just before those of the next, for the dial knows of no units.
"""

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sought.crawl.cycle import beliefs_in
from sought.lab.judge.judge import Judge
from sought.lab.replay.replay import Replay
from sought.lab.replay.setting import Setting, fetches_of, moments_of, pages_at_start
from sought.lab.studies.bounds import lacks
from sought.lab.studies.cells import judge_for
from sought.lab.studies.figures import line_figure
from sought.lab.studies.grid import QUALITY, Grid
from sought.lab.studies.over_budgets import downloads_for, is_bound
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
from sought.lab.studies.worth.arms import BEFORE, NEEDS, WORTH
from sought.lab.worlds.files import open_world
from sought.operate.dial import LEVELS, DialReading, Estimate, read_off, record_of, too_little
from sought.operate.dial_curve import TimeSpan
from sought.policy.worth.worth import Worth

BUDGETS, ASKED = (0.005, 0.01, 0.02, 0.05, 0.1), (0.01, 0.02, 0.05)
QUICK, QUICK_ASKED = (0.1, 0.3, 0.6), (0.3,)
INSIDE, FACTOR = 0.6, 2.0
LEVEL, INSTEAD = 0.95, (0.99, 0.90)  # where no replay shows which budget makes 95 %
SETTING = Setting()
IN_INTERVAL = Statement(
    f"asked at mid-year what quality budgets of "
    f"{', '.join(f'{each:.1%}' for each in BUDGETS)} have in the second half, "
    f"it is in the 80 % interval in at least {INSIDE:.0%} of cases"
)
RIGHT_BUDGET = Statement(
    f"the budget for {LEVEL:.0%} ({INSTEAD[0]:.0%} where all replays are above) is right within a factor of {FACTOR:g} "
    "on average"
)


class DialAnswer(NamedTuple):
    """What the dial answered to a crawl of some budget, and the truth; NaN: no replay shows it."""

    asked: float
    about: float
    estimate: Estimate
    true: float

    @property
    def is_inside(self) -> bool:
        return self.estimate.low <= self.true <= self.estimate.high

    @property
    def factor(self) -> float:
        """By how much it is too high or too low."""
        if not 0.0 < self.estimate.value < np.inf:
            return np.inf
        return float(np.exp(np.abs(np.log(self.estimate.value / self.true))))


class DialAnswers(NamedTuple):
    """Qualities by budget, and budgets (fetches a unit) by quality."""

    qualities: Sequence[DialAnswer]
    budgets: Sequence[DialAnswer]


def judge(folder: Path, context: StudyContext) -> WorldResult:
    world = open_world(folder)
    if lack := lacks(world):
        return WorldResult(lack=lack)
    pages, true = pages_at_start(world), true_qualities(folder, QUICK if context.quick else BUDGETS, context)
    fetches, world_judge = {budget: fetches_of(budget, pages) for budget in true}, judge_for(world, SETTING)
    asked, readings = QUICK_ASKED if context.quick else ASKED, dict[float, DialReading]()
    for budget in context.each(f"asking the dial about {world.name}", asked):
        reading = asked_at_mid_year(world_judge, fetches[budget])
        if isinstance(reading, str):
            return WorldResult(lack=f"{budget:.1%}: {reading}")
        readings[budget] = reading
    return result_of(world.name, answers(readings, true, fetches, world.unit), readings, world.unit / pages)


def true_qualities(folder: Path, budgets: Sequence[float], context: StudyContext) -> dict[float, float]:
    """Of the second half."""
    replayed = Grid({WORTH: Worth()}, budgets, (SETTING,), (QUALITY, BEFORE)).replay(folder, context)
    qualities = {}
    for budget in budgets:
        cell = replayed[WORTH, budget]
        both = (cell.series(QUALITY) + cell.series(BEFORE)) / 2.0
        qualities[budget] = float(both[len(both) // 2 :].mean())
    return qualities


def asked_at_mid_year(judge: Judge, fetches: int) -> DialReading | str:
    """The dial's reading for a crawl with so many fetches a unit; or why there is none."""
    world, moments = judge.world, moments_of(judge.world, SETTING)
    half = len(moments) // 2
    if not half:
        return "there is no first half"
    with tempfile.TemporaryDirectory(prefix="sought-lab-") as folder:
        crawl = Replay(Path(folder), world, judge.demand, Worth(), replace(SETTING, units=half))
        try:
            asyncio.run(crawl.run(fetches, judge, lambda done, total: None))
            record = record_of(crawl.directory.store, -np.inf)
            if why := too_little(record):
                return why
            span = TimeSpan(world.start, float(moments[half]), world.unit * (len(moments) - half), world.unit)
            return read_off(beliefs_in(crawl.directory, crawl.policy).pages(), record, span)
        finally:
            crawl.directory.abandon()


def answers(
    readings: Mapping[float, DialReading], true: Mapping[float, float], fetches: Mapping[float, int], unit: float
) -> DialAnswers:
    qualities, budgets = [], []
    curve = [fetches[budget] for budget in true], list(true.values())
    for asked, reading in readings.items():
        for budget, quality in true.items():
            qualities.append(DialAnswer(asked, budget, reading.quality(fetches[budget] / unit), quality))
        for level in LEVELS:
            needed = np.nan if is_bound(*curve, level) else downloads_for(*curve, level)
            estimate = Estimate(*(each * unit for each in reading.fetches_for(level)))
            budgets.append(DialAnswer(asked, level, estimate, needed))
    return DialAnswers(qualities, budgets)


def claims_of(dial: DialAnswers) -> list[Claim]:
    share = float(np.mean([each.is_inside for each in dial.qualities]))
    claims = [Claim(IN_INTERVAL, share >= INSIDE, f"{share:.0%}")]
    for level in (LEVEL, *INSTEAD):
        factors = [each.factor for each in dial.budgets if each.about == level and np.isfinite(each.true)]
        if factors:
            off = float(np.exp(np.mean(np.log(factors))))
            return [*claims, Claim(RIGHT_BUDGET, off <= FACTOR, f"{off:.2f}", f"for {level:.0%}")]
    return claims


def result_of(world: str, dial: DialAnswers, readings: Mapping[float, DialReading], of_pages: float) -> WorldResult:
    numbers: dict[str, Value] = {
        f"asked at {each.asked:.1%}, quality at {each.about:.1%}: estimate less truth": each.estimate.value - each.true
        for each in dial.qualities
    }
    tables = [_qualities(world, dial), _budgets(world, dial)]
    return WorldResult(claims_of(dial), numbers, tables, [_figure(world, dial, readings, of_pages)])


def _qualities(world: str, dial: DialAnswers) -> ResultTable:
    rows: list[list[Value]] = [
        [each.asked, each.about, *each.estimate, each.true, "yes" if each.is_inside else "no"]
        for each in dial.qualities
    ]
    note = "Of the second half, mean over time.  Low and high: 80 % interval."
    columns = ["asked at", "budget", "estimate", "low", "high", "true", "inside"]
    return ResultTable(f"{world}: quality by budget, estimated by the dial at mid-year", columns, rows, note)


def _budgets(world: str, dial: DialAnswers) -> ResultTable:
    rows: list[list[Value]] = [
        [each.asked, each.about, *map(plain, each.estimate), plain(each.true), plain(each.factor)]
        for each in dial.budgets
    ]
    note = "Fetches a unit; none where no number is enough, or no replay shows it: all are above, or all below."
    columns = ["asked at", "quality", "estimate", "low", "high", "true", "off by a factor of"]
    return ResultTable(f"{world}: fetches for a quality, estimated by the dial at mid-year", columns, rows, note)


def _figure(world: str, dial: DialAnswers, readings: Mapping[float, DialReading], of_pages: float) -> Figure:
    true = {each.about: each.true for each in dial.qualities}
    across = np.linspace(0.0, max(true), 50)
    series = {"true": ([100 * each for each in true], list(true.values()))}
    for asked, each in readings.items():
        estimates = [each.quality(budget / of_pages).value for budget in across.tolist()]
        series[f"estimate at {asked:.0%}"] = ((100 * across).tolist(), estimates)
    title = f"{world}: quality by budget, estimated and true"
    return line_figure("budget-dial", title, series, "fetches a unit, % of pages", "mean quality")


BUDGET_DIAL = Study(
    "budget-dial",
    "",
    "The budget dial: estimates and outcomes",
    "Can a crawl tell from its own record what another budget would bring?",
    f"{NEEDS}, and a record of 200 fetches",
    (IN_INTERVAL, RIGHT_BUDGET),
    judge,
    settings={"budgets": list(BUDGETS), "asked": list(ASKED), "setting": repr(SETTING)},
)
