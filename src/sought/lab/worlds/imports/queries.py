"""Demand of a world, from the files that a query log can import.

A line that says how often a query is asked in a week stays as it is.  Searches with their times become one line for
each query: it is asked since the week of its first search, as often in a week as from then to the end of the log.
"""

import tempfile
from collections.abc import Callable
from math import inf
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sought.demand import DAY, WEEK, Imported, QueryLog, import_file
from sought.lab.worlds.world import WorldDemand
from sought.web.errors import BadInput


def import_queries(file: Path, start: float, tell: Callable[[str], None] = lambda _: None) -> WorldDemand:
    """UBI, TSV, CSV, Parquet or Search Console; lines without a date are asked from `start` on.

    Lines that cannot be used are left out and reported to `tell`; raises BadInput if none can be used.
    """
    with tempfile.TemporaryDirectory(prefix="sought-queries-") as folder:
        log = QueryLog(Path(folder) / "searches", keep=inf)
        done = import_file(log, file)
        bad = _complaints(file, done)
        if not done.searches and not done.tallies:
            raise BadInput(bad[0] if bad else f"{file}: no queries")
        for complaint in bad:
            tell(complaint)
        searches = _searches(log, start)
        counts = _counts(file, Path(folder) / "counts", start) if done.tallies else WorldDemand()
    return _both(searches, counts)


def logged_queries(folder: Path, start: float, end: float) -> WorldDemand:
    """Demand in a crawl's own query log; counts imported after the world's end apply from its start."""
    log = QueryLog(folder, keep=inf)
    searches, counts = _searches(log, start), _tallies(log)
    since = np.where(counts.since <= end, counts.since, start)
    return _both(searches, WorldDemand(counts.query, counts.count, since))


def _both(first: WorldDemand, second: WorldDemand) -> WorldDemand:
    counts, since = np.concatenate([first.count, second.count]), np.concatenate([first.since, second.since])
    return WorldDemand(first.query + second.query, counts, since)


def _complaints(file: Path, done: Imported) -> list[str]:
    listed = [f"{name}:{line}: {what}" for name, line, what in done.first_bad]
    more = done.bad - len(listed)
    return [*listed, f"{file.name}: and {more:,} more lines that cannot be used"] if more else listed


def _searches(log: QueryLog, start: float) -> WorldDemand:
    rows = log.searches("query", "time")
    if rows.is_empty():
        return WorldDemand()
    asked = rows.group_by("query").agg(pl.len().alias("count"), pl.col("time").min()).sort("time", "query")
    first: NDArray[np.float64] = asked["time"].to_numpy()
    weeks = np.maximum((rows["time"].to_numpy().max() - first) / WEEK, 1.0)  # asked once today is not asked hourly
    since = start + np.floor((first - start) / WEEK) * WEEK
    return WorldDemand(asked["query"].to_list(), asked["count"].to_numpy() / weeks, since)


def _counts(file: Path, folder: Path, start: float) -> WorldDemand:
    """Read again as if today were the first day of the world: that is then the day of lines without one."""
    log = QueryLog(folder, keep=inf)
    import_file(log, file, now=start)
    return _tallies(log)


def _tallies(log: QueryLog) -> WorldDemand:
    rows = log.tallies().unique(["query", "day"], maintain_order=True)
    days: NDArray[np.float64] = rows["day"].cast(pl.Int32).cast(pl.Float64).to_numpy()
    return WorldDemand(rows["query"].to_list(), rows["count"].to_numpy(), days * DAY)
