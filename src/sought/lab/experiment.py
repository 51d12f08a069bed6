"""Which policy is better?  One call, one table: policies × budgets × seeds, and a column for each measure."""

import multiprocessing
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from sought.lab.cells import Cell, code_mark, complete, missing, read_log, read_series, read_summary, world_mark
from sought.lab.files import read_name, save_world
from sought.lab.measures import Measure
from sought.lab.setting import Setting
from sought.lab.world import World
from sought.policy import Policy
from sought.web.errors import BadInput

Report = Callable[[float, int], None]  # how many cells are done, parts of one included, of how many
_POLL = 0.2  # seconds
CORES = 2


def experiment(
    policies: Sequence[Policy],
    world: Path | World,
    budgets: Sequence[float],
    measures: Sequence[Measure],
    seeds: Sequence[int] = (0,),
    setting: Setting = Setting(),  # noqa: B008  a frozen value
    results: Path | None = None,
    cores: int = CORES,
    report: Report = lambda done, total: None,
) -> pl.DataFrame:
    """A row for each policy, budget and seed; measures are means over units.

    What has been run is kept in `results`, if given, and not run again.  With `cores=0` all of it happens in this
    process.
    """
    with tempfile.TemporaryDirectory(prefix="sought-lab-") as spare:
        folder = world if isinstance(world, Path) else _saved(world, Path(spare) / "world")
        cells = grid(policies, folder, budgets, seeds, setting)
        kept = results or Path(spare) / "results"
        run_all(cells, folder, measures, kept, cores, report)
        return table(cells, measures, kept)


def grid(
    policies: Sequence[Policy],
    folder: Path,
    budgets: Sequence[float],
    seeds: Sequence[int] = (0,),
    setting: Setting = Setting(),  # noqa: B008  a frozen value
) -> list[Cell]:
    """All combinations; those of the same seed, and so of the same demand, next to each other."""
    if not policies or not budgets or not seeds:
        raise BadInput("an experiment needs a policy, a budget and a seed")
    name, mark = read_name(folder), f"{world_mark(folder)} {code_mark()}"
    return [
        Cell(name, mark, policy, budget, replace(setting, seed=seed))
        for seed, budget, policy in product(dict.fromkeys(seeds), dict.fromkeys(budgets), dict.fromkeys(policies))
    ]


def run_all(
    cells: Sequence[Cell],
    folder: Path,
    measures: Sequence[Measure],
    results: Path,
    cores: int = CORES,
    report: Report = lambda done, total: None,
) -> None:
    """Run what is not on record yet, on so many cores."""
    due = [cell for cell in cells if missing(cell, measures, results)]
    report(0.0, len(due))
    if cores == 0:
        for number, cell in enumerate(due):
            complete(cell, folder, measures, results, partial(_report_part, report, number, len(due)))
            report(number + 1, len(due))
    elif due:
        _run_beside(due, folder, measures, results, cores, report)


def _report_part(report: Report, number: int, cells: int, done: int, total: int) -> None:
    report(number + done / total, cells)


def table(cells: Sequence[Cell], measures: Sequence[Measure], results: Path) -> pl.DataFrame:
    """Means over units of what is on record, a row a cell."""
    return pl.DataFrame([_row(cell, measures, results) for cell in cells])


def series(cells: Sequence[Cell], results: Path) -> pl.DataFrame:
    """The same, unit by unit."""
    return pl.concat([_named(read_series(cell, results), cell) for cell in cells], how="diagonal")


def decisions(cells: Sequence[Cell], results: Path) -> pl.DataFrame:
    """Every fetch of every cell."""
    logs = [_named(read_log(cell, results).select("time", "url"), cell) for cell in cells]
    return pl.concat(logs).select("policy", "budget", "seed", "time", "url")


def _named(frame: pl.DataFrame, cell: Cell) -> pl.DataFrame:
    return frame.with_columns(
        policy=pl.lit(repr(cell.policy)),
        budget=pl.lit(float(cell.budget)),
        seed=pl.lit(cell.setting.seed, pl.Int64),
    )


def _row(cell: Cell, measures: Sequence[Measure], results: Path) -> dict[str, Any]:
    found, told = read_series(cell, results), read_summary(cell, results)
    row: dict[str, Any] = {
        "world": cell.world,
        "policy": repr(cell.policy),
        "budget": float(cell.budget),
        "seed": cell.setting.seed,
        "fetches": told["fetches"],
    }
    for measure in measures:
        values = found[measure.name].to_numpy()
        known = values[~np.isnan(values)]
        row[measure.name] = float(known.mean()) if len(known) else float("nan")
    return row | {"seconds": told["seconds"]}


def _saved(world: World, folder: Path) -> Path:
    save_world(world, folder, [""] * len(world.versions))
    return folder


# ---- several processes


def _run_beside(
    due: Sequence[Cell], folder: Path, measures: Sequence[Measure], results: Path, cores: int, report: Report
) -> None:
    """Processes of their own; each tells how far it is in a shared array, a place a cell."""
    context = multiprocessing.get_context("spawn")
    parts = context.Array("d", len(due), lock=False)
    with ProcessPoolExecutor(min(cores, len(due)), context, _begin, (parts,)) as pool:
        left: set[Future[None]] = {
            pool.submit(_complete, number, cell, folder, measures, results) for number, cell in enumerate(due)
        }
        try:
            while left:
                done, left = wait(left, _POLL, "FIRST_COMPLETED")
                report(sum(parts), len(due))
                for future in done:
                    future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


_parts: Any = None  # of this process, if it is one of several


def _begin(parts: Any) -> None:
    global _parts
    _parts = parts


def _complete(number: int, cell: Cell, folder: Path, measures: Sequence[Measure], results: Path) -> None:
    def report(done: int, total: int) -> None:
        _parts[number] = 0.99 * done / total

    complete(cell, folder, measures, results, report)
    _parts[number] = 1.0
