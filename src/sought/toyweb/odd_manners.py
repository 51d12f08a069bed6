"""Which oddities of manners are there?  robots.txt, robots in pages and headers, sitemaps, validators, failures."""

from dataclasses import replace

from sought.toyweb.answer import Behaviour, ToyAnswer, http_date, not_found, page, plain, redirect
from sought.toyweb.dice import digest
from sought.toyweb.feeds import Entry, rss
from sought.toyweb.oddity import Oddity, OddRequest, Respond, article, essay
from sought.toyweb.pages import link
from sought.toyweb.sitemaps import gzipped, robots_lines, sitemap_index, urlset, xml

HUGE = 1 << 20  # robots.txt beyond the 500 KiB that RFC 9309 asks a crawler to read


def _robots(kind: str, note: str, respond: Respond) -> Oddity:
    return Oddity(f"robots-{kind}", "/robots.txt", note, respond)


def _rules(*lines: str) -> Respond:
    return lambda request: plain(robots_lines(*lines))


def _huge(request: OddRequest) -> ToyAnswer:
    """The valid rule comes first; one that forbids everything comes after the bound."""
    padding = "# the rest of this line is there to be read by nobody\n"
    return plain(robots_lines("Disallow: /private/") + padding * (HUGE // len(padding)) + "Disallow: /\n")


def _with_sitemaps(request: OddRequest) -> ToyAnswer:
    return _naming(request, "/index.xml", "/pages.xml.gz")


def _pages(request: OddRequest) -> list[tuple[str, float]]:
    return [(request.url(f"/page/{n}"), float(n)) for n in range(1, 6)]


def _lying_sitemap(request: OddRequest) -> ToyAnswer:
    return xml(urlset((url, request.t) for url, _ in _pages(request)))


def _broken_sitemap(request: OddRequest) -> ToyAnswer:
    text = urlset(_pages(request))
    return xml(text[: len(text) * 2 // 3])


def _entries(request: OddRequest) -> list[Entry]:
    return [(url, "A page", at) for url, at in _pages(request)]


def _lying_feed(request: OddRequest) -> ToyAnswer:
    """Everything is new, a missing page is newest, and pages of another host are listed, too."""
    strange = [request.url("/nowhere"), request.atlas.url("elsewhere.example", "/"), "javascript:alert(1)"]
    return xml(rss("All new", [(url, "New", request.t) for url in [*strange, *(url for url, _ in _pages(request))]]))


def _broken_feed(request: OddRequest) -> ToyAnswer:
    text = rss("Broken", _entries(request))
    return xml(text[: len(text) * 2 // 3])


def _sitemap_loop(request: OddRequest) -> ToyAnswer:
    """An index that lists itself and a missing sitemap."""
    return xml(sitemap_index([(request.url("/sitemap.xml"), 0.0), (request.url("/missing.xml"), 0.0)]))


def _fresh_etag(request: OddRequest) -> ToyAnswer:
    """The validator changes even if toy time stands still, because it depends on the one in the request."""
    tag = digest("etag", request.t, request.headers.get("if-none-match", ""))
    return essay(request, request.path, headers=(("ETag", f'"{tag}"'),))


def _failing(status: int, *headers: tuple[str, str]) -> Respond:
    return lambda request: plain(f"Today is a bad day: {status}.\n", status, headers)


def _flaky(request: OddRequest) -> ToyAnswer:
    """Every other toy hour fails."""
    return plain("Try again.\n", 500) if int(request.t * 24) % 2 else essay(request, request.path)


def _meta(content: str) -> Respond:
    return lambda request: essay(
        request, request.path, [link("/hidden", "hidden")], head=f'<meta name="robots" content="{content}">'
    )


def _x_robots(value: str) -> Respond:
    return lambda request: essay(request, request.path, [link("/hidden", "hidden")], headers=(("X-Robots-Tag", value),))


def _rel_nofollow(request: OddRequest) -> ToyAnswer:
    return essay(request, request.path, ['<a rel="nofollow" href="/hidden">a page nobody vouches for</a>'])


def _slow(request: OddRequest) -> ToyAnswer:
    return replace(essay(request, request.path), behaviour=Behaviour.SLOW)


def _names_sitemap(name: str, *files: str) -> Oddity:
    return Oddity(
        name, "/robots.txt", "robots.txt names a sitemap", lambda request: _naming(request, "/sitemap.xml", *files)
    )


def _naming(request: OddRequest, *files: str) -> ToyAnswer:
    return plain(robots_lines("Disallow: /private/", sitemaps=map(request.url, files)))


def _page(name: str, path: str) -> Oddity:
    return Oddity(name, path, "a page", article)


ROBOTS = (
    _robots("allow", "everything is allowed", _rules("Disallow:")),
    _robots("disallow-all", "nothing is allowed", _rules("Disallow: /")),
    _robots("wildcards", "rules with * and $", _rules(
        "Disallow: /*/secret/", "Disallow: /*.pdf$", "Allow: /a/secret/open")),
    _page("robots-wildcards", "/a/secret/closed"),
    _page("robots-wildcards", "/a/secret/open"),
    _page("robots-wildcards", "/report.pdf"),
    _page("robots-wildcards", "/report.pdf.html"),
    _robots("groups", "one rule for most, another for others", lambda request: plain(
        "User-agent: otherbot\nDisallow: /\n\nUser-agent: *\nDisallow: /private/\nAllow: /private/page\n")),
    _robots("crawl-delay", "three seconds between visits", _rules("Crawl-delay: 3", "Disallow: /private/")),
    _robots("404", "no robots.txt: everything is allowed", lambda request: not_found()),
    _robots("403", "robots.txt is forbidden: everything is allowed", _failing(403)),
    _robots("500", "robots.txt fails: nothing is allowed", _failing(500)),
    _robots("503", "robots.txt is busy: nothing is allowed", _failing(503, ("Retry-After", "3600"))),
    _robots("hang", "robots.txt never comes: nothing is allowed",
            lambda request: ToyAnswer(0, behaviour=Behaviour.HANG)),
    _robots("cut", "robots.txt is cut off: nothing is allowed",
            lambda request: ToyAnswer(0, behaviour=Behaviour.RESET)),
    _robots("redirect", "robots.txt is elsewhere, and forbids /private/", lambda request: redirect(301, "/rules.txt")),
    Oddity("robots-redirect", "/rules.txt", "the rules", _rules("Disallow: /private/"), linked=False),
    _robots("redirect-loop", "robots.txt goes in circles: everything is allowed",
            lambda request: redirect(302, "/robots.txt")),
    _robots("huge", "a megabyte of robots.txt", _huge),
    _robots("bom", "a byte order mark before the rules",
            lambda request: plain("\ufeff" + robots_lines("Disallow: /private/"))),
    _robots("html", "HTML for robots.txt: everything is allowed",
            lambda request: page("<html><body>Welcome!</body></html>")),
    _robots("binary", "garbage for robots.txt", lambda request: ToyAnswer(200, body=bytes(range(256)) * 16)),
    _robots("sitemaps", "robots.txt names an index and a compressed sitemap", _with_sitemaps),
    Oddity("robots-sitemaps", "/index.xml", "index",
           lambda request: xml(sitemap_index([(request.url("/pages.xml"), 5.0)]))),
    Oddity("robots-sitemaps", "/pages.xml", "pages", lambda request: xml(urlset(_pages(request)))),
    Oddity("robots-sitemaps", "/pages.xml.gz", "pages, compressed", lambda request: gzipped(urlset(_pages(request)))),
)  # fmt: skip

MANNERS = (
    *ROBOTS,
    Oddity("meta", "/noindex", "meta robots noindex", _meta("noindex")),
    Oddity("meta", "/nofollow", "meta robots nofollow", _meta("nofollow")),
    Oddity("meta", "/none", "meta robots none", _meta("NONE")),
    Oddity("meta", "/header-noindex", "X-Robots-Tag: noindex", _x_robots("noindex, nofollow")),
    Oddity("meta", "/header-otherbot", "X-Robots-Tag for another robot", _x_robots("otherbot: noindex, nofollow")),
    Oddity("meta", "/rel-nofollow", "rel=nofollow on a link", _rel_nofollow),
    Oddity("meta", "/hidden", "what those links lead to", article, linked=False),
    _names_sitemap("sitemap-lies", "/feed.xml"),
    Oddity("sitemap-lies", "/sitemap.xml", "says that everything has just changed", _lying_sitemap),
    Oddity("sitemap-lies", "/feed.xml", "a feed that says so, too", _lying_feed, linked=False),
    _names_sitemap("sitemap-broken", "/feed.xml"),
    Oddity("sitemap-broken", "/feed.xml", "a feed that breaks off", _broken_feed, linked=False),
    Oddity("sitemap-broken", "/sitemap.xml", "XML that breaks off", _broken_sitemap),
    _names_sitemap("sitemap-loop"),
    Oddity("sitemap-loop", "/sitemap.xml", "an index that lists itself", _sitemap_loop),
    Oddity("etag-always-new", "/etag", "an ETag that changes though the page does not", _fresh_etag),
    Oddity("slow", "/slow", "takes its time", _slow),
    Oddity("error-500", "/500", "fails", _failing(500)),
    Oddity("error-500", "/flaky", "fails every other toy hour", _flaky),
    Oddity("error-503", "/503", "asks to come back in two seconds", _failing(503, ("Retry-After", "2"))),
    Oddity("error-503", "/503-date", "asks to come back tomorrow", lambda request: _failing(
        503, ("Retry-After", http_date(request.t + 1)))(request)),
    Oddity("error-429", "/429", "too many requests", _failing(429, ("Retry-After", "1"))),
)  # fmt: skip
