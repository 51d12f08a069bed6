"""Every oddity of the toy web is as odd as its name says, over real HTTP."""

import gzip
import re
import socket
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from http.client import HTTPConnection
from itertools import islice

import brotli
import pytest

from sought.toyweb import Served, ToyWeb, serve_in_thread
from sought.toyweb.answer import http_date
from sought.toyweb.delivery import MOST
from sought.toyweb.oddities import BY_HOST, TABLE
from sought.web import zstd
from sought.web.url import canonical

SMALL = ToyWeb(sites=14, pages=15, slow=0.01, patience=0.5)
Got = tuple[int, dict[str, str], bytes]  # status, headers, body


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serve_in_thread(SMALL) as running:
        yield running


def odd(served: Served, name: str, path: str = "", headers: dict[str, str] | None = None) -> Got:
    """The answer of an odd host, by default that of the path that has its name."""
    host = f"{name}.toy.test"
    connection = HTTPConnection(served.resolve[host], served.port, timeout=300)
    try:
        asked = {"Host": f"{host}:{served.port}", **(headers or {})}
        connection.request("GET", path or f"/{name}", headers=asked)
        answer = connection.getresponse()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def raw(served: Served, name: str) -> bytes:
    """Every byte of the answer to /name at its host until the server ends the connection."""
    host = f"{name}.toy.test"
    received = bytearray()
    with socket.create_connection((served.resolve[host], served.port), timeout=300) as connection:
        connection.sendall(f"GET /{name} HTTP/1.1\r\nHost: {host}:{served.port}\r\n\r\n".encode())
        while data := connection.recv(1 << 20):
            received += data
    return bytes(received)


def links(html: str) -> list[str]:
    return re.findall(r'href="([^"]+)"', html)


def test_names_of_oddities_are_host_names() -> None:
    """Rows of one host have different paths, and every host is a valid name."""
    assert len({(row.host, row.path) for row in TABLE}) == len(TABLE)
    assert all(re.fullmatch(r"[a-z0-9-]+\.toy\.test", host) for host in BY_HOST)


@pytest.mark.parametrize("name", sorted({row.name for row in TABLE}))
def test_every_odd_host_has_a_home_that_links_to_its_oddities(served: Served, name: str) -> None:
    """The way into each trap is a link from an ordinary page."""
    status, _, body = odd(served, name, "/")
    entries = {row.entry for row in TABLE if row.name == name and row.linked and row.path != "/robots.txt"}
    assert status == 200
    assert entries | {"/page/1", "/private/page"} <= set(links(body.decode()))
    assert odd(served, name, "/page/1")[0] == 200


REDIRECTS = {
    "/301": (301, "/page/1"), "/302": (302, "/page/1"), "/303": (303, "/page/1"), "/307": (307, "/page/1"),
    "/308": (308, "/page/1"), "/chain/3": (302, "/chain/2"), "/chain/1": (302, "/page/2"), "/loop/a": (302, "/loop/b"),
    "/loop/b": (302, "/loop/a"), "/self": (301, "/self"), "/private-address": (302, "http://10.0.0.1/"),
    "/no-location": (302, None), "/endless/7": (302, "/endless/8"), "/other-scheme": (302, "file:///etc/passwd"),
    "/bad-location": (302, "http://["), "/metadata-address": (302, "http://169.254.169.254/latest/meta-data/"),
}  # fmt: skip


@pytest.mark.parametrize("path", REDIRECTS)
def test_redirects_lead_where_they_say(served: Served, path: str) -> None:
    """Status and Location of each redirect are those of its name."""
    status, headers, _ = odd(served, "redirects", path)
    assert (status, headers.get("location")) == REDIRECTS[path]


def test_a_redirect_leads_to_another_host(served: Served) -> None:
    """The target is a different host of the toy web, with the right port."""
    target = odd(served, "redirects", "/other-host")[1]["location"]
    assert target == f"http://duplicates.toy.test:{served.port}/"


