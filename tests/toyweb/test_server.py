"""What the toy web knows is what it serves over real HTTP, and serving leaves nothing behind."""

import asyncio
import gc
import gzip
import re
import signal
import subprocess
import sys
import time
import tomllib
import zlib
from collections.abc import Callable, Iterator
from http.client import HTTPConnection

import brotli
import pytest

from sought.fetch.sitemaps import read_sitemap
from sought.toyweb import Served, ServedRequest, ToyWeb, serve, serve_in_thread
from sought.toyweb.answer import DAY_ZERO, http_date
from sought.toyweb.sites import CODINGS, VALIDATORS
from sought.web import zstd
from sought.web.digest import digest
from sought.web.message import Response
from sought.web.url import canonical, hostname

SMALL = ToyWeb(sites=14, pages=15)
DAYS = (0.0, 3.5, 29.0, 180.0)
Got = tuple[int, dict[str, str], bytes]  # status, headers, body


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serve_in_thread(SMALL) as running:
        yield running


def get(served: Served, url: str, headers: dict[str, str] | None = None, method: str = "GET") -> Got:
    """What comes over a connection to the address the name resolves to."""
    host, port = hostname(url), served.port
    connection = HTTPConnection(served.resolve.get(host, "127.1.0.1"), port, timeout=300)
    try:
        connection.request(method, url[url.index("/", 8) :], headers={"Host": f"{host}:{port}", **(headers or {})})
        answer = connection.getresponse()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def links(html: str) -> list[str]:
    return re.findall(r'href="([^"]+)"', html)


def test_what_lives_is_served_and_what_does_not_is_gone(served: Served) -> None:
    """Every URL of live(t) answers 200; those of other days answer 404 or 410, or 301 to one that lives."""
    toy, seen = served.toy, set()
    for t in DAYS:
        served.set_time(t)
        live = set(toy.live(t))
        assert {get(served, url)[0] for url in live} == {200}
        for url in {u for day in DAYS for u in toy.live(day)} - live:
            status, headers, _ = get(served, url)
            seen.add(status)
            assert toy.version(url, t) is None
            assert status in (404, 410) or canonical(headers["location"], url) in live
    assert seen == {301, 404, 410}


@pytest.mark.parametrize("coding", CODINGS)
def test_each_site_compresses_in_its_way(served: Served, coding: str) -> None:
    """The body decodes to what is sent uncompressed to those who do not ask."""
    decoders: dict[str, Callable[[bytes], bytes]] = {
        "gzip": gzip.decompress, "br": brotli.decompress, "deflate": zlib.decompress, "identity": bytes,
        "zstd": lambda data: zstd.ZstdDecompressor().decompress(data),
    }  # fmt: skip
    url = served.toy.atlas.url(next(s.host for s in served.toy.atlas.sites if s.coding == coding))
    _, headers, body = get(served, url, {"Accept-Encoding": ", ".join(CODINGS)})
    assert headers.get("content-encoding", "identity") == coding
    assert decoders[coding](body) == get(served, url)[2]


@pytest.mark.parametrize("kinds", VALIDATORS)
def test_validators_are_right(served: Served, kinds: tuple[str, ...]) -> None:
    """304 until the page changes, 200 with a new validator after; sites without validators always answer 200."""
    toy = served.toy
    site = next(s for s in toy.atlas.sites if s.validators == kinds)
    event = next(
        e for e in toy.events(1, 60) if e.kind == "changed" and site.host in e.url and toy.version(e.url, 0.9) == 0
    )
    served.set_time(event.time - 0.01)
    _, headers, _ = get(served, event.url)
    assert {"etag", "last-modified"} & set(headers) == set(kinds)
    names = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}
    condition = {names[kind]: headers[kind] for kind in kinds}
    status, _, body = get(served, event.url, condition)
    assert (status, body) == (304, b"") if kinds else status == 200
    served.set_time(event.time + 0.01)
    assert get(served, event.url, condition)[0] == 200


