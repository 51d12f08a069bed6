"""Sought as a library: make a crawl, run it, search it, ask how it stands."""

import gc
import json
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvloop

from sought.crawl.buffer import Buffer
from sought.crawl.cycle import Cycle
from sought.fetch.agent import user_agent
from sought.index import Answer
from sought.operate.live import crawl as crawl_live
from sought.operate.live import warm_up
from sought.operate.log import Log, silent
from sought.operate.view import View, search
from sought.policy import parse_policy
from sought.policy.installed import check_installed
from sought.policy.topical import topical
from sought.record.admission import REASONS, Admission
from sought.record.config import FILE, check_config
from sought.record.recovery import open_directory
from sought.record.settings import crawl_config
from sought.record.workload import query_log
from sought.record.workload_refresh import Refresh
from sought.web.checks import check_whole
from sought.web.errors import BadInput, CrawlBusy
from sought.web.policy import Policy
from sought.web.url import canonical, origin

if TYPE_CHECKING:
    from sought.demand import QueryLog


class Crawl:
    """A crawl directory.

    >>> crawl = sought.open("docs-crawl")           # doctest: +SKIP
    >>> crawl.crawl(fetches=1000)["fetched"]        # doctest: +SKIP
    1000
    >>> crawl.search("css grid").hits[0].url        # doctest: +SKIP
    'https://example.org/css/grid'
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __repr__(self) -> str:
        return f"sought.open({str(self.path)!r})"

    def crawl(
        self,
        fetches: int | None = None,
        policy: Policy | str | None = None,
        started: Callable[[Cycle], None] = lambda _: None,
        *,
        topic: str | None = None,
        keep: int | None = None,
        log: Log = silent,
    ) -> dict[str, Any]:
        """Fetch `fetches` times, or without it at the rate of sought.toml until stopped; returns what happened.

        With a `topic`, new pages about it come first (`topical`).  `keep` pages at most stay searchable, in place of
        what sought.toml says; 0: all.

        `started` is given the running cycle: its `progress` to look at, its `stop()` to end the crawl cleanly.  `log`
        is told what happens, event by event (docs/reference/operating.md).
        """
        if fetches is not None and fetches < 1:
            raise BadInput(f"the number of fetches is at least 1, not {fetches}")
        config = crawl_config(self.path)
        chosen = (parse_policy(policy, self.path) if isinstance(policy, str) else policy) or config.policy
        chosen = topical(topic, chosen) if topic is not None else chosen
        keep = config.crawl.keep if keep is None else keep
        check_whole("keep", keep, 0, 1 << 32)
        check_installed(chosen)
        Buffer(keep, chosen)  # says what is wrong before anything is opened
        directory = open_directory(self.path)
        thresholds = gc.get_threshold()
        try:
            warm_up()
            gc.freeze()  # what is there now stays: it need not be looked through again and again
            gc.set_threshold(20_000, *thresholds[1:])  # pages come and go without cycles
            progress = uvloop.run(crawl_live(directory, fetches, chosen, started, keep, log))
        except BaseException:
            directory.abandon()
            raise
        finally:
            gc.set_threshold(*thresholds)
            gc.unfreeze()
        directory.close()
        return asdict(progress)

    @property
    def queries(self) -> "QueryLog":
        """The query log: `record` what was asked and shown, and then what was seen and clicked."""
        return query_log(self.path, crawl_config(self.path))

    def take_in_queries(self, report: Callable[[int], None] = lambda _: None) -> int | None:
        """Measure by what the query log says now; returns the number of queries.

        None if another process writes to the crawl: one that crawls takes them in by itself.
        """
        try:
            directory = open_directory(self.path)
        except CrawlBusy:
            return None
        try:
            queries = Refresh(directory).finish(time.time(), report)
        except BaseException:
            directory.abandon()
            raise
        directory.close()
        return queries

    def search(self, query: str, limit: int = 10, offset: int = 0) -> Answer:
        """The pages that answer a query, best first; works while a crawl is running."""
        return search(self.path, query, limit, offset)

    def status(self) -> dict[str, Any]:
        """How the crawl stands, as of its last commit."""
        with View(self.path) as view:
            return view.status()


def open(path: str | Path) -> Crawl:  # noqa: A001  sought.open, like tarfile.open
    """An existing crawl directory."""
    path = Path(path)
    if not (path / FILE).exists():
        raise BadInput(f"no crawl at {path}: make one with 'sought init {path} URL…'")
    return Crawl(path)


_TEMPLATE = """\
# What this crawl is about.  Every key is described in docs/reference/configuration.md.
seeds = {seeds}

[agent]
# Whom site owners can reach: an e-mail address or a page about the crawl.
contact = {contact}

[scope]
# Registered domains (with all their hosts) and single hosts; if both are empty, the domains of the seeds.
domains = {domains}
hosts = []

[crawl]
budget = "100000 per day"
policy = "Worth()"
revisit_after = "1d"

[politeness]
# Seconds between an answer and the next request to the same host.
delay = {delay}
"""

_NETWORKS = """
[fetch]
# Private networks that may be crawled; all others are refused.
allow_networks = {networks}
"""


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
    if (path / FILE).exists():
        raise BadInput(f"{path} is a crawl already; change its {FILE}, or choose another directory")
    if not seeds:
        raise BadInput("a crawl needs at least one seed URL")
    user_agent(contact)
    urls = [canonical(seed) for seed in seeds]
    text = _TEMPLATE.format(
        seeds=json.dumps(urls),
        contact=json.dumps(contact),
        domains=json.dumps([d.lower() for d in domains]),
        delay=float(delay),
    )
    if allow_networks:
        text += _NETWORKS.format(networks=json.dumps(list(allow_networks)))
    admission = Admission(check_config(tomllib.loads(text), FILE), None)
    for url in urls:
        if why := admission.look(url, origin(url), None, 0)[0]:
            raise BadInput(f"the seed {url} would not be admitted: {REASONS[why]}")
    try:
        path.mkdir(parents=True, exist_ok=True)
        (path / FILE).write_text(text, "utf-8")
    except OSError as error:
        raise BadInput(f"cannot make {path}: {error.strerror}") from None
    return Crawl(path)
