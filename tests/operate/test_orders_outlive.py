"""Orders outlive the crawl they were given to: its end, kill -9, and a file that cannot be read."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import sought
from sought.operate.orders import FOLDER, BlockHost, FetchNow, Pause, Resume, UnblockHost, give
from sought.operate.pulse import read_pulse
from sought.record.settings import FILE as SETTINGS
from sought.record.settings import Settings, load_settings, save_settings
from sought.toyweb import Served, serve_in_thread
from sought.web.errors import BadConfig
from tests.testing.ordered_crawl import SITES, WAIT, agrees, cli, crawled, given_order, outcomes, until, urls_of


@pytest.mark.slow
def test_orders_outlive_kill_9(make_crawl: Callable[..., Path]) -> None:
    """Killed at any moment after an order was given: it is done by then, or by the next crawl; never lost."""
    with serve_in_thread(SITES) as served:
        path = make_crawl(served, delay=0.05)
        host = next(name for name in served.resolve if not name.startswith("portal"))
        for pause in (0.0, 0.3, 0.8):
            command = [sys.executable, "-m", "sought", "crawl", str(path)]
            crawler = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wait_for(lambda: (read_pulse(path) or {}).get("process") == crawler.pid)  # noqa: B023  used at once
            give(path, BlockHost(host), "tester")
            give(path, Pause(), "tester")
            time.sleep(pause)
            crawler.kill()
            crawler.wait()
            pulse = read_pulse(path)
            assert pulse is not None
            assert pulse["ended"] is None
            before = len(served.requests)
            crawled(path, [until(lambda cycle: cycle.paused and not list((path / FOLDER).glob("*.json")))])
            assert load_settings(path).blocked == (host,)
            assert not [url for url in urls_of(served, before) if not url.endswith("/robots.txt")]
            crawled(path, [given_order(path, UnblockHost(host)), given_order(path, Resume())])
    assert set(outcomes(path)) == {"applied"}
    agrees(path)


def wait_for(says: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT
    while not says():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_wish_outlives_the_crawl_that_could_not_grant_it(make_crawl: Callable[..., Path]) -> None:
    """Asked for while nothing is fetched: the next crawl knows."""
    with serve_in_thread(SITES) as served:
        path = make_crawl(served)
        host = next(name for name in served.resolve if not name.startswith("portal"))
        url = f"http://{host}:{served.port}/"
        crawled(path, [given_order(path, Pause()), given_order(path, FetchNow(url))])
        assert load_settings(path).wanted == (url,)
        assert sought.open(path).status().asked_for == (url,)
        crawled(path, [given_order(path, Resume()), until(lambda _: url in urls_of(served))])
        assert load_settings(path).wanted == ()


@pytest.mark.slow
def test_settings_that_cannot_be_read(healthy: Served, make_crawl: Callable[..., Path]) -> None:
    """One line that says what to do; a crawl does not guess whether it is paused."""
    path = make_crawl(healthy)
    kept = Settings(True, "5 per day", ("a.example",), ("http://a.example/",))
    save_settings(path, kept)
    assert load_settings(path) == kept
    for text in ("{", '{"paused": 3}', '{"budget": "lots"}', '{"new": 1}', "[" * 100_000):
        (path / SETTINGS).write_text(text)
        with pytest.raises(BadConfig, match="remove it"):
            load_settings(path)
        done = cli("crawl", str(path), "--fetches", "1") if text == "{" else None
        assert done is None or (done.returncode == 2 and done.stderr.count("\n") == 1)
