"""A crawl of the live Web: the cycle with real HTTP behind it."""

import ipaddress
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sought.crawl.budget import Budget
from sought.crawl.cycle import Cycle, new_cycle
from sought.crawl.progress import Progress
from sought.fetch.bounds import Bounds
from sought.fetch.guard import AddressGuard
from sought.fetch.http import Http
from sought.fetch.resolve import Resolver
from sought.index import Entry
from sought.index.analysis import NO_STEMMER
from sought.index.fields import document as to_indexed
from sought.index.measure import GainMeasure
from sought.index.vectors import Counter, no_vectors
from sought.operate.log import KeptLog, Log, silent
from sought.operate.memory import freed_regularly
from sought.operate.operator import Operator
from sought.record.config import Config, DemandSection, rate
from sought.record.directory import Directory
from sought.record.future_times import cap_times
from sought.record.seeds import plant_seeds
from sought.record.workload_refresh import Refresh
from sought.web.digest import digest
from sought.web.message import Response
from sought.web.policy import Policy
from sought.web.sketch import bands, similarity

_NOTABLE = 60.0  # seconds by which the clock is behind the last fetch

Started = Callable[[Cycle], None]


def open_web(config: Config, agent: str, now: Callable[[], float] = time.time) -> tuple[Http, Resolver]:
    """The live Web as a configuration bounds it; answers are dated by `now`."""
    f = config.fetch
    resolver = Resolver(f.resolve)
    guard = AddressGuard(tuple(ipaddress.ip_network(n) for n in f.allow_networks))
    bounds = Bounds(total=f.timeout, page=f.max_body)
    return Http(agent, bounds, guard, resolver, f.connections, now), resolver


def open_budget(directory: Directory, fetches: int | None, now: float) -> Budget:
    """A number of fetches, or the rate of sought.toml less what has been spent of it."""
    if fetches is not None:
        return Budget(fetches=fetches)
    per, seconds = rate(directory.config.crawl.budget)
    start = now - now % seconds
    return Budget(per=per, seconds=seconds, spent=directory.repository.spent_since(start), period_start=start)


def settle_leases(directory: Directory) -> None:
    """Requests that were sent before a crash and whose answers are lost: keep their delay, count their cost."""
    table, hosts = directory.repository.table, directory.repository.hosts
    for visit in directory.leases.unanswered:
        is_known = visit.row is not None and visit.row < len(table)
        if visit.host >= len(hosts) or (is_known and table["last_fetch"][visit.row] >= visit.sent):
            continue
        name = hosts[visit.host].name
        directory.politeness.restore(name, replace(directory.politeness.state(name), last_began=visit.sent))
        directory.manners.remember(hosts[visit.host])
        if visit.is_charged:
            directory.repository.spend(visit.sent)
    directory.writer.commit()
    directory.leases.unanswered = []
    directory.leases.keep([])


def warm_up() -> None:
    """Load (the first time on a machine: make) the machine code of digesting and indexing, before a server waits."""
    page = b"<html lang=en><title>Title</title><body><p>Some <a href=/link>words</a></p></body></html>"
    document = digest(Response("http://example.org/", 200, headers=(("Content-Type", "text/html"),), body=page))
    bands(document.sketch)
    similarity(document.sketch, document.sketch)
    to_indexed(Entry(0, "http://example.org/", document.title, document.text, "", document.language))


def warm_up_measuring(demand: DemandSection) -> None:
    """The same for measuring: else the first page that is measured would keep everything waiting."""
    measure = GainMeasure(["word"], np.ones(1), scorer=demand.scorer_value, estimator=demand.estimator_value)
    counter = Counter(measure.vocabulary, measure.filing.read)
    to_indexed(Entry(0, "http://example.org/", "word"), counter.read)
    counter.end_page(NO_STEMMER)
    measure.fill([])
    measure.shift(np.zeros(1, np.int64), np.zeros(1, np.uint32), no_vectors(1), counter.take())


async def crawl(
    directory: Directory, fetches: int | None, policy: Policy, started: Started, keep: int, log: Log = silent
) -> Progress:
    """Run one cycle on the live Web; `started` receives it to watch and to stop.  So many pages are kept (0: all)."""
    clock, kept = directory.clock, KeptLog(directory.path, log)
    settle_leases(directory)
    if (ahead := cap_times(directory, clock.now())) > _NOTABLE:
        kept("clock", seconds=round(ahead))
    plant_seeds(directory)
    if Refresh(directory, policy).start(clock.now()):
        warm_up_measuring(directory.config.demand)
    budget = open_budget(directory, fetches, clock.now())
    http, resolver = open_web(directory.config, directory.agent, clock.now)
    async with http:
        operator = Operator(directory, kept)
        cycle = new_cycle(directory, http.get, resolver.address, budget, policy, keep=keep, observer=operator)
        started(cycle)  # before others learn that it runs, for they may want it to stop
        operator.begin(cycle)
        try:
            with freed_regularly():
                progress = await cycle.run()
        except BaseException as error:
            operator.end(cycle, error)
            raise
        operator.end(cycle)
        return progress
