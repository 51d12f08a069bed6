"""What feeds tell a crawl: new pages and dates, but nothing of pages that leave them; and which feeds are read."""

import pytest

import sought
from sought.operate.explain_host import explain_host
from sought.operate.view import View
from sought.record.host_files import MAX_FEEDS
from tests.testing.changing_site import HTML, serving
from tests.testing.demand_site import write_config
from tests.testing.linked_answers import HOST, HUB, NEVER, same_however_opened
from tests.testing.sitemap_answers import ONE, WHOLE, Site

FEED = "feed.xml"
TYPE = "application/rss+xml"


def rss(names, date=""):
    dated = f"<pubDate>{date}</pubDate>" if date else ""
    items = "".join(f"<item><link>{HOST}{name}</link>{dated}</item>" for name in names)
    return f"<rss><channel>{items}</channel></rss>"


def announcing(*feeds, kind=TYPE, rel="alternate"):
    return "".join(f'<link rel="{rel}" type="{kind}" title="News" href="{feed}">' for feed in feeds)


@pytest.fixture
def site(tmp_path):
    found = Site(tmp_path / "crawl")
    yield found
    found.directory.close()


def host(site):
    return site.directory.repository.hosts.by_origin[HOST.rstrip("/")]


def outcomes(site):
    return {name: n for name, n in host(site).outcomes.items() if name.startswith(("sitemap", "feed"))}


def test_who_leaves_a_feed_is_not_gone(site):
    """A feed is a window of the latest pages: those in it live, and have dates; those that left it are not doubted."""
    first = site.tell(FEED, body=rss("abc", "Tue, 06 Feb 2024 00:00:00 GMT"))
    assert [site.at(name, "signal") for name in "abc"] == [1707177600.0] * 3
    for day in range(5):
        site.tomorrow()
        last = site.tell(FEED, body=rss("cde"))
        if day == 2:
            site.restart()
    assert [site.at(name) for name in "abcde"] == [first, first, last, last, last]
    assert [site.at(name, "unlinked") for name in "abcde"] == [NEVER] * 5
    assert outcomes(site) == {"feed": 6}
    same_however_opened(site)


def test_feeds_and_sitemaps_of_one_host(site):
    """What leaves the sitemap is doubted all the same, unless the feed has it; nobody waits for feeds."""
    site.get(HUB, head=announcing("/" + FEED))
    site.tell(FEED, body=rss("ab"))
    site.tell(WHOLE, "abc")
    site.tomorrow()
    site.tell(WHOLE, "c")
    assert site.doubted("abc") == {"a", "b"}
    site.tell(FEED, body=rss("b"))
    assert site.doubted("abc") == {"a"}
    same_however_opened(site)


@pytest.mark.parametrize("fate", [{"status": 404}, {"body": "<html>Sorry</html>"}, None])
def test_nobody_waits_for_a_feed_that_pages_announce(site, fate):
    """Whether it fails or was not read yet."""
    site.tell(WHOLE, "ab")
    site.get(HUB, head=announcing("/" + FEED))
    if fate:
        site.tell(FEED, **fate)
    site.tomorrow()
    site.tell(WHOLE, "b")
    assert site.doubted("ab") == {"a"}
    same_however_opened(site)


def test_a_sitemap_that_becomes_a_feed_tells_of_none_that_left(site):
    """And the other way round."""
    site.tell(WHOLE, "abc")
    site.tomorrow()
    site.tell(WHOLE, body=rss("c"))
    assert site.doubted("abc") == set()
    site.tomorrow()
    site.tell(WHOLE, "cd")
    site.tomorrow()
    site.tell(WHOLE, "d")
    assert site.doubted("abcd") == {"c"}
    same_however_opened(site)


