"""How many searches a second does `sought serve` answer, and how soon, alone and beside a crawl at full speed?

Server, crawl, crawled site and load generator have two cores together.  For comparison: SQLite (serve_peer.py), with
the same pages, queries and load, and no crawl.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from benchmarks import serve_crawl, serve_peer
from benchmarks.serve_load import CONNECTIONS
from benchmarks.site import addresses
from sought.operate.pulse import read_pulse
from sought.record.workload import FOLDER
from sought.web.errors import BadInput, SoughtError

MEASURED = (("sought", False), ("sought", True), ("sqlite", False))  # servers, and whether beside a crawl
QUERIES = ("asked again", "1,000 a second", "all different")  # those of the second are asked again, too
_OFFERED = 1_000.0
_CORES = 2
_ASKED_AGAIN = 20_000  # different queries; the n-th is asked as often as 1/(n + 10)
_FASTEST = 3_000  # searches a second that may be answered before a query comes again that should not
_CRAWLED = 1_000  # pages a second that the site has for the crawl
_LONGER = 1.2  # than searches that count lasts the crawl beside them
_WARMING = 3.0  # seconds of searches before those that count
_PATIENCE = 120.0
_SEED = 7

Report = Callable[[int], None]
Row = dict[str, Any]


def run(pages: int, seconds: float, report: Report) -> dict[str, Any]:
    """A row for each server, without and beside a crawl, with queries that are asked again and with different ones."""
    with _two_cores() as cores, tempfile.TemporaryDirectory(prefix="sought-bench-") as folder:
        bench = _Bench(Path(folder), pages, seconds)
        with bench.prepared(report):
            rows = [row for server, crawl in MEASURED for row in bench.rows(server, crawl)]
    shared = {"cores": cores, "shared_by": "server, crawl, site and load generator", "connections": CONNECTIONS}
    return {"pages": pages, "seconds": seconds, **shared, "rows": rows, "sought_over_sqlite": _ratios(rows)}


class _Bench:
    def __init__(self, folder: Path, pages: int, seconds: float) -> None:
        self.seconds, self.warming = seconds, min(_WARMING, seconds)
        self.pages = serve_crawl.Pages(pages)
        self.crawl, self.database = folder / "crawl", folder / "peer.db"
        self.again, self.different = folder / "again.txt", folder / "different.txt"
        self.crawled = int((_LONGER * (len(QUERIES) * seconds + self.warming) + 1.0) * _CRAWLED)
        self.share = int((seconds + self.warming) * _FASTEST)  # of different queries, without and beside a crawl

    @contextmanager
    def prepared(self, report: Report) -> Iterator[None]:
        self._write_queries()
        site = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.site", str(self.crawled)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            serve_peer.make(self.database, self.pages.texts())
            assert site.stdout is not None
            port = site.stdout.readline().strip()
            serve_crawl.make(self.crawl, self.pages, [f"http://{each}:{port}/" for each in addresses()], report)
            yield
        finally:
            site.communicate("")

    def _write_queries(self) -> None:
        queries = self.pages.queries(_ASKED_AGAIN + 2 * self.share)
        often = queries[: min(_ASKED_AGAIN, len(queries) // 2)]
        if len(queries) - len(often) < 2 * self.share:
            raise BadInput(f"{self.pages.count} pages have too few queries for so long: take more pages, or less time")
        weights = 1.0 / np.arange(10.0, 10.0 + len(often))
        drawn = np.random.default_rng(_SEED).choice(len(often), 2 * self.share, p=weights / weights.sum())
        self.again.write_text("\n".join(often[number] for number in drawn.tolist()))
        self.different.write_text("\n".join(queries[len(often) :]))

    def rows(self, server: str, crawl: bool) -> Iterator[Row]:
        """The figures of one server process.  Searches are recorded, but no crawl has queries to measure by."""
        shutil.rmtree(self.crawl / FOLDER, ignore_errors=True)
        first = self.share if crawl else 0
        with _served(*self._command(server, crawl)) as served:
            if crawl:
                _wait_for_crawl(self.crawl)
            _load(served, self.warming, first, self.different)
            first, later = first + int(self.warming * _FASTEST), int(self.seconds * _FASTEST)
            loads = ((first, self.again, 0.0), (first + later, self.again, _OFFERED), (first, self.different, 0.0))
            for queries, load in zip(QUERIES, loads, strict=True):
                before = _fetched(self.crawl)
                found = _load(served, self.seconds, *load)
                beside = self._rate(before) if crawl else {}
                yield {"server": server, "crawl": crawl, "queries": queries, **found, **beside}

    def _command(self, server: str, crawl: bool) -> list[str]:
        if server == "sqlite":
            return ["benchmarks.serve_peer", str(self.database)]
        return ["sought", "serve", str(self.crawl), "--port", "0", "--json", *(["--crawl"] if crawl else [])]

    def _rate(self, before: tuple[float, int]) -> Row:
        """How fast the crawl was, and whether it has come to the end of its site."""
        (began, some), (ended, more) = before, _fetched(self.crawl)
        return {"fetches_per_s": (more - some) / max(ended - began, 1e-9), "ran_dry": more >= self.crawled}


@contextmanager
def _two_cores() -> Iterator[int]:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:_CORES])
    try:
        yield min(_CORES, len(before))
    finally:
        os.sched_setaffinity(0, before)


class _Served(NamedTuple):
    """Where a server is, and its process."""

    port: int
    process: int

    @property
    def cpu_seconds(self) -> float:
        """Of the server, all threads, and of its search processes; not of its crawl."""
        children = Path(f"/proc/{self.process}/task/{self.process}/children").read_text().split()
        return sum(_cpu_seconds(each) for each in (str(self.process), *filter(_searches, children)))


def _searches(process: str) -> bool:
    return b"sought.console.search_process" in Path(f"/proc/{process}/cmdline").read_bytes()


def _cpu_seconds(process: str) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _served(*command: str) -> Iterator[_Served]:
    """A server that prints where it is, and is told to end when the block does; its crawl may say so, but not here."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen([sys.executable, "-m", *command], stdout=subprocess.PIPE, stderr=errors, text=True)
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            if not said:
                raise SoughtError(f"the server did not start: {_last_line(errors)}")
            yield _Served(int(json.loads(said)["address"].rsplit(":", 1)[1].strip("/")), process.pid)
        finally:
            process.terminate()
            process.communicate(timeout=_PATIENCE)


