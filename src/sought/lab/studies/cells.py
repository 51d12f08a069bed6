"""One cell of an experiment: a policy, a budget, a setting.  Its results are kept, so that no cell runs twice.

    results/cells/KEY/log.parquet      every fetch: unit, time, url, page and version of the world; what the policy
                                       expected and the crawl measured (`Measured`)
    results/cells/KEY/series.parquet   one column a measure, one row a unit
    results/cells/KEY/found.npy        the attained score of each query in each unit, after the fetches
    results/cells/KEY/copies.npy       the version of every page that the repository began with
    results/cells/KEY/dropped.npy      pages that had to leave a repository of limited size
    results/cells/KEY/cell.json        what it is, and how long it took
    results/cells/KEY/lock             held by the process that adds measures to the series

The key names the world's files, the setting, the policy, the budget and the source code that the cell uses: after any
change of one of them the cell is run anew.  Several processes may work in one folder of results: a cell appears whole,
and the first one stays.
"""

import fcntl
import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

from sought.index.scorers import SCORERS
from sought.lab.judge.judge import Judge, judge_of
from sought.lab.measures import Measure
from sought.lab.replay.replay import Report, replay
from sought.lab.replay.run import Dropped, FetchLog, Measured, Run
from sought.lab.replay.setting import Setting, seen_in
from sought.lab.studies.closure import ROOT
from sought.lab.studies.marks import UNKNOWN, code_for, own_mark, world_mark
from sought.lab.worlds.demand import demand_of
from sought.lab.worlds.files import open_world
from sought.lab.worlds.world import World
from sought.web.errors import BadInput
from sought.web.expression import evaluated, expression_of
from sought.web.policy import Policy

_DONE, _SERIES, _MEASURES = "cell.json", "series.parquet", "measures"
_REPLAYED_BY = ("sought.lab.replay.replay", __name__)
_ABANDONED = 3600.0  # seconds after which an unfinished cell is deleted
_TOKEN, _numbers = secrets.token_hex(4), count()  # of this process

Columns = dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Cell:
    """What is to be run: `world` is a name for people.

    `mark` says by which files of the world and which source code of this package (cell_code), `own` by which of others
    (own_mark).
    """

    world: str
    mark: str
    policy: Policy
    budget: float
    setting: Setting
    own: str = ""

    @property
    def key(self) -> str:
        policy = expression_of(self.policy)  # of our policies the repr; that of a function has an address in it
        summary = f"({self.mark!r}, {self.own!r}, {policy}, {float(self.budget)!r}, {self.setting!r})"
        return hashlib.blake2b(summary.encode(), digest_size=12).hexdigest()


@dataclass(frozen=True)
class Done:
    """The results of a cell."""

    cell: Cell
    run: Run
    seconds: float

    def series(self, measures: Sequence[Measure]) -> Columns:
        return {measure.name: measure(self.run) for measure in measures}


def run_cell(cell: Cell, judge: Judge, report: Report = lambda done, total: None) -> Done:
    """Replay it, in memory."""
    began = time.perf_counter()
    replayed = replay(judge.world, judge.demand, cell.policy, cell.budget, cell.setting, judge, report)
    seconds = time.perf_counter() - began
    return Done(cell, Run(judge, replayed.log, replayed.moments, replayed.copies, replayed.dropped), seconds)


def judge_for(world: World, setting: Setting) -> Judge:
    """The judge of replays of a world in a setting; the setting holds for judge and crawler."""
    seen = seen_in(world, setting)
    demand = demand_of(seen.tallies, setting.split, seen.unit, setting.seed, setting.searches, seen.start)
    return judge_of(seen, demand, evaluated(setting.scorer, SCORERS, "scorer"), setting.tie)


def cell_code(policy: Policy, root: Path = ROOT) -> str:
    """A hash of the source code that a replay of a policy uses; `root` is this package."""
    return code_for(policy, *_REPLAYED_BY, root=root)


def check_code(cell: Cell) -> None:
    """Refuse a cell that a process with other source code has made."""
    is_same = cell.own.startswith(UNKNOWN) or own_mark(cell.policy) == cell.own
    if not is_same or cell.mark.split()[1:] != [cell_code(cell.policy)]:
        raise BadInput("the source code changed while the experiment ran; start it again")


# ---- on disk


def missing(cell: Cell, measures: Sequence[Measure], results: Path) -> list[Measure]:
    """The measures that are not on record yet."""
    known = _marks(_folder(cell, results)) if is_done(cell, results) else {}
    return [measure for measure in measures if known.get(measure.name) != _mark(measure)]


def is_done(cell: Cell, results: Path) -> bool:
    return (_folder(cell, results) / _DONE).exists()


def complete(cell: Cell, folder: Path, measures: Sequence[Measure], results: Path, report: Report) -> None:
    """Run a cell unless it is on record, and take the measures that are not."""
    check_code(cell)
    judge = _judge(folder, cell.setting, cell.mark.split()[0])
    if not is_done(cell, results):
        done = run_cell(cell, judge, report)
        if not _save(done, measures, results):
            _add(done, missing(cell, measures, results), results)
    elif lacking := missing(cell, measures, results):
        _add(load(cell, judge, results), lacking, results)


def load(cell: Cell, judge: Judge, results: Path) -> Done:
    """Load a stored cell."""
    frame, summary = read_log(cell, results), read_summary(cell, results)
    unit, moment, page, version = (frame[name].to_numpy() for name in ("unit", "time", "page", "version"))
    log = FetchLog(unit, moment, page, version, frame["url"].to_list(), _measured(frame))
    with _whole(cell, results) as folder:
        copies, dropped = np.load(folder / "copies.npy"), Dropped(*np.load(folder / "dropped.npy"))
    return Done(cell, Run(judge, log, np.array(summary["moments"]), copies, dropped), summary["seconds"])


