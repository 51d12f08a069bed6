"""How has the crawl been doing?  The journal as columns for charts, for a table, and in sums."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sought.console.answers import Unit
from sought.console.pulse import share_of_errors
from sought.operate.journal import read_journal

Over = Literal["hours", "days", "weeks"]
Row = dict[str, Any]
Column = list[float | None]
PURPOSES = ("new", "stale", "hub", "known", "file")
GOOD_FOR = 5.0  # seconds
_HOSTS = 10
_GAP = 1.0  # steps that no row covers, after which the line is broken


@dataclass(frozen=True)
class HistorySpan:
    """How far back one looks, and in which steps."""

    name: Over
    seconds: float
    step: float
    words: str
    step_words: str


SPANS: dict[str, HistorySpan] = {
    "hours": HistorySpan("hours", 86400.0, 300.0, "last 24 hours", "5 minutes"),
    "days": HistorySpan("days", 14 * 86400.0, 3600.0, "last 14 days", "hour"),
    "weeks": HistorySpan("weeks", 26 * 7 * 86400.0, 86400.0, "last 26 weeks", "day"),
}


@dataclass(frozen=True)
class History:
    """Rows of the journal, each for one step of a span."""

    span: HistorySpan
    rows: Sequence[Row]

    @property
    def fetched(self) -> int:
        """All that was asked of hosts, files of theirs among it."""
        return sum(self.by_purpose().values())

    def total(self, name: str) -> float:
        return float(sum(row[name] for row in self.rows))

    @property
    def gain(self) -> float:
        return float(sum(_gain(row) for row in self.rows))

    def a_fetch(self, name: str) -> float | None:
        """The mean of a line over all fetches."""
        known = [
            (value * row["fetched"], row["fetched"]) for row in self.rows if (value := _LINES[name](row)) is not None
        ]
        return sum(part for part, _ in known) / sum(count for _, count in known) if known else None

    def by_purpose(self) -> dict[str, int]:
        sums = _added(self.rows, "purposes")
        return {name: sums[name] for name in PURPOSES if sums[name]}

    def by_host(self) -> list[tuple[str, int]]:
        return _added(self.rows, "hosts").most_common(_HOSTS)

    def moved(self, name: str) -> float | None:
        """From the first value of a line to the last that is known."""
        known = [value for row in self.rows if (value := _LINES[name](row)) is not None]
        return known[-1] - known[0] if len(known) > 1 else None

    def last(self, name: str) -> float | None:
        """The last value of a line that is known."""
        return next((value for row in reversed(self.rows) if (value := _LINES[name](row)) is not None), None)

    def some(self, most: int = 24) -> list[dict[str, Any]]:
        """Rows for a table, the latest first, at most so many."""
        step = -(-len(self.rows) // most) or 1
        return [self._table_row(row) for row in self.rows[::-1][::step]]

    def _table_row(self, row: Row) -> dict[str, Any]:
        return {"time": row["time"], "fetched": row["fetched"]} | {name: _LINES[name](row) for name in _IN_TABLE}

    def columns(self, now: float) -> dict[str, Any]:
        """One list for each line of a chart; nothing between rows that are far apart.  Charts end now."""
        rows = list(_with_gaps(self.rows, self.span.step))
        made = {name: _column(rows, make) for name, make in _LINES.items()}
        return {"step": self.span.step_words, "now": now, "times": [time for time, _ in rows], **made}


class Histories:
    """The journal of a crawl, read again at most every few seconds; for any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, tuple[float, History]] = {}

    def read(self, span: HistorySpan, now: float) -> History:
        read_at, found = self._known.get(span.name, (0.0, None))
        if found is None or not 0.0 <= now - read_at < GOOD_FOR:
            found = History(span, read_journal(self._path, now - span.seconds, now + 60.0, span.step))
            self._known[span.name] = now, found
        return found


def _gain(row: Row) -> float:
    return float(sum(row["gain"].values()))


def _added(rows: Sequence[Row], name: str) -> Counter[str]:
    total: Counter[str] = Counter()
    for row in rows:
        total.update(row[name])
    return total


def _with_gaps(rows: Sequence[Row], step: float) -> list[tuple[float, Row | None]]:
    known: list[tuple[float, Row | None]] = []
    for row in rows:
        began = row["time"] - row["seconds"]
        if known and began - known[-1][0] > _GAP * step:
            known.append(((known[-1][0] + began) / 2.0, None))
        known.append((row["time"], row))
    return known


def _column(rows: Sequence[tuple[float, Row | None]], make: Callable[[Row], float | None]) -> Column:
    return [None if row is None else make(row) for _, row in rows]


def _level(name: str) -> Callable[[Row], float | None]:
    return lambda row: row[name]


def _rate(amount: Callable[[Row], float]) -> Callable[[Row], float | None]:
    return lambda row: amount(row) / row["fetched"] if row["fetched"] else None


def _a_week(amount: Callable[[Row], float]) -> Callable[[Row], float | None]:
    """Of a fetch, in searches a week."""
    return lambda row: Unit.by(row).a_week(_rate(amount)(row))


def _expected(row: Row) -> float:
    return float(row["expected"])


def _speed(row: Row) -> float | None:
    return row["fetched"] / row["seconds"] if row["seconds"] else None


def _spent(name: str) -> Callable[[Row], float | None]:
    return lambda row: row["purposes"].get(name, 0)


_IN_TABLE = ("price_searches", "quality", "unanswered", "poor", "speed", "errors", "gain_searches")  # in a table
_LINES: dict[str, Callable[[Row], float | None]] = {
    **{name: _level(name) for name in ("price", "quality", "unanswered", "poor")},
    "gain": _rate(_gain),
    "expected": _rate(_expected),
    "price_searches": lambda row: Unit.by(row).in_all(row["price"]),
    "gain_searches": _a_week(_gain),
    "expected_searches": _a_week(_expected),
    "speed": _speed,
    "errors": lambda row: share_of_errors(row["outcomes"]),
    **{name: _spent(name) for name in PURPOSES},
}
