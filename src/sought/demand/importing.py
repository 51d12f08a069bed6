"""How is a file imported into the log?  Row by row into a staging folder, then all at once."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sought.demand.formats import guess_format
from sought.demand.frames import kind_of
from sought.demand.log import QueryLog
from sought.demand.query_format import query_format
from sought.demand.rows import DAY, Row, Tally
from sought.demand.staging import Staging
from sought.demand.values import today
from sought.web.errors import BadInput

MAX_SHOWN_BAD = 5
_EXPIRED, _OTHER, _BAD = "expired", "other", "bad"
_REPORT_EVERY = 10_000


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import, in rows of the file.

    `expired` rows are older than the retention time, `other` rows are events of other kinds (a log-in, a purchase);
    neither is kept.  `first_bad`: file, line and reason of the first few bad rows.
    """

    format: str
    rows: int
    searches: int
    events: int
    tallies: int
    expired: int
    other: int
    bad: int
    first_bad: tuple[tuple[str, int, str], ...]

    @property
    def kept(self) -> int:
        return self.searches + self.events + self.tallies


def import_file(
    log: QueryLog,
    path: Path,
    form: str | None = None,
    now: float | None = None,
    report: Callable[[int], None] = lambda rows: None,
) -> Imported:
    """Import a file; raises BadInput and leaves the log unchanged if the file as a whole cannot be read.

    `form` is the name of a format, or `module:Name`; without it the format is guessed.

    The good rows of a file with bad ones are taken in, all at once.  Importing a file twice changes nothing.
    """
    now = time.time() if now is None else now
    form = form or guess_format(path)
    counts: Counter[str] = Counter()
    first_bad: list[tuple[str, int, str]] = []
    with log.writing(now - log.keep) as staging:
        for read in query_format(form).read(path, today(now)):
            row = _timely(read.row, now)
            outcome = _outcome(row, staging, now - log.keep)
            counts[outcome] += 1
            if outcome == _BAD and len(first_bad) < MAX_SHOWN_BAD:
                first_bad.append((read.file, read.line, str(row)))
            if counts.total() % _REPORT_EVERY == 0:
                report(counts.total())
    log.forget(now)
    names = ("searches", "events", "tallies", _EXPIRED, _OTHER, _BAD)
    return Imported(form, counts.total(), **{name: counts[name] for name in names}, first_bad=tuple(first_bad))


def _timely(row: Row | BadInput | None, now: float) -> Row | BadInput | None:
    """Reject searches and events more than a day in the future: they would be kept too long."""
    if row is None or isinstance(row, BadInput | Tally) or row.time <= now + DAY:
        return row
    return BadInput(f"in the future: {today(row.time)}")


def _outcome(row: Row | BadInput | None, staging: Staging, oldest: float) -> str:
    if row is None:
        return _OTHER
    if isinstance(row, BadInput):
        return _BAD
    if not isinstance(row, Tally) and row.time < oldest:
        return _EXPIRED
    staging.add(row)
    return kind_of(row)
