"""The query log of a crawl: typed results of importing, exporting, counting and forgetting."""

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sought.demand import Format, QueryLog, export_file, import_file, stats
from sought.demand.formats import format_for
from sought.index import normal
from sought.operate.explain_query import answers_to_all
from sought.operate.known import ServedAnswers
from sought.operate.typed_report import HIDDEN, OPTIONAL, JsonKey, TypedReport
from sought.operate.view import View
from sought.record.config import Config
from sought.record.recovery import open_directory
from sought.record.workload import selection
from sought.record.workload_refresh import Refresh
from sought.web.errors import BadInput, CrawlBusy


@dataclass(frozen=True)
class QueryImport(TypedReport):
    """What an import read, in rows of the file; `first_bad` has file, line and reason of the first invalid rows.

    Rows that are `expired` are older than the log keeps, `other` ones are no searches.  Fetches are `measured_by` so
    many queries from now on; None: a running crawl will take in the new queries by itself.
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
    measured_by: int | None

    @property
    def kept(self) -> int:
        """The rows that are now in the log."""
        return self.searches + self.events + self.tallies


@dataclass(frozen=True)
class QueryExport(TypedReport):
    """What was written; rows that the format cannot hold are `left_out`."""

    searches: int
    events: int
    tallies: int
    left_out: int
    file: str


@dataclass(frozen=True)
class QueryRate(TypedReport):
    """How often a query is asked."""

    query: str
    a_week: float


@dataclass(frozen=True)
class LogDemand(TypedReport):
    """The workload that the log gives today: the queries that fetches are measured by.

    `left_out` counts queries by the reason why they are not among these; `share_of_top` has the share of demand of the
    1, 10, 100 … most frequent ones.
    """

    queries: int
    searches_a_week: float
    left_out: Mapping[str, int]
    share_of_top: Mapping[str, float]
    top: tuple[QueryRate, ...]


@dataclass(frozen=True)
class VisibilityEstimate(TypedReport):
    """How fast attention falls with the rank: rank^-exponent, and from where this is known."""

    exponent: float
    views: int
    source: str = field(metadata=JsonKey("from").metadata)


@dataclass(frozen=True)
class QueryStats(TypedReport):
    """What is in the query log, and how well its queries are answered; `answers` is None before the first crawl."""

    searches: int
    tallies: int
    distinct_queries: int
    views: int
    clicks: int
    clicks_of_tallies: float
    first_time: float | None
    last_time: float | None
    keep_days: float
    demand: LogDemand
    clicks_by_rank: Mapping[str, int]
    visibility: VisibilityEstimate
    answers: ServedAnswers | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True)
class ForgottenQuery(TypedReport):
    """How many rows were removed, and by how many queries fetches are measured now (see `QueryImport`)."""

    removed: int
    measured_by: int | None = field(metadata=HIDDEN)


def import_queries(log: QueryLog, file: Path, form: str | None, report: Callable[[int], None]) -> QueryImport:
    """Add a file to the log; nothing is measured by it yet."""
    return QueryImport(**asdict(import_file(log, file, form, report=report)), measured_by=0)


def export_queries(log: QueryLog, file: Path, form: str | None) -> QueryExport:
    """Write the log to a file."""
    return QueryExport(**export_file(log, file, _format(form) or format_for(file)), file=str(file))


def take_in(path: Path, report: Callable[[int], None]) -> int | None:
    """Measure fetches by what the log says now; None if another process has the crawl open."""
    try:
        directory = open_directory(path)
    except CrawlBusy:
        return None
    try:
        queries = Refresh(directory).finish(time.time(), report)
    except BaseException:
        directory.abandon()
        raise
    directory.close()
    return queries


def query_stats(path: Path, log: QueryLog, config: Config, limit: int) -> QueryStats:
    """Counts of the log, its most frequent queries, and how well they are answered."""
    counts = stats(log, time.time(), normal, selection(config), limit)
    demand, visibility = counts.pop("demand"), counts.pop("visibility")
    top = tuple(QueryRate(**each) for each in demand.pop("top"))
    answers = None
    if (path / "store").exists():
        with View(path) as view:
            answers = answers_to_all(view)
    return QueryStats(
        **counts,
        demand=LogDemand(**demand, top=top),
        visibility=VisibilityEstimate(visibility["exponent"], visibility["views"], visibility["from"]),
        answers=answers,
    )


def _format(name: str | None) -> Format | None:
    try:
        return None if name is None else Format(name)
    except ValueError:
        raise BadInput(f"unknown format {name!r}: use one of {', '.join(Format)}") from None
