"""The loop: rank, ask politely, record, learn, rank again.

1. the policy values every row; the best, at most so many a host, are chosen (plan.py)
2. a host whose turn it is gets one request: robots.txt if it is not known, a sitemap if one is due, else its best row
3. the budget is charged and the request written to the leases, then it is sent
4. the answer is archived and digested
5. twice a second the archive is put on disk, the answers are applied, the tables committed
6. every ten seconds the search index is committed; when few chosen rows are left, the next ones are chosen, and what
   is too much for a repository of so many pages is dropped (buffer.py)
"""

import asyncio
import math
from collections.abc import Awaitable, Iterator
from dataclasses import replace

from sought.beliefs.columns import Beliefs, Told
from sought.beliefs.holdings import Holdings
from sought.crawl.budget import Budget
from sought.crawl.greeting import AddressOf, Greeting
from sought.crawl.observer import FILE, CycleObserver
from sought.crawl.planner import Planner
from sought.crawl.progress import Progress
from sought.crawl.rhythm import LIVE, Rhythm
from sought.record.commit import Commit
from sought.record.directory import Directory
from sought.record.files import folder_bytes
from sought.record.host_files import SITEMAP_EVERY
from sought.record.hosts import Host
from sought.record.leases import Visit
from sought.record.table import Source
from sought.record.workload_refresh import Refresh
from sought.web.expression import expression_of
from sought.web.message import Request, RequestPurpose, Web
from sought.web.policy import Policy, beliefs_of, reads_links

INDEX_PAGES = 5000  # small commits make the index merge the same segments again and again
GRACE = 5.0
_DENIED_FOR = 86400.0
_TIDY_EVERY = 60.0
_SIZE_EVERY = 3.0


