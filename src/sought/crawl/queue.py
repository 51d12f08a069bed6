"""Chosen rows by host, in order of value, and which host may be asked next."""

import heapq
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterable
from math import inf

from sought.fetch.politeness import Politeness
from sought.record.hosts import Host, Hosts

FIRST = -1  # before all that was chosen


class Queue:
    """Rows by host, and every host in exactly one place.

    It waits for a time (`waiting`), for its turn (`ready`) or for its address (`blocked`), or is in none of them: a
    request of it is in flight, or it has nothing to do.  Of those that are ready the one with the best row is next.

    Whoever has `spare` fetches lets a host have one only if fewer better rows wait for their hosts: each of them could
    have one, too.  So what was saved up while nothing was asked is not spent on the hosts that happen to be ready.
    """

    def __init__(self, hosts: Hosts, politeness: Politeness) -> None:
        self.hosts = hosts
        self.politeness = politeness
        self.rows: dict[int, deque[tuple[int, int]]] = {}  # by host: the place of each in the order of all, and itself
        self.waiting: list[tuple[float, int]] = []
        self.ready: list[tuple[int, int]] = []  # the place of a host's best row, and the host
        self.listed: set[int] = set()
        self.blocked: dict[str, list[int]] = {}
        self.called: set[int] = set()
        self.size = 0
        self.taken: list[int] = []  # places, ascending

    def __len__(self) -> int:
        return self.size + len(self.called)

    def add(self, rows: Iterable[int], hosts: Iterable[int], now: float) -> None:
        """The best first."""
        for place, (row, host) in enumerate(zip(rows, hosts, strict=True), self.size):
            self.rows.setdefault(host, deque()).append((place, row))
            self.size += 1
            if host not in self.listed:
                self._wait(host, now)

    def put_first(self, row: int, host: int, now: float) -> None:
        """Before all other rows."""
        self.rows.setdefault(host, deque()).appendleft((FIRST, row))
        self.size += 1
        if any(number == host for _, number in self.ready):
            self.ready = [(self._place(number), number) for _, number in self.ready]
            heapq.heapify(self.ready)
        if host not in self.listed:
            self._wait(host, now)

    def call(self, hosts: Iterable[int], now: float) -> None:
        """Give these hosts a turn even if they have no rows: a sitemap of theirs is due."""
        for host in hosts:
            self.called.add(host)
            if host not in self.listed:
                self._wait(host, now)

    def next_host(self, now: float, spare: float = inf) -> Host | None:
        """A host that has rows, or was called, and may be asked now."""
        while self.waiting and self.waiting[0][0] <= now:
            _, number = heapq.heappop(self.waiting)
            heapq.heappush(self.ready, (self._place(number), number))
        while self.ready and not self.holds_back(spare):
            _, number = heapq.heappop(self.ready)
            self.listed.discard(number)
            host = self.hosts[number]
            if not self._has_errand(number):
                continue
            ready = self.politeness.ready_at(host.name, host.address, now)
            if ready <= now:
                self.called.discard(number)
                return host
            if ready == inf:
                self._block(host)
            else:
                self._wait(number, ready)
        return None

    def holds_back(self, spare: float) -> bool:
        """Whether a host is ready, and as many better rows than its own wait as there are fetches to spare."""
        if not self.ready:
            return False
        place = self.ready[0][0]
        return place - bisect_left(self.taken, place) >= spare

    def best(self, host: Host) -> int | None:
        """What `take` would give."""
        return self.rows[host.number][0][1] if host.number in self.rows else None

    def take(self, host: Host) -> int:
        """The host's best row."""
        rows = self.rows[host.number]
        place, row = rows.popleft()
        if not rows:
            del self.rows[host.number]
        if place != FIRST:
            insort(self.taken, place)
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

    def wake_at(self, spare: float = inf) -> float:
        """When the next host becomes ready; inf if none waits for a time, -inf if one is and is not held back."""
        if self.ready and not self.holds_back(spare):
            return -inf
        return self.waiting[0][0] if self.waiting else inf

    def drop_all(self) -> None:
        """Forget what was chosen; a new plan chooses again."""
        self.rows.clear()
        self.waiting.clear()
        self.ready.clear()
        self.listed.clear()
        self.blocked.clear()
        self.called.clear()
        self.taken.clear()
        self.size = 0

    def _has_errand(self, number: int) -> bool:
        return number in self.rows or number in self.called

    def _place(self, number: int) -> int:
        """Of its best row among all; who was called for a sitemap alone need not wait for others' rows."""
        return self.rows[number][0][0] if number in self.rows else FIRST

    def _wait(self, number: int, when: float) -> None:
        heapq.heappush(self.waiting, (when, number))
        self.listed.add(number)

    def _block(self, host: Host) -> None:
        self.blocked.setdefault(host.address or host.name, []).append(host.number)
        self.listed.add(host.number)