def test_sitemaps_tell_the_truth(served: Served) -> None:
    """Sitemaps of a healthy site list its live articles with the times of their last changes."""
    served.set_time(40.0)
    toy = served.toy
    changed: dict[str, float] = {}
    for event in toy.events(0, 40.0):
        if event.kind in ("born", "changed"):
            changed[event.url] = event.time
        elif event.kind == "moved" and event.url in changed:
            changed[event.target] = changed.pop(event.url)
    for site in (s for s in toy.atlas.sites if s.has_sitemap):
        robots = get(served, toy.atlas.url(site.host, "/robots.txt"))[2].decode()
        index = get(served, re.findall("Sitemap: (.*)", robots)[0])[2].decode()
        entries: dict[str, str] = {}
        for url in re.findall("<loc>(.*?)</loc>", index):
            body = get(served, url)[2]
            text = (gzip.decompress(body) if url.endswith(".gz") else body).decode()
            entries |= dict(re.findall("<loc>(.*?)</loc><lastmod>(.*?)</lastmod>", text))
        articles = {u for u in toy.live(40.0) if site.host in u and re.search(r"-\d+$", u)}
        assert articles == {u for u in entries if not u.endswith("/")}
        for url in articles & set(changed):
            stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(DAY_ZERO + changed[url] * 86400))
            assert entries[url] == stamp


def test_feeds_have_the_newest_pages(served: Served) -> None:
    """RSS and Atom, announced by home pages, one by robots.txt as well: the latest live pages with their births."""
    served.set_time(40.0)
    toy = served.toy
    sites = [site for site in toy.atlas.sites if site.has_feed]
    assert [site.is_atom for site in sites] == [False, True]
    for site in sites:
        home, feed = toy.atlas.url(site.host), toy.atlas.url(site.host, "/feed.xml")
        document = digest(Response(home, 200, headers=(("Content-Type", "text/html"),), body=get(served, home)[2]))
        assert document.feeds == (feed,)
        robots = get(served, toy.atlas.url(site.host, "/robots.txt"))[2].decode()
        assert (feed in robots) == site.is_atom
        status, headers, body = get(served, feed)
        assert status == 200
        found = read_sitemap(body, feed, headers["content-type"])
        assert (found.is_feed, found.problem) == (True, "")
        latest = {toy.atlas.url(site.host, page.path(40.0)): page.born for page in site.live(40.0)[:15]}
        assert dict(found.pages) == {url: float(int(DAY_ZERO + born * 86400)) for url, born in latest.items()}
    assert get(served, toy.atlas.url(toy.atlas.sites[0].host, "/feed.xml"))[0] == 404


def test_the_portal_links_to_every_host(served: Served) -> None:
    """A crawl that starts at the seed can find all hosts, odd ones too."""
    _, _, body = get(served, served.seeds[0])
    assert {hostname(url) for url in links(body.decode())} == set(served.resolve) - {"portal.toy.test"}


def test_unknown_hosts_and_methods_are_refused(served: Served) -> None:
    """421 for a name the toy web does not have, 501 for a method it does not know; HEAD is GET without a body."""
    assert get(served, f"http://nobody.test:{served.port}/")[0] == 421
    assert get(served, served.seeds[0], method="POST")[0] == 501
    status, headers, body = get(served, served.seeds[0], method="HEAD")
    assert (status, body) == (200, b"")
    assert int(headers["content-length"]) == len(get(served, served.seeds[0])[2])


def test_toy_time_is_set_by_hand_or_runs() -> None:
    """Time stands unless it is moved; with a rate it runs; the Date header shows it."""
    with serve_in_thread(ToyWeb(sites=1, pages=3, hostile=False), start=2.0) as standing:
        assert standing.now() == 2.0
        standing.advance(3.0)
        assert standing.now() == 5.0
        assert get(standing, standing.seeds[0])[1]["date"] == http_date(5.0)
    with serve_in_thread(ToyWeb(sites=1, pages=3, hostile=False), days_per_second=1e6) as running:
        assert running.now() < running.now()