def test_duplicates(served: Served) -> None:
    """The mirror is exact; print views differ a little; canonical pages name the address that counts."""
    site = served.toy.atlas.sites[0]
    path = site.live(served.now())[0].path(served.now())
    assert odd(served, site.host.removesuffix(".toy.test"), path)[2] == odd(served, "mirror", path)[2]
    page, view = odd(served, "duplicates", "/print/1")[2], odd(served, "duplicates", "/print/1?view=print")[2]
    assert page != view
    assert re.findall(rb"<p>(.*)</p>", page) == re.findall(rb"<p>(.*)</p>", view.replace(b"<p>Print view</p>", b""))
    assert odd(served, "duplicates", "/same/1")[2] == odd(served, "duplicates", "/same/99")[2]
    url = served.toy.atlas.url("duplicates.toy.test", "/canonical")
    assert f'<link rel="canonical" href="{url}">'.encode() in odd(served, "duplicates", "/canonical?from=home")[2]
    assert odd(served, "duplicates", "/canonical-header?from=x")[1]["link"] == f'<{url}-header>; rel="canonical"'


@pytest.mark.parametrize(("kind", "mark"), [("path", ";jsessionid="), ("query", "?sid="), ("unknown", "?visit=")])
def test_sessions_make_new_addresses_of_old_pages(served: Served, kind: str, mark: str) -> None:
    """Every view links to the same three pages under addresses never seen before."""
    first = links(odd(served, "sessions", f"/{kind}-1")[2].decode())
    second = links(odd(served, "sessions", first[1])[2].decode())
    assert [a.partition(mark)[0] for a in first[1:]] == [f"/{kind}-{n}" for n in (1, 2, 3)]
    assert not set(first[1:]) & set(second[1:])


@pytest.mark.parametrize(
    ("name", "path"), [("calendar", "/calendar/2031/12"), ("repeat", "/a/b/a/b/"), ("facets", "/shop?colour=red")]
)
def test_spaces_without_end(served: Served, name: str, path: str) -> None:
    """Wherever one goes there is a link to somewhere new, a hundred steps deep."""
    origin = f"http://{name}.toy.test"
    seen, at = set(), path
    for _ in range(10 if name == "facets" else 100):
        seen.add(at)
        status, _, body = odd(served, name, at)
        assert status == 200
        found = [canonical(unescape(href), origin + at).removeprefix(origin) for href in links(body.decode())]
        at = [path for path in found if path not in seen][-1]


def test_soft_404(served: Served) -> None:
    """What does not exist is said to be not found, with status 200; what exists is there."""
    status, _, body = odd(served, "soft-404", "/anything/at/all")
    assert status == 200
    assert b"Page not found" in body
    assert b"not found" not in odd(served, "soft-404", "/real")[2]


