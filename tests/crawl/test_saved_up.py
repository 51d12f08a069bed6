"""What is done with fetches that were saved up while nothing could be fetched."""

import asyncio
import math

import numpy as np
import pytest

from sought.crawl.budget import Budget
from sought.crawl.cycle import new_cycle
from sought.crawl.observer import CycleObserver
from sought.crawl.queue import Queue
from sought.fetch.politeness import Manners, Politeness
from sought.lab.replay.clock import VirtualClock
from sought.record.directory import Directory
from sought.record.directory_parts import DirectoryParts
from sought.record.hosts import Hosts
from sought.record.seeds import LOADED
from sought.record.table import Source
from sought.web.message import RequestPurpose, Response

START, PAUSE = 1.8e9, 30.0
GOOD, BAD, EACH = 2, 20, 30  # hosts, and pages of each
CONFIG = """
seeds = ["http://good0.test/0"]
[agent]
contact = "test@example.org"
[crawl]
sitemaps = false
[scope]
domains = ["test"]
[politeness]
delay = 0.1
latency_factor = 0.0
"""


def hour(spent=0, used_until=None, **more):
    """A budget of 3,600 in the first hour; nothing is left of what there was until `used_until`."""
    budget = Budget(per=3600, seconds=3600.0, spent=spent, **more)
    while used_until is not None and budget.ready_at(used_until) <= used_until:
        budget.charge(used_until)
    return budget


def test_without_a_rate_nothing_is_saved_up():
    """So many fetches in all: whoever is ready may have one, for only time is lost by waiting."""
    assert Budget(fetches=10).spare(0.0) == math.inf
    assert Budget(allowed=10).spare(0.0) == math.inf


def test_what_was_missed_is_spare_until_it_would_be_lost():
    """One more for each second; after a minute, and at the end of a period, all that is there must be spent."""
    budget = hour(used_until=100.0)
    assert [budget.spare(time) for time in (101.0, 102.0, 110.0, 160.0)] == [1.0, 2.0, 10.0, 60.0]
    assert budget.next_spare(110.0) == 111.0
    assert budget.spare(161.0) == math.inf
    budget.charge(161.0)
    assert budget.spare(161.0) == 60.0  # only the one that would have been lost
    assert hour(used_until=3400.0).spare(3500.0) == math.inf
    assert hour().spare(10.0) == 65.0  # a crawl that has just begun may make so many at once


def test_no_more_is_spare_than_may_be_spent():
    """By the period, and by an allowance."""
    assert hour(spent=3590).spare(10.0) == 10.0
    assert hour(allowed=3).spare(10.0) == 3.0


@pytest.mark.parametrize("spare", [1, 2, 3])
def test_a_host_waits_while_as_many_better_rows_wait_as_there_are_fetches(spare):
    """One host has the three best rows and rests; the other is ready, and has the two last."""
    hosts = Hosts("sought")
    a, b = (hosts.at(f"http://{name}.test") for name in "ab")
    queue = Queue(hosts, Politeness(Manners(delay=10.0, latency_factor=0.0)))
    queue.add([1, 2, 3, 4, 5], [a.number, a.number, a.number, b.number, b.number], 1.0)
    assert queue.next_host(1.0, spare) is a
    queue.take(a)
    queue.politeness.began(a.name, a.address, 1.0)
    queue.politeness.ended(a.name, a.address, 1.0, Response(a.origin + "/", 200))
    queue.again(a, 1.0)
    if spare > 2:  # two better rows are left
        assert queue.next_host(2.0, spare) is b
        return
    assert queue.next_host(2.0, spare) is None
    assert queue.wake_at(spare) == 11.0
    assert queue.next_host(2.0, spare + 1) is (b if spare == 2 else None)
    queue.again(b, 2.0)
    assert queue.next_host(11.0, spare) is a


class _Allows(CycleObserver):
    """Lets a crawl fetch after a pause, and ends it after so many fetches."""

    def __init__(self, budget, fetches):
        self.budget, self.fetches, self.due = budget, fetches, START + PAUSE

    def look(self, cycle, now):
        if now >= START + PAUSE:
            self.budget.allowed, self.due = self.fetches, math.inf
        if self.budget.used >= self.fetches:
            cycle.stop()
            cycle.stop_now()


def by_address(pages, now):
    """Good hosts first: their rows were added first."""
    return np.where(pages.is_new, -np.arange(len(pages), dtype=float), -np.inf)


def test_after_a_pause_a_crawl_fetches_what_its_plan_has_first(tmp_path):
    """Most pages of a plan are of few hosts.  All that a pause has saved up goes to them, not to whoever is ready."""
    (tmp_path / "sought.toml").write_text(CONFIG)
    clock, asked = VirtualClock(START), []
    urls = [f"http://{kind}{h}.test/{n}" for kind, many in (("good", GOOD), ("bad", BAD)) for n in range(EACH)
            for h in range(many)]  # fmt: skip

    async def get(request):
        if request.purpose is RequestPurpose.PAGE:
            asked.append(request.url)
        body = f"<p>{request.url}</p>".encode()
        status = 404 if request.purpose is RequestPurpose.ROBOTS else 200
        headers = (("Content-Type", "text/html"),)
        return Response(
            request.url, status, headers=headers, raw=body, body=body, time=clock.now(), purpose=request.purpose
        )

    async def address_of(host):
        return host

    directory = Directory.open(tmp_path, DirectoryParts(clock=clock))
    try:
        directory.writer.add_urls(urls, LOADED, Source.LOAD)
        budget = Budget(per=36000, seconds=3600.0, allowed=0)
        observer = _Allows(budget, GOOD * EACH)
        asyncio.run(new_cycle(directory, get, address_of, budget, by_address, observer=observer).run())
    finally:
        directory.abandon()
    assert len(asked) == GOOD * EACH
    assert all(url.startswith("http://good") for url in asked)
    assert clock.now() < START + PAUSE + 60.0
