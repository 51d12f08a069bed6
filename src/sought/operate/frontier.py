"""The table of all known URLs as a frame or a file, and URLs loaded from a file."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

from sought.operate.typed_report import TypedReport
from sought.operate.view import View
from sought.record.recovery import open_directory
from sought.record.seeds import LOADED
from sought.record.table import Reason, Source, State
from sought.web.errors import BadInput, BadURL
from sought.web.url import canonical

_SCHEMA = pl.Schema(
    {
        "url": pl.String(),
        "host": pl.String(),
        "state": pl.String(),
        "reason": pl.String(),
        "source": pl.String(),
        "depth": pl.UInt16(),
        "inlinks": pl.UInt32(),
        "fetches": pl.UInt16(),
        "changes": pl.UInt16(),
        "status": pl.UInt16(),
        "size": pl.UInt32(),
        "found": pl.Float64(),
        "last_fetch": pl.Float64(),
        "last_change": pl.Float64(),
        "not_before": pl.Float64(),
        "signal": pl.Float64(),
        "via": pl.String(),
        "alias": pl.String(),
    }
)
_BLOCKS = 64
_MAX_LINES = 50_000_000
_SHOWN_BAD = 5


def known_urls(view: View) -> pl.DataFrame:
    """Every known URL with its columns.  Times are in seconds, null: never."""
    return pl.concat(_frames(view))


def dump(view: View, file: Path) -> int:
    """Write every known URL with its columns as Parquet; returns how many."""

    def source(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        for frame in _frames(view):
            yield frame.select(with_columns) if with_columns else frame

    if file.suffix != ".parquet":
        raise BadInput(f"{file}: a dump is a Parquet file; give it a name that ends in .parquet")
    fresh = file.with_name(file.name + ".part")
    try:
        register_io_source(source, schema=_SCHEMA).sink_parquet(fresh)
        fresh.replace(file)
    except OSError as error:
        raise BadInput(f"cannot write {file}: {error.strerror or error}") from None
    return len(view.table)


def _frames(view: View) -> Iterator[pl.DataFrame]:
    first, urls = 0, list[str]()
    for number, (_, some) in enumerate(view.store.urls(), 1):
        urls += some
        if number % _BLOCKS == 0:
            yield _frame(view, first, urls)
            first, urls = first + len(urls), []
    yield _frame(view, first, urls)


def _frame(view: View, first: int, urls: list[str]) -> pl.DataFrame:
    rows = slice(first, first + len(urls))
    part = {name: view.table[name][rows] for name in view.table.columns}
    columns: dict[str, object] = {name: part[name] for name in _SCHEMA if name in part}
    columns |= {
        "url": urls,
        "host": [view.hosts[int(h)].origin for h in part["host"]],
        "state": [State(s).name.lower() for s in part["state"]],
        "reason": [Reason(r).name.lower() for r in part["reason"]],
        "source": [Source(s).name.lower() for s in part["source"]],
        "via": [view.store.url(int(v)) if v < len(view.table) else None for v in part["via"]],
        "alias": [view.store.url(int(v)) if v < len(view.table) else None for v in part["alias"]],
    }
    for name in ("last_fetch", "last_change", "not_before", "signal"):
        times = part[name]
        columns[name] = pl.Series(np.where(np.isfinite(times), times, np.nan)).fill_nan(None)
    return pl.DataFrame(columns, schema=_SCHEMA)


@dataclass(frozen=True)
class LoadedUrls(TypedReport):
    """How many URLs of a file were added, known before, refused by scope or traps, or no URLs."""

    added: int
    known: int
    refused: int
    bad: int
    first_bad: tuple[str, ...]


def load(path: Path, file: Path) -> LoadedUrls:
    """Add the URLs of a file to a crawl that is not running."""
    urls, bad = read_urls(file)
    directory = open_directory(path)
    try:
        before = len(directory.repository.table)
        rows = directory.writer.add_urls(urls, LOADED, Source.LOAD).rows if urls else []
        added = len(directory.repository.table) - before
    finally:
        directory.close()
    refused = sum(row < 0 for row in rows)
    return LoadedUrls(added, len(rows) - refused - added, refused, len(bad), tuple(bad[:_SHOWN_BAD]))


def read_urls(file: Path) -> tuple[list[str], list[str]]:
    """The canonical URLs of a file, and a message for each line that is no URL.

    Parquet with a column `url`; CSV or TSV with one; else one URL a line (`#` starts a comment).
    """
    good: dict[str, None] = {}
    bad: list[str] = []
    for number, text in _lines(file):
        if number > _MAX_LINES:
            raise BadInput(f"{file} has more than {_MAX_LINES:,} lines; load it in parts")
        try:
            good[canonical(text)] = None
        except BadURL as error:
            bad.append(f"{file.name}:{number}: {error}")
    return list(good), bad


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    try:
        if file.suffix == ".parquet":
            column = pl.read_parquet(file, columns=["url"])["url"].cast(pl.String)
            yield from ((number, url) for number, url in enumerate(column, 1) if url is not None)
        elif file.suffix in (".csv", ".tsv"):
            with file.open(encoding="utf-8-sig", newline="") as lines:
                table = csv.DictReader(lines, delimiter="\t" if file.suffix == ".tsv" else ",")
                if "url" not in (table.fieldnames or ()):
                    raise BadInput(f"{file} has no column 'url'")
                yield from ((table.line_num, row["url"] or "") for row in table)
        else:
            with file.open(encoding="utf-8-sig") as lines:
                for number, line in enumerate(lines, 1):
                    if (text := line.strip()) and not text.startswith("#"):
                        yield number, text
    except (OSError, UnicodeDecodeError, csv.Error, pl.exceptions.PolarsError) as error:
        raise BadInput(f"cannot read {file}: {str(error).splitlines()[0]}") from None
