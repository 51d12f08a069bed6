"""What is in the sitemaps and robots.txt of a site?  (sitemaps.org protocol 0.9, RFC 9309)"""

import gzip
from collections.abc import Iterable

from sought.toyweb.answer import ToyAnswer, iso_date
from sought.toyweb.atlas import Atlas
from sought.toyweb.feeds import FEED
from sought.toyweb.sites import ToySite

_NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def robots_lines(*rules: str, sitemaps: Iterable[str] = ()) -> str:
    return "\n".join(["User-agent: *", *rules, *(f"Sitemap: {url}" for url in sitemaps), ""])


def xml(text: str) -> ToyAnswer:
    return ToyAnswer(200, (("Content-Type", "application/xml"),), text.encode())


def urlset(entries: Iterable[tuple[str, float]]) -> str:
    """A sitemap of (URL, time of its last change)."""
    return _listing("urlset", "url", entries)


def sitemap_index(entries: Iterable[tuple[str, float]]) -> str:
    return _listing("sitemapindex", "sitemap", entries)


def _listing(root: str, tag: str, entries: Iterable[tuple[str, float]]) -> str:
    rows = [f"<{tag}><loc>{url}</loc><lastmod>{iso_date(at)}</lastmod></{tag}>" for url, at in entries]
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} {_NAMESPACE}>\n' + "\n".join(rows) + f"\n</{root}>\n"


def gzipped(text: str) -> ToyAnswer:
    """A gzipped file, without a content coding."""
    return ToyAnswer(200, (("Content-Type", "application/gzip"),), gzip.compress(text.encode(), mtime=0))


def robots_of(atlas: Atlas, site: ToySite) -> str:
    sitemaps = [atlas.url(site.host, "/sitemap.xml")] if site.has_sitemap else []
    if site.has_feed and site.is_atom:
        sitemaps.append(atlas.url(site.host, FEED))
    return robots_lines("Disallow: /private/", sitemaps=sitemaps)


def sitemap_of(atlas: Atlas, site: ToySite, path: str, t: float) -> ToyAnswer | None:
    """The index at /sitemap.xml or the sitemap of a section; every other site compresses the latter."""
    suffix = ".xml.gz" if site.number % 2 else ".xml"
    sections = {f"/sitemaps/{section}{suffix}": section for section in site.sections}
    if not site.has_sitemap:
        return None
    if path == "/sitemap.xml":
        changed = {p: max((at for _, at in _entries(atlas, site, s, t)), default=0.0) for p, s in sections.items()}
        return xml(sitemap_index((atlas.url(site.host, p), at) for p, at in changed.items()))
    if path not in sections:
        return None
    text = urlset(_entries(atlas, site, sections[path], t))
    return gzipped(text) if site.number % 2 else xml(text)


def _entries(atlas: Atlas, site: ToySite, section: str, t: float) -> list[tuple[str, float]]:
    listed = max(site.listing_changed(t, section), default=0.0)
    pages = [(p.path(t), max(p.changed(t), default=p.born)) for p in site.live(t, section)]
    return [(atlas.url(site.host, path), at) for path, at in [(f"/{section}/", listed), *pages]]
