"""kill -9 at any moment, a torn archive, a full disk, a second process: nothing finished is lost."""

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

import sought
from sought.archive import Archive
from sought.operate.check import check
from sought.operate.live import settle_leases
from sought.operate.view import View
from sought.record.recovery import open_directory
from sought.toyweb import Served, ToyWeb, serve_in_thread
from sought.web.errors import CrawlBusy
from sought.web.message import RequestPurpose
from tests.testing.commands import Running, run, start


def until_asked(served: Served, times: int, crawler: Running) -> None:
    """Wait until a crawl has made so many requests."""
    while len(served.requests) < times:
        assert crawler.poll() is None, crawler.communicate()
        time.sleep(0.005)


def problems(path: Path) -> list[str]:
    directory = open_directory(path)
    try:
        return check(directory, lambda _: None)
    finally:
        directory.close()


def recorded(path: Path) -> Counter:
    """How often each page is on record."""
    archive = Archive.open(path / "archive", software="test", writable=False)
    try:
        records = [r.response for r in archive.records() if r.response is not None]
    finally:
        archive.close()
    return Counter(r.url for r in records if r.purpose is RequestPurpose.PAGE)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_kill_9_at_any_moment(make_crawl, seed):
    """After three crawls killed at random moments: nothing on record is gone or fetched again, and all parts agree."""
    rng = random.Random(seed)
    with serve_in_thread(ToyWeb(sites=8, pages=40, hostile=False)) as served:
        path = make_crawl(served, delay=0.02)
        before: Counter = Counter()
        for _ in range(3):
            crawler = start("crawl", path, "--fetches", "5000")
            answered = len(served.requests)
            while len(served.requests) == answered and crawler.poll() is None:
                time.sleep(0.01)
            time.sleep(rng.uniform(0.1, 1.8))
            crawler.kill()
            crawler.communicate()
            archive = Archive.open(path / "archive", software="test")  # cuts a torn tail, as the next run would
            archive.close()
            now = recorded(path)
            assert not before - now, "a finished fetch was lost"
            before = now
            assert problems(path) == []
            assert max(recorded(path).values(), default=1) == 1, "a finished fetch was made again"
        final = start("crawl", path, "--fetches", "30")
        _, errors = final.communicate()
        assert final.returncode == 0, errors
        assert max(recorded(path).values()) == 1
        assert max(v.host_busy for v in served.requests) <= 2  # a killed client's request may still be being answered
    assert problems(path) == []


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["PageRank()", "RandomWalk()", "Opic()"])
def test_kill_9_while_pages_leave(make_crawl, policy):
    """A repository of so many pages, killed while others leave: all parts agree, and the next run ends with so many."""
    with serve_in_thread(ToyWeb(sites=8, pages=40, hostile=False)) as served:
        path = make_crawl(served, delay=0.02)
        options = "--keep", "20", "--policy", policy
        for seconds in (1.5, 2.0):
            crawler = start("crawl", path, "--fetches", "5000", *options)
            answered = len(served.requests)
            while len(served.requests) < answered + 30 and crawler.poll() is None:
                time.sleep(0.01)
            time.sleep(seconds)
            crawler.kill()
            crawler.communicate()
            assert problems(path) == []
        final = start("crawl", path, "--fetches", "30", *options)
        _, errors = final.communicate()
        assert final.returncode == 0, errors
    assert problems(path) == []
    with View(path) as view:
        assert view.status().states["dropped"] > 0
        assert len(view.table.searchable()) == view.status().searchable == 20


@pytest.mark.slow
def test_politeness_is_kept_over_a_crash(make_crawl):
    """A host asked just before kill -9 is not asked again before its delay is over."""
    with serve_in_thread(ToyWeb(sites=2, pages=30, hostile=False)) as served:
        path = make_crawl(served, delay=0.8)
        crawler = start("crawl", path, "--fetches", "500")
        until_asked(served, 5, crawler)
        crawler.kill()
        crawler.communicate()
        before = len(served.requests)
        last = {v.host: v.time for v in list(served.requests)}
        again = start("crawl", path, "--fetches", "4")
        again.communicate()
        for visit in list(served.requests)[before:]:
            if visit.host in last:
                assert visit.time - last.pop(visit.host) >= 0.8 - 0.01


