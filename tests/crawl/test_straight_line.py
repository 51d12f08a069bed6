"""Crawl, archive, index, search: the straight line over real HTTP."""

import json
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import sought
from sought.archive import Archive
from sought.operate.check import check
from sought.operate.rebuild import rebuild
from sought.operate.view import View
from sought.record.recovery import open_directory
from sought.record.table import Reason, State
from sought.toyweb import ToyWeb, serve_in_thread
from sought.web.errors import SoughtError
from tests.testing.commands import start


def problems(path: Path) -> list[str]:
    directory = open_directory(path)
    try:
        return check(directory, lambda _: None)
    finally:
        directory.close()


def pages(visits):
    return [v for v in visits if v.path != "/robots.txt" and not v.path.startswith("/sitemap")]


def urls_fetched(path: Path) -> set[str]:
    with View(path) as view:
        return {view.store.url(int(r)) for r in np.flatnonzero(view.table["fetches"])}


def test_a_whole_site_is_crawled_once_and_can_be_searched(healthy, make_crawl):
    """Everything reachable is fetched exactly once, indexed, and found by words of its title."""
    path = make_crawl(healthy)
    healthy.requests.clear()
    result = sought.open(path).crawl(fetches=5000)
    assert result.ended == "nothing left to fetch"
    live = set(healthy.toy.live(0.0))
    fetched = urls_fetched(path)
    reachable = {u for u in live if "/private/" not in u}
    assert reachable <= fetched
    asked = Counter((v.host, v.path) for v in pages(healthy.requests))
    assert max(asked.values()) == 1
    assert not [v for v in healthy.requests if v.path.startswith("/private/")]
    assert problems(path) == []
    with View(path) as view:
        row = next(int(r) for r in np.flatnonzero(view.table["state"] == State.LIVE) if view.table["depth"][r] >= 3)
        url, title = view.store.url(row), view.store.details(row).title
    assert url in [hit.url for hit in sought.open(path).search(title, limit=5).hits]


@pytest.mark.parametrize("fetches", [1, 7, 23])
def test_the_budget_is_exact(healthy, make_crawl, fetches):
    """`--fetches N` sends exactly N requests for pages and sitemaps; robots.txt is not charged."""
    healthy.requests.clear()
    path = make_crawl(healthy)
    result = sought.open(path).crawl(fetches=fetches)
    assert result.fetched == fetches
    assert result.ended == "budget spent"
    assert len([v for v in healthy.requests if v.path != "/robots.txt"]) == fetches


def test_politeness_is_kept(make_crawl):
    """Never two requests at once on a host or an address, and the delay between answer and next request."""
    with serve_in_thread(ToyWeb(sites=4, pages=6, hostile=False)) as served:
        path = make_crawl(served, delay=0.05)
        sought.open(path).crawl(fetches=60)
        visits = list(served.requests)
    assert len(visits) >= 60
    assert max(v.host_busy for v in visits) == 1
    assert max(v.address_busy for v in visits) == 1
    for key in ("host", "address"):
        last: dict[str, float] = {}
        for v in visits:
            name = getattr(v, key)
            assert v.time - last.get(name, -1.0) >= 0.05, (key, name)
            last[name] = v.time


def test_a_second_run_goes_on_where_the_first_stopped(healthy, make_crawl):
    """Stopping and starting again fetches nothing twice and ends with the same pages."""
    path = make_crawl(healthy)
    healthy.requests.clear()
    crawl = sought.open(path)
    crawl.crawl(fetches=20)
    first = urls_fetched(path)
    crawl.crawl(fetches=20)
    assert len(urls_fetched(path)) == len(
        [v for v in healthy.requests if v.path != "/robots.txt" and "sitemap" not in v.path]
    )
    assert first < urls_fetched(path)
    robots = Counter(v.host for v in healthy.requests if v.path == "/robots.txt")
    assert max(robots.values()) == 1, "robots.txt is kept for a day, over a restart too"


