"""The loop: rank, ask politely, record, learn, rank again.

1. the policy values every row; the best, at most so many a host, are chosen (plan.py)
2. a host whose turn it is gets one request: robots.txt if it is not known, a sitemap if one is due, else its best row
3. the budget is charged and the request written to the leases, then it is sent
4. the answer is archived and digested
5. twice a second the archive is put on disk, the answers are applied, the tables committed
6. every ten seconds the search index is committed; when few chosen rows are left, the next ones are chosen
"""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import numpy as np

from sought.crawl.budget import Budget
from sought.crawl.directory import Directory, folder_bytes
from sought.crawl.hostfiles import SITEMAP_EVERY
from sought.crawl.hosts import Host
from sought.crawl.leases import ROBOTS, SITEMAP
from sought.crawl.plan import Limits, Rows, choose
from sought.crawl.queue import Queue
from sought.fetch.robots_fetch import fetch_robots
from sought.policy import Policy
from sought.web.message import Purpose, Request, Response, Web

COMMIT_EVERY = 0.5
INDEX_EVERY = 10.0  # seconds, or …
INDEX_PAGES = 5000  # … pages: small commits make the index merge the same segments again and again
PLAN_HORIZON = 30.0
GRACE = 5.0
_DENIED_FOR = 86400.0

AddressOf = Callable[[str], Awaitable[str]]


@dataclass(slots=True)
class Progress:
    """Where a running crawl stands; the cycle writes, anybody reads."""

    started: float
    fetched: int = 0
    bytes: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    in_flight: int = 0
    chosen: int = 0
    waiting: int = 0
    hosts_waiting: int = 0
    known: int = 0
    disk: int = 0
    seconds: float = 0.0
    ended: str = ""

    def count(self, response: Response) -> None:
        self.fetched += 1
        self.bytes += len(response.raw)
        name = str(response.failure) if response.failure else str(response.status)
        self.outcomes[name] = self.outcomes.get(name, 0) + 1


