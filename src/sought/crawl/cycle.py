"""How does a crawl run?  The loop: choose, request politely, record, learn, choose again.

A page goes one way:

1. discovered    a page links to it: the table gets a row                                   record/discovery.py
2. believed      the columns of beliefs about every row are brought up to date              beliefs/columns.py
3. chosen        the policy values every row; the best rows of each host are queued         planner.py, queue.py
4. requested     its host is ready: the budget is charged, the `Visit` is leased            budget.py, record/leases.py
5. fetched       politely; before the first page of a host its robots.txt is read           fetch/, host_setup.py
6. recorded      the answer is archived, with why the page was chosen, and digested         record/writer.py
7. committed     twice a second: applied, indexed, measured, stored, as one `Commit`        record/writer.py
8. learned        beliefs and observer are given the `Commit`; the plan becomes stale        beliefs/columns.py
9. searchable    every ten seconds the index is committed                                   index/engine.py

A host that is ready is asked for robots.txt if that is not known, else for a sitemap if one is due, else for its best
row.  If the number of pages is limited, the least important pages are dropped (buffer.py).
"""

import asyncio
import math
from collections.abc import Awaitable, Iterator
from dataclasses import replace
from pathlib import Path

from sought.beliefs.columns import Beliefs, GivenColumns
from sought.beliefs.holdings import Holdings
from sought.crawl.budget import Budget
from sought.crawl.host_setup import AddressOf, HostSetup
from sought.crawl.observer import FILE, CycleObserver
from sought.crawl.planner import Planner
from sought.crawl.progress import Progress
from sought.crawl.rhythm import LIVE, Rhythm
from sought.fetch.robots import Robots
from sought.record.commit import Commit
from sought.record.directory import Directory
from sought.record.directory_parts import LeasesPart
from sought.record.files import folder_bytes
from sought.record.host_files import SITEMAP_EVERY
from sought.record.hosts import Host
from sought.record.leases import Visit
from sought.record.stored_politeness import StoredPoliteness
from sought.record.table import Source
from sought.record.workload_refresh import Refresh
from sought.record.writer import Writer
from sought.web.message import Request, RequestPurpose, Web
from sought.web.policy import Policy, beliefs_of, reads_links

INDEX_PAGES = 5000  # answers after which the index is committed early; small commits cause many merges
GRACE = 5.0
_DENIED_FOR = 86400.0
_TIDY_EVERY = 60.0
_SIZE_EVERY = 3.0