def test_known_pages_are_seen_to_change(make_crawl):
    """A page that changes between two fetches is a change; one that does not is a revisit without a body."""
    with serve_in_thread(ToyWeb(sites=3, pages=12, hostile=False)) as served:
        path = make_crawl(served, policy="Split(share=0.5)", revisit_after="0s")
        sought.open(path).crawl(fetches=150)
        served.set_time(60.0)
        sought.open(path).crawl(fetches=150, policy="RoundRobin()")
        assert problems(path) == []
        with View(path) as view:
            outcomes = view.status().outcomes
            changed = np.flatnonzero(view.table["changes"])
            urls = [view.store.url(int(r)) for r in changed if view.table["state"][r] == State.LIVE]
    assert outcomes["changed"] > 0
    assert outcomes["not-modified"] + outcomes.get("unchanged", 0) + outcomes.get("same-text", 0) > 0
    assert urls
    assert all(served.toy.version(u, 0.0) != served.toy.version(u, 60.0) for u in urls if served.toy.version(u, 0.0))
    archive = Archive.open(path / "archive", software="test", writable=False)
    kinds = Counter(record.kind for record in archive.records())
    archive.close()
    assert kinds["revisit"] > 0


def test_rebuild_makes_the_same_tables_from_the_archive(make_crawl):
    """Table, links, history and index come out of the archive as they were."""
    with serve_in_thread(ToyWeb(sites=3, pages=8)) as served:
        path = make_crawl(served, timeout=1.0)
        sought.open(path).crawl(fetches=250)

    def everything():
        with View(path) as view:
            columns = {n: view.table[n].copy() for n in view.table.columns}
            denied = columns["state"] == State.DENIED
            columns["state"][denied] = State.NEW  # what robots.txt forbids was not fetched and is not on record
            columns["reason"][denied] = Reason.NONE
            columns["not_before"][denied] = -np.inf
            kept = {k: v for letter in (b"l", b"a", b"o", b"c", b"n", b"t") for k, v in view.store.scan(letter)}
            kept[b"urls"] = "\n".join(url for _, urls in view.store.urls() for url in urls).encode()
            answers = [h.url for h in sought.open(path).search("comet telescope", limit=20).hits]
            return columns, kept, sorted(answers)

    before = everything()
    assert rebuild(path, lambda _: None) > 250
    after = everything()
    for name, column in before[0].items():
        assert np.array_equal(column, after[0][name]), name
    assert before[1] == after[1]
    assert before[2] == after[2]
    assert problems(path) == []


def test_search_answers_while_a_crawl_is_running(make_crawl):
    """A reader in another process sees pages of a crawl that has not ended."""
    with serve_in_thread(ToyWeb(sites=6, pages=30, hostile=False)) as served:
        path = make_crawl(served, delay=0.1)
        crawler = start("crawl", path, "--json")
        try:
            found = 0
            for _ in range(1000):
                try:
                    status = sought.open(path).status()
                    found = sought.open(path).search("home").total if status.searchable else 0
                except SoughtError:
                    found = 0  # nothing to search yet
                if found:
                    break
                assert crawler.poll() is None
                time.sleep(0.05)
            assert found
            assert status.running == crawler.pid
        finally:
            crawler.send_signal(2)
            out, _ = crawler.communicate()
    assert crawler.returncode == 0
    assert json.loads(out)["ended"] == "stopped"
    assert problems(path) == []


def test_a_seed_out_of_scope_is_said_at_once(healthy, make_crawl):
    """A crawl that could never start says why instead of ending with nothing."""
    path = make_crawl(healthy)
    config = path / "sought.toml"
    config.write_text(config.read_text().replace('domains = ["toy.test"]', 'domains = ["example.org"]'))
    with pytest.raises(SoughtError, match=r"seed .* outside \[scope\]"):
        sought.open(path).crawl(fetches=1)
