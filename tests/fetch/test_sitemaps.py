"""Sitemaps: everything well-formed is read, nothing hostile is paid for; and what headers forbid."""

import calendar
import gzip
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.fetch.dates import w3c_time
from sought.fetch.directives import header_directives
from sought.fetch.sitemaps import MAX_ENTRIES, read_sitemap
from sought.web.message import Response

BASE = "https://www.example.org/sitemap.xml"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'


def urlset(*entries: str) -> bytes:
    return (HEAD + "".join(f"<url>{entry}</url>" for entry in entries) + "</urlset>").encode()


TWO = urlset(
    "<loc> /a?x=1&amp;y=2 </loc><lastmod>2024-05-06</lastmod><image:image><image:loc>/i.png</image:loc></image:image>",
    "<loc><![CDATA[https://example.org/b]]></loc><priority>0.5</priority>",
).replace(b'0.9">', b'0.9" xmlns:image="urn:i">')
FOUND = [("https://www.example.org/a?x=1&y=2", 1714953600.0), ("https://example.org/b", None)]


@pytest.mark.parametrize(
    "body",
    [TWO, gzip.compress(TWO), b"\xef\xbb\xbf\n " + TWO, TWO.decode().replace("UTF-8", "UTF-16").encode("utf-16")],
)
def test_a_urlset_is_read(body: bytes) -> None:
    """Plain, gzipped, with a byte order mark, in another encoding; image locations are not pages."""
    sitemap = read_sitemap(body, BASE)
    assert (sitemap.pages, sitemap.children, sitemap.problem) == (FOUND, [], "")


def test_an_index_is_read() -> None:
    """Children, with or without a namespace prefix."""
    body = b'<s:sitemapindex xmlns:s="u"><s:sitemap><s:loc>/1.xml.gz</s:loc></s:sitemap></s:sitemapindex>'
    sitemap = read_sitemap(body, BASE)
    assert (sitemap.pages, sitemap.children) == ([], ["https://www.example.org/1.xml.gz"])


def test_a_text_sitemap_is_read() -> None:
    """One address in a line."""
    body = b"https://example.org/a\r\n\r\nhttps://example.org/b\nnot a url://\n"
    assert read_sitemap(body, BASE).pages[:2] == [("https://example.org/a", None), ("https://example.org/b", None)]


def test_only_the_own_domain_is_believed() -> None:
    """A site cannot name the pages of another."""
    body = urlset("<loc>https://evil.com/</loc>", "<loc>https://sub.example.org/</loc>", "<loc>javascript:1</loc>", "")
    assert read_sitemap(body, BASE).pages == [("https://sub.example.org/", None)]