def read_series(cell: Cell, results: Path) -> pl.DataFrame:
    with _whole(cell, results) as folder:
        return pl.read_parquet(folder / _SERIES)


def read_log(cell: Cell, results: Path) -> pl.DataFrame:
    with _whole(cell, results) as folder:
        return pl.read_parquet(folder / "log.parquet")


def read_measured(cell: Cell, results: Path) -> Measured:
    """What was expected and measured at every fetch."""
    return _measured(read_log(cell, results))


def _measured(log: pl.DataFrame) -> Measured:
    return Measured(*(log[name].to_numpy() for name in Measured._fields))


def read_attained(cell: Cell, results: Path) -> NDArray[np.float32]:
    with _whole(cell, results) as folder:
        attained: NDArray[np.float32] = np.load(folder / "found.npy")
        return attained


def read_summary(cell: Cell, results: Path) -> dict[str, Any]:
    with _whole(cell, results) as folder:
        summary: dict[str, Any] = msgspec.json.decode((folder / _DONE).read_bytes())
        return summary


@contextmanager
def _whole(cell: Cell, results: Path) -> Iterator[Path]:
    """Read the folder of a cell; if something in it is unreadable, the error says what to do."""
    folder = _folder(cell, results)
    try:
        yield folder
    except (pl.exceptions.PolarsError, msgspec.MsgspecError, ValueError, EOFError, OSError) as error:
        raise BadInput(
            f"{folder} is damaged ({' '.join(str(error).split())[:100]}): delete it, it is run again"
        ) from None


def _folder(cell: Cell, results: Path) -> Path:
    return results / "cells" / cell.key


@lru_cache(maxsize=1)
def _judge(folder: Path, setting: Setting, mark: str) -> Judge:
    """Of the world with this mark: another may be in its folder soon."""
    judge = judge_for(open_world(folder), setting)
    if world_mark(folder) != mark:
        raise BadInput(f"{folder} changed while the experiment ran; start it again")
    return judge


def _mark(measure: Measure) -> str:
    """A hash of a measure and its source code."""
    own = own_mark(measure)
    return f"{code_for(measure)} {own} {measure!r}" if own else code_for(measure)


def _marks(folder: Path) -> dict[str, str]:
    """Of the measures in a cell's series, by name."""
    summary = pl.read_parquet_metadata(folder / _SERIES)
    return msgspec.json.decode(summary[_MEASURES], type=dict[str, str])


def _save(done: Done, measures: Sequence[Measure], results: Path) -> bool:
    """Store it as a whole; False if another process was first, whose result stays."""
    folder = _folder(done.cell, results)
    series = {"unit": np.arange(len(done.run.moments)), "time": done.run.moments, **done.series(measures)}
    _tidy(folder)
    fresh = folder.with_name(f"{folder.name}.{os.getpid()}-{_TOKEN}-{next(_numbers)}.new")
    fresh.mkdir(parents=True)
    try:
        _write_run(done, fresh)
        _write(pl.DataFrame(series), fresh / _SERIES, {measure.name: _mark(measure) for measure in measures})
        return _publish(fresh, folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _write_run(done: Done, folder: Path) -> None:
    run, cell, log = done.run, done.cell, done.run.log
    columns = {"unit": log.unit, "time": log.time, "url": log.url, "page": log.page, "version": log.version}
    assert log.measured  # by the crawl that was replayed
    frame = pl.DataFrame({**columns, **log.measured._asdict()}, schema_overrides={"url": pl.String})
    _write(frame, folder / "log.parquet")
    np.save(folder / "found.npy", run.answers.after)
    np.save(folder / "copies.npy", run.copies)
    np.save(folder / "dropped.npy", np.array([run.dropped.unit, run.dropped.before, run.dropped.page]))
    summary = {
        "world": cell.world,
        "policy": expression_of(cell.policy),
        "budget": cell.budget,
        "setting": repr(cell.setting),
        "fetches": len(log),
        "seconds": done.seconds,
        "moments": run.moments.tolist(),
    }
    (folder / _DONE).write_bytes(msgspec.json.encode(summary))


def _publish(fresh: Path, folder: Path) -> bool:
    if folder.exists() and not (folder / _DONE).exists():  # files were deleted
        shutil.rmtree(folder, ignore_errors=True)
    try:
        fresh.rename(folder)
    except OSError:
        if not (folder / _DONE).exists():
            raise
        return False
    return True


def _tidy(folder: Path) -> None:
    """Delete what killed processes left of a cell."""
    for left in folder.parent.glob(f"{folder.name}.*.new"):
        if left.stat().st_mtime < time.time() - _ABANDONED:
            shutil.rmtree(left, ignore_errors=True)


def _add(done: Done, measures: Sequence[Measure], results: Path) -> None:
    """Add measures to those stored by then."""
    if not measures:
        return
    folder, fresh = _folder(done.cell, results), done.series(measures)
    with _locked(folder):
        series = read_series(done.cell, results).with_columns(**{name: pl.Series(fresh[name]) for name in fresh})
        marks = _marks(folder) | {measure.name: _mark(measure) for measure in measures}
        _write(series, folder / _SERIES, marks)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Wait for other processes that add to the cell."""
    with (folder / "lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # until it is closed
        yield


def _write(frame: pl.DataFrame, path: Path, marks: Mapping[str, str] | None = None) -> None:
    """Write it completely or not at all; a series with the marks of its measures."""
    fresh = path.with_suffix(".new")
    metadata = None if marks is None else {_MEASURES: msgspec.json.encode(marks).decode()}
    frame.write_parquet(fresh, compression="zstd", metadata=metadata)
    fresh.replace(path)
