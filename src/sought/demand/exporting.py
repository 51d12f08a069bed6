"""How is the log exported?"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from sought.demand import parquet, table, ubi
from sought.demand.formats import Format
from sought.demand.log import QueryLog
from sought.web.errors import BadInput

_ROWS = 50_000


def export_file(log: QueryLog, path: Path, form: Format) -> dict[str, int]:
    """Write the rows that the format supports; returns how many of each kind, and how many were left out.

    Parquet supports everything; UBI no tallies; TSV and CSV only tallies.  Raises BadInput rather than write an empty
    file of a log that has rows.
    """
    if form not in _CARRIED:
        raise BadInput(f"{form} can be read, not written: choose {', '.join(_CARRIED)}")
    searches, events, tallies = log.searches(), log.events(), log.tallies()
    counts = {"searches": len(searches), "events": len(events), "tallies": len(tallies)}
    carried = _CARRIED[form]
    left_out = sum(count for name, count in counts.items() if name not in carried)
    if left_out and not any(counts[name] for name in carried):
        raise BadInput(
            f"{form} cannot hold what is in the log ({_counts_text(counts)}): choose {_alternatives(counts)} or parquet"
        )
    try:
        _write(path, form, searches, events, tallies)
    except OSError as error:
        raise BadInput(f"cannot write {path}: {error.strerror or error}; choose another path") from None
    return {**{name: count if name in carried else 0 for name, count in counts.items()}, "left_out": left_out}


def _write(path: Path, form: Format, searches: pl.DataFrame, events: pl.DataFrame, tallies: pl.DataFrame) -> None:
    if form is Format.UBI:
        path.mkdir(parents=True, exist_ok=True)
        _write_lines(path / ubi.QUERIES, searches, ubi.query_line)
        _write_lines(path / ubi.EVENTS, events, ubi.event_line)
    elif form is Format.PARQUET:
        with _replacing(path) as new:
            parquet.whole_log(searches, events, tallies).write_parquet(new)
    else:
        with _replacing(path) as new, new.open("w", encoding="utf-8", newline="") as file:
            table.write(file, "\t" if form is Format.TSV else ",", tallies.iter_rows())


_CARRIED = {
    Format.UBI: ("searches", "events"),
    Format.TSV: ("tallies",),
    Format.CSV: ("tallies",),
    Format.PARQUET: ("searches", "events", "tallies"),
}


def _counts_text(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)


def _alternatives(counts: dict[str, int]) -> str:
    return "tsv, csv" if counts["tallies"] else "ubi"


def _write_lines(path: Path, rows: pl.DataFrame, line: Callable[..., bytes]) -> None:
    with _replacing(path) as new, new.open("wb") as file:
        for chunk in rows.iter_slices(_ROWS):
            file.write(b"".join(line(*row) for row in chunk.iter_rows()))


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A temporary path; the file is renamed when it is complete."""
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield new
        new.rename(path)
    finally:
        new.unlink(missing_ok=True)