def test_requests_are_noted_with_the_company_they_had() -> None:
    """Two at once on one host are seen as two, the next after them as one."""

    async def visit() -> list[ServedRequest]:
        async with serve(ToyWeb(sites=1, pages=1)) as served:
            writers = [await begin(served, "hang", "/hang") for _ in range(2)]
            await until(lambda: len(served.requests) == 2)
            for writer in writers:
                writer.transport.abort()
            await until(lambda: len(asyncio.all_tasks()) == 1)
            last = await begin(served, "hang", "/page/1")
            await until(lambda: len(served.requests) == 3)
            last.transport.abort()
            assert {v.address for v in served.requests} == {served.resolve["hang.toy.test"]}
            return list(served.requests)

    visits = asyncio.run(visit())
    assert [(v.host, v.path, v.status) for v in visits][1:] == [
        ("hang.toy.test", "/hang", 0),
        ("hang.toy.test", "/page/1", 200),
    ]
    assert [v.host_busy for v in visits] == [1, 2, 1] == [v.address_busy for v in visits]
    assert visits[0].time <= visits[1].time <= visits[2].time


def test_hosts_that_share_an_address_are_counted_together() -> None:
    """Bookkeeping tells a busy host from a busy address."""
    served = Served(SMALL, 0, 0)
    with served.visit("a", "127.0.0.1", "/", 200), served.visit("b", "127.0.0.1", "/", 200):
        pass
    assert [(v.host_busy, v.address_busy) for v in served.requests] == [(1, 1), (1, 2)]


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not true():  # noqa: ASYNC110 - nobody sets an event when a stranger's task ends
            await asyncio.sleep(0.01)


async def begin(served: Served, name: str, path: str) -> asyncio.StreamWriter:
    """Send a request and leave the answer alone."""
    host = f"{name}.toy.test"
    _, writer = await asyncio.open_connection(served.resolve[host], served.port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}:{served.port}\r\n\r\n".encode())
    return writer


def test_a_client_that_leaves_ends_an_endless_answer() -> None:
    """Hostile answers stop when nobody listens, long before the server's patience."""

    async def leave_early() -> None:
        async with serve(ToyWeb(sites=1, pages=1, patience=1000.0)) as served:
            names = ("endless-body", "endless-headers", "slow-drip", "hang")
            writers = [await begin(served, name, f"/{name}") for name in names]
            await until(lambda: len(served.requests) == len(names))
            assert len(asyncio.all_tasks()) > len(names)
            for writer in writers:
                writer.transport.abort()
            await until(lambda: len(asyncio.all_tasks()) == 1)

    asyncio.run(leave_early())


def test_closing_leaves_nothing_behind() -> None:
    """With connections open, idle or in the middle of a hostile answer, no task, socket or warning remains."""

    async def interrupted() -> None:
        async with serve(ToyWeb(sites=2, pages=2)) as served:
            asked = (("hang", "/hang"), ("endless-body", "/endless-body"), ("slow", "/slow"), ("portal", "/"))
            writers = [await begin(served, name, path) for name, path in asked]
            await until(lambda: len(served.requests) == len(asked))
        assert asyncio.all_tasks() == {asyncio.current_task()}
        for writer in writers:
            writer.transport.abort()
        with pytest.raises(OSError):
            await asyncio.open_connection(served.resolve["portal.toy.test"], served.port)

    asyncio.run(interrupted())
    gc.collect()  # an unclosed socket or transport would warn now, and warnings are errors


def test_a_taken_port_is_the_callers_business(served: Served) -> None:
    """Asking for a port that is in use raises OSError instead of waiting."""
    with pytest.raises(OSError), serve_in_thread(SMALL, port=served.port):
        pass


def test_the_module_serves_until_it_is_interrupted() -> None:
    """`python -m sought.toyweb` prints lines of a sought.toml that lead to a running web, and ends on Ctrl-C."""
    command = [sys.executable, "-m", "sought.toyweb", "--sites", "2", "--pages", "3", "--healthy"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        printed = "".join(process.stdout.readline() for _ in range(10))
        config = tomllib.loads(printed)
        (seed,) = config["seeds"]
        host, port = hostname(seed), int(seed.rpartition(":")[2].rstrip("/"))
        connection = HTTPConnection(config["fetch"]["resolve"][host], port)
        connection.request("GET", "/", headers={"Host": f"{host}:{port}"})
        assert connection.getresponse().status == 200
        connection.close()
        assert config["fetch"]["allow_networks"] == ["127.0.0.0/8"]
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
    assert (process.returncode, errors) == (0, "")
