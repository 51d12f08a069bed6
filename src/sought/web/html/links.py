"""Where does this page point to, and with what words?"""

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
_NOT_VOUCHED = frozenset(("nofollow", "ugc", "sponsored"))
_NOT_FETCHED = ("#", "javascript:", "mailto:", "tel:", "data:")
_KEPT, _KEPT_LENGTH = 200_000, 200
Entry = tuple[tuple[str, str], Link] | None
Kept = dict[bytes, Entry]  # by the record of the link
_UNKNOWN: Entry = (("", ""), Link(""))


class _Memory:
    """Links by site; those with a whole address also under "".  Bounded by forgetting everything now and then."""

    def __init__(self) -> None:
        self.sites: dict[str, Kept] = {}
        self.size = 0

    def of(self, site: str) -> Kept:
        if self.size > _KEPT:
            self.sites.clear()
            self.size = 0
        kept = self.sites.get(site)
        if kept is None:
            kept = self.sites[site] = {}
            self.size += 1
        return kept


_memory = _Memory()


@dataclass(slots=True)
class FoundLinks:
    """Links in the order of the page, each target and wording once; and the addresses of its mailto: links."""

    base: str
    encoding: str = "utf-8"
    site: str = field(init=False)
    links: dict[tuple[str, str], Link] = field(default_factory=dict)
    mails: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.site = origin(self.base) + self._encoded()

    def _encoded(self) -> str:
        """Part of the key of what is kept: the same link is another address on a page in another encoding."""
        return "" if self.encoding == "utf-8" else f" {self.encoding}"

    def add_all(self, page: Markup) -> None:
        """All links of a page.  Most are in its site's menu, and were there on the page before: one look-up each."""
        links, kept = self.links, _memory.of(self.site)
        for record in page.links:
            entry = kept.get(record, _UNKNOWN)
            if entry is _UNKNOWN:
                entry = self._entry(record, kept)
            if entry:
                links.setdefault(*entry)
                if len(links) >= MAX_LINKS:
                    break

    def add(self, href: str) -> None:
        """A link without words."""
        url = target_of(href, self.base, self.encoding)
        if url and len(self.links) < MAX_LINKS:
            self.links.setdefault((url, ""), Link(url))

    def _entry(self, record: bytes, kept: Kept) -> Entry:
        """A link that was not met on this site yet; those that do not depend on the page are kept."""
        whole = _memory.of(self._encoded())
        _memory.size += 1
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
        if len(record) <= _KEPT_LENGTH:
            if href.startswith(("http://", "https://")):
                kept[record] = whole[record] = entry
            elif href[:1] == "/" and href[1:2] not in ("/", "\\"):
                kept[record] = entry
        return entry


def _entry(url: str, words: bytes, rel: bytes) -> Entry:
    if not url:
        return None
    anchor = " ".join(resolved(words).split())[:MAX_ANCHOR]
    return (url, anchor), Link(url, anchor, bool(rel) and not _NOT_VOUCHED.isdisjoint(attribute(rel).lower().split()))


def target_of(href: str, base: str, encoding: str = "utf-8") -> str:
    """What can be fetched there, in canonical form, or nothing.  The query is in the encoding of the page."""
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