def test_damage_keeps_what_stands_before_it() -> None:
    """XML cut or broken in the middle, or a gzip cut short, gives its beginning and says what is wrong."""
    body = urlset(*(f"<loc>/{i}</loc>" for i in range(1000)))
    for damaged in (
        body[: len(body) // 2],
        body.replace(b"<loc>/500<", b"<loc>/500&nope;<"),
        gzip.compress(body)[:-600],
    ):
        sitemap = read_sitemap(damaged, BASE)
        assert 10 < len(sitemap.pages) < 1000
        assert sitemap.problem


BOMB = (
    b'<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">'
    b"<!ENTITY c SYSTEM 'file:///etc/passwd'>]><urlset><url><loc>/&b;&c;</loc></url></urlset>"
)


def test_entities_are_refused() -> None:
    """No document type, so nothing expands and nothing is included."""
    sitemap = read_sitemap(BOMB, BASE)
    assert sitemap.pages == []
    assert "refused" in sitemap.problem


def test_entries_depth_and_size_are_bounded() -> None:
    """50,000 entries; shallow nesting; a gzip bomb is cut off; a text of megabytes is not a location."""
    many = read_sitemap(urlset(*(f"<loc>/{i}</loc>" for i in range(MAX_ENTRIES + 5))), BASE)
    assert len(many.pages) == MAX_ENTRIES
    assert "50000" in many.problem
    assert "nested" in read_sitemap(b"<a>" * 100_000, BASE).problem
    assert read_sitemap(gzip.compress(b" " * 60_000_000), BASE).problem
    assert read_sitemap(urlset(f"<loc>/{'a' * 1_000_000}</loc>"), BASE).pages == []


DATES: list[tuple[str, str | None]] = [
    ("2024", "2024-01-01T00:00:00"),
    ("2024-05", "2024-05-01T00:00:00"),
    ("2024-05-06", "2024-05-06T00:00:00"),
    ("2024-05-06T07:08Z", "2024-05-06T07:08:00"),
    ("2024-05-06T07:08+02:00", "2024-05-06T05:08:00"),
    ("2024-05-06T07:08:09-0530", "2024-05-06T12:38:09"),
    (" 2024-05-06 07:08:09.123456Z ", "2024-05-06T07:08:09"),
    ("2024-05-06T23:59:60Z", "2024-05-06T23:59:59"),
    ("0001-01-01", "1970-01-01T00:00:00"),
    ("9999-12-31", "2100-12-31T00:00:00"),
    ("2024-02-30", None),
    ("2024-13-01", None),
    ("2024-05-06T25:00Z", None),
    ("06/05/2024", None),
    ("yesterday", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "expected"), DATES)
def test_w3c_dates(text: str, expected: str | None) -> None:
    """All forms of the W3C note; years are clamped, junk is None."""
    moment = calendar.timegm(datetime.fromisoformat(expected).timetuple()) if expected else None
    assert w3c_time(text) == moment


@given(st.datetimes(datetime(1970, 1, 1), datetime(2100, 12, 31)))
def test_w3c_dates_agree_with_the_library(moment: datetime) -> None:
    """To the second."""
    assert w3c_time(moment.isoformat()) == moment.replace(tzinfo=UTC, microsecond=0).timestamp()


_MARKUP = ["<urlset>", "<url>", "<loc>", "</loc>", "</url>", "/a", "&amp;", "&x;", "<!DOCTYPE a", "<![CDATA[", "]]>"]
_XML = st.lists(st.sampled_from(_MARKUP) | st.text(max_size=3), max_size=20)


@given(st.binary(max_size=200) | _XML.map(lambda parts: ("<urlset>" + "".join(parts)).encode("utf-8", "replace")))
def test_any_bytes_are_a_sitemap(body: bytes) -> None:
    """Nothing a host serves makes the reader raise; every address it gives is on the domain."""
    for data in (body, gzip.compress(body), b"<?xml version='1.0' encoding='idna'?>" + body):
        assert all(url.startswith(("https://", "http://")) for url, _ in read_sitemap(data, BASE).pages)


NOON = 1_700_000_000.0  # 14 November 2023

TAGS: list[tuple[tuple[str, ...], tuple[bool, bool]]] = [
    ((), (False, False)),
    (("noindex",), (True, False)),
    (("NoFollow , noarchive",), (False, True)),
    (("none",), (True, True)),
    (("all",), (False, False)),
    (("noarchive", "noindex"), (True, False)),
    (("sought: noindex, nofollow",), (True, True)),
    (("otherbot: noindex, nofollow",), (False, False)),
    (("otherbot: noindex", "nofollow"), (False, True)),
    (("otherbot: noindex, sought: nofollow",), (False, True)),
    (("max-snippet: -1, noindex",), (True, False)),
    (("unavailable_after: 25 Jun 2010 15:00:00 GMT",), (True, False)),
    (("unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, nofollow",), (True, True)),
    (("unavailable_after: Fri, 25 Jun 2088 15:00:00 GMT",), (False, False)),
    (("unavailable_after: 2010-06-25T15:00:00+00:00",), (True, False)),
    (("sought: unavailable_after: 2010-06-25",), (True, False)),
    (("unavailable_after: soon",), (False, False)),
    ((":,:::,,", "\x00"), (False, False)),
]


@pytest.mark.parametrize(("values", "expected"), TAGS)
def test_x_robots_tag(values: tuple[str, ...], expected: tuple[bool, bool]) -> None:
    """(noindex, nofollow) for us, from any number of headers."""
    response = Response("http://a/", headers=tuple(("X-Robots-Tag", value) for value in values), time=NOON)
    assert header_directives(response, "sought/0.1 (+you@example.org)") == expected


@given(st.lists(st.text(":, unavailable_after0123456789noidex-TZ", max_size=60), max_size=4))
def test_no_header_makes_it_raise(values: list[str]) -> None:
    """Headers are hostile input too."""
    response = Response("http://a/", headers=tuple(("x-robots-tag", value) for value in values), time=NOON)
    assert all(isinstance(answer, bool) for answer in header_directives(response, "sought"))
