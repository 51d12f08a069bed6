"""What is fetched next, and why: a plan is made, kept until it is stale, and thrown away."""

import math
from collections.abc import Callable, Collection, Iterable

import numpy as np

from sought.beliefs.columns import Beliefs
from sought.crawl.buffer import Buffer
from sought.crawl.plan import Limits, Plan, Rows, make_plan
from sought.crawl.queue import Queue
from sought.crawl.rhythm import Rhythm
from sought.fetch.politeness import Politeness
from sought.record.clock import Clock
from sought.record.config import Config
from sought.record.hosts import Host
from sought.record.repository import Repository
from sought.web.message import Why
from sought.web.pages import Pages
from sought.web.policy import Policy


class Planner:
    """Lets the policy choose, and fills the queue with what it chose.

    `chosen` is why each row of the plan was chosen, until it is fetched; `wanted` the same for rows that were asked
    for, which come before all others of their hosts.  Hosts whose names are in `blocked` are never asked.
    """

    def __init__(
        self,
        policy: Policy,
        beliefs: Beliefs,
        repository: Repository,
        politeness: Politeness,
        config: Config,
        rhythm: Rhythm,
        clock: Clock,
        keep: int,
    ) -> None:
        self.policy = policy
        self.beliefs = beliefs
        self.repository = repository
        self.politeness = politeness
        self.config = config
        self.rhythm = rhythm
        self.clock = clock
        self.buffer = Buffer(keep, policy)
        self.queue = Queue(repository.hosts, politeness)
        self.chosen: dict[int, Why] = {}
        self.wanted: dict[int, Why] = {}
        self.blocked: frozenset[str] = frozenset()
        self.made_at = clock.now()
        self.is_stale = True
        self.seconds = self.seconds_before = 0.0  # that the last plans took

    @property
    def connections(self) -> int:
        """How many requests may be in flight at once."""
        return self.config.fetch.connections

    def is_blocked(self, name: str) -> bool:
        return name in self.blocked

    def want(self, row: int, why: Why) -> None:
        """Fetch a page before all others of its host, whatever it is worth."""
        self.wanted[row] = why
        self.forget()

    def block(self, names: frozenset[str]) -> None:
        """Ask hosts of these names no more, and all others again."""
        self.blocked = names
        hosts, of = self.repository.hosts, self.repository.table["host"]
        self.wanted = {row: why for row, why in self.wanted.items() if hosts[int(of[row])].name not in names}
        self.forget()

    def forget(self) -> None:
        """What was chosen is not what would be chosen now."""
        self.queue.drop_all()
        self.is_stale, self.made_at = True, -math.inf

    def is_due(self, now: float) -> bool:
        """Whether it is time for another plan."""
        rested = now - self.made_at >= max(4 * self.seconds, 0.05)
        quicker = min(self.seconds, self.seconds_before)  # the first one loads what later ones find loaded
        is_low = len(self.queue) < self.connections
        return self.is_stale and rested and (is_low or now - self.made_at > self.rhythm.plan_lasts(quicker))

    def plan(self, now: float, in_flight: Collection[int], answered: Iterable[int]) -> tuple[Plan, Rows]:
        """Choose anew; returns the plan, and the pages that had to leave a repository of limited size.

        Rows that are in flight, or were answered and are not applied yet, are not chosen.
        """
        began = self.clock.now()
        self.queue.drop_all()
        table, pages = self.repository.table, self.beliefs.pages()
        dropped = self.trim(lambda: pages)
        excluded = self._excluded(now, [*in_flight, *self.wanted, *answered])
        plan = make_plan(self.policy, table, pages, now, self._limits(), excluded)
        kept = {row: why for row, why in self.chosen.items() if row in in_flight}
        self.chosen = self.wanted | plan.why | kept
        rows = plan.rows
        self.queue.add(rows.tolist(), table["host"][rows].tolist(), now)
        for row in reversed(self.wanted):
            self.queue.put_first(row, int(table["host"][row]), now)
        self.queue.call([h.number for h in self.repository.hosts.list if self._has_sitemap_due(h, now)], now)
        self.seconds, self.seconds_before = self.clock.now() - began, self.seconds
        self.is_stale, self.made_at = False, self.clock.now()
        return plan, dropped

    def trim(self, pages: Callable[[], Pages]) -> Rows:
        """Drop what is too much for a repository of limited size."""
        return self.buffer.trim(self.repository, pages, self.clock.now())

    def sitemap_due(self, host: Host, now: float) -> str:
        """The URL of a sitemap that is to be read again; empty if there is none."""
        if not self.config.crawl.sitemaps or not host.robots:
            return ""
        return next((url for url, due in host.sitemaps.items() if due <= now and host.robots.allows(url)), "")

    def _limits(self) -> Limits:
        # More than the budget may allow: some hosts will rest, and what is dispatched is what is charged.
        room = self.rhythm.chosen or max(64 * self.connections, 1024)
        delay = max(self.config.politeness.delay, 0.05)
        per_host = int(max(1, min(self.rhythm.plan / delay, room)))
        return Limits(room, per_host, self.config.revisit_after)

    def _excluded(self, now: float, rows: list[int]) -> Rows:
        """These rows, and all of hosts that are not to be asked."""
        excluded = np.array(rows, np.int64)
        silent = [h.number for h in self.repository.hosts.list if self._is_silent(h, now)]
        if silent:
            away = np.flatnonzero(np.isin(self.repository.table["host"], np.array(silent, np.uint32)))
            excluded = np.concatenate([excluded, away])
        return excluded

    def _is_silent(self, host: Host, now: float) -> bool:
        """Whether a host is blocked, or in trouble: it rests longer than is polite, and is not worth waiting for."""
        rest = self.politeness.ready_at(host.name, "", now) - now
        return self.is_blocked(host.name) or self.config.politeness.max_delay < rest < math.inf

    def _has_sitemap_due(self, host: Host, now: float) -> bool:
        return bool(host.sitemaps and self.sitemap_due(host, now)) and not self._is_silent(host, now)