@pytest.mark.slow
def test_the_budget_is_kept_over_a_crash(make_crawl):
    """`N per day` counts requests whose answers were lost."""
    with serve_in_thread(ToyWeb(sites=4, pages=30, hostile=False)) as served:
        path = make_crawl(served, delay=0.0, budget="100000000 per day")
        crawler = start("crawl", path)
        until_asked(served, 60, crawler)
        crawler.kill()
        crawler.communicate()
        directory = open_directory(path)
        settle_leases(directory)
        spent = directory.repository.spent_since(0.0)
        directory.close()
        charged = [v for v in served.requests if v.path != "/robots.txt"]
    assert spent >= len(charged)
    assert spent <= len(charged) + 128  # requests written to the leases and never received


@pytest.mark.slow
@pytest.mark.parametrize("cut", [1, 7, 100, 400])
def test_a_truncated_archive_tail_is_cut_and_the_rest_is_kept(healthy, make_crawl, cut):
    """Bytes missing from the end of the last WARC file cost the last record and nothing else."""
    path = make_crawl(healthy)
    sought.open(path).crawl(fetches=20)
    [file] = (path / "archive").glob("*.warc.gz")
    before = sum(recorded(path).values())
    os.truncate(file, file.stat().st_size - cut)
    crawl = run("rebuild", path)
    assert crawl.returncode == 0, crawl.stderr
    assert problems(path) == []
    assert before - 1 <= sum(recorded(path).values()) <= before


def test_two_processes_on_one_directory(healthy, make_crawl):
    """The second gets a clear refusal that names the first; the first is not disturbed."""
    path = make_crawl(healthy)
    directory = open_directory(path)
    try:
        second = run("crawl", path, "--fetches", "1")
        assert second.returncode == 2
        assert second.stderr.count("\n") == 1
        assert f"in use by process {os.getpid()}" in second.stderr
        with pytest.raises(CrawlBusy):
            open_directory(path)
    finally:
        directory.close()
    assert sought.open(path).crawl(fetches=3).fetched == 3


@pytest.mark.slow
def test_a_full_disk_stops_the_crawl_and_loses_nothing(healthy, make_crawl):
    """A refused write ends the crawl with one line and exit code 2; with space again, it goes on and all agrees."""
    path = make_crawl(healthy)

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))

    command = [sys.executable, "-m", "sought", "crawl", str(path), "--fetches", "500"]
    full = subprocess.run(command, capture_output=True, text=True, preexec_fn=small_files, timeout=300, check=False)
    assert full.returncode == 2, full.stderr
    assert full.stderr.count("\n") == 1, full.stderr
    assert "space" in full.stderr
    before = recorded(path)
    assert problems(path) == []
    after = sought.open(path).crawl(fetches=5000)
    assert after.ended == "nothing left to fetch"
    assert not before - recorded(path)
    assert max(recorded(path).values()) == 1
    assert problems(path) == []


def test_stop_is_clean(make_crawl):
    """Ctrl-C ends the crawl with exit code 0 and everything committed; a view sees it all."""
    with serve_in_thread(ToyWeb(sites=4, pages=40, hostile=False)) as served:
        path = make_crawl(served, delay=0.02)
        crawler = start("crawl", path)
        until_asked(served, 50, crawler)
        crawler.send_signal(signal.SIGINT)
        _, errors = crawler.communicate()
        assert crawler.returncode == 0, errors
    with View(path) as view:
        fetched = view.status().fetched
    assert fetched == len(recorded(path))
    assert problems(path) == []
