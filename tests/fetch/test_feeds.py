"""Feeds of every kind are read as sitemaps are; what is neither is refused with its reason."""

import gzip
import tracemalloc
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.fetch.dates import feed_time
from sought.fetch.sitemaps import MAX_ENTRIES, read_sitemap

BASE = "https://www.example.org/news/feed.xml"
HERE = "https://www.example.org"


def at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def rss(*items: str, head: str = "", version: str = "2.0") -> bytes:
    inside = "".join(f"<item>{item}</item>" for item in items)
    return (
        f'{head}<rss version="{version}" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<channel><title>All</title><link>{HERE}/</link><atom:link rel="self" href="{BASE}"/>{inside}</channel></rss>'
    ).encode()


def atom(*entries: str, root: str = "") -> bytes:
    inside = "".join(f"<entry>{entry}</entry>" for entry in entries)
    return f'<feed xmlns="http://www.w3.org/2005/Atom" {root}><link href="/"/>{inside}</feed>'.encode()


def pages(body: bytes, kind: str = "") -> list[tuple[str, float | None]]:
    found = read_sitemap(body, BASE, kind)
    assert (found.problem, found.refused, found.is_feed, found.children) == ("", "", True, [])
    return found.pages


RSS = [
    ("<link>/a</link>", "/a", None),
    ("<link>\n https://example.org/a?x=1&amp;y=2 </link><title>&lt;link&gt;/b&lt;/link&gt;</title>", "?", None),
    ("<link><![CDATA[/a]]></link><pubDate>Tue, 06 Feb 2024 07:08:09 GMT</pubDate>", "/a", "2024-02-06T07:08:09Z"),
    ("<link>/a</link><pubDate>6 Feb 24 07:08 EST</pubDate>", "/a", "2024-02-06T12:08:00Z"),
    ("<link>/a</link><dc:date>2024-02-06T07:08:09+01:00</dc:date>", "/a", "2024-02-06T06:08:09Z"),
    (
        "<link>/a</link><pubDate>Tue, 06 Feb 2024 07:08:09 GMT</pubDate><atom:updated>2024-03-01</atom:updated>",
        "/a",
        "2024-03-01T00:00:00Z",
    ),
    ("<link>/a</link><pubDate>yesterday</pubDate>", "/a", None),
    (f"<guid>{HERE}/a</guid>", "/a", None),
    (f'<guid isPermaLink="false">{HERE}/b</guid><link>/a</link>', "/a", None),
    (f"<guid>{HERE}/b</guid><link>/a</link>", "/a", None),
    ('<atom:link href="/a"/>', "/a", None),
    ('<atom:link rel="replies" href="/b"/><link>/a</link><source url="/c"><link>/d</link></source>', "/a", None),
    ('<enclosure url="/b.mp3"/><comments>/c</comments><link>/a</link>', "/a", None),
    ('<link xml:base="/deep/">a</link>', "/deep/a", None),
]


@pytest.mark.parametrize(("item", "url", "moment"), RSS, ids=range(len(RSS)))
def test_rss_items_are_pages(item: str, url: str, moment: str | None) -> None:
    """The link, else the address that the guid is; the latest of the dates, however it is written."""
    [(found, time)] = pages(rss(item))
    assert found == ("https://example.org/a?x=1&y=2" if url == "?" else HERE + url)
    assert time == (at(moment) if moment else None)


ATOM = [
    ('<link href="/a"/>', "/a"),
    ('<link rel="self" href="/b"/><link rel="alternate" type="text/html" href="/a"/>', "/a"),
    (
        '<link rel="alternate" type="application/pdf" href="/b"/><link rel="alternate" type="text/html" href="/a"/>',
        "/a",
    ),
    ('<link rel="alternate" type="application/pdf" href="/a"/>', "/a"),
    ('<link rel="edit" href="/b"/><source><link href="/c"/></source><link href="a"/>', "/news/a"),
    ('<link href="/a"/><content type="xhtml"><div><entry><link href="/b"/></entry></div></content>', "/a"),
    ('<link href="a" xml:base="deep/"/>', "/news/deep/a"),
]


@pytest.mark.parametrize(("entry", "url"), ATOM, ids=range(len(ATOM)))
def test_atom_entries_are_pages(entry: str, url: str) -> None:
    """The alternate link, a web page if there is one; what an entry quotes is not its own."""
    dated = entry + "<published>2024-02-06T00:00:00Z</published><updated>2024-02-07T00:00:00Z</updated>"
    assert pages(atom(dated)) == [(HERE + url, at("2024-02-07T00:00:00Z"))]