class Cycle:
    """One run of the crawler; `new_cycle` makes it and its collaborators for an open directory.

    A request in flight is a `Visit`; each has its lease until its answer is recorded.
    """

    def __init__(
        self,
        path: Path,
        web: Web,
        planner: Planner,
        host_setup: HostSetup,
        manners: StoredPoliteness,
        leases: LeasesPart,
        budget: Budget,
        writer: Writer,
        refresh: Refresh,
        observer: CycleObserver,
    ) -> None:
        self.path = path
        self.web = web
        self.planner = planner
        self.host_setup = host_setup
        self.manners = manners
        self.leases = leases
        self.budget = budget
        self.writer = writer
        self.refresh = refresh
        self.observer = observer
        self.clock = writer.clock
        self.paused = False  # no requests are sent while it is true
        self.sums_before = writer.measuring.sums
        self.progress = Progress(self.clock.now())
        self.in_flight: dict[asyncio.Task[None], Visit] = {}
        self.stopping = self.ending = False
        self.failed: BaseException | None = None
        self.wake = asyncio.Event()
        self.committed_at = self.indexed_at = self.tidied_at = self.clock.now()
        self.sized_at = -math.inf

    # ---- the loop

    async def run(self) -> Progress:
        """Run until the budget is spent, nothing is left to do, or `stop` is called."""
        try:
            while not self.failed and await self._step(self.clock.now()):
                await self._sleep()
        except BaseException as error:  # noqa: BLE001  `_finish` raises it, after what is in flight has ended
            self.failed = self.failed or error
        await self._finish()
        return self.progress

    async def _step(self, now: float) -> bool:
        """Commit, choose, send requests; returns whether there is more to do."""
        await self._maintain(now)
        if self.stopping or (self.budget.left(now) <= 0 and self.budget.per is None):
            self.progress.ended = "stopped" if self.stopping else "budget spent"
            charged = any(visit.is_charged for visit in self.in_flight.values())
            return charged and not self.ending  # a robots.txt is not waited for
        if self.paused:
            return True
        self._plan_if_needed(now)
        self._dispatch(self.clock.now())
        return bool(self.in_flight) or self._idle(self.clock.now())

    def stop(self) -> None:
        """End when the requests in flight have ended, or after a few seconds."""
        if not self.stopping:
            self.stopping = True
            asyncio.get_running_loop().call_later(GRACE, self.stop_now)
            self.wake.set()

    def stop_now(self) -> None:
        """End without waiting; the leases keep what was sent."""
        self.stopping = self.ending = True
        self.wake.set()

    def choose_again(self) -> None:
        """Make a new plan: the present one is outdated."""
        self.planner.forget()
        self.wake.set()

    async def _sleep(self) -> None:
        """Wait until an answer comes, a host is ready, or a commit is due."""
        now = self.clock.now()
        due = [self.observer.due]
        if self.writer.has_changes:
            due.append(self.committed_at + self.planner.rhythm.commit)
        if self.refresh.owed:
            due.append(now)
        if len(self.in_flight) < self.planner.connections and not self.stopping and not self.paused:
            due.append(max(self._host_ready_at(now), self.budget.ready_at(now)))
        if self.planner.queue and not self.in_flight:
            next_plan = max(self.planner.made_at + self.planner.rhythm.plan, now)
            due.append(next_plan + 1.0)  # it chooses pages of other hosts than those that must wait
        await self.clock.wait(self.wake, min(due), busy=bool(self.in_flight))
        self.wake.clear()

    def _idle(self, now: float) -> bool:
        """Nothing is in flight: returns whether there will be more to do."""
        planner = self.planner
        if planner.queue and (now - planner.made_at < planner.rhythm.plan or self.budget.ready_at(now) > now):
            return True  # hosts, or the budget, must wait
        if self.writer.has_changes:
            self.commit()
        self._plan(now)
        if self.planner.queue:
            return True
        if self.budget.per is None:
            self.progress.ended = self.progress.ended or "nothing left to fetch"
            return False
        return True  # a crawl with a rate goes on: pages become due again

    async def _maintain(self, now: float) -> None:
        if now - self.committed_at >= self.planner.rhythm.commit and self.writer.has_changes:
            self.commit()
            self.leases.keep(self.in_flight.values())
            self.planner.is_stale = True
            self.committed_at = self.clock.now()
            self._tidy(now)
        waited = now - self.indexed_at >= self.planner.rhythm.index and self.writer.unindexed
        if waited or self.writer.unindexed >= INDEX_PAGES:
            await self._commit_index()
            self.indexed_at = self.clock.now()
        self.refresh.step(now, self._take)
        self._show()
        self.observer.look(self, now)

    def _tidy(self, now: float) -> None:
        """Do what need not be done at every commit."""
        if now - self.sized_at > _SIZE_EVERY:
            self.progress.disk = folder_bytes(self.path)
            self.sized_at = now
        if now - self.tidied_at > _TIDY_EVERY:
            self.manners.politeness.forget(now)
            self.tidied_at = now

    async def _commit_index(self) -> None:
        await asyncio.to_thread(self.writer.index.commit)  # meanwhile answers are taken
        self.writer.mark_indexed()

    async def _finish(self) -> None:
        self.stopping = True
        self.leases.unanswered = list(self.in_flight.values())
        tasks = list(self.in_flight)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self.failed:
            raise self.failed
        self.commit()
        dropped = self.planner.trim(self.planner.beliefs.pages)
        self.observer.dropped(dropped)
        if len(dropped):
            self.commit()
        self.progress.hot = self.planner.beliefs.hot_pages
        self.progress.disk = folder_bytes(self.path)
        self._show()

    def _show(self) -> None:
        p = self.progress
        p.in_flight, p.chosen, p.waiting = len(self.in_flight), len(self.planner.queue), len(self.planner.queue.rows)
        p.known = len(self.writer.repository.table)
        p.hosts_waiting = len(self.planner.queue.listed)
        sums = self.writer.measuring.sums
        p.measured, p.gain = sums.fetches - self.sums_before.fetches, sums.total - self.sums_before.total
        p.seconds = self.clock.now() - p.started

    # ---- choosing

    def _plan_if_needed(self, now: float) -> None:
        if self.planner.is_due(now):
            if self.writer.has_changes:
                self.commit()
            self._plan(now)

    def _plan(self, now: float) -> None:
        answered = (each.row for each in self.writer.pending if each.row >= 0)
        plan, dropped = self.planner.plan(now, set(self.rows_in_flight), answered)
        self.observer.dropped(dropped)
        self.observer.planned(self, plan)

    # ---- sending requests

    def _dispatch(self, now: float) -> None:
        while not self.paused and len(self.in_flight) < self.planner.connections and self.budget.ready_at(now) <= now:
            host = self.planner.queue.next_host(now, self.budget.spare(now))
            if host is None:
                return
            self._visit(host, now)

    def _host_ready_at(self, now: float) -> float:
        """When a host may be asked, or there is one more fetch to spare for those that are held back."""
        queue, spare = self.planner.queue, self.budget.spare(now)
        ready = queue.wake_at(spare)
        return min(ready, self.budget.next_spare(now)) if queue.holds_back(spare) else ready

    def _visit(self, host: Host, now: float) -> None:
        """Send one request to a host that is ready."""
        if not host.address or host.address_until <= now:
            self._start(self.host_setup.find_address(host), host, Visit(host.number, RequestPurpose.ROBOTS, now))
        elif host.robots is None or host.robots_until <= now:
            visit = Visit(host.number, RequestPurpose.ROBOTS, now)
            self._begin(host, visit)
            self._start(self._read_robots(host), host, visit)
        elif self.planner.queue.best(host) not in self.planner.wanted and (url := self.planner.sitemap_due(host, now)):
            host.sitemaps[url] = now + SITEMAP_EVERY
            visit = Visit(host.number, RequestPurpose.SITEMAP, now, url=url)
            self._send(host, visit, Request(url, purpose=RequestPurpose.SITEMAP))
        else:
            self._visit_page(host, host.robots, now)

    def _visit_page(self, host: Host, robots: Robots, now: float) -> None:
        """Request the host's best row that robots.txt allows."""
        while self.planner.queue.has_rows(host):
            row = self.planner.queue.take(host)
            self.planner.wanted.pop(row, None)
            request = self.writer.request(row)
            if robots.allows(request.url):
                self._send(host, Visit(host.number, RequestPurpose.PAGE, now, row), request)
                break
            self.planner.chosen.pop(row, None)
            until = min(host.robots_until, now + _DENIED_FOR)
            self.writer.repository.deny(row, until, forbidden=host.robots_kind == "parsed")

    def _send(self, host: Host, visit: Visit, request: Request) -> None:
        self.budget.charge(visit.sent)
        self._begin(host, visit)
        self._start(self._fetch(host, host.address, visit, request), host, visit)

    def _begin(self, host: Host, visit: Visit) -> None:
        self.leases.add(visit)
        self.manners.began(host, visit.sent)

    def _start(self, work: Awaitable[None], host: Host, visit: Visit) -> None:
        task = asyncio.ensure_future(work)
        self.in_flight[task] = visit
        task.add_done_callback(self._done)
        if self.manners.politeness.manners.per_host > 1 and visit.is_charged:
            self.planner.queue.again(host, visit.sent)

    def _done(self, task: asyncio.Task[None]) -> None:
        visit = self.in_flight.pop(task)
        if not task.cancelled() and (error := task.exception()):
            self.failed = self.failed or error
            self.wake.set()
            return
        now = self.clock.now()
        self.planner.queue.again(self.writer.repository.hosts[visit.host], now)
        try:
            if not self.stopping and not self.failed:
                self._dispatch(now)
        except Exception as error:  # noqa: BLE001  nobody catches errors of a callback: the loop raises it
            self.failed = error
        if self.failed or not self.in_flight or not self.planner.queue:
            self.wake.set()

    async def _fetch(self, host: Host, address: str, visit: Visit, request: Request) -> None:
        response = await self.web(request)
        row = -1 if visit.row is None else visit.row
        why = self.planner.chosen.pop(row, None)
        if why:
            response = replace(response, why=why)
        self.manners.ended(host, address, self.clock.now(), response)
        self.writer.record(row, response)
        self.progress.count(response)
        if response.failure:
            self.progress.trouble(host.origin, response)
        self.observer.answered(host, response, why.purpose if why else FILE)

    async def _read_robots(self, host: Host) -> None:
        fetched, responses = await self.host_setup.read_robots(host)
        if fetched.kind in ("deny", "guarded"):
            self.progress.trouble(host.origin, responses[-1])
        for response in responses:
            self.observer.answered(host, response, FILE)

    # ---- committing

    def commit(self) -> None:
        """Apply, index, measure and store what has been recorded, and give the result to beliefs and observer."""
        self._take(self.writer.commit())

    def add_urls(self, urls: list[str], uri: str, source: Source) -> list[int]:
        """Enter URLs of a loaded list; returns their rows, negative for those that are refused."""
        added = self.writer.add_urls(urls, uri, source)
        self._take(added.commit)
        return added.rows

    def _take(self, commit: Commit) -> None:
        self.planner.beliefs.take(commit)
        self.observer.committed(commit)

    @property
    def rows_in_flight(self) -> Iterator[int]:
        """Pages that have been requested and have not come."""
        return (visit.row for visit in self.in_flight.values() if visit.row is not None)


