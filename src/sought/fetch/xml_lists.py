"""What does an XML file list?  Sitemaps (sitemaps.org), RSS 0.9 to 2.0, RSS 1.0 (RDF), and Atom 0.3 and 1.0.

Read as a stream: a damaged file gives the entries before the damage.  Namespace prefixes are ignored, since their
declarations are often wrong.  Nothing is expanded or included: entity declarations are refused, and external entities
are never read.  Depth, text and markup are bounded.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from xml.parsers import expat

from sought.web.errors import BadURL
from sought.web.url import canonical

MAX_DEPTH = 100
MAX_TEXT = 4096
_MAX_MARKUP = 1 << 20  # bytes of one tag, comment or the like
_MAX_SLICE = 65536
_SITEMAPS = {"url": ("loc", "lastmod"), "sitemap": ("loc", "lastmod")}
_DATES = ("pubdate", "date", "updated", "modified", "published", "issued", "created")
_PARENTS = {"item": ("channel", "rdf", "rss"), "entry": ("feed",)}
_FEED_ROOTS = ("rss", "rdf", "feed")
_BEST, _OTHER, _LAST = range(3)


class StopReadingError(Exception):
    """The rest is not read."""


class HTMLError(StopReadingError):
    """This is a web page."""


@dataclass(slots=True)
class ListEntry:
    """An entry of a list: possible addresses by rank, best first, each with its base; and dates."""

    kind: str
    depth: int
    addresses: dict[int, tuple[str, str]] = field(default_factory=dict)
    dates: list[str] = field(default_factory=list)

    @property
    def address(self) -> tuple[str, str]:
        return self.addresses[min(self.addresses)] if self.addresses else ("", "")


class XMLList:
    """Turns expat's events into entries, which are passed to `take` one by one."""

    def __init__(self, base: str, take: Callable[[ListEntry], None]) -> None:
        self._take = take
        self._path: list[str] = []
        self._bases: list[str] = [base]
        self._entry: ListEntry | None = None
        self._text: list[str] | None = None
        self._room = 0
        self.root = ""

    @property
    def is_feed(self) -> bool:
        return self.root in _FEED_ROOTS

    @property
    def is_list(self) -> bool:
        return self.is_feed or self.root in ("urlset", "sitemapindex")

    def read(self, source: bytes) -> None:
        """Read XML in UTF-8, whatever encoding it declares."""
        parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.SkippedEntityHandler = self._skipped
        for start in range(0, len(source), _MAX_SLICE):
            piece = source[start : start + _MAX_SLICE]
            parser.Parse(piece, False)
            if start + len(piece) - max(parser.CurrentByteIndex, 0) > _MAX_MARKUP:
                raise StopReadingError(f"markup longer than {_MAX_MARKUP} bytes")
        parser.Parse(b"", True)

    def _doctype(self, name: str, _system: str | None, _public: str | None, has_declarations: int) -> None:
        if name.lower() == "html":
            raise HTMLError("a web page")
        if has_declarations:
            raise StopReadingError("document type declarations are refused")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._path) >= MAX_DEPTH:
            raise StopReadingError(f"elements nested deeper than {MAX_DEPTH}")
        name = name.rpartition(":")[2].lower()
        if not self._path:
            self.root = name
            if name == "html":
                raise HTMLError("a web page")
        parent = self._path[-1] if self._path else ""
        self._path.append(name)
        self._bases.append(self._base(attributes))
        self._text, self._room = None, MAX_TEXT
        if self._is_entry(name, parent):
            self._entry = ListEntry(name, len(self._path))
            about = (value for key, value in attributes.items() if key.endswith(":about"))
            self._offer(_LAST, next(about, "") if self.root == "rdf" else "")
        elif self._entry and len(self._path) == self._entry.depth + 1:
            self._field(name, attributes)

    def _base(self, attributes: dict[str, str]) -> str:
        base = self._bases[-1]
        given = attributes.get("xml:base", "")
        try:
            return canonical(given, base) if given else base
        except BadURL:
            return base

    def _is_entry(self, name: str, parent: str) -> bool:
        return parent in _PARENTS.get(name, ()) if self.is_feed else name in _SITEMAPS

    def _field(self, name: str, attributes: dict[str, str]) -> None:
        assert self._entry
        if not self.is_feed:
            self._text = [] if name in _SITEMAPS[self._entry.kind] else None
        elif name == "link" and "href" in attributes:
            if "alternate" in attributes.get("rel", "alternate").lower():
                is_page = "html" in attributes.get("type", "html").lower()
                self._offer(_BEST if is_page and self._entry.kind == "entry" else _OTHER, attributes["href"])
        elif name in _DATES or (self._entry.kind == "item" and self._names_page(name, attributes)):
            self._text = []

    @staticmethod
    def _names_page(name: str, attributes: dict[str, str]) -> bool:
        return name == "link" or (name == "guid" and attributes.get("isPermaLink", "true").lower() != "false")

    def _offer(self, rank: int, address: str) -> None:
        assert self._entry
        if address := address.strip()[:MAX_TEXT]:
            self._entry.addresses.setdefault(rank, (address, self._bases[-1]))

    def _characters(self, text: str) -> None:
        if self._text is not None and self._room > 0:
            self._text.append(text[: self._room])
            self._room -= len(text)

    def _skipped(self, *_: object) -> None:
        """Drop a field with an unknown entity."""
        self._text = None

    def _end(self, _: str) -> None:
        if self._text is not None:
            self._take_field(self._path[-1], "".join(self._text).strip())
            self._text = None
        elif self._entry and len(self._path) == self._entry.depth:
            self._take(self._entry)
            self._entry = None
        self._path.pop()
        self._bases.pop()

    def _take_field(self, name: str, text: str) -> None:
        assert self._entry
        if name in ("loc", "link"):
            self._offer(_BEST, text)
        elif name != "guid":
            self._entry.dates.append(text)
        elif text[:8].lower().startswith(("http://", "https://")):
            self._offer(_LAST, text)