def test_addresses_are_relative_to_the_nearest_base() -> None:
    """Bases are relative to those around them; one that is no address is none."""
    root = 'xml:base="/one/"'
    assert pages(atom('<link href="a"/>', root=root))[0][0] == HERE + "/one/a"
    assert pages(atom('<link xml:base="two/" href="a"/>', root=root))[0][0] == HERE + "/one/two/a"
    assert pages(atom('<link href="a"/>', root='xml:base="http://["'))[0][0] == HERE + "/news/a"
    assert pages(atom('<link href="a"/>', root='xml:base="https://evil.example/"')) == []


def test_other_kinds_of_feeds() -> None:
    """RSS 1.0, with and without links; RSS 0.91 with its document type; Atom 0.3; JSON Feed."""
    rdf = (
        '<?xml version="1.0"?><rdf:RDF xmlns:rdf="urn:rdf" xmlns="urn:rss" xmlns:dc="urn:dc"><channel rdf:about="/x">'
        "<link>/</link></channel><item rdf:about='/b'><link>/a</link><dc:date>2024-02-06</dc:date></item>"
        "<item rdf:about='/c'/></rdf:RDF>"
    )
    assert pages(rdf.encode()) == [(HERE + "/a", at("2024-02-06T00:00:00Z")), (HERE + "/c", None)]
    doctype = (
        '<?xml version="1.0"?><!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://my.example/rss-0.91.dtd">'
    )
    items = ("<link>/a</link><title>caf&eacute;</title>", "<link>/b&eacute;</link>")
    assert pages(rss(*items, head=doctype, version="0.91")) == [(HERE + "/a", None)]
    assert pages(b'<feed version="0.3"><entry><link href="/a"/><modified>2024-02-06</modified></entry></feed>') == [
        (HERE + "/a", at("2024-02-06T00:00:00Z"))
    ]
    feed = b"""{"version": "https://jsonfeed.org/version/1", "items": [{"url": "/a", "date_published": "2024-02-06"},
        {"url": "https://evil.example/"}, {"id": "c"}, {"url": null}]}"""
    assert pages(feed) == [(HERE + "/a", at("2024-02-06T00:00:00Z"))]


URLSET = "<urlset><url><loc>/caf\u00e9</loc></url></urlset>"
FOUND = [(HERE + "/caf%C3%A9", None)]
DECLARED = '<?xml version="1.0" encoding="{}"?>' + URLSET


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (URLSET.encode(), ""),
        (URLSET.encode("utf-8-sig"), "text/xml; charset=windows-1252"),
        (URLSET.encode("utf-16"), ""),
        (URLSET.encode("utf-16-be"), ""),
        (URLSET.encode("utf-16-le"), "application/xml"),
        (DECLARED.format("UTF-16").encode("utf-16"), "text/xml"),
        (DECLARED.format("ISO-8859-1").encode("latin-1"), "text/xml"),
        (DECLARED.format("windows-1252").encode("cp1252"), ""),
        (DECLARED.format("ibm866").encode("utf-8"), "text/xml; charset=utf-8"),
        (URLSET.encode("latin-1"), 'application/xml; charset="iso-8859-1"'),
        (DECLARED.format("no-such").encode(), ""),
        (gzip.compress(DECLARED.format("ISO-8859-1").encode("latin-1")), "application/gzip"),
        ((HERE + "/caf\u00e9\n").encode("utf-16"), "text/plain"),
    ],
    ids=range(13),
)
def test_all_encodings_are_understood(body: bytes, kind: str) -> None:
    """By byte order mark, by Content-Type, by declaration, in this order."""
    assert read_sitemap(body, BASE, kind).pages == FOUND


@pytest.mark.parametrize(
    ("text", "name"),
    [("\u30da\u30fc\u30b8", "shift_jis"), ("\u9875", "gb2312"), ("\ud398", "euc-kr"), ("\u0441", "koi8-r")],
)
def test_encodings_of_several_bytes_too(text: str, name: str) -> None:
    body = f'<?xml version="1.0" encoding="{name}"?><urlset><url><loc>/{text}</loc></url></urlset>'.encode(name)
    assert (
        read_sitemap(body, BASE).pages
        == read_sitemap(f"<urlset><url><loc>/{text}</loc></url></urlset>".encode(), BASE).pages
    )


def test_an_address_that_is_not_decoded_is_none() -> None:
    """Half of it would be another address."""
    body = (
        b'<?xml version="1.0" encoding="utf-8"?><urlset><url><loc>/a\xff</loc></url><url><loc>/b</loc></url></urlset>'
    )
    assert [url for url, _ in read_sitemap(body + "<!-- \u00e9\u00e9\u00e9\u00e9 -->".encode(), BASE).pages] == [
        HERE + "/b"
    ]