def new_cycle(
    directory: Directory,
    web: Web,
    address_of: AddressOf,
    budget: Budget,
    policy: Policy,
    rhythm: Rhythm = LIVE,
    beliefs: Beliefs | None = None,
    refresh: Refresh | None = None,
    keep: int = 0,
    observer: CycleObserver | None = None,
) -> Cycle:
    """A cycle over an open directory.

    A caller that runs many cycles may keep `beliefs` and `refresh` between them.  `keep` is that of sought.toml.
    """
    writer, manners = directory.writer, directory.manners
    beliefs = beliefs or beliefs_in(directory, policy)
    planner = Planner(
        policy, beliefs, directory.repository, manners.politeness, directory.config, rhythm, directory.clock, keep
    )
    host_setup = HostSetup(writer, manners, web, address_of, planner.is_blocked)
    refresh, observer = refresh or Refresh(directory, policy), observer or CycleObserver()
    return Cycle(directory.path, web, planner, host_setup, manners, directory.leases, budget, writer, refresh, observer)


def beliefs_in(directory: Directory, policy: Policy, given: GivenColumns = {}) -> Beliefs:  # noqa: B006  read only
    """The beliefs that a policy reads, from the history of a crawl; those in `given` are not learned."""
    holdings = Holdings(directory.store, directory.repository.table, lambda: directory.measuring)
    since, pace = directory.measuring.since, directory.pace
    return Beliefs(beliefs_of(policy), holdings, since, given, pace, links=reads_links(policy))
