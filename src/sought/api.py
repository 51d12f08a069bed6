"""Sought as a library: everything that the commands can do, with typed results (docs/reference/library.md)."""

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from sought.index import Answer
from sought.operate.known import CrawlResult, CrawlStatus, FrontierStats, HostReport, HostSummary, KnownPage, UrlVerdict
from sought.operate.log import Log, silent
from sought.operate.typed_report import OPTIONAL, ReportTable, TypedReport
from sought.operate.view import View, search
from sought.policy import parse_policy
from sought.record.config import FILE, Config, load_config
from sought.record.new_directory import make_directory
from sought.record.recovery import open_directory
from sought.record.settings import crawl_config
from sought.web.checks import check_whole
from sought.web.errors import BadInput, SoughtError
from sought.web.policy import Policy
from sought.web.url import canonical

if TYPE_CHECKING:  # loaded by the methods that need them
    import polars as pl

    from sought.crawl.cycle import Cycle
    from sought.demand import QueryLog
    from sought.operate.check import CheckReport
    from sought.operate.dial import BudgetReport
    from sought.operate.explain import PageExplanation
    from sought.operate.explain_query import NeedyQuery, QueryExplanation
    from sought.operate.frontier import LoadedUrls
    from sought.operate.order_status import CrawlOrders
    from sought.operate.query_log import ForgottenQuery, QueryExport, QueryImport, QueryStats
    from sought.operate.rebuild import RebuildReport
    from sought.operate.repair import RepairReport

Count = Callable[[int], None]  # is given the number of items done so far


@dataclass(frozen=True)
class Serving(TypedReport):
    """Where a crawl is served, and the token of the console's control; None without control."""

    address: str
    token: str | None = field(metadata=OPTIONAL)


