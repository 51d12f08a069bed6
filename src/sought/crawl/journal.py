"""How has a crawl been doing?  DIR/journal: a row of figures a minute, one file a UTC day.

Files older than eight days are folded into hours.jsonl, a row an hour, for two years and some months.  A row that is
torn by kill -9 is passed over.  Times are those of the system's clock, which may go back: rows are ordered by time
when they are read, and what they cover is measured by another clock.
"""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import msgspec

from sought.crawl.journal_rows import Row, by_step
from sought.crawl.lines import append_line, read_lines, replace_file

FOLDER = "journal"
HOURS = "hours.jsonl"
POINTS = 1000  # at most, of what is read
_HOUR = 3600.0
_DAY = 86400.0
_KEPT = 8  # days, minute by minute
_KEPT_HOURS = 20_000


def write_row(path: Path, row: Row) -> None:
    """Append to the journal of a crawl directory."""
    append_line(path / FOLDER / f"{_day(row.time)}.jsonl", row)


def fold(path: Path, now: float) -> None:
    """Make hours of the minutes of files that are old.

    A file goes when its rows are on disk as hours.
    """
    folder = path / FOLDER
    old = [file for file in _files(folder) if file.stem < _day(now - _KEPT * _DAY)]
    if not old:
        return
    rows = by_step(_rows(folder, old), _HOUR)[-_KEPT_HOURS:]
    replace_file(folder / HOURS, b"".join(msgspec.json.encode(row) + b"\n" for row in rows), sync=True)
    for file in old:
        file.unlink()


def read_journal(path: Path, since: float, until: float, step: float = 60.0) -> list[dict[str, Any]]:
    """Rows after `since` and up to `until`, one for every `step` seconds in which there is any, in order of time.

    There are at most a thousand (and one, at the edge): for longer times steps are longer.  Where minutes have become
    hours, steps are hours at least.
    """
    step = max(step, (until - since) / POINTS, 1e-3)
    folder = path / FOLDER
    files = [file for file in _files(folder) if _day(since) <= file.stem <= _day(until)]
    rows = [row for row in _rows(folder, files) if since < row.time <= until]
    return [msgspec.to_builtins(row) for row in by_step(rows, step)]


def _rows(folder: Path, files: list[Path]) -> list[Row]:
    """All hours, and the rows of some files that are in none of them.

    After kill -9 a file may still be there whose rows have become hours: an hour bears the time of the last row in it.
    """
    hours = {row.time // _HOUR: row for row in read_lines(folder / HOURS, Row)}
    found = list(hours.values())
    for file in files:
        for row in read_lines(file, Row):
            hour = hours.get(row.time // _HOUR)
            if hour is None or row.time > hour.time:
                found.append(row)
    return found


def _files(folder: Path) -> list[Path]:
    """Of single days, oldest first."""
    return sorted(file for file in folder.glob("*.jsonl") if _is_day(file.stem))


def _is_day(name: str) -> bool:
    try:
        return date.fromisoformat(name).isoformat() == name
    except ValueError:
        return False


def _day(time: float) -> str:
    """Of any time that a day can be told of."""
    return datetime.fromtimestamp(min(max(time, 0.0), 253402300799.0), UTC).date().isoformat()
