"""The journal: a row of figures a minute; rows can be added up to longer steps."""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from sought.crawl.cycle import Cycle
from sought.operate.outlook import Outlook, demand
from sought.record.commit import Commit
from sought.record.files import append_line, folder_bytes, read_lines, replace_file
from sought.record.hosts import Host
from sought.web.message import Response

HOSTS = 20  # with most fetches, of a row


class Row(msgspec.Struct, frozen=True):
    """What a crawl did in the `seconds` before a `time`, and its figures at that time; None: not known.

    `fetched` is what the budget was charged for and was answered: pages and sitemaps; robots.txt is among the
    `purposes`, as a file, and among the `hosts`.  `gain` is what first and later fetches brought, and `expected` what
    the policy had expected of those that were measured.
    """

    time: float
    seconds: float = 0.0
    fetched: int = 0
    bytes: int = 0
    purposes: dict[str, int] = {}
    gain: dict[str, float] = {}
    expected: float = 0.0
    outcomes: dict[str, int] = {}
    hosts: dict[str, int] = {}
    price: float | None = None
    known: int | None = None
    searchable: int | None = None
    worth_of_answers: float | None = None
    unanswered: float | None = None
    poor: float | None = None
    queries: int | None = None
    searches_a_week: float | None = None
    to_gain: dict[str, float | None] = {}
    quality: float | None = None
    bytes_on_disk: dict[str, int] = {}


_SUMS = ("seconds", "fetched", "bytes", "expected")
_TALLIES = ("purposes", "gain", "outcomes")
_COUNTS = frozenset((*_SUMS, *_TALLIES, "hosts", "time"))
_LEVELS = tuple(name for name in Row.__struct_fields__ if name not in _COUNTS)


def combined_row(rows: Sequence[Row]) -> Row:
    """Rows in the order of their times as one: counts are added up, of levels the last that is known counts."""
    total: dict[str, Any] = {"time": rows[-1].time}
    for name in _SUMS:
        total[name] = sum(getattr(row, name) for row in rows)
    for name in _TALLIES:
        total[name] = _added(getattr(row, name) for row in rows)
    total["hosts"] = top(_added(row.hosts for row in rows))
    for name in _LEVELS:
        known = (value for row in reversed(rows) if (value := getattr(row, name)) not in (None, {}))
        total[name] = next(known, getattr(rows[-1], name))
    return Row(**total)


def by_step(rows: Iterable[Row], step: float) -> list[Row]:
    """One row for every `step` seconds in which there is any, in order of time."""
    ordered = sorted(rows, key=lambda row: row.time)
    return [combined_row(list(some)) for _, some in groupby(ordered, lambda row: row.time // step)]


def top(hosts: dict[str, int]) -> dict[str, int]:
    """The hosts with the most fetches; equals by name, so that the same rows make the same row."""
    return dict(sorted(hosts.items(), key=lambda each: (-each[1], each[0]))[:HOSTS])


def _added(tallies: Iterable[dict[str, Any]]) -> dict[str, Any]:
    total: Counter[str] = Counter()
    for tally in tallies:
        for name, count in tally.items():
            total[name] += count  # unlike `update`, this is the same for what is not whole, or below zero
    return dict(total)


# ---- On disk: DIR/journal, a row of figures a minute, one file a UTC day
#
# Files older than eight days are folded into hours.jsonl, a row an hour, for two years and some months.  A row that is
# torn by kill -9 is passed over.  Times are those of the system's clock, which may go back: rows are ordered by time
# when they are read, and what they cover is measured by another clock.


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
    rows = list(hours.values())
    for file in files:
        for row in read_lines(file, Row):
            hour = hours.get(row.time // _HOUR)
            if hour is None or row.time > hour.time:
                rows.append(row)
    return rows


def _files(folder: Path) -> list[Path]:
    """Of single days, oldest first."""
    return sorted(file for file in folder.glob("*.jsonl") if _is_day(file.stem))


def _is_day(name: str) -> bool:
    try:
        return date.fromisoformat(name).isoformat() == name
    except ValueError:
        return False


def _day(time: float) -> str:
    """The UTC day of a time; times outside of the calendar count as its first or last day."""
    return datetime.fromtimestamp(min(max(time, 0.0), 253402300799.0), UTC).date().isoformat()


# ---- Counting since the last row


_KEPT_HOSTS = 100_000  # of a minute
_TALLY_LEVELS = ("worth_of_answers", "unanswered", "poor", "queries", "searches_a_week", "to_gain", "quality")


class CycleTally:
    """Counts what the cycle does not count: fetches by purpose and by host, and expected gains."""

    def __init__(self, cycle: Cycle) -> None:
        self.cycle = cycle
        self._begin()

    def _begin(self) -> None:
        progress = self.cycle.progress
        self.began = time.monotonic()  # how long a row covers must not depend on what the wall clock is set to
        self.fetched, self.bytes, self.outcomes = progress.fetched, progress.bytes, dict(progress.outcomes)
        self.sums = self.cycle.writer.measuring.sums
        self.purposes: Counter[str] = Counter()
        self.hosts: Counter[str] = Counter()
        self.expected = 0.0

    def answered(self, host: Host, response: Response, purpose: str) -> None:
        self.purposes[purpose] += 1
        if len(self.hosts) < _KEPT_HOSTS or host.origin in self.hosts:
            self.hosts[host.origin] += 1

    def committed(self, what: Commit) -> None:
        self.expected += sum(each.outcome.expected or 0.0 for each in what.finished if each.outcome.gain is not None)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def row(self, ahead: Outlook, now: float) -> Row:
        """Everything since the last row, and the figures as of now; counting starts again."""
        progress, measuring = self.cycle.progress, self.cycle.writer.measuring
        sums = measuring.sums
        levels = demand(measuring.report(), ahead).to_json()
        row = Row(
            time=now,
            seconds=self.seconds,
            fetched=progress.fetched - self.fetched,
            bytes=progress.bytes - self.bytes,
            purposes=dict(self.purposes),
            gain={"first": sums.first - self.sums.first, "later": sums.later - self.sums.later},
            expected=self.expected,
            outcomes=dict(Counter(progress.outcomes) - Counter(self.outcomes)),
            hosts=top(self.hosts),
            price=ahead.price,
            known=len(self.cycle.writer.repository.table),
            searchable=len(self.cycle.writer.repository.table.searchable()),
            bytes_on_disk=_sizes(self.cycle.path),
            **{name: levels[name] for name in _TALLY_LEVELS if name in levels},
        )
        self._begin()
        return row


def _sizes(path: Path) -> dict[str, int]:
    return {part: folder_bytes(path / part) for part in ("archive", "store", "index")}
