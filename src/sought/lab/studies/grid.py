"""Arms × budgets × settings, replayed on a world: the experiment that most studies make.

grid = Grid({"ours": Worth(), "floor": RoundRobin()}, budgets=(0.01, 0.05))
replayed = grid.replay(folder, context)
replayed["ours", 0.05].mean(Quality())
replayed.lead("ours", "floor", 0.05)             # paired over queries and units, with its 95 % interval
replayed.share_of_gap("ours", "floor", "ceiling", 0.05)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sought.lab.judge.judge import Judge
from sought.lab.judge.statistics import Interval, Scored, difference
from sought.lab.measures import Measure, Quality
from sought.lab.replay.run import Measured, Run, run_of_states
from sought.lab.replay.setting import Setting
from sought.lab.studies.cells import (
    Cell,
    judge_for,
    load,
    read_attained,
    read_log,
    read_measured,
    read_series,
    read_summary,
)
from sought.lab.studies.experiment import grid as cells_of
from sought.lab.studies.experiment import mean_of, run_all
from sought.lab.studies.over_budgets import share_of_gap
from sought.lab.studies.study import StudyContext
from sought.lab.worlds.files import open_world
from sought.web.policy import Policy

QUALITY = Quality()
NO_LEAD = Interval(0.0, 0.0, 0.0, 0)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Grid:
    """Arms, budgets, settings and measures to replay."""

    arms: Mapping[str, Policy]
    budgets: Sequence[float]
    settings: Sequence[Setting] = (Setting(),)
    measures: Sequence[Measure] = (QUALITY,)

    def replay(self, folder: Path, context: StudyContext) -> "Replayed":
        """Replay what is not on record yet."""
        policies, made = list(self.arms.values()), dict[tuple[Policy, float, Setting], Cell]()
        for setting in self.settings:
            for cell in cells_of(policies, folder, self.budgets, (setting.seed,), setting):
                made[cell.policy, cell.budget, setting] = cell
        starts = ", ".join(dict.fromkeys(setting.start for setting in self.settings))
        progress = context.progress(f"replaying {folder.name}, {starts}")
        run_all(list(made.values()), folder, self.measures, context.results, context.cores, progress)
        cells = {
            (name, budget, setting): ReplayedCell(made[policy, budget, setting], context.results)
            for setting in self.settings
            for budget in self.budgets
            for name, policy in self.arms.items()
        }
        return Replayed(self, folder, context, cells)


@dataclass(frozen=True)
class ReplayedCell:
    """One arm at one budget in one setting; all of it is on record."""

    cell: Cell
    results: Path

    @cached_property
    def _series(self) -> pl.DataFrame:
        return read_series(self.cell, self.results)

    def series(self, measure: Measure) -> Floats:
        """Its values, unit by unit."""
        return self._series[measure.name].to_numpy()

    def mean(self, measure: Measure = QUALITY) -> float:
        """The mean over units in which it has a value."""
        return mean_of(self.series(measure))

    @property
    def fetches(self) -> int:
        return int(read_summary(self.cell, self.results)["fetches"])

    def log(self) -> pl.DataFrame:
        """Every fetch."""
        return read_log(self.cell, self.results)

    def measured(self) -> Measured:
        """What was expected and measured at every fetch."""
        return read_measured(self.cell, self.results)

    def run(self, judge: Judge) -> Run:
        """The run, loaded again."""
        return load(self.cell, judge, self.results).run


class _Scale(NamedTuple):
    """The ideal scores and the weights of all cells judged by the same demand."""

    ideal: NDArray[np.float32]
    weights: Floats


@dataclass(frozen=True)
class Replayed:
    """A grid on one world.  Where a grid has one budget or one setting, that need not be named."""

    grid: Grid
    folder: Path
    context: StudyContext
    cells: Mapping[tuple[str, float, Setting], ReplayedCell]
    _scales: dict[Setting, _Scale] = field(default_factory=dict, repr=False, compare=False)

    def __getitem__(self, key: str | tuple[str, float] | tuple[str, float, Setting]) -> ReplayedCell:
        """By arm, budget and setting."""
        arm, budget, setting = (*((key,) if isinstance(key, str) else key), None, None)[:3]
        place = self.grid.settings[0] if setting is None else setting
        return self.cells[arm, self.grid.budgets[0] if budget is None else budget, place]

    def means(self, budget: float, measure: Measure = QUALITY) -> dict[str, float]:
        """By arm, in the first setting."""
        return {arm: self[arm, budget].mean(measure) for arm in self.grid.arms}

    def curves(self, measure: Measure = QUALITY) -> dict[str, tuple[list[float], list[float]]]:
        """By arm: budgets in percent of the pages, and means; for a figure."""
        across = [100 * budget for budget in self.grid.budgets]
        return {arm: (across, [self[arm, b].mean(measure) for b in self.grid.budgets]) for arm in self.grid.arms}

    def share_of_gap(self, arm: str, floor: str, bound: str, budget: float, measure: Measure = QUALITY) -> float:
        """The share of the gap from a floor to a bound that an arm closes; NaN if there is none."""
        return share_of_gap(*(self[name, budget].mean(measure) for name in (arm, floor, bound)))

    def lead(self, one: str, other: str, budget: float, setting: Setting | None = None, first: int = 0) -> Interval:
        """By how much the quality of one arm is above another's, mean over units from the first on."""
        place = setting or self.grid.settings[0]
        return self.difference(self[one, budget, place], self[other, budget, place], first)

    def difference(self, one: ReplayedCell, other: ReplayedCell, first: int = 0) -> Interval:
        """The same for any two cells, which the same demand must judge."""
        if one.cell == other.cell:
            return NO_LEAD
        ideal, weights = self._scale(other.cell)
        a, b = (
            Scored(read_attained(each.cell, each.results)[first:], ideal[first:], weights[first:])
            for each in (one, other)
        )
        return difference(a, b, self.context.draws)

    def _scale(self, cell: Cell) -> _Scale:
        if cell.setting not in self._scales:
            moments = np.array(read_summary(cell, self.context.results)["moments"], np.float64)
            nothing = run_of_states(judge_for(open_world(self.folder), cell.setting), moments, [])
            self._scales[cell.setting] = _Scale(nothing.answers.ideal, nothing.weights("judged"))
        return self._scales[cell.setting]
