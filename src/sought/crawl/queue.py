"""Chosen rows by host, in order of value, and which host may be asked next."""

import heapq
from collections import deque
from collections.abc import Iterable

from sought.crawl.hosts import Host, Hosts
from sought.fetch.politeness import Politeness


class Queue:
    """Rows by host, and every host in exactly one place.

    It waits for a time (`waiting`) or for its address (`blocked`), or is in neither: a request of it is in flight, or
    it has nothing to do.
    """

    def __init__(self, hosts: Hosts, politeness: Politeness) -> None:
        self.hosts = hosts
        self.politeness = politeness
        self.rows: dict[int, deque[int]] = {}
        self.waiting: list[tuple[float, int]] = []
        self.listed: set[int] = set()
        self.blocked: dict[str, list[int]] = {}
        self.called: set[int] = set()
        self.size = 0

    def __len__(self) -> int:
        return self.size + len(self.called)

    def add(self, rows: Iterable[int], hosts: Iterable[int], now: float) -> None:
        for row, host in zip(rows, hosts, strict=True):
            self.rows.setdefault(host, deque()).append(row)
            self.size += 1
            if host not in self.listed:
                self._wait(host, now)

    def put_first(self, row: int, host: int, now: float) -> None:
        """Before all other rows of its host."""
        self.rows.setdefault(host, deque()).appendleft(row)
        self.size += 1
        if host not in self.listed:
            self._wait(host, now)

    def call(self, hosts: Iterable[int], now: float) -> None:
        """Give these hosts a turn even if they have no rows: a sitemap of theirs is due."""
        for host in hosts:
            self.called.add(host)
            if host not in self.listed:
                self._wait(host, now)

    def next_host(self, now: float) -> Host | None:
        """A host that has rows, or was called, and may be asked now."""
        while self.waiting and self.waiting[0][0] <= now:
            _, number = heapq.heappop(self.waiting)
            self.listed.discard(number)
            host = self.hosts[number]
            if not self._has_errand(number):
                continue
            ready = self.politeness.ready_at(host.name, host.address, now)
            if ready <= now:
                self.called.discard(number)
                return host
            if ready == float("inf"):
                self._block(host)
            else:
                self._wait(number, ready)
        return None

    def best(self, host: Host) -> int | None:
        """What `take` would give."""
        return self.rows[host.number][0] if host.number in self.rows else None

    def take(self, host: Host) -> int:
        """The host's best row."""
        rows = self.rows[host.number]
        row = rows.popleft()
        if not rows:
            del self.rows[host.number]
        self.size -= 1
        return row

    def has_rows(self, host: Host) -> bool:
        return host.number in self.rows

    def again(self, host: Host, now: float) -> None:
        """The host may have a further turn: list it again, and those that waited for its address."""
        freed = [*self.blocked.pop(host.address, ()), *self.blocked.pop(host.name, ())]
        self.listed.difference_update(freed)
        for number in (host.number, *freed):
            if self._has_errand(number) and number not in self.listed:
                self._wait(number, now)

    def wake_at(self) -> float:
        """When the next host becomes ready; inf if none waits for a time."""
        return self.waiting[0][0] if self.waiting else float("inf")

    def drop_all(self) -> None:
        """Forget what was chosen; a new plan chooses again."""
        self.rows.clear()
        self.waiting.clear()
        self.listed.clear()
        self.blocked.clear()
        self.called.clear()
        self.size = 0

    def _has_errand(self, number: int) -> bool:
        return number in self.rows or number in self.called

    def _wait(self, number: int, when: float) -> None:
        heapq.heappush(self.waiting, (when, number))
        self.listed.add(number)

    def _block(self, host: Host) -> None:
        self.blocked.setdefault(host.address or host.name, []).append(host.number)
        self.listed.add(host.number)
