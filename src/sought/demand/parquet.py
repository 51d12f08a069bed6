"""How is Parquet read and written?  A table like the plain ones, or a whole log, whose rows have a column `kind`.

Run as a program, this reads a file without output: polars aborts the process on some damaged files, so a subprocess
tries first.
"""

import resource
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from sought.demand import table, values
from sought.demand.query_format import QueryFormat
from sought.demand.rows import Action, Event, Row, Search
from sought.demand.text import ParsedRow, file_errors, parse_row
from sought.web.errors import BadInput

_ROWS = 50_000
_WHOLE_LOG = ("kind", "id", "query", "time", "shown", "action", "rank", "count", "from", "url", "clicks")


def read(path: Path, day: date) -> Iterator[ParsedRow]:
    check_in_subprocess(path)
    start = 0
    for chunk in _chunks(path):
        for number, row in enumerate(chunk.iter_rows(named=True), start + 1):
            yield ParsedRow(path.name, number, parse_row(lambda fields: _row(fields, day), row))
        start += chunk.height


def _chunks(path: Path) -> Iterator[pl.DataFrame]:
    with file_errors(path):
        source = pl.scan_parquet(path, glob=False)
        rows = source.select(_columns(source.collect_schema().names(), path))
        start = 0
        while (chunk := rows.slice(start, _ROWS).collect()).height:
            yield chunk
            start += chunk.height


def check_in_subprocess(path: Path) -> None:
    """Raise BadInput for a file on which a process dies; exceptions are reported when this process reads it."""
    command = [sys.executable, "-m", "sought.demand.parquet", str(path)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)  # noqa: S603  this module
    if done.returncode < 0:
        raise BadInput(f"cannot read {path}: it is damaged, or not a Parquet file")


def _columns(names: list[str], path: Path) -> list[str]:
    needed = ("kind", "id", "time", "query") if "kind" in names else ("query", "count")
    if missing := [name for name in needed if name not in names]:
        raise BadInput(f"{path} has no column {missing[0]!r}")
    return [name for name in (_WHOLE_LOG if "kind" in names else table.COLUMNS) if name in names]


def _row(fields: dict[str, Any], day: date) -> Row:
    kind = fields.get("kind", "tally")
    if kind == "search":
        shown = fields.get("shown") or []
        hits = tuple(values.text(hit, "result") for hit in shown) if isinstance(shown, list) else ()
        query, time = values.text(fields["query"], "query"), values.number(fields["time"], "time")
        return Search(query, time, hits, _id(fields["id"]))
    if kind == "event":
        return _event(fields)
    if kind == "tally":
        return table.tally(fields, day)
    raise BadInput(f"kind is neither search, event nor tally: {str(kind)[:40]!r}")


def _event(fields: dict[str, Any]) -> Event:
    try:
        action = Action(str(fields.get("action")))
    except ValueError:
        raise BadInput("action is neither view nor click") from None
    time, rank = values.number(fields["time"], "time"), values.whole(fields.get("rank") or 0, "rank")
    return Event(_id(fields["id"]), action, time, values.text(fields.get("url") or "", "url"), rank)


def _id(value: Any) -> int:
    if not isinstance(value, int) or not 0 < value < 1 << 64:
        raise BadInput("id is no positive number of 64 bits")
    return value


def whole_log(searches: pl.DataFrame, events: pl.DataFrame, tallies: pl.DataFrame) -> pl.DataFrame:
    """Everything in one table."""
    parts = {
        "search": searches,
        "event": events,
        "tally": tallies.rename({"day": "from"}),
    }
    named = [part.select(pl.lit(kind).alias("kind"), pl.all()) for kind, part in parts.items()]
    return pl.concat(named, how="diagonal").select(_WHOLE_LOG)


PARQUET = QueryFormat("parquet", "A table, or a whole log as export writes it.", read)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for _ in _chunks(Path(sys.argv[1])):
        pass
