"""kill -9 of a crawl that measures, and queries that other processes import into it while it runs."""

import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sought.archive import Archive
from sought.operate.explain import explain
from sought.operate.explain_query import needy
from sought.operate.view import View
from sought.policy import parse_policy
from sought.web.message import Response
from tests.testing.changing_site import HTML, Answer, Site, serving
from tests.testing.commands import Running, start
from tests.testing.counted_anew import ask, is_sound, opened
from tests.testing.demand_site import QUERIES, WORDS, page, write_config

HUBS, LEAVES = 3, 15
LATER = [*QUERIES, "zebra crossing", "running zebra"]


class Moody(dict[str, Answer]):
    """A site of which every look finds something else; what points at its pages stays the same."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.rng = random.Random(seed)
        self["/"] = (200, HTML, page(self.rng, "home", "".join(f"<a href=/h{h}>hub {h}</a> " for h in range(HUBS))))
        for h in range(HUBS):
            links = "".join(f"<a href=/h{h}/{i}>{WORDS[i % 10]} {WORDS[h]}</a> " for i in range(LEAVES))
            self[f"/h{h}"] = (200, HTML, page(self.rng, f"hub{h}", links))

    def get(self, path, default=None):
        if path in self or path.count("/") < 2:
            return super().get(path, default)
        rng, hub = self.rng, path.rpartition("/")[0]
        what = rng.random()
        if what < 0.06:
            return 404, {}, "gone"
        if what < 0.12:
            return 200, {**HTML, "X-Robots-Tag": "noindex"}, page(rng, path)
        if what < 0.18:
            return 301, {"Location": f"{hub}/{rng.randrange(LEAVES)}"}, ""
        if what < 0.24:
            return 200, HTML, page(random.Random(1), "the same everywhere")
        if what < 0.3:
            return 200, HTML, page(rng, f"{rng.random()} zebra", language="de")
        return 200, HTML, page(rng, f"{rng.random()} zebra" if what < 0.6 else path)


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


@contextmanager
def crawling(path: Path, site: Site, fetches: int = 100_000) -> Iterator[Running]:
    """A crawl in a process of its own that has begun to fetch; killed with -9 when the block ends, if it still runs."""
    before = len(site.asked)
    crawler = start("crawl", path, "--fetches", str(fetches))
    try:
        until(lambda: len(site.asked) > before + 2 or crawler.poll() is not None)
        assert crawler.poll() is None, crawler.communicate()[1]
        yield crawler
    finally:
        crawler.kill()
        crawler.communicate()


def until(happens: Callable[[], object], seconds: float = 300.0) -> None:
    """Wait for something that must happen."""
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_kill_9_at_any_moment_of_a_crawl_that_measures(site: Site, tmp_path: Path, seed: int):
    """Whenever it is killed: vectors, lists, gains and sums are those of what is on record."""
    site.answers = Moody(seed)
    path = write_config(tmp_path / "crawl", site.url("/"), "127.0.0.1")
    ask(path, *QUERIES)
    rng = random.Random(seed)
    for _ in range(2):
        with crawling(path, site):
            time.sleep(rng.uniform(0.1, 1.6))
        is_sound(path)
    with opened(path) as directory:
        assert directory.measuring.sums.fetches > 30


def meta(path: Path, name: str) -> list[Any]:
    """What the store of a crawl that may be running says."""
    with View(path) as view:
        return list(view.store.meta(name, []))


def texts(path: Path) -> list[str]:
    found = meta(path, "workload")
    return found[0] if found else []


@pytest.fixture
def large(site: Site, tmp_path: Path) -> Path:
    """A crawl with hundreds of pages on record, which takes some time to read again."""
    rng = random.Random(1)
    names = [f"/p{i}" for i in range(330)]
    links = "".join(f"<a href={name}>more</a> " for name in names)
    site.answers = {name: (200, HTML, page(rng, f"{name} zebra boats")) for name in names}
    site.answers["/"] = (200, HTML, page(rng, "home", links))
    path = write_config(tmp_path / "crawl", site.url("/"), "127.0.0.1")
    archive = Archive.open(path / "archive", software="test")
    for number, name in enumerate(["/", *names[:230]]):
        _, headers, text = site.answers[name]
        body = text.encode()
        archive.append(Response(site.url(name), 200, "OK", tuple(headers.items()), body, body, time=1e9 + number))
    archive.close()
    return path


@pytest.mark.slow
def test_queries_that_come_while_it_crawls(site: Site, large: Path):
    """They are taken in little by little while fetching goes on; emptied, the log switches measuring off, and on again.

    All the while others can look.
    """
    ask(large, *QUERIES)
    with crawling(large, site) as crawler:
        assert sorted(texts(large)) == sorted(QUERIES)
        ask(large, *LATER)
        asked = len(site.asked)
        until(lambda: meta(large, "lacking"))
        with View(large) as view:
            found = explain(view, site.url("/p3"), parse_policy("UserCentric()"), time.time())
            assert found.answers
            assert "zebra crossing" not in {each.query for each in needy(view, 20)}
        until(lambda: sorted(texts(large)) == sorted(LATER))
        assert len(site.asked) > asked
        shutil.rmtree(large / "queries")
        until(lambda: not texts(large))
        ask(large, *LATER)
        until(lambda: texts(large))
        crawler.send_signal(signal.SIGINT)
        _, errors = crawler.communicate()
        assert crawler.returncode == 0, errors
    is_sound(large, measured=False)
    assert meta(large, "lacking") == []


@pytest.mark.slow
def test_kill_9_while_queries_are_taken_in(site: Site, large: Path):
    """What was read is kept, what was not is read by whoever comes next."""
    ask(large, *QUERIES)
    with crawling(large, site):
        ask(large, *LATER)
        until(lambda: meta(large, "lacking"))
    assert sorted(texts(large)) == sorted(QUERIES)
    is_sound(large, measured=False)
    lacking = meta(large, "lacking")
    assert "zebra" in lacking
    with crawling(large, site, fetches=20) as crawler:
        assert crawler.wait() == 0
    assert sorted(texts(large)) == sorted(LATER)
    assert meta(large, "lacking") == []
    is_sound(large, measured=False)
    with View(large) as view:
        number = view.measuring.vocabulary.numbers["zebra"]
        assert number in view.measuring.vector(view.row(site.url("/p229")))[5::3]
