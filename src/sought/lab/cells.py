"""One cell of an experiment: a policy, a budget, a setting.  What it did is kept, so that no cell is run twice.

    results/cells/KEY/log.parquet      every fetch: unit, time, url, and page and version of the world
    results/cells/KEY/series.parquet   one column a measure, one row a unit
    results/cells/KEY/found.npy        what attention found for each query in each unit, after the fetches
    results/cells/KEY/cell.json        what it is, and how long it took; written last

The key names the world's files, the setting, the policy, the budget and the source code: after any change of one of
them the cell is run anew.
"""

import hashlib
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

import sought
from sought.index.scorers import SCORERS
from sought.lab.demand import demand_of
from sought.lab.files import open_world
from sought.lab.judge import Judge, judge_of
from sought.lab.measures import Measure
from sought.lab.replay import Report, replay
from sought.lab.run import Log, Run
from sought.lab.setting import Setting, frozen
from sought.lab.world import World
from sought.policy import Policy
from sought.web.expression import evaluated

_DONE = "cell.json"
_CODE = ("web", "fetch", "archive", "graph", "index", "demand", "policy", "crawl", "lab")


@dataclass(frozen=True)
class Cell:
    """What is to be run: `world` is a name for people, `mark` says by which files and which source code."""

    world: str
    mark: str
    policy: Policy
    budget: float
    setting: Setting

    @property
    def key(self) -> str:
        told = repr((self.mark, self.policy, float(self.budget), self.setting))
        return hashlib.blake2b(told.encode(), digest_size=12).hexdigest()


@dataclass(frozen=True)
class Done:
    """What came of a cell."""

    cell: Cell
    run: Run
    seconds: float

    def series(self, measures: Sequence[Measure]) -> dict[str, NDArray[np.float64]]:
        return {measure.name: measure(self.run) for measure in measures}


def run_cell(cell: Cell, judge: Judge, report: Report = lambda done, total: None) -> Done:
    """Replay it, in memory."""
    began = time.perf_counter()
    found = replay(judge.world, judge.demand, cell.policy, cell.budget, cell.setting, judge, report)
    seconds = time.perf_counter() - began
    return Done(cell, Run(judge, found.log, found.moments, found.copies), seconds)


def judge_for(world: World, setting: Setting) -> Judge:
    """Who judges replays of a world in a setting.  Where the Web stands still, so does it for the judge."""
    seen = frozen(world, world.start) if setting.start == "frontier" else world
    demand = demand_of(seen.tallies, setting.split, seen.unit, setting.seed, setting.searches, seen.start)
    return judge_of(seen, demand, evaluated(setting.scorer, SCORERS, "scorer"))


# ---- on disk


def world_mark(folder: Path) -> str:
    """What tells the files of a world from others; texts are left out, for replay does not read them."""
    told = hashlib.blake2b(digest_size=12)
    for file in sorted(folder.iterdir()):
        if file.name != "texts.parquet" and file.is_file():
            told.update(file.name.encode() + b"\0" + file.read_bytes())
    return told.hexdigest()


@cache
def code_mark() -> str:
    """What tells this source code from other versions of it."""
    told = hashlib.blake2b(digest_size=12)
    package = Path(sought.__file__).parent
    for room in _CODE:
        for file in sorted((package / room).rglob("*.py")):
            told.update(str(file.relative_to(package)).encode() + b"\0" + file.read_bytes())
    return told.hexdigest()


def missing(cell: Cell, measures: Sequence[Measure], results: Path) -> list[Measure]:
    """The measures that are not on record yet."""
    known = set(read_series(cell, results).columns) if is_done(cell, results) else set()
    return [measure for measure in measures if measure.name not in known]


def is_done(cell: Cell, results: Path) -> bool:
    return (_folder(cell, results) / _DONE).exists()


def complete(cell: Cell, folder: Path, measures: Sequence[Measure], results: Path, report: Report) -> None:
    """Run a cell unless it is on record, and take the measures that are not."""
    judge = _judge(folder, cell.setting)
    if not is_done(cell, results):
        done = run_cell(cell, judge, report)
        _save(done, done.series(measures), results)
    elif lacking := missing(cell, measures, results):
        done = load(cell, judge, results)
        known = read_series(cell, results)
        fresh = known.with_columns(**{name: pl.Series(column) for name, column in done.series(lacking).items()})
        _write(fresh, _folder(cell, results) / "series.parquet")


def load(cell: Cell, judge: Judge, results: Path) -> Done:
    """A cell on record, to be looked at again."""
    folder = _folder(cell, results)
    frame, told = pl.read_parquet(folder / "log.parquet"), read_summary(cell, results)
    unit, moment, page, version = (frame[name].to_numpy() for name in ("unit", "time", "page", "version"))
    log = Log(unit, moment, page, version, frame["url"].to_list())
    copies = np.load(folder / "copies.npy")
    return Done(cell, Run(judge, log, np.array(told["moments"]), copies), told["seconds"])


def read_series(cell: Cell, results: Path) -> pl.DataFrame:
    return pl.read_parquet(_folder(cell, results) / "series.parquet")


def read_log(cell: Cell, results: Path) -> pl.DataFrame:
    return pl.read_parquet(_folder(cell, results) / "log.parquet")


def read_found(cell: Cell, results: Path) -> NDArray[np.float32]:
    found: NDArray[np.float32] = np.load(_folder(cell, results) / "found.npy")
    return found


def read_summary(cell: Cell, results: Path) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.json.decode((_folder(cell, results) / _DONE).read_bytes())
    return told


def _folder(cell: Cell, results: Path) -> Path:
    return results / "cells" / cell.key


@lru_cache(maxsize=1)
def _judge(folder: Path, setting: Setting) -> Judge:
    return judge_for(open_world(folder), setting)


def _save(done: Done, series: dict[str, NDArray[np.float64]], results: Path) -> None:
    folder, run, cell = _folder(done.cell, results), done.run, done.cell
    fresh = folder.with_name(folder.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    log = run.log
    columns = {"unit": log.unit, "time": log.time, "url": log.url, "page": log.page, "version": log.version}
    _write(pl.DataFrame(columns, schema_overrides={"url": pl.String}), fresh / "log.parquet")
    _write(pl.DataFrame({"unit": np.arange(len(run.moments)), "time": run.moments, **series}), fresh / "series.parquet")
    np.save(fresh / "found.npy", run.answers.after)
    np.save(fresh / "copies.npy", run.copies)
    told = {
        "world": cell.world,
        "policy": repr(cell.policy),
        "budget": cell.budget,
        "setting": repr(cell.setting),
        "fetches": len(log),
        "seconds": done.seconds,
        "moments": run.moments.tolist(),
    }
    (fresh / _DONE).write_bytes(msgspec.json.encode(told))
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)


def _write(frame: pl.DataFrame, path: Path) -> None:
    fresh = path.with_suffix(".new")
    frame.write_parquet(fresh, compression="zstd")
    fresh.replace(path)
