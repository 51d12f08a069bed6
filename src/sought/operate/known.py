"""What a crawl reports about itself and about one URL: typed results of `View`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from sought.operate.typed_report import OPTIONAL, TypedReport


@dataclass(frozen=True)
class MeasuredGains(TypedReport):
    """The sums of all measured gains, in the unit of the scorer."""

    first_fetches: float
    later_fetches: float


@dataclass(frozen=True)
class AnswerReport(TypedReport):
    """How well the crawl answers its queries; all fields are None while nothing is measured.

    `unanswered` and `poor` are shares of demand, and so are those of the held-out queries.  `worth_of_answers` is in
    the unit of gains.
    """

    queries: int | None = field(default=None, metadata=OPTIONAL)
    searches_a_week: float | None = field(default=None, metadata=OPTIONAL)
    unanswered: float | None = field(default=None, metadata=OPTIONAL)
    poor: float | None = field(default=None, metadata=OPTIONAL)
    held_out_unanswered: float | None = field(default=None, metadata=OPTIONAL)
    held_out_poor: float | None = field(default=None, metadata=OPTIONAL)
    worth_of_answers: float | None = field(default=None, metadata=OPTIONAL)
    measured_fetches: int | None = field(default=None, metadata=OPTIONAL)
    gain: MeasuredGains | None = field(default=None, metadata=OPTIONAL)

    @classmethod
    def read(cls, report: Mapping[str, Any], **more: Any) -> Self:
        """From what `Measuring.report` returned, now or when it was stored."""
        names = {each.name for each in fields(cls)} - {"gain"}
        known = {name: value for name, value in report.items() if name in names}
        return cls(**known, gain=MeasuredGains(**report["gain"]) if "gain" in report else None, **more)


@dataclass(frozen=True)
class ServedAnswers(AnswerReport):
    """The same, with the quality of the answers that the index serves now.

    `quality_of_own_copies` compares them with the best answers from the crawl's own copies, by the most frequent
    queries, which have `judged_by_share_of_demand`.
    """

    quality_of_own_copies: float | None = field(default=None, metadata=OPTIONAL)
    judged_by_share_of_demand: float | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True)
class ExpectationReport(TypedReport):
    """How well expected gains agree with measured ones (`Calibration`), and a verdict in words.

    None: there are too few fetches.  The true slope is between `slope_low` and `slope_high` with 80 % certainty.
    """

    fetches: int
    slope: float | None
    rank_correlation: float | None
    top_tenth: float | None
    sum_ratio: float | None
    slope_low: float | None
    slope_high: float | None
    verdict: str


@dataclass(frozen=True)
class CrawlStatus(TypedReport):
    """The state of a crawl as of its last commit.

    `running` is the process that crawls now.  `budget_from` names the file that sets the budget.  `states`, `reasons`,
    `outcomes` and `refused` are counts of URLs or fetches by name, `hosts_not_fetched` of hosts by the reason.  `bytes`
    is the size of each part on disk.
    """

    directory: str
    running: int | None
    budget: str
    budget_from: str
    paused: bool
    blocked: tuple[str, ...]
    asked_for: tuple[str, ...]
    known: int
    fetched: int
    states: Mapping[str, int]
    reasons: Mapping[str, int]
    outcomes: Mapping[str, int]
    refused: Mapping[str, int]
    hosts: int
    hosts_not_fetched: Mapping[str, int] | None = field(metadata=OPTIONAL)
    last_fetch: float | None
    searchable: int
    demand: AnswerReport
    expected_against_measured: Mapping[str, ExpectationReport] | None = field(metadata=OPTIONAL)
    damage: tuple[str, ...] = field(metadata=OPTIONAL)
    bytes: Mapping[str, int]


@dataclass(frozen=True)
class KnownPage(TypedReport):
    """What the table says of one URL.  Times are in seconds since 1970; None: never."""

    url: str
    state: str
    reason: str
    depth: int
    source: str
    found: float
    fetches: int
    changes: int
    inlinks: int
    status: int
    last_fetch: float | None
    not_before: float | None
    signal: float | None
    alias: str | None


@dataclass(frozen=True)
class JudgedPage(KnownPage):
    """The same, with all outcomes on record, field by field."""

    history: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class UrlVerdict(TypedReport):
    """Whether robots.txt, scope and trap rules admit a URL, and what is known of it."""

    url: str
    verdict: str
    host: str
    admitted: bool
    why: str
    robots: str
    known: JudgedPage | None
    refused_on_host: Mapping[str, int]


@dataclass(frozen=True)
class FrontierStats(TypedReport):
    """Counts of URLs that were never fetched, by host and depth, and of all URLs by source.

    `waiting` URLs must not be fetched before some later time.
    """

    new: int
    waiting: int
    hosts: Mapping[str, int]
    depths: Mapping[str, int]
    sources: Mapping[str, int]


@dataclass(frozen=True)
class HostSummary(TypedReport):
    """One host, and how politely it is treated."""

    origin: str
    known: int
    searchable: int
    fetched: int
    delay: float
    crawl_delay: float | None
    next_request_at: float | None
    troubles_in_a_row: int


@dataclass(frozen=True)
class HostReport(TypedReport):
    """All about one host.

    The last two are its share of what searchers find, and of what the answers would lose without it; None while nobody
    has asked anything.
    """

    origin: str
    known: int
    fetched: int
    states: Mapping[str, int]
    reasons: Mapping[str, int]
    outcomes: Mapping[str, int]
    refused: Mapping[str, int]
    robots: str
    delay: float
    crawl_delay: float | None
    next_request_at: float | None
    troubles_in_a_row: int
    sitemaps: tuple[str, ...]
    share_of_search_value: float | None = field(default=None, metadata=OPTIONAL)
    share_of_presence: float | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True)
class CrawlResult(TypedReport):
    """What a run of the crawl has done.

    `outcomes` counts answers by status or failure; `troubles` has the last trouble with a host.  `gain` is the sum over
    `measured` fetches.  `hot` is the number of pages about the topic; None: the policy has no topic.  `ended` says why
    the run ended.
    """

    started: float
    fetched: int
    bytes: int
    outcomes: Mapping[str, int]
    troubles: Mapping[str, str]
    in_flight: int
    chosen: int
    waiting: int
    hosts_waiting: int
    known: int
    disk: int
    seconds: float
    measured: int
    gain: float
    hot: int | None
    ended: str