ROBOTS = {
    "allow": (200, b"Disallow:\n"), "disallow-all": (200, b"Disallow: /\n"), "wildcards": (200, b"/*.pdf$"),
    "groups": (200, b"otherbot"), "crawl-delay": (200, b"Crawl-delay: 3"), "404": (404, b""), "403": (403, b""),
    "500": (500, b""), "503": (503, b""), "redirect": (301, b""), "redirect-loop": (302, b""),
    "huge": (200, b"Disallow: /\n"), "bom": (200, b"\xef\xbb\xbfUser-agent"), "html": (200, b"<html>"),
    "binary": (200, b"\0"), "sitemaps": (200, b"index.xml"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ROBOTS)
def test_robots_of_every_kind(served: Served, kind: str) -> None:
    """robots.txt is what the name of its host says."""
    status, _, body = odd(served, f"robots-{kind}", "/robots.txt")
    assert status == ROBOTS[kind][0]
    assert ROBOTS[kind][1] in body
    assert kind != "huge" or len(body) > 1_000_000


def test_robots_that_do_not_come(served: Served) -> None:
    """One hangs until the server loses patience, one is cut off: either way no byte arrives."""
    for name in ("robots-hang", "robots-cut"):
        with pytest.raises(OSError):  # noqa: PT012 - a reset, or the end of the connection without an answer
            odd(served, name, "/robots.txt")
            raise AssertionError(name)
    assert {f"robots-{kind}" for kind in (*ROBOTS, "hang", "cut")} == {
        r.name for r in TABLE if r.name.startswith("robots-")
    }


def test_robots_in_pages_and_headers(served: Served) -> None:
    """Directives stand where their names say, beside a link to a page that has no other."""
    for directive, path in (("noindex", "/noindex"), ("nofollow", "/nofollow"), ("NONE", "/none")):
        assert f'<meta name="robots" content="{directive}">'.encode() in odd(served, "meta", path)[2]
    assert odd(served, "meta", "/header-noindex")[1]["x-robots-tag"] == "noindex, nofollow"
    assert odd(served, "meta", "/header-otherbot")[1]["x-robots-tag"].startswith("otherbot:")
    assert b'<a rel="nofollow" href="/hidden">' in odd(served, "meta", "/rel-nofollow")[2]
    assert "/hidden" not in links(odd(served, "meta", "/")[2].decode())


def test_sitemaps_that_lie_break_or_loop(served: Served) -> None:
    """lastmod is always now, in a feed, too; XML breaks off; an index lists itself."""
    served.set_time(77.0)
    assert odd(served, "sitemap-lies", "/sitemap.xml")[2].count(b"<lastmod>2024-03-18T00:00:00Z") == 5
    assert b"</urlset>" not in odd(served, "sitemap-broken", "/sitemap.xml")[2]
    feeds = {kind: odd(served, f"sitemap-{kind}", "/feed.xml")[2] for kind in ("lies", "broken")}
    assert feeds["lies"].count(b"<pubDate>Mon, 18 Mar 2024 00:00:00 GMT") == 8
    assert b"elsewhere.example" in feeds["lies"]
    assert b"</rss>" not in feeds["broken"]
    assert b"sitemap-loop.toy.test" in odd(served, "sitemap-loop", "/sitemap.xml")[2]
    assert b"/page/5" in gzip.decompress(odd(served, "robots-sitemaps", "/pages.xml.gz")[2])


def test_an_etag_that_always_changes(served: Served) -> None:
    """The page stays, its ETag does not, and 304 never comes even though toy time stands still."""
    _, first, body = odd(served, "etag-always-new", "/etag")
    status, second, again = odd(served, "etag-always-new", "/etag", {"If-None-Match": first["etag"]})
    assert (status, again) == (200, body)
    assert first["etag"] != second["etag"]


def test_bad_days(served: Served) -> None:
    """Errors have their status, and say when to come back."""
    assert odd(served, "error-500", "/500")[0] == 500
    served.set_time(1.0)
    assert odd(served, "error-500", "/flaky")[0] == 200
    assert (odd(served, "error-503", "/503")[0], odd(served, "error-503", "/503")[1]["retry-after"]) == (503, "2")
    assert odd(served, "error-503", "/503-date")[1]["retry-after"] == http_date(2.0)
    assert odd(served, "error-429", "/429")[:1] == (429,)
    served.advance(1.5 / 24)
    assert odd(served, "error-500", "/flaky")[0] == 500


def head_and_body(data: bytes) -> tuple[bytes, bytes]:
    head, _, body = data.partition(b"\r\n\r\n")
    return head, body


def declared_length(head: bytes) -> int:
    return int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])


@pytest.mark.parametrize(
    ("name", "factor"),
    [("closed-early", 2), ("length-too-long", 3), ("length-too-short", 0.5), ("length-negative", -1)],
)
def test_lengths_that_lie(served: Served, name: str, factor: float) -> None:
    """Content-Length is a multiple of what really comes before the connection ends."""
    head, body = head_and_body(raw(served, name))
    assert declared_length(head) == pytest.approx(len(body) * factor, abs=2)


def test_answers_that_are_not_http(served: Served) -> None:
    """Garbage, bad chunks and headers beyond all bounds are really sent."""
    assert raw(served, "not-http").startswith(b"\x89PNG")
    assert b"\r\nzz\r\n" in raw(served, "bad-chunks")
    assert b"\r\nffffffffffffffff\r\n" in raw(served, "huge-chunk")
    assert raw(served, "cut-chunks").endswith(b"only")
    assert len(head_and_body(raw(served, "huge-header"))[0]) > 1 << 20
    with pytest.raises(ConnectionError):
        raw(served, "reset")


