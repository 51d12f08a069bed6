"""Which policy is better?  One call, one table: policies × budgets × seeds, and a column for each measure."""

import multiprocessing
import os
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sought.lab.measures import ClickThrough, FreshnessAt, ImpactShare, Measure, PrecisionAt, Quality
from sought.lab.replay.setting import Setting
from sought.lab.studies.cells import Cell, cell_code, complete, is_done, missing, read_log, read_series, read_summary
from sought.lab.studies.marks import own_mark, world_mark
from sought.lab.worlds.files import open_world, read_name, save_world
from sought.lab.worlds.world import World
from sought.web.errors import BadInput
from sought.web.expression import expression_of
from sought.web.policy import Policy

Report = Callable[[float, int], None]  # how many cells are done, parts of one included, of how many
_POLL = 0.2  # seconds
_GRACE = 2.0  # seconds in which an abandoned process may tidy up
_OF_DEMAND = (ClickThrough, FreshnessAt, ImpactShare, PrecisionAt, Quality)
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

    Finished runs are kept in `results`, if given, and not repeated.  `cores=0` runs everything in this process.
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
    if len(set(seeds)) > 1 and setting.split != "thinning":
        raise BadInput(
            f"several seeds would find the same: a seed draws samples of demand, which split {setting.split!r} does "
            "not; use one seed or split 'thinning'"
        )
    name, mark = read_name(folder), world_mark(folder)
    code = {policy: cell_code(policy) for policy in policies}
    return [
        Cell(name, f"{mark} {code[policy]}", policy, budget, replace(setting, seed=seed), own_mark(policy))
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
    due = [cell for cell in cells if not is_done(cell, results) or missing(cell, measures, results)]
    if due:
        _check(open_world(folder), due, measures)
    report(0.0, len(due))
    if cores == 0:
        for number, cell in enumerate(due):
            complete(cell, folder, measures, results, partial(_report_part, report, number, len(due)))
            report(number + 1, len(due))
    elif due:
        _run_beside(due, folder, measures, results, cores, report)


def _check(world: World, cells: Sequence[Cell], measures: Sequence[Measure]) -> None:
    """Refuse early what a world lacks for these measures."""
    if not world.units and any(cell.setting.start == "warm" for cell in cells):
        raise BadInput(f"{world.name} has one moment only: use --start cold or --start frontier")
    longest = max(cell.setting.every for cell in cells)
    if longest > max(world.units, 1):
        raise BadInput(f"{world.name} has {world.units} units, which cannot be taken {longest} at a time (--every)")
    asked = [measure.name for measure in measures if isinstance(measure, _OF_DEMAND)]
    if asked and not len(world.tallies):
        raise BadInput(
            f"{world.name} has no queries: 'sought lab queries derive' makes some, or choose other measures "
            f"than {', '.join(asked)}"
        )


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
        policy=pl.lit(expression_of(cell.policy)),
        budget=pl.lit(float(cell.budget)),
        seed=pl.lit(cell.setting.seed, pl.Int64),
    )


def _row(cell: Cell, measures: Sequence[Measure], results: Path) -> dict[str, Any]:
    values, summary = read_series(cell, results), read_summary(cell, results)
    row: dict[str, Any] = {
        "world": cell.world,
        "policy": expression_of(cell.policy),
        "budget": float(cell.budget),
        "seed": cell.setting.seed,
        "fetches": summary["fetches"],
    }
    for measure in measures:
        row[measure.name] = mean_of(values[measure.name].to_numpy())
    return row | {"seconds": summary["seconds"]}


def mean_of(values: NDArray[np.float64]) -> float:
    """The mean over units where a measure has a value; NaN if there are none."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _saved(world: World, folder: Path) -> Path:
    save_world(world, folder, [""] * len(world.versions))
    return folder


# ---- several processes


def _run_beside(
    due: Sequence[Cell], folder: Path, measures: Sequence[Measure], results: Path, cores: int, report: Report
) -> None:
    """Run cells in other processes; each reports its progress in a shared array, one place for a cell."""
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
    Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    """Stop when the parent is gone: a killed parent sends no signal."""
    parent = multiprocessing.parent_process()
    assert parent
    parent.join()
    os.kill(os.getpid(), signal.SIGINT)  # temporary files are removed on the way out
    time.sleep(_GRACE)
    os._exit(1)


def _complete(number: int, cell: Cell, folder: Path, measures: Sequence[Measure], results: Path) -> None:
    def report(done: int, total: int) -> None:
        _parts[number] = 0.99 * done / total

    complete(cell, folder, measures, results, report)
    _parts[number] = 1.0
