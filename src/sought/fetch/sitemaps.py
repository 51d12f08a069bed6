"""Which pages does the site itself name, and when does it say they changed?

The sitemaps.org protocol: XML (`urlset`, `sitemapindex`) or plain text, perhaps gzipped.  Read as a stream: a damaged
file gives what stands before the damage.  Document types and entities are refused, so nothing can expand.
"""

import calendar
import re
from dataclasses import dataclass, field
from xml.parsers import expat

from sought.web.coding import CodingError, decoded
from sought.web.errors import BadURL
from sought.web.url import canonical, hostname, registered_domain

MAX_BYTES = 50 * 1024 * 1024
MAX_ENTRIES = 50_000
_MAX_DEPTH = 16
_MAX_TEXT = 4096
_SLICE = 65536
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"

_W3C_DATE = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?\s?([Zz]|[+-]\d\d:?\d\d)?)?)?)?"
)
_FIRST_YEAR, _LAST_YEAR = 1970, 2100


@dataclass(slots=True)
class Sitemap:
    """What was read: pages with the time of their last change (seconds since 1970, or None), and further sitemaps."""

    pages: list[tuple[str, float | None]] = field(default_factory=list)
    children: list[str] = field(default_factory=list)
    problem: str = ""


class _StopReadingError(Exception):
    """The rest is not read."""


def read_sitemap(body: bytes, base: str) -> Sitemap:
    """Read a sitemap found at `base`; only addresses of the same registered domain are believed."""
    sitemap = Sitemap()
    if body.startswith(_GZIP):
        try:
            body = decoded(body, "gzip", MAX_BYTES)
        except CodingError as error:
            body, sitemap.problem = error.start, error.detail
    body = body[:MAX_BYTES].removeprefix(_BOM).lstrip()
    reader = _Reader(sitemap, base)
    try:
        if body.startswith(b"<") or body[:2] in (b"\xff\xfe", b"\xfe\xff"):
            reader.read_xml(body)
        else:
            reader.read_lines(body)
    except (_StopReadingError, expat.ExpatError, LookupError, ValueError) as error:
        sitemap.problem = sitemap.problem or str(error)[:200]
    return sitemap


class _Reader:
    """Expat's events to entries: a `loc` and a `lastmod` count only directly inside a `url` or a `sitemap`."""

    def __init__(self, sitemap: Sitemap, base: str) -> None:
        self._sitemap = sitemap
        self._base = base
        self._domain = registered_domain(hostname(base))
        self._path: list[str] = []
        self._text: list[str] | None = None
        self._room = 0
        self._entry: dict[str, str] = {}

    def read_xml(self, body: bytes) -> None:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        for start in range(0, len(body), _SLICE):
            parser.Parse(body[start : start + _SLICE], False)
        parser.Parse(b"", True)

    def read_lines(self, body: bytes) -> None:
        for line in body.decode("utf-8", "replace").splitlines():
            if text := line.strip():
                self._add("url", text[:_MAX_TEXT], "")

    def _refuse(self, *_: object) -> None:
        raise _StopReadingError("document type declarations are refused")

    def _start(self, name: str, _: dict[str, str]) -> None:
        if len(self._path) >= _MAX_DEPTH:
            raise _StopReadingError(f"elements nested deeper than {_MAX_DEPTH}")
        name = name.rpartition(":")[2].lower()
        parent = self._path[-1] if self._path else ""
        self._path.append(name)
        if name in ("url", "sitemap"):
            self._entry = {}
        self._text = [] if parent in ("url", "sitemap") and name in ("loc", "lastmod") else None
        self._room = _MAX_TEXT

    def _characters(self, text: str) -> None:
        if self._text is not None and self._room > 0:
            self._text.append(text[: self._room])
            self._room -= len(text)

    def _end(self, _: str) -> None:
        name = self._path.pop()
        if self._text is not None:
            self._entry[name] = "".join(self._text).strip()
            self._text = None
        elif name in ("url", "sitemap") and self._entry:
            self._add(name, self._entry.get("loc", ""), self._entry.get("lastmod", ""))
            self._entry = {}

    def _add(self, kind: str, loc: str, lastmod: str) -> None:
        if len(self._sitemap.pages) + len(self._sitemap.children) >= MAX_ENTRIES:
            raise _StopReadingError(f"more than {MAX_ENTRIES} entries")
        try:
            url = canonical(loc, self._base) if loc else ""
        except BadURL:
            return
        if not url or registered_domain(hostname(url)) != self._domain:
            return
        if kind == "url":
            self._sitemap.pages.append((url, w3c_time(lastmod)))
        else:
            self._sitemap.children.append(url)


def w3c_time(text: str) -> float | None:
    """Seconds since 1970 of a W3C date (a year, a month, a day or a moment); None if it is not one."""
    found = _W3C_DATE.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day, hour, minute, second = (
        int(found[i] or default) for i, default in enumerate("011000", 1) if i < 7
    )
    year = min(max(year, _FIRST_YEAR), _LAST_YEAR)
    if not (1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1] and hour < 24 and minute < 60):
        return None
    return float(calendar.timegm((year, month, day, hour, minute, min(second, 59)))) - _offset(found[7])


def _offset(zone: str | None) -> float:
    if not zone or zone in "Zz":
        return 0.0
    hours, minutes = int(zone[1:3]), int(zone[-2:])
    return (3600.0 * hours + 60.0 * minutes) * (-1 if zone[0] == "-" else 1)