class Cycle:
    """One run of the crawler over an open directory."""

    def __init__(self, directory: Directory, web: Web, address_of: AddressOf, budget: Budget, policy: Policy) -> None:
        self.directory = directory
        self.repository = directory.repository
        self.politeness = directory.politeness
        self.web = web
        self.address_of = address_of
        self.budget = budget
        self.policy = policy
        self.queue = Queue(self.repository.hosts, self.politeness)
        self.progress = Progress(time.time())
        self.connections = directory.config.fetch.connections
        self.sitemaps = directory.config.crawl.sitemaps
        self.max_delay = directory.config.politeness.max_delay
        self.in_flight: dict[asyncio.Task[None], tuple[int, int, float]] = {}
        self.stopping = self.ending = False
        self.failed: BaseException | None = None
        self.wake = asyncio.Event()
        self.committed_at = self.indexed_at = self.planned_at = time.time()
        self.plan_seconds = 0.0
        self.stale_plan = True

    # ---- the loop

    async def run(self) -> Progress:
        """Until the budget is spent, nothing is left to do, or `stop` is called."""
        while not self.failed:
            now = time.time()
            await self._maintain(now)
            if self.stopping or (self.budget.left(now) <= 0 and self.budget.per is None):
                self.progress.ended = "stopped" if self.stopping else "budget spent"
                if not self.in_flight or self.ending:
                    break
            else:
                self._plan_if_needed(now)
                self._dispatch(time.time())
                if not self.in_flight and not await self._idle(time.time()):
                    break
            await self._sleep()
        await self._finish()
        return self.progress

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

    async def _sleep(self) -> None:
        now = time.time()
        due = [self.queue.wake_at(), self.committed_at + COMMIT_EVERY]
        if self.queue and len(self.in_flight) < self.connections:
            due.append(self.budget.ready_at(now))
        timer = asyncio.get_running_loop().call_later(max(0.0, min(min(due) - now, 1.0)), self.wake.set)
        await self.wake.wait()
        self.wake.clear()
        timer.cancel()

    async def _idle(self, now: float) -> bool:
        """Nothing is in flight: whether there will ever be something to do."""
        if self.queue:
            return True  # hosts are resting
        self.directory.commit()
        self._plan(now)
        if self.queue:
            return True
        if self.budget.per is None:
            self.progress.ended = self.progress.ended or "nothing left to fetch"
            return False
        return True  # a crawl with a rate goes on: pages become due again

    async def _maintain(self, now: float) -> None:
        if now - self.committed_at >= COMMIT_EVERY and self.directory.pending:
            self.directory.commit()
            self.directory.leases.keep(list(self.in_flight.values()))
            self.stale_plan = True
            self.committed_at = time.time()
        waited = now - self.indexed_at >= INDEX_EVERY and self.directory.unindexed
        if waited or self.directory.unindexed >= INDEX_PAGES:
            await self._commit_index()
            self.indexed_at = time.time()
        self._show()

    async def _commit_index(self) -> None:
        await asyncio.to_thread(self.directory.index.commit)  # answers go on coming in
        self.directory.mark_indexed()
        self.progress.disk = folder_bytes(self.directory.path)

    async def _finish(self) -> None:
        self.directory.in_flight = [lease for lease in self.in_flight.values() if lease[1] != ROBOTS]
        tasks = list(self.in_flight)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self.failed:
            raise self.failed
        self.directory.commit()
        self._show()

    def _show(self) -> None:
        p = self.progress
        p.in_flight, p.chosen, p.waiting = len(self.in_flight), len(self.queue), len(self.queue.rows)
        p.known = len(self.repository.table)
        p.hosts_waiting = len(self.queue.listed)
        p.seconds = time.time() - p.started

    # ---- choosing

    def _plan_if_needed(self, now: float) -> None:
        low = len(self.queue) < self.connections
        rested = now - self.planned_at >= max(4 * self.plan_seconds, 0.05)
        if self.stale_plan and rested and (low or now - self.planned_at > PLAN_HORIZON):
            self.directory.commit()
            self._plan(now)

    def _plan(self, now: float) -> None:
        self.queue.drop_all()
        # More than the budget may allow: some hosts will rest, and what is dispatched is what is charged.
        room = max(64 * self.connections, 1024)
        delay = max(self.directory.config.politeness.delay, 0.05)
        limits = Limits(room, max(1, int(PLAN_HORIZON / delay)), self.directory.config.revisit_after)
        rows = choose(self.policy, self.repository.table, now, limits, self._excluded(now))
        self.queue.add(rows.tolist(), self.repository.table["host"][rows].tolist(), now)
        self.queue.call([h.number for h in self.repository.hosts.list if self._has_sitemap_due(h, now)], now)
        self.planned_at = time.time()
        self.plan_seconds = self.planned_at - now
        self.stale_plan = False

    def _excluded(self, now: float) -> Rows:
        """Rows in flight, rows answered and not yet applied, and all rows of hosts that are cooling down."""
        rows = [row for _, row, _ in self.in_flight.values() if row < SITEMAP]
        rows += [f.row for f in self.directory.pending if f.row >= 0]
        excluded = np.array(rows, np.int64)
        silent = [h.number for h in self.repository.hosts.list if self._is_silent(h, now)]
        if silent:
            away = np.flatnonzero(np.isin(self.repository.table["host"], np.array(silent, np.uint32)))
            excluded = np.concatenate([excluded, away])
        return excluded

    def _is_silent(self, host: Host, now: float) -> bool:
        """Whether a host is in trouble: it rests for longer than any polite delay, and is not worth waiting for."""
        return self.max_delay < self.politeness.ready_at(host.name, "", now) - now < math.inf

    def _has_sitemap_due(self, host: Host, now: float) -> bool:
        return bool(self.sitemaps and host.sitemaps and _due(host, now)) and not self._is_silent(host, now)

    # ---- asking

    def _dispatch(self, now: float) -> None:
        while len(self.in_flight) < self.connections and self.budget.ready_at(now) <= now:
            host = self.queue.next_host(now)
            if host is None:
                return
            self._turn(host, now)

    def _turn(self, host: Host, now: float) -> None:
        """One request for a host whose turn it is."""
        if not host.address:
            self._start(self._find_address(host), host, ROBOTS, now)
        elif host.robots is None or host.robots_until <= now:
            self._begin(host, ROBOTS, now)
            self._start(self._read_robots(host), host, ROBOTS, now)
        elif self.sitemaps and (url := _due(host, now)):
            host.sitemaps[url] = now + SITEMAP_EVERY
            self._ask(host, SITEMAP, Request(url, purpose=Purpose.SITEMAP), now)
        else:
            while self.queue.has_rows(host):
                row = self.queue.take(host)
                url = self.repository.store.url(row)
                if host.robots.allows(url):
                    self._ask(host, row, self._request(row, url), now)
                    break
                self.repository.deny(row, min(host.robots_until, now + _DENIED_FOR))

    def _request(self, row: int, url: str) -> Request:
        """Conditional, if there is a copy to compare with."""
        if not self.repository.trusts_copy(row):
            return Request(url)
        details = self.repository.store.details(row)
        return Request(url, details.etag, details.last_modified)

    def _ask(self, host: Host, row: int, request: Request, now: float) -> None:
        self.budget.charge(now)
        self._begin(host, row, now)
        self._start(self._fetch(host, row, request), host, row, now)

    def _begin(self, host: Host, row: int, now: float) -> None:
        self.directory.leases.add(host.number, row, now)
        self.politeness.began(host.name, host.address, now)

    def _start(self, work: Awaitable[None], host: Host, row: int, now: float) -> None:
        task = asyncio.ensure_future(work)
        self.in_flight[task] = (host.number, row, now)
        task.add_done_callback(self._done)
        if self.politeness.manners.per_host > 1:
            self.queue.again(host, now)

    def _done(self, task: asyncio.Task[None]) -> None:
        number, _, _ = self.in_flight.pop(task)
        if not task.cancelled() and (error := task.exception()):
            self.failed = self.failed or error
            self.wake.set()
            return
        now = time.time()
        self.queue.again(self.repository.hosts[number], now)
        if not self.stopping and not self.failed:
            self._dispatch(now)
        if not self.in_flight or not self.queue:
            self.wake.set()

    async def _fetch(self, host: Host, row: int, request: Request) -> None:
        response = await self.web(request)
        self._answered(host, response)
        self.directory.record(row if row < SITEMAP else -1, response)
        self.progress.count(response)

    def _answered(self, host: Host, response: Response) -> None:
        self.politeness.ended(host.name, host.address, time.time(), response)
        self.repository.hosts.manners[host.name] = self.politeness.state(host.name)
        self.repository.hosts.changed.add(host.number)

    async def _find_address(self, host: Host) -> None:
        """Which machine a host is on: politeness is owed to it as well."""
        try:
            host.address = await self.address_of(host.name)
        except OSError:
            host.address = host.name  # the fetch itself will say that there is none

    async def _read_robots(self, host: Host) -> None:
        fetched, responses = await fetch_robots(self.web, host.origin)
        self._answered(host, responses[0])
        for response in responses:
            self.directory.record(-1, response)
        self.repository.hosts.set_robots(host, fetched)
        if host.robots and host.robots.delay:
            self.politeness.set_crawl_delay(host.name, host.robots.delay)


def _due(host: Host, now: float) -> str:
    allows = host.robots.allows if host.robots else None
    return next((url for url, when in host.sitemaps.items() if when <= now and allows and allows(url)), "")