def test_pages_announce_feeds(site):
    """RSS, Atom and JSON; relative to the page's base; the first few of a host; each once; however often."""
    head = announcing("a.xml", f"{HOST}b.xml") + announcing("/c", kind="Application/Atom+XML; charset=utf-8")
    site.get(HUB, head=head + announcing("/d", kind="application/feed+json", rel="Alternate home"))
    expected = {HOST + name for name in ("a.xml", "b.xml", "c", "d")}
    assert set(host(site).sitemaps) == expected
    site.get(HUB, head=head, words="changed")
    site.restart()
    site.get("other", head=announcing(*(f"/comments/{n}" for n in range(20))))
    assert set(host(site).sitemaps) == {*expected, HOST + "comments/0"}
    assert host(site).feeds == MAX_FEEDS == 5
    site.get("another", head=announcing("/more"))
    assert len(host(site).sitemaps) == 5
    same_however_opened(site)
    assert len(host(site).sitemaps) == 5


def test_other_links_announce_nothing(site):
    """Style sheets, other languages, feeds elsewhere, no addresses, and pages whose links do not count."""
    site.get(
        HUB,
        head=announcing("/a", rel="stylesheet")
        + announcing("/b", kind="text/html")
        + announcing("https://feeds.example/c", "javascript:d", "")
        + "<link rel=alternate hreflang=de href=/e><link rel=alternate href=/f>",
    )
    site.get("other", head='<meta name="robots" content="nofollow">' + announcing("/g"))
    assert host(site).sitemaps == {}
    assert host(site).refused["sitemap-elsewhere"] == 1


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("Sorry, not found", "sitemap-not-urls"),
        ('{"error": "not found"}', "sitemap-not-urls"),
        ("<!DOCTYPE html><html>Sorry", "sitemap-html"),
        ("<rss><channel><item><link>", "feed-damaged"),
        ("<urlset><url>", "sitemap-damaged"),
        ("<feed/>", "feed"),
    ],
)
def test_how_it_went_is_counted_by_name(site, body, kind):
    """Where operators look; and no page is made up."""
    known = len(site.directory.repository.table)
    site.tell(ONE, body=body)
    assert outcomes(site) == {kind: 1}
    assert site.directory.repository.outcomes[kind] == 1
    assert len(site.directory.repository.table) == known


def test_robots_and_indices_name_feeds(site):
    """As they name sitemaps."""
    site.robots(f"User-agent: *\nSitemap: {HOST}{FEED}\n")
    assert set(host(site).sitemaps) == {HOST + FEED}
    site.tell(WHOLE, parts=["news.rss"])
    assert HOST + "news.rss" in host(site).sitemaps


@pytest.mark.parametrize("rules", ["", "Disallow: /news.xml"], ids=["allowed", "forbidden"])
def test_a_crawl_finds_pages_by_a_feed(tmp_path, rules):
    """Over HTTP: a page that only an announced feed names is fetched, unless robots.txt forbids the feed."""
    with serving() as web:
        feed = rss(["new"]).replace(HOST, web.url("/"))
        web.answers = {
            "/": (200, HTML, f"<html><head>{announcing('news.xml')}</head><body>All the news of today</body></html>"),
            "/new": (200, HTML, "<html><body>A page that nothing else names</body></html>"),
            "/news.xml": (200, {"Content-Type": f"{TYPE}; charset=utf-8"}, feed),
            "/robots.txt": (200, {"Content-Type": "text/plain"}, f"User-agent: *\n{rules}\n"),
        }
        path = write_config(tmp_path / "crawl", web.url("/"), "127.0.0.1")
        file = path / "sought.toml"
        file.write_text(file.read_text().replace("sitemaps = false", "sitemaps = true"))
        sought.open(path).crawl(fetches=10, policy="BreadthFirst()")
        assert web.paths() == (["/"] if rules else ["/", "/news.xml", "/new"])
        with View(path) as view:
            found = explain_host(view, web.url("/"))
        assert found.sitemaps == (web.url("/news.xml"),)
        assert found.outcomes.get("feed", 0) == (0 if rules else 1)
