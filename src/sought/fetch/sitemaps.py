"""Which pages does a sitemap or feed list, and when did they change?

Sitemaps (sitemaps.org: XML or plain text) and feeds (RSS, Atom, JSON Feed), perhaps gzipped, in any declared encoding.
A feed lists only the latest pages: those that leave it are not gone.

Other files are refused with a reason: "html", a web page; "not-urls", any other text, JSON or XML.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from xml.parsers import expat

import msgspec

from sought.fetch.dates import feed_time, w3c_time
from sought.fetch.xml_lists import MAX_TEXT, HTMLError, ListEntry, StopReadingError, XMLList
from sought.web.coding import CodingError, decoded
from sought.web.errors import BadURL
from sought.web.html import encoding
from sought.web.url import canonical, hostname, registered_domain

MAX_BYTES = 50 * 1024 * 1024
MAX_ENTRIES = 50_000
_GZIP = b"\x1f\x8b"
_LINE = re.compile(rb"[^\r\n]+")
_ADDRESS = re.compile(rb"https?://[^\s<>\"]+", re.IGNORECASE)
_PAGE = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_REASONS = {"html": "a web page, not a sitemap", "not-urls": "neither a sitemap nor a feed"}


@dataclass(slots=True)
class Sitemap:
    """The content: pages with the time of their last change (seconds since 1970, or None), and further sitemaps.

    `problem`: why not all of it was read; `refused`: why it is no list at all.
    """

    pages: list[tuple[str, float | None]] = field(default_factory=list)
    children: list[str] = field(default_factory=list)
    problem: str = ""
    refused: str = ""
    is_feed: bool = False

    def refuse(self, reason: str) -> None:
        self.refused, self.problem = reason, self.problem or _REASONS[reason]


class _JSONItem(msgspec.Struct):
    url: str | None = None
    date_modified: str | None = None
    date_published: str | None = None


class _JSONFeed(msgspec.Struct):
    version: str = ""
    items: list[_JSONItem] = []


_decode_feed = msgspec.json.Decoder(_JSONFeed).decode


def read_sitemap(body: bytes, base: str, content_type: str = "") -> Sitemap:
    """Read a sitemap or feed fetched from `base`; only addresses of the same registered domain are taken."""
    sitemap = Sitemap()
    if body.startswith(_GZIP):
        try:
            body = decoded(body, "gzip", MAX_BYTES)
        except CodingError as error:
            body, sitemap.problem = error.start, error.detail
    source = encoding.decoded(body[:MAX_BYTES].lstrip(), content_type)[1].lstrip()
    reader = _ListReader(sitemap, base, "html" if "html" in content_type.lower() else "not-urls")
    try:
        if source.startswith(b"<"):
            reader.read_xml(source)
        elif source.startswith((b"{", b"[")):
            reader.read_json(source)
        elif source:
            reader.read_lines(source)
    except StopReadingError as error:
        sitemap.problem = sitemap.problem or str(error)[:200]
    return sitemap


class _ListReader:
    """Reads a list into `sitemap`; `otherwise` is the reason to refuse what is no list."""

    def __init__(self, sitemap: Sitemap, base: str, otherwise: str) -> None:
        self._sitemap = sitemap
        self._base = base
        self._domain = registered_domain(hostname(base))
        self._otherwise = otherwise

    def read_xml(self, source: bytes) -> None:
        sitemap, reader = self._sitemap, XMLList(self._base, self._take)
        try:
            reader.read(source)
        except HTMLError:
            self._otherwise = "html"
        except (StopReadingError, expat.ExpatError, LookupError, ValueError) as error:
            sitemap.problem = sitemap.problem or str(error)[:200]
        sitemap.is_feed = reader.is_feed
        if not (reader.is_list or sitemap.pages or sitemap.children):
            sitemap.refuse("html" if _PAGE.match(source) else self._otherwise)

    def read_json(self, source: bytes) -> None:
        try:
            feed = _decode_feed(source)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            feed = _JSONFeed()
        if "jsonfeed.org/version/" not in feed.version[:100]:
            self._sitemap.refuse(self._otherwise)
            return
        self._sitemap.is_feed = True
        for item in feed.items:
            self._add(
                "item", item.url or "", self._base, _latest((item.date_modified or "", item.date_published or ""))
            )

    def read_lines(self, source: bytes) -> None:
        """One absolute address per line; if most lines are something else, the text is refused."""
        lines = addresses = 0
        urls: list[str] = []
        for match in _LINE.finditer(source):
            line = match[0][: 2 * MAX_TEXT].strip()
            lines += bool(line)
            if len(line) <= MAX_TEXT and _ADDRESS.fullmatch(line):
                addresses += 1
                urls.append(line.decode())
            if lines > 2 * MAX_ENTRIES or addresses > MAX_ENTRIES:
                break
        if 2 * addresses <= lines:
            self._sitemap.refuse(self._otherwise)
            return
        for url in urls:
            self._add("url", url, "", None)

    def _take(self, entry: ListEntry) -> None:
        address, base = entry.address
        if entry.kind in ("url", "sitemap"):
            self._add(entry.kind, address, base, w3c_time(entry.dates[-1]) if entry.dates else None)
        else:
            self._add(entry.kind, address, base, _latest(entry.dates))

    def _add(self, kind: str, address: str, base: str, modified: float | None) -> None:
        if len(self._sitemap.pages) + len(self._sitemap.children) >= MAX_ENTRIES:
            raise StopReadingError(f"more than {MAX_ENTRIES} entries")
        if not address or "\ufffd" in address:  # not fully decoded: it would be another address
            return
        try:
            url = canonical(address, base)
        except BadURL:
            return
        if registered_domain(hostname(url)) != self._domain:
            return
        if kind == "sitemap":
            self._sitemap.children.append(url)
        else:
            self._sitemap.pages.append((url, modified))


def _latest(dates: Iterable[str]) -> float | None:
    return max((time for date in dates if (time := feed_time(date)) is not None), default=None)