def _last_line(errors: IO[str]) -> str:
    errors.seek(0)
    return (errors.read().strip().splitlines() or ["?"])[-1]


def _load(served: _Served, seconds: float, first: int, file: Path, rate: float = 0.0) -> Row:
    given = (served.port, seconds, first, file, rate)
    command = [sys.executable, "-m", "benchmarks.serve_load", *map(str, given)]
    before = served.cpu_seconds
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + _PATIENCE, check=False)
    if done.returncode:
        raise SoughtError(f"the load generator failed: {done.stderr.strip().splitlines()[-1] if done.stderr else '?'}")
    found: Row = json.loads(done.stdout.splitlines()[-1])
    spent = served.cpu_seconds - before
    return found | {"server_cpu_ms": 1000 * spent / max(found.pop("answered"), 1)}


def _fetched(crawl: Path) -> tuple[float, int]:
    """When the crawl said how much it has fetched, and what it said."""
    pulse = read_pulse(crawl)
    return (pulse["time"], pulse["progress"]["fetched"]) if pulse and not pulse["ended"] else (time.time(), 0)


def _wait_for_crawl(crawl: Path) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not _fetched(crawl)[1]:
        if time.monotonic() > deadline:
            raise SoughtError("the crawl does not begin")
        time.sleep(0.1)


def _ratios(rows: list[Row]) -> dict[str, float]:
    """Of searches a second, where as many are asked as are answered, without a crawl."""
    speeds = {(row["server"], row["queries"]): row["searches_per_s"] for row in rows if not row["crawl"]}
    fastest = (QUERIES[0], QUERIES[2])
    return {queries: speeds["sought", queries] / max(speeds["sqlite", queries], 1e-9) for queries in fastest}
