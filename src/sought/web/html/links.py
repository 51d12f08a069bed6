"""Which links does this page have, with which anchor texts?"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sought.web.document import Link
from sought.web.errors import BadURL
from sought.web.html.legacy_encodings import with_query
from sought.web.html.markup import Markup
from sought.web.html.records import link_fields
from sought.web.html.visible import attribute, resolved
from sought.web.url import canonical, origin

MAX_LINKS = 2000
MAX_ANCHOR = 200
_NOFOLLOW = frozenset(("nofollow", "ugc", "sponsored"))
_NOT_FETCHED = ("#", "javascript:", "mailto:", "tel:", "data:")
_MAX_CACHED, _MAX_CACHED_LENGTH = 200_000, 200
Entry = tuple[tuple[str, str], Link] | None
CachedLinks = dict[bytes, Entry]  # by the record of the link
_UNKNOWN: Entry = (("", ""), Link(""))


class _LinkCache:
    """Links by site; those with an absolute address also under "".  Cleared when it is full."""

    def __init__(self) -> None:
        self.sites: dict[str, CachedLinks] = {}
        self.size = 0

    def for_site(self, site: str) -> CachedLinks:
        if self.size > _MAX_CACHED:
            self.sites.clear()
            self.size = 0
        kept = self.sites.get(site)
        if kept is None:
            kept = self.sites[site] = {}
            self.size += 1
        return kept


_cache = _LinkCache()


@dataclass(slots=True)
class FoundLinks:
    """Links in page order, each pair of target and anchor text once; and the addresses of mailto: links."""

    base: str
    encoding: str = "utf-8"
    site: str = field(init=False)
    links: dict[tuple[str, str], Link] = field(default_factory=dict)
    mails: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.site = origin(self.base) + self._encoded()

    def _encoded(self) -> str:
        """Part of the cache key: the same link is a different address on a page in another encoding."""
        return "" if self.encoding == "utf-8" else f" {self.encoding}"

    def add_all(self, page: Markup) -> None:
        """Add all links of a page.  Most are in its site's menu and cached from other pages: one lookup each."""
        links, kept = self.links, _cache.for_site(self.site)
        for record in page.links:
            entry = kept.get(record, _UNKNOWN)
            if entry is _UNKNOWN:
                entry = self._entry(record, kept)
            if entry:
                links.setdefault(*entry)
                if len(links) >= MAX_LINKS:
                    break

    def add(self, href: str) -> None:
        """Add a link without anchor text."""
        url = target_of(href, self.base, self.encoding)
        if url and len(self.links) < MAX_LINKS:
            self.links.setdefault((url, ""), Link(url))

    def _entry(self, record: bytes, kept: CachedLinks) -> Entry:
        """Resolve a link that is not cached for this site; it is cached if it does not depend on the page."""
        whole = _cache.for_site(self._encoded())
        _cache.size += 1
        entry = whole.get(record, _UNKNOWN)
        if entry is not _UNKNOWN:
            kept[record] = entry
            return entry
        source, rel, words = link_fields(record)
        href = attribute(source)
        if href[:7].lower() == "mailto:":
            self.mails.append(href[7:300])
            return None
        entry = _entry(target_of(href, self.base, self.encoding), words, rel)
        if len(record) <= _MAX_CACHED_LENGTH:
            if href.startswith(("http://", "https://")):
                kept[record] = whole[record] = entry
            elif href[:1] == "/" and href[1:2] not in ("/", "\\"):
                kept[record] = entry
        return entry


def _entry(url: str, words: bytes, rel: bytes) -> Entry:
    if not url:
        return None
    anchor = " ".join(resolved(words).split())[:MAX_ANCHOR]
    return (url, anchor), Link(url, anchor, bool(rel) and not _NOFOLLOW.isdisjoint(attribute(rel).lower().split()))


def target_of(href: str, base: str, encoding: str = "utf-8") -> str:
    """The canonical address of a link, its query in the page's encoding; empty if it cannot be fetched."""
    if not href or href.startswith(_NOT_FETCHED):
        return ""
    if encoding != "utf-8" and not href.isascii():
        href = with_query(href, encoding)
    try:
        return canonical(href, base)
    except BadURL:
        return ""


_TARGET = re.compile(r"<([^<>]{1,4096})>([^<>]{0,1000})")
_CANONICAL = re.compile(r";\s*rel\s*=\s*(?:\"[^\"]*\bcanonical\b[^\"]*\"|canonical\b)", re.IGNORECASE)


def canonical_in(headers: Iterable[str]) -> Iterator[str]:
    """Targets of `Link: <…>; rel=canonical` (RFC 8288)."""
    for header in headers:
        for target, parameters in _TARGET.findall(header[:16_384]):
            if _CANONICAL.search(parameters):
                yield target