REFUSED = [
    (b"<!DOCTYPE html><html><body>Sorry</body></html>", "text/html", "html"),
    (b"<!doctype HTML>\n<p>Sorry<br>", "", "html"),
    (b"<html><a href='/a'>a</a></html>", "application/xml", "html"),
    (b"\n<head><title>Sorry</title>", "text/html; charset=utf-8", "html"),
    (b"Not found", "text/html", "html"),
    (b"Not found", "text/plain", "not-urls"),
    (b"/a\n/b\nc.html\n", "text/plain", "not-urls"),
    (b"See\nhttps://www.example.org/\nor go away\n", "", "not-urls"),
    (b"see https://www.example.org/a b\n", "", "not-urls"),
    (b'{"error": "https://www.example.org/"}', "application/json", "not-urls"),
    (b'["https://www.example.org/"]', "", "not-urls"),
    (b"[" * 100_000, "", "not-urls"),
    (b'{"version": "https://jsonfeed.org/version/1", "items": 7}', "", "not-urls"),
    (b"<opml><body><outline xmlUrl='/a'/></body></opml>", "text/xml", "not-urls"),
    (b"<svg/>", "", "not-urls"),
    (b"%PDF-1.4\n\x00\xff\xfe", "application/pdf", "not-urls"),
    (b"\x89PNG\r\n\x1a\n" + b"\x00" * 100, "", "not-urls"),
]


@pytest.mark.parametrize(("body", "kind", "reason"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_no_list_is_refused(body: bytes, kind: str, reason: str) -> None:
    """With its reason; nothing in it becomes an address."""
    found = read_sitemap(body, BASE, kind)
    assert (found.pages, found.children, found.refused, bool(found.problem)) == ([], [], reason, True)


def test_empty_lists_are_lists() -> None:
    """They say that there is nothing."""
    for body in (rss(), atom(), b"<urlset/>", b"<sitemapindex></sitemapindex>", b""):
        assert read_sitemap(body, BASE).refused == ""


def test_a_sitemap_with_the_type_of_a_page_is_read() -> None:
    """And one of lines of which a few are something else."""
    assert read_sitemap(URLSET.encode(), BASE, "text/html").pages == FOUND
    lines = b"# pages\n" + b"".join(b"%s/%d\n" % (HERE.encode(), n) for n in range(9))
    assert len(read_sitemap(lines, BASE, "text/html").pages) == 9


def test_hostile_feeds_are_bounded() -> None:
    """Entities, depth, long markup, long texts, many entries; what was read before stays."""
    one = "<link>/a</link>"
    bomb = '<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    assert read_sitemap(rss(one, "<link>/&b;</link>", head=bomb), BASE).pages == []
    outside = '<!DOCTYPE rss SYSTEM "http://127.0.0.1:1/x.dtd">'
    assert read_sitemap(rss("<link>/&x;</link>", one, head=outside), BASE).pages == [(HERE + "/a", None)]
    for evil, said in [
        ("<x>" * 100_000, "nested"),
        (f"<x a='{'y' * 5_000_000}'/>", "markup"),
        (f"<!--{'y' * 5_000_000}-->", "markup"),
        (f"<{'y' * 5_000_000}/>", "markup"),
        ("<x " + " ".join(f"a{n}='1'" for n in range(500_000)) + "/>", "markup"),
    ]:
        found = read_sitemap(rss(one, evil), BASE)
        assert found.pages == [(HERE + "/a", None)]
        assert said in found.problem
    assert len(read_sitemap(rss(*([one] * (MAX_ENTRIES + 5))), BASE).pages) == MAX_ENTRIES
    tracemalloc.start()
    found = read_sitemap(rss(f"<link>/{'x' * 20_000_000}</link><pubDate>{'1' * 5_000_000}</pubDate>", one), BASE)
    assert found.pages[-1] == (HERE + "/a", None)
    assert tracemalloc.get_traced_memory()[1] < 200_000_000
    tracemalloc.stop()


_PIECES = ["<item>", "</item>", "<link>", "</link>", "/a", "<entry>", "<link href='/b' rel='x y'/>", "<guid>", "&x;",
           " xml:base='/c'", "<pubDate>", "</pubDate>", "Tue, 99 Feb 2024", "<![CDATA[", "]]>", "<a:b>"]  # fmt: skip


@given(
    st.sampled_from(
        ["<rss><channel>", "<feed>", "<rdf:RDF>", '{"version": "https://jsonfeed.org/version/1", "items": [']
    ),
    st.lists(st.sampled_from(_PIECES) | st.text(max_size=3), max_size=20),
    st.sampled_from(["", "text/xml; charset=utf-16", "text/html; charset=shift_jis", "x; charset=\x00"]),
)
def test_any_bytes_are_a_feed(root: str, parts: list[str], kind: str) -> None:
    """Nothing raises, and every address is of this domain."""
    found = read_sitemap((root + "".join(parts)).encode("utf-8", "replace"), BASE, kind)
    assert all(url.startswith(("https://", "http://")) and "example.org" in url for url, _ in found.pages)


@given(st.text(max_size=70))
def test_any_text_is_a_date_or_none(text: str) -> None:
    time = feed_time(text)
    assert time is None or -1e5 < time < 5e9