@pytest.mark.parametrize("name", ["endless-body", "endless-headers", "slow-drip", "hang"])
def test_endless_answers_end_when_patience_does(served: Served, name: str) -> None:
    """However much was sent by then, the connection ends without an end."""
    head, body = head_and_body(data := raw(served, name))
    assert len(data) <= MOST + 65536
    if name == "endless-body":
        assert b"content-length" not in head.lower()
    elif name == "endless-headers":
        assert body == b""
    elif name == "slow-drip":
        assert 1 <= len(data) < 40
    else:
        assert data == b""


@pytest.mark.parametrize("name", ["endless-body", "endless-headers"])
def test_endless_answers_end_at_so_many_bytes(name: str) -> None:
    """Where patience would last, they stop by themselves at the bound, beyond any that a reader would set."""
    with serve_in_thread(replace(SMALL, patience=600.0)) as patient:
        head, body = head_and_body(data := raw(patient, name))
    assert MOST - 100_000 < len(data) <= MOST + 65536
    assert len(head if name == "endless-headers" else body) > MOST - 100_000


def frames(data: bytes) -> Iterator[bytes]:
    """What is in each frame of a zstd stream."""
    while data:
        stream = zstd.ZstdDecompressor()
        yield stream.decompress(data)
        data = stream.unused_data


BOMBS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: zlib.decompressobj(31).decompress(data, 100 << 20),
    "zstd": lambda data: b"".join(islice(frames(data), 7)),
    "brotli": brotli.decompress,
}


@pytest.mark.parametrize("kind", BOMBS)
def test_compression_bombs_expand(served: Served, kind: str) -> None:
    """At most a megabyte of answer becomes a hundred megabytes at least."""
    _, headers, body = odd(served, f"{kind}-bomb")
    assert headers["content-encoding"] == {"brotli": "br"}.get(kind, kind)
    assert len(body) < 2 << 20
    assert len(BOMBS[kind](body)) >= 100 << 20


def test_markup_bombs(served: Served) -> None:
    """Nesting, attributes and links come in six figures."""
    assert odd(served, "nesting-bomb")[2].count(b"<div>") == 200_000
    assert odd(served, "attribute-bomb")[2].count(b"=1") == 200_000
    assert odd(served, "link-bomb")[2].count(b"<a ") == 100_000


def test_codings_that_lie(served: Served) -> None:
    """The content coding is unknown, damaged, untrue, bare or applied twice."""
    assert odd(served, "unknown-coding")[1]["content-encoding"] == "vacuum"
    with pytest.raises(EOFError):
        gzip.decompress(odd(served, "damaged-gzip")[2])
    assert odd(served, "plain-called-gzip")[1]["content-encoding"] == "gzip"
    assert odd(served, "plain-called-gzip")[2].startswith(b"<!doctype")
    assert zlib.decompress(odd(served, "raw-deflate")[2], -15).startswith(b"<!doctype")
    assert gzip.decompress(gzip.decompress(odd(served, "gzip-twice")[2])).startswith(b"<!doctype")


TYPES = {
    "no-content-type": None, "bad-content-type": ";;=/html?", "html-as-text": "text/plain", "image": "image/png",
    "binary-as-html": "text/html", "pdf": "application/pdf", "unknown-charset": "text/html; charset=klingon-9",
}  # fmt: skip


@pytest.mark.parametrize("name", TYPES)
def test_content_types_that_mislead(served: Served, name: str) -> None:
    """Content-Type is missing, senseless, or not what the body is."""
    _, headers, body = odd(served, name)
    assert headers.get("content-type") == TYPES[name]
    assert body.startswith(b"\x89PNG") == (name in ("image", "binary-as-html"))


def test_text_that_cannot_be_decoded(served: Served) -> None:
    """NULs, bytes that are not UTF-8, and an encoding that is not the declared one."""
    assert b"\0" in odd(served, "nul-bytes")[2]
    for name in ("bad-utf8", "wrong-charset"):
        assert odd(served, name)[1]["content-type"] == "text/html; charset=utf-8"
        with pytest.raises(UnicodeDecodeError):
            odd(served, name)[2].decode()
    assert "маяк" in odd(served, "wrong-charset")[2].decode("koi8-r")
