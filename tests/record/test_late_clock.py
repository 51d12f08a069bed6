"""A clock that was ahead, or is behind: nothing stored keeps a crawl waiting for times that are still to come."""

import time
from pathlib import Path

import pytest

import sought
from sought.fetch.politeness import HostManners, Manners, Politeness
from sought.operate.check import check
from sought.operate.live import settle_leases
from sought.record.clock import WallClock
from sought.record.directory import Directory
from sought.record.directory_parts import DirectoryParts
from sought.record.future_times import cap_times
from sought.record.leases import Visit
from sought.record.recovery import open_directory
from sought.web.message import RequestPurpose, Response

YEAR = 365 * 86400.0


class Ahead(WallClock):
    """A clock that is so many seconds ahead of the system's."""

    def __init__(self, seconds: float) -> None:
        super().__init__(lambda: time.time() + seconds)


def crawled_ahead(path: Path, seconds: float, fetches: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crawl whose clock is ahead."""
    with monkeypatch.context() as patch:
        patch.setattr("sought.api.open_directory", lambda p: Directory.open(p, DirectoryParts(clock=Ahead(seconds))))
        assert sought.open(path).crawl(fetches=fetches).fetched == fetches


@pytest.mark.slow
@pytest.mark.parametrize("ahead", [3600.0, YEAR])
def test_a_crawl_after_a_clock_that_was_ahead_goes_on(healthy, make_crawl, monkeypatch, ahead):
    """New pages are fetched at once, known ones wait as long as always, and all parts agree."""
    path = make_crawl(healthy)
    crawled_ahead(path, ahead, 10, monkeypatch)
    events: list[str] = []
    again = sought.open(path).crawl(fetches=15, log=lambda event, **_: events.append(event))
    assert again.fetched == 15
    assert "clock" in events
    directory = open_directory(path)
    now = directory.clock.now()
    columns = directory.repository.table
    assert columns["last_fetch"].max() <= now
    assert columns["not_before"].max() <= now + 31 * 86400.0
    assert max(directory.repository.fetches_by_hour) <= now // 3600.0
    assert check(directory, lambda _: None) == []
    for host in directory.repository.hosts.list:
        assert host.robots_until <= now + 86400.0
        assert all(due <= now + 86400.0 for due in host.sitemaps.values())
        assert directory.politeness.ready_at(host.name, "", now) <= now + 60.0
    directory.close()


def test_a_year_of_delay_becomes_the_same_delay_from_now() -> None:
    """A host that was asked a year from now is owed its delay, from now on, and no trouble lasts longer than a day."""
    politeness = Politeness(Manners(delay=2.0))
    politeness.restore("a", HostManners(YEAR + 7.0, YEAR, YEAR + 5.0, address="192.0.2.1"))
    politeness.restore("b", HostManners(YEAR, 10.0, 20.0))
    politeness.restore("c", HostManners(130.0, 90.0, 95.0))
    assert politeness.cap(100.0) == {"a", "b"}
    assert politeness.ready_at("a", "", 100.0) == 102.0
    assert politeness.ready_at("other", "192.0.2.1", 100.0) <= 130.0
    assert politeness.ready_at("b", "", 100.0) == 100.0 + 86400.0
    assert politeness.ready_at("c", "", 100.0) == 130.0


@pytest.mark.slow
def test_leases_of_the_future_hold_their_host_for_a_delay_only(healthy, make_crawl):
    """A request that was sent with a clock ahead keeps its host for the usual delay, and counts for this period."""
    path = make_crawl(healthy, delay=1.0)
    sought.open(path).crawl(fetches=3)
    directory = open_directory(path)
    now = directory.clock.now()
    directory.leases.unanswered = [Visit(0, RequestPurpose.PAGE, now + YEAR, 0)]
    settle_leases(directory)
    cap_times(directory, now)
    assert directory.politeness.ready_at(directory.repository.hosts[0].name, "", now) <= now + 2.0
    assert directory.repository.spent_since(now - now % 3600.0) >= 1
    assert max(directory.repository.fetches_by_hour) <= now // 3600.0
    directory.close()


def test_a_clock_that_is_set_back_within_a_run_is_not_heeded() -> None:
    """The time of a run goes on from where it began, whatever the system's clock says afterwards."""
    wall, passed = [1000.0], [50.0]
    clock = WallClock(lambda: wall[0], lambda: passed[0])
    assert clock.now() == 1000.0
    wall[0], passed[0] = -5000.0, 51.5
    assert clock.now() == 1001.5


def test_answers_are_dated_by_the_clock_of_the_run(healthy, make_crawl, monkeypatch):
    """Table and archive know one time: a crawl whose clock differs from the system's records that of its clock."""
    path = make_crawl(healthy)
    crawled_ahead(path, YEAR, 5, monkeypatch)
    directory = open_directory(path)
    times = [record.time for record in directory.archive.records() if isinstance(record.response, Response)]
    directory.close()
    assert min(times) > time.time() + YEAR - 3600.0