class Crawl:
    """A crawl directory.

    >>> crawl = sought.open("docs-crawl")           # doctest: +SKIP
    >>> crawl.crawl(fetches=1000).fetched           # doctest: +SKIP
    1000
    >>> crawl.search("css grid").hits[0].url        # doctest: +SKIP
    'https://example.org/css/grid'

    Results are frozen dataclasses; `to_json()` gives what the command prints with --json.  All methods but `crawl`,
    `load`, `check`, `repair`, `rebuild` and those that change the query log also work while a crawl is running.  Where
    a `policy` can be given, it is a policy or its expression, as in sought.toml; None: that of sought.toml.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __repr__(self) -> str:
        return f"sought.open({str(self.path)!r})"

    def _repr_html_(self) -> str:
        try:
            return self.status()._repr_html_()
        except SoughtError as error:
            return f"<p>{escape(str(error))}</p>"

    # ---- crawling

    def crawl(
        self,
        fetches: int | None = None,
        policy: Policy | str | None = None,
        started: "Callable[[Cycle], None]" = lambda _: None,
        *,
        topic: str | None = None,
        keep: int | None = None,
        log: Log = silent,
    ) -> CrawlResult:
        """Fetch `fetches` times, or without it at the rate of sought.toml until stopped; returns what was done.

        With a `topic`, new pages about it come first (`topical`).  At most `keep` pages stay searchable, in place of
        what sought.toml says; 0: all.

        `started` gets the running cycle: its `progress` to look at, its `stop()` to end the crawl cleanly.  `log` gets
        every event (docs/reference/operating.md).
        """
        import uvloop

        from sought.crawl.buffer import Buffer
        from sought.operate.live import crawl, warm_up
        from sought.operate.memory import limit_heaps
        from sought.policy.installed import check_installed
        from sought.policy.topical import topical

        if fetches is not None and fetches < 1:
            raise BadInput(f"the number of fetches is at least 1, not {fetches}")
        config = crawl_config(self.path)
        chosen = self._policy(policy, config)
        chosen = topical(topic, chosen) if topic is not None else chosen
        keep = config.crawl.keep if keep is None else keep
        check_whole("keep", keep, 0, 1 << 32)
        check_installed(chosen)
        Buffer(keep, chosen)  # says what is wrong before anything is opened
        limit_heaps()
        directory = open_directory(self.path)
        try:
            with _few_collections(warm_up):
                progress = uvloop.run(crawl(directory, fetches, chosen, started, keep, log))
        except BaseException:
            directory.abandon()
            raise
        directory.close()
        return CrawlResult(**asdict(progress))

    @property
    def orders(self) -> "CrawlOrders":
        """Give orders to the crawl, running or not, and list those given: `crawl.orders.pause()`."""
        from sought.operate.order_status import CrawlOrders

        return CrawlOrders(self.path)

    def serve(
        self,
        host: str = "127.0.0.1",
        port: int = 8080,
        *,
        allow_hosts: Sequence[str] = (),
        crawl: bool = False,
        control: bool = False,
        started: Callable[[Serving], None] = lambda _: None,
    ) -> None:
        """Serve the search page, the JSON API and the console until Ctrl-C; with `crawl` also crawl, in a process.

        Port 0 is any free one.  `allow_hosts` are other host names to answer to.  With `control` the console takes
        orders from whoever has the token.  `started` gets the address, and the token.
        """
        from sought.console.app import make_app
        from sought.console.companion import Companion
        from sought.console.control import Control, new_token
        from sought.console.serving import address, listen, make_server, run

        token = new_token() if control else None
        names = [host if ":" not in host else f"[{host}]", *allow_hosts]
        app = make_app(self.path, names, Control(self.path, token) if token else None)
        listening = listen(host, port)
        started(Serving(address(listening), token))
        with Companion(self.path) if crawl else nullcontext():
            run(make_server(app), listening)

    # ---- looking

    def search(self, query: str, limit: int = 10, offset: int = 0) -> Answer:
        """The pages that answer a query, best first."""
        return search(self.path, query, limit, offset)

    def status(self) -> CrawlStatus:
        """The state of the crawl as of its last commit."""
        with View(self.path) as view:
            return view.status()

    def explain(self, url: str, policy: Policy | str | None = None, limit: int = 10) -> "PageExplanation":
        """Why a page was fetched, which searches that improved, and when it is fetched next."""
        from sought.operate.explain import explain

        with View(self.path) as view:
            return explain(view, canonical(url), self._policy(policy, view.config), time.time(), limit)

    def explain_query(self, query: str, limit: int = 10) -> "QueryExplanation":
        """How well a query is answered, and which fetches may improve that."""
        from sought.operate.explain_query import explain_query

        with View(self.path) as view:
            return explain_query(view, query, view.config.policy, time.time(), limit)

    def needy(self, limit: int = 20, *, unanswered: bool = False) -> "ReportTable[NeedyQuery]":
        """The queries that need pages: first unanswered, then poorly answered ones, then the others."""
        from sought.operate.explain_query import NeedyQuery, needy

        with View(self.path) as view:
            return ReportTable(NeedyQuery, tuple(needy(view, limit, unanswered=unanswered)))

    def hosts(self, limit: int = 20) -> ReportTable[HostSummary]:
        """The hosts of the crawl, those with the most URLs first."""
        from sought.operate.explain_host import all_hosts

        with View(self.path) as view:
            return ReportTable(HostSummary, tuple(all_hosts(view, limit)))

    def host(self, origin: str) -> HostReport:
        """All about one host, such as "https://docs.example.org"."""
        from sought.operate.explain_host import explain_host

        with View(self.path) as view:
            return explain_host(view, origin)

    def urltest(self, url: str) -> UrlVerdict:
        """Whether robots.txt, scope and trap rules admit a URL, and what is known of it."""
        with View(self.path) as view:
            return view.judge(canonical(url))

    def budget(self) -> "BudgetReport":
        """The fetches a day for 90, 95 and 99 % of the attainable quality, and the quality at today's budget."""
        from sought.operate.dial import budget

        with View(self.path) as view:
            return budget(view, time.time())

    # ---- known URLs

    def frontier(self, limit: int = 20, policy: Policy | str | None = None) -> ReportTable[KnownPage]:
        """What would be fetched next, in order."""
        with View(self.path) as view:
            rows = view.ranked(self._policy(policy, view.config), time.time(), limit)
            return ReportTable(KnownPage, tuple(rows))

    def frontier_stats(self) -> FrontierStats:
        """Counts of the URLs that wait, by host, depth and source."""
        with View(self.path) as view:
            return view.frontier_stats(time.time())

    def urls(self) -> "pl.DataFrame":
        """All known URLs with their columns, as a polars frame."""
        from sought.operate.frontier import known_urls

        with View(self.path) as view:
            return known_urls(view)

    def dump(self, file: str | Path) -> int:
        """Write the same as Parquet, without holding it in memory; returns the number of URLs."""
        from sought.operate.frontier import dump

        with View(self.path) as view:
            return dump(view, Path(file))

    def load(self, file: str | Path) -> "LoadedUrls":
        """Add the URLs of a file: one a line, or CSV, TSV or Parquet with a column `url`."""
        from sought.operate.frontier import load

        return load(self.path, Path(file))

    # ---- queries

    @property
    def queries(self) -> "QueryLog":
        """The query log: `record` what was asked and shown, and then what was seen and clicked."""
        from sought.record.workload import query_log

        return query_log(self.path, load_config(self.path / FILE))

    def import_queries(
        self, file: str | Path, form: str | None = None, report: Count = lambda _: None, *, take_in: bool = True
    ) -> "QueryImport":
        """Add a file to the query log and measure by it; `form` is the format: ubi, tsv, csv, parquet, search-console.

        Without a format it is guessed.  Without `take_in`, `take_in_queries` has to be called, too.
        """
        from dataclasses import replace

        from sought.operate.query_log import import_queries

        done = import_queries(self.queries, Path(file), form, report)
        return replace(done, measured_by=self._measured_by()) if take_in and done.kept else done

    def export_queries(self, file: str | Path, form: str | None = None) -> "QueryExport":
        """Write the query log; without a format it follows from the name of the file."""
        from sought.operate.query_log import export_queries

        return export_queries(self.queries, Path(file), form)

    def query_stats(self, limit: int = 10) -> "QueryStats":
        """What is in the query log, the most frequent queries, and how well they are answered."""
        from sought.operate.query_log import query_stats

        return query_stats(self.path, self.queries, load_config(self.path / FILE), limit)

    def forget_query(self, query: str) -> "ForgottenQuery":
        """Delete a query from the log for good, and stop measuring by it."""
        from sought.operate.query_log import ForgottenQuery

        removed = self.queries.remove(query)
        return ForgottenQuery(removed, self._measured_by() if removed else 0)

    def take_in_queries(self, report: Count = lambda _: None) -> int | None:
        """Measure by what the query log says now; returns the number of queries.

        None if another process writes to the crawl: a running crawl takes queries in by itself.
        """
        from sought.operate.query_log import take_in

        return take_in(self.path, report)

    def _measured_by(self) -> int | None:
        """After a change of the log; the first crawl takes it in by itself."""
        return self.take_in_queries() if (self.path / "store").exists() else 0

    # ---- health

    def check(self, report: Count = lambda _: None) -> "CheckReport":
        """Whether archive, tables, links and index agree; `report` gets the number of records checked."""
        from sought.operate.check import CheckReport, check

        directory = open_directory(self.path)
        try:
            problems = check(directory, report)
        finally:
            directory.close()
        return CheckReport(not problems, tuple(problems))

    def repair(self, report: Count = lambda _: None) -> "RepairReport":
        """Repair what is damaged; the result says what was lost."""
        from sought.operate.repair import repair

        return repair(self.path, report)

    def rebuild(self, report: Count = lambda _: None) -> "RebuildReport":
        """Make tables, links and index again from the archive."""
        from sought.operate.rebuild import RebuildReport, rebuild

        start, lost = time.monotonic(), list[str]()
        records = rebuild(self.path, report, lambda damage: lost.append(f"archive/{damage}"))
        return RebuildReport(records, time.monotonic() - start, tuple(lost))

    def _policy(self, policy: Policy | str | None, config: Config) -> Policy:
        return (parse_policy(policy, self.path) if isinstance(policy, str) else policy) or config.policy


@contextmanager
def _few_collections(warm_up: Callable[[], None]) -> Iterator[None]:
    """What exists now is not looked through again and again; pages come and go without reference cycles."""
    thresholds = gc.get_threshold()
    try:
        warm_up()
        gc.freeze()
        gc.set_threshold(20_000, *thresholds[1:])
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


def open(path: str | Path) -> Crawl:  # noqa: A001  sought.open, like tarfile.open
    """An existing crawl directory."""
    path = Path(path)
    if not (path / FILE).exists():
        raise BadInput(f"no crawl at {path}: make one with 'sought init {path} URL…'")
    return Crawl(path)


def init(
    path: str | Path,
    seeds: Sequence[str],
    contact: str,
    domains: Sequence[str] = (),
    *,
    allow_networks: Sequence[str] = (),
    delay: float = 1.0,
) -> Crawl:
    """Make a crawl directory with a sought.toml to look through and change.

    `allow_networks` are private networks that may be crawled, such as `127.0.0.1/32`; `delay` is the seconds between an
    answer and the next request to the same host.
    """
    path = Path(path)
    make_directory(path, seeds, contact, domains, allow_networks, delay)
    return Crawl(path)
