"""How is a Search Console performance export read?  The .zip, or the table of queries alone.

Its columns are Query, Clicks, Impressions, CTR, Position; names and headings are in the user's language, so tables are
recognised by their shape.  In the .zip the queries come before other tables of that shape, and the table whose first
column has dates gives the days that the numbers cover.  Impressions become a weekly rate.  Clicks are left out: they
are per query, not per URL.
"""

import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO

from sought.demand import values
from sought.demand.query_format import QueryFormat
from sought.demand.rows import Tally
from sought.demand.text import ParsedRow, decoded_lines, file_errors, open_bytes, parse_row, records
from sought.web.errors import BadInput

WEEKS = 13.0  # covered by a table of queries alone: the report's default, three months
_WIDTH = 5
_HEADINGS = ("top queries", "queries", "query")
_MAX_TABLES = 100
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_WHOLE = re.compile(r"\d+|\d{1,3}(?:[.,'’\s]\d{3})+")
_SHARE = re.compile(r"\d+(?:[.,]\d+)?\s?%")
_DECIMAL = re.compile(r"\d+(?:[.,]\d+)?")

Open = Callable[[], AbstractContextManager[IO[bytes]]]


@dataclass(frozen=True, slots=True)
class _Table:
    """One CSV file of an export."""

    path: Path  # path of the .zip, then the name inside
    open: Open
    rows: list[list[str]]  # the first two


def read(path: Path, day: date) -> Iterator[ParsedRow]:
    """`day` is the day of import: a rate begins the day after those it was measured on, but not later than `day`."""
    with file_errors(path), _tables(path) as tables:
        queries = _queries(tables, path)
        span = next((found for each in tables if (found := _span(each))), None)
        if span and span[1] > day + timedelta(days=1):
            raise BadInput(f"cannot use {path}: its numbers are for days in the future ({span[1]})")
        weeks = (span[1] - span[0]).days / 7 + 1 / 7 if span else WEEKS
        begin = min(day, span[1] + timedelta(days=1)) if span else day
        tally = partial(_tally, weeks=weeks, day=begin, undated=span is None)
        rows = _records(queries)
        next(rows)
        for number, fields in rows:
            row = fields if isinstance(fields, BadInput) else parse_row(tally, fields)
            yield ParsedRow(queries.path.name, number, row)


def is_export(rows: list[list[str]]) -> bool:
    """Whether these are the first lines of a table of queries."""
    if not rows or len(rows[0]) != _WIDTH:
        return False
    heading = [field.strip().lower() for field in rows[0]]
    if heading[0] in _HEADINGS and heading[1:3] == ["clicks", "impressions"]:
        return True
    return len(rows) > 1 and _has_shape(rows[1])


def _has_shape(row: list[str]) -> bool:
    if len(row) != _WIDTH or _DATE.match(row[0]) or "://" in row[0]:
        return False
    patterns = (_WHOLE, _WHOLE, _SHARE, _DECIMAL)
    return all(pattern.fullmatch(field.strip()) for pattern, field in zip(patterns, row[1:], strict=True))


def _tally(row: list[str], *, weeks: float, day: date, undated: bool) -> Tally:
    if len(row) != _WIDTH:
        raise BadInput(f"{len(row)} columns instead of {_WIDTH}")
    impressions = row[2].strip()
    if not _WHOLE.fullmatch(impressions):
        raise BadInput(f"impressions are no whole number: {impressions[:40]!r}")
    count = values.number(re.sub(r"\D", "", impressions), "impressions") / weeks
    return Tally(row[0], count, day, undated=undated)


def _queries(tables: list[_Table], path: Path) -> _Table:
    named = [table for table in tables if table.path.name.lower() == "queries.csv"]
    for table in (*named, *tables):
        if is_export(table.rows):
            return table
    raise BadInput(f"{path} is no Search Console export: no table with query, clicks, impressions, CTR, position")


def _span(table: _Table) -> tuple[date, date] | None:
    """First and last day of a table of dates."""
    if len(table.rows) < 2 or not _DATE.match(table.rows[1][0]):
        return None
    days = []
    for _, fields in islice(_records(table), 1, 100_000):
        if not isinstance(fields, BadInput) and (match := _DATE.match(fields[0])):
            try:
                days.append(date.fromisoformat(match[0]))
            except ValueError:
                continue
    return (min(days), max(days)) if days else None


def _records(table: _Table) -> Iterator[tuple[int, list[str] | BadInput]]:
    with table.open() as file:
        yield from records(decoded_lines(file, table.path), ",")


@contextmanager
def _tables(path: Path) -> Iterator[list[_Table]]:
    if not zipfile.is_zipfile(path):
        yield [_table(path, partial(open_bytes, path))]
        return
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.lower().endswith(".csv")]
        yield [_table(path / name, partial(archive.open, name)) for name in names[:_MAX_TABLES]]


def _table(path: Path, open_it: Open) -> _Table:
    rows = islice(_records(_Table(path, open_it, [])), 2)
    return _Table(path, open_it, [fields for _, fields in rows if not isinstance(fields, BadInput)])


SEARCH_CONSOLE = QueryFormat("search-console", "A performance export: the .zip, or its table of queries.", read)