class Cycle:
    """One run of the crawler over an open directory."""

    def __init__(
        self,
        directory: Directory,
        web: Web,
        address_of: AddressOf,
        budget: Budget,
        policy: Policy,
        rhythm: Rhythm = LIVE,
        beliefs: Beliefs | None = None,
        refresh: Refresh | None = None,
        keep: int = 0,
        witness: CycleObserver | None = None,
    ) -> None:
        """`beliefs` and `refresh` are kept from run to run by whoever runs many.  `keep` is that of sought.toml."""
        self.path, self.clock, self.rhythm = directory.path, directory.clock, rhythm
        self.config = directory.config
        self.repository, self.writer, self.index = directory.repository, directory.writer, directory.index
        self.measuring, self.leases, self.manners = directory.measuring, directory.leases, directory.manners
        self.politeness = directory.politeness
        self.web = web
        self.budget = budget
        self.policy_name = expression_of(policy)
        self.beliefs = beliefs or beliefs_in(directory, policy)
        self.planner = Planner(
            policy, self.beliefs, self.repository, self.politeness, self.config, rhythm, self.clock, keep
        )
        self.queue = self.planner.queue
        self.greeting = Greeting(
            self.writer, self.manners, self.clock, web, address_of, lambda name: name in self.planner.blocked
        )
        self.witness = witness or CycleObserver()
        self.refresh = refresh or Refresh(directory, policy)
        self.paused = False  # nothing is asked while it is
        self.sums = directory.measuring.sums  # before this run
        self.progress = Progress(self.clock.now())
        self.in_flight: dict[asyncio.Task[None], Visit] = {}
        self.stopping = self.ending = False
        self.failed: BaseException | None = None
        self.wake = asyncio.Event()
        self.committed_at = self.indexed_at = self.tidied_at = self.clock.now()
        self.sized_at = -math.inf

    # ---- the loop

    async def run(self) -> Progress:
        """Until the budget is spent, nothing is left to do, or `stop` is called."""
        try:
            while not self.failed and await self._step(self.clock.now()):
                await self._sleep()
        except BaseException as error:  # noqa: BLE001  `_finish` raises it, after what is in flight has ended
            self.failed = self.failed or error
        await self._finish()
        return self.progress

    async def _step(self, now: float) -> bool:
        """Commit, choose, ask; whether there is more to do."""
        await self._maintain(now)
        if self.stopping or (self.budget.left(now) <= 0 and self.budget.per is None):
            self.progress.ended = "stopped" if self.stopping else "budget spent"
            charged = any(visit.is_charged for visit in self.in_flight.values())
            return charged and not self.ending  # for robots.txt alone nobody waits
        if self.paused:
            return True
        self._plan_if_needed(now)
        self._dispatch(self.clock.now())
        return bool(self.in_flight) or self._idle(self.clock.now())

    def stop(self) -> None:
        """Let what is in flight end, for a few seconds, then end."""
        if not self.stopping:
            self.stopping = True
            asyncio.get_running_loop().call_later(GRACE, self.stop_now)
            self.wake.set()

    def stop_now(self) -> None:
        """End without waiting; the leases remember what was sent."""
        self.stopping = self.ending = True
        self.wake.set()

    def choose_again(self) -> None:
        """Forget what was chosen: it is not what would be chosen now."""
        self.planner.forget()
        self.wake.set()

    async def _sleep(self) -> None:
        """Until an answer comes, a host is ready, or a commit is due."""
        now = self.clock.now()
        due = [self.witness.due]
        if self.writer.has_changes:
            due.append(self.committed_at + self.rhythm.commit)
        if self.refresh.owed:
            due.append(now)
        if len(self.in_flight) < self.config.fetch.connections and not self.stopping and not self.paused:
            due.append(max(self.queue.wake_at(), self.budget.ready_at(now)))
        if self.queue and not self.in_flight:
            due.append(
                max(self.planner.made_at + self.rhythm.plan, now) + 1.0
            )  # then others are chosen than those who rest
        await self.clock.wait(self.wake, min(due), busy=bool(self.in_flight))
        self.wake.clear()

    def _idle(self, now: float) -> bool:
        """Nothing is in flight: whether there will ever be something to do."""
        if self.queue and (now - self.planner.made_at < self.rhythm.plan or self.budget.ready_at(now) > now):
            return True  # hosts are resting
        if self.writer.has_changes:
            self.commit()
        self._plan(now)
        if self.queue:
            return True
        if self.budget.per is None:
            self.progress.ended = self.progress.ended or "nothing left to fetch"
            return False
        return True  # a crawl with a rate goes on: pages become due again

    async def _maintain(self, now: float) -> None:
        if now - self.committed_at >= self.rhythm.commit and self.writer.has_changes:
            self.commit()
            self.leases.keep(self.in_flight.values())
            self.planner.is_stale = True
            self.committed_at = self.clock.now()
            self._tidy(now)
        waited = now - self.indexed_at >= self.rhythm.index and self.writer.unindexed
        if waited or self.writer.unindexed >= INDEX_PAGES:
            await self._commit_index()
            self.indexed_at = self.clock.now()
        self.refresh.step(now, self._take)
        self._show()
        self.witness.look(self, now)

    def _tidy(self, now: float) -> None:
        """Small things that need not be done at every commit."""
        if now - self.sized_at > _SIZE_EVERY:
            self.progress.disk = folder_bytes(self.path)
            self.sized_at = now
        if now - self.tidied_at > _TIDY_EVERY:
            self.politeness.forget(now)
            self.tidied_at = now

    async def _commit_index(self) -> None:
        await asyncio.to_thread(self.index.commit)  # answers go on coming in
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
        dropped = self.planner.trim(self.beliefs.pages)
        self.witness.dropped(dropped)
        if len(dropped):
            self.commit()
        self.progress.hot = self.beliefs.hot_pages
        self.progress.disk = folder_bytes(self.path)
        self._show()

    def _show(self) -> None:
        p = self.progress
        p.in_flight, p.chosen, p.waiting = len(self.in_flight), len(self.queue), len(self.queue.rows)
        p.known = len(self.repository.table)
        p.hosts_waiting = len(self.queue.listed)
        sums = self.measuring.sums
        p.measured, p.gain = sums.fetches - self.sums.fetches, sums.total - self.sums.total
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
        self.witness.dropped(dropped)
        self.witness.planned(self, plan)

    # ---- asking

    def _dispatch(self, now: float) -> None:
        while (
            not self.paused and len(self.in_flight) < self.config.fetch.connections and self.budget.ready_at(now) <= now
        ):
            host = self.queue.next_host(now)
            if host is None:
                return
            self._turn(host, now)

    def _turn(self, host: Host, now: float) -> None:
        """One request for a host whose turn it is."""
        if not host.address or host.address_until <= now:
            self._start(self.greeting.find_address(host), host, Visit(host.number, RequestPurpose.ROBOTS, now))
        elif host.robots is None or host.robots_until <= now:
            visit = Visit(host.number, RequestPurpose.ROBOTS, now)
            self._begin(host, visit)
            self._start(self._read_robots(host), host, visit)
        elif self.queue.best(host) not in self.planner.wanted and (url := self.planner.sitemap_due(host, now)):
            host.sitemaps[url] = now + SITEMAP_EVERY
            self._ask(
                host,
                Visit(host.number, RequestPurpose.SITEMAP, now, url=url),
                Request(url, purpose=RequestPurpose.SITEMAP),
            )
        else:
            while self.queue.has_rows(host):
                row = self.queue.take(host)
                self.planner.wanted.pop(row, None)
                request = self.writer.request(row)
                if host.robots.allows(request.url):
                    self._ask(host, Visit(host.number, RequestPurpose.PAGE, now, row), request)
                    break
                self.planner.chosen.pop(row, None)
                until = min(host.robots_until, now + _DENIED_FOR)
                self.repository.deny(row, until, forbidden=host.robots_kind == "parsed")

    def _ask(self, host: Host, visit: Visit, request: Request) -> None:
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
        if self.politeness.manners.per_host > 1 and visit.is_charged:
            self.queue.again(host, visit.sent)

    def _done(self, task: asyncio.Task[None]) -> None:
        visit = self.in_flight.pop(task)
        if not task.cancelled() and (error := task.exception()):
            self.failed = self.failed or error
            self.wake.set()
            return
        now = self.clock.now()
        self.queue.again(self.repository.hosts[visit.host], now)
        try:
            if not self.stopping and not self.failed:
                self._dispatch(now)
        except Exception as error:  # noqa: BLE001  there is nobody above a callback: the loop raises it
            self.failed = error
        if self.failed or not self.in_flight or not self.queue:
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
        self.witness.answered(host, response, why.purpose if why else FILE)

    async def _read_robots(self, host: Host) -> None:
        fetched, responses = await self.greeting.read_robots(host)
        if fetched.kind in ("deny", "guarded"):
            self.progress.trouble(host.origin, responses[-1])
        for response in responses:
            self.witness.answered(host, response, FILE)

    # ---- committing

    def commit(self) -> None:
        """Apply, index, measure and store what has been recorded; then it is what beliefs and observers know."""
        self._take(self.writer.commit())

    def add_urls(self, urls: list[str], uri: str, source: Source) -> list[int]:
        """Take in URLs that a person named; their rows, negative for those that are refused."""
        added = self.writer.add_urls(urls, uri, source)
        self._take(added.commit)
        return added.rows

    def _take(self, commit: Commit) -> None:
        self.beliefs.take(commit)
        self.witness.committed(commit)

    @property
    def rows_in_flight(self) -> Iterator[int]:
        """Pages that have been asked for."""
        return (visit.row for visit in self.in_flight.values() if visit.row is not None)


def beliefs_in(directory: Directory, policy: Policy, told: Told = {}) -> Beliefs:  # noqa: B006  nobody writes to it
    """What the policy reads, from the history of a crawl, but for what is told."""
    holdings = Holdings(directory.store, directory.repository.table, lambda: directory.measuring)
    since, pace = directory.measuring.since, directory.pace
    return Beliefs(beliefs_of(policy), holdings, since, told, pace, links=reads_links(policy))
