"""How are plain tables (TSV, CSV) read and written?  Columns query, count[, from][, url, clicks]."""

import csv
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import IO, Any

from sought.demand import values
from sought.demand.formats import Format, delimiter
from sought.demand.query_format import QueryFormat
from sought.demand.rows import Tally
from sought.demand.text import ParsedRow, decoded_lines, open_bytes, parse_row, records
from sought.web.errors import BadInput

COLUMNS = ("query", "count", "from", "url", "clicks")
_WITHOUT_HEADER = {
    2: ("query", "count"),
    3: ("query", "count", "from"),
    4: ("query", "count", "url", "clicks"),
    5: COLUMNS,
}


def read(path: Path, delimiter: str, day: date) -> Iterator[ParsedRow]:
    """`day` is the first day of tallies without one."""
    with open_bytes(path) as file:
        rows = records(decoded_lines(file, path), delimiter)
        number, first = next(rows, (0, BadInput("it is empty")))
        if isinstance(first, BadInput):
            raise BadInput(f"cannot read {path}: {first}")
        names = _names(first, path)
        if names is None:
            names = _WITHOUT_HEADER[len(first)]
            yield ParsedRow(path.name, number, parse_row(lambda row: _tally(row, names, day), first))
        for number, fields in rows:
            row = fields if isinstance(fields, BadInput) else parse_row(lambda row: _tally(row, names, day), fields)
            yield ParsedRow(path.name, number, row)


def tally(fields: dict[str, Any], day: date) -> Tally:
    """The tally of one row, whatever the types of its values."""
    clicks = fields.get("clicks")
    url, begin = fields.get("url"), fields.get("from")
    return Tally(
        values.text(fields.get("query"), "query"),
        values.number(fields.get("count"), "count"),
        values.day(begin, day),
        "" if url is None else values.text(url, "url"),
        0.0 if clicks in (None, "") else values.number(clicks, "clicks"),
        undated=begin in (None, ""),
    )


def write(file: IO[str], delimiter: str, rows: Iterator[tuple[str, date, float, str, float]]) -> None:
    """Write rows (query, day, count, url, clicks); the last two columns only for rows with a URL."""
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n", **_DIALECT[delimiter])
    writer.writerow(COLUMNS)
    for query, day, count, url, clicks in rows:
        writer.writerow([query, _shortest(count), day.isoformat(), url, _shortest(clicks) if url else ""])


# Fields have no tabs or line breaks, so tab-separated text needs no quotes.
_DIALECT: dict[str, dict[str, Any]] = {"\t": {"quoting": csv.QUOTE_NONE, "quotechar": None}, ",": {}}


def _names(first: list[str], path: Path) -> tuple[str, ...] | None:
    """The names of the columns; None if the first line is a row."""
    names = tuple(name.strip().lower() for name in first)
    if missing := [name for name in ("query", "count") if name not in names]:
        if len(first) in _WITHOUT_HEADER and _is_number(first[1]):
            return None
        raise BadInput(
            f"{path} has no column {missing[0]!r}: the first line must name query, count[, from][, url, clicks]"
        )
    return names


def _tally(row: list[str], names: tuple[str, ...], day: date) -> Tally:
    if len(row) > len(names):
        raise BadInput(f"{len(row)} columns instead of {len(names)}")
    return tally(dict(zip(names, row, strict=False)), day)


def _is_number(field: str) -> bool:
    try:
        values.number(field, "count")
    except BadInput:
        return False
    return True


def _shortest(number: float) -> str:
    return str(int(number)) if number == int(number) else repr(number)


TSV = QueryFormat("tsv", "A table with tabs.", lambda path, day: read(path, "\t", day))
CSV = QueryFormat(
    "csv", "A table with commas or semicolons.", lambda path, day: read(path, delimiter(path, Format.CSV), day)
)
