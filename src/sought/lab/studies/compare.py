"""How much better is one policy than another, and how sure is that?"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from sought.lab.judge.statistics import Interval, Scored, difference
from sought.lab.measures import MEASURES
from sought.lab.replay.oracles import ORACLES
from sought.lab.replay.run import run_of_states
from sought.lab.replay.setting import fetches_of, pages_at_start, seen_in
from sought.lab.studies.cells import Cell, judge_for, read_attained, read_summary
from sought.lab.studies.experiment import table as table_of
from sought.lab.studies.over_budgets import by_policy, share_of_gap
from sought.lab.worlds.files import open_world
from sought.policy import POLICIES
from sought.web.expression import expression_of
from sought.web.policy import Policy
from sought.web.registry import BELIEFS


def parse_any_policy(text: str) -> Policy:
    """The policy of an expression, or an oracle; BadInput says what is wrong.

    Names that have their module before them are looked for in the current directory, too.
    """
    return POLICIES.read(text, Path.cwd(), more=ORACLES, inside=BELIEFS)  # type: ignore[no-any-return]  # one of these


def differences(
    cells: Sequence[Cell], folder: Path, results: Path, baseline: Policy, draws: int = 2000, block: int = 4
) -> pl.DataFrame:
    """Of judged quality after the fetches, to the baseline at the same budget and seed: mean and 95 % interval."""
    world, rows = open_world(folder), []
    for setting in dict.fromkeys(cell.setting for cell in cells):
        mine = [cell for cell in cells if cell.setting == setting]
        moments = np.array(read_summary(mine[0], results)["moments"], np.float64)
        nothing = run_of_states(judge_for(world, setting), moments, [])
        ideal, weights = nothing.answers.ideal, nothing.weights("judged")
        of_baseline = {cell.budget: cell for cell in mine if cell.policy == baseline}
        for cell in mine:
            if cell.policy != baseline:
                other = read_attained(of_baseline[cell.budget], results)
                ours, theirs = (Scored(each, ideal, weights) for each in (read_attained(cell, results), other))
                rows.append(_row(cell, baseline, difference(ours, theirs, draws, block)))
    return pl.DataFrame(rows, _COLUMNS)


_COLUMNS = {
    "policy": pl.String,
    "baseline": pl.String,
    "budget": pl.Float64,
    "seed": pl.Int64,
    "difference": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
}


def _row(cell: Cell, baseline: Policy, interval: Interval) -> dict[str, Any]:
    values = expression_of(cell.policy), expression_of(baseline), float(cell.budget), cell.setting.seed, *interval[:3]
    return dict(zip(_COLUMNS, values, strict=True))


def has_queries(folder: Path) -> bool:
    """Without queries quality is undefined."""
    return len(open_world(folder).tallies) > 0


def over_budgets(cells: Sequence[Cell], folder: Path, results: Path) -> pl.DataFrame:
    """Each policy's quality as a curve over fetches a unit: its mean height, and what a quality of .90 … .99 takes."""
    pages = pages_at_start(seen_in(open_world(folder), cells[0].setting))
    table = table_of(cells, [MEASURES["quality"]], results)
    fetches = [fetches_of(budget, pages) for budget in table["budget"].to_list()]
    return by_policy(table.select("policy", value="quality").with_columns(budget=pl.Series(fetches)))


def gaps(table: pl.DataFrame, floor: Policy, bound: Policy, measure: str = "quality") -> pl.DataFrame:
    """A table with a further column: how much of the way from floor to bound, at the same budget and seed.

    NaN where there is no way to go, or one of the two was not run.
    """
    keys = [name for name in ("world", "budget", "seed") if name in table.columns]

    def of(policy: Policy) -> dict[Any, float]:
        part = table.filter(pl.col("policy") == expression_of(policy))
        return dict(zip(part.select(keys).rows(), part[measure].to_list(), strict=True))

    floors, bounds = of(floor), of(bound)
    shares = [
        share_of_gap(value, floors.get(key, np.nan), bounds.get(key, np.nan))
        for key, value in zip(table.select(keys).rows(), table[measure].to_list(), strict=True)
    ]
    return table.with_columns(share_of_gap=pl.Series(shares, dtype=pl.Float64))
