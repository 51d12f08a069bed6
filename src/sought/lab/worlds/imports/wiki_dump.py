"""Articles and revisions in a MediaWiki XML export, and the URLs of titles."""

import bz2
import gzip
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path
from typing import IO, cast
from urllib.parse import quote
from xml.parsers import expat

from sought.lab.worlds.imports import wikitext
from sought.web.errors import BadInput, BadURL
from sought.web.url import canonical


class Wiki:
    """A wiki: URLs of titles, names of namespaces, language."""

    def __init__(self, base_url: str) -> None:
        self.base = canonical(base_url).rstrip("/") + "/wiki/"
        self.language = ""
        self.spaces = set(wikitext.NAMESPACES)
        self.any_case = False  # whether titles may begin with a small letter

    def address(self, title: str) -> str:
        """The URL of a title; empty if it can have none."""
        name = "_".join(title.partition("#")[0].replace("_", " ").split())
        if not name:
            return ""
        if not self.any_case:
            name = name[0].upper() + name[1:]
        try:
            return canonical(self.base + quote(name, safe="/:@!$&'()*+,;=~"))
        except (BadURL, UnicodeError):
            return ""


# ---- Reading the export.
#
# The file is read as a stream; the texts of one page wait in a temporary file until all are there, since dumps do not
# promise their order.  Document types are refused, so nothing can expand.


_SLICE = 1 << 16
_MAX_DEPTH = 32
_MAX_WORDS = 4096  # characters of a title or a time
_IN_MEMORY = 1 << 26  # bytes of one page's revisions
_FILLED = ("title", "ns", "timestamp", "text", "case", "namespace")

Report = Callable[[int, int], None]


@dataclass
class WikiArticle:
    """An article; its texts can be read until the next one comes."""

    waiting: IO[bytes]
    title: str = ""
    space: str = ""
    line: int = 0
    spans: list[tuple[float, int, int]] = field(default_factory=list)  # time, where it starts, how long it is

    def revisions(self) -> list[tuple[float, int, int]]:
        """The spans, oldest first; of two in one second the later one in the file."""
        return sorted({span[0]: span for span in self.spans}.values())

    def text(self, start: int, size: int) -> str:
        self.waiting.seek(start)
        return self.waiting.read(size).decode()


def read_pages(dump: Path, wiki: Wiki, take: Callable[[WikiArticle], None], report: Report) -> None:
    """Give away every page of namespace 0 that has a revision; what the file says of the wiki is noted in `wiki`."""
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as waiting:
        _DumpReader(dump, wiki, take, waiting).read(report)


def moment(text: str) -> float:
    """Seconds since 1970 of a date or a time in ISO 8601, in UTC unless it says otherwise; raises ValueError."""
    time = datetime.fromisoformat(text)
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


class _DumpReader:
    """Turns expat's events into revisions.  `where` is the path of open elements, `words` the text of a wanted one."""

    def __init__(self, dump: Path, wiki: Wiki, take: Callable[[WikiArticle], None], waiting: IO[bytes]) -> None:
        self.dump, self.wiki, self.take, self.waiting = dump, wiki, take, waiting
        self.where: list[str] = []
        self.words: list[str] | None = None
        self.room = 0
        self.page = WikiArticle(waiting)
        self.time = ""
        self.text: str | None = None
        self.parser = expat.ParserCreate()

    def read(self, report: Report) -> None:
        parser = self.parser
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse
        parser.StartElementHandler = self._open
        parser.EndElementHandler = self._close
        parser.CharacterDataHandler = self._say
        total = self.dump.stat().st_size if self.dump.is_file() else 0
        try:
            with _opened(self.dump) as (raw, file):
                while part := file.read(_SLICE):
                    parser.Parse(part, False)
                    report(raw.tell(), total)
                parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise BadInput(
                f"{self.dump}, line {error.lineno}, column {error.offset}: {expat.ErrorString(error.code)}"
            ) from None

    def _complain(self, what: str) -> BadInput:
        return BadInput(
            f"{self.dump}, line {self.parser.CurrentLineNumber}, column {self.parser.CurrentColumnNumber}: {what}"
        )

    def _refuse(self, *_: object) -> None:
        raise self._complain("document type declarations are refused")

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(":")[2]
        if len(self.where) >= _MAX_DEPTH:
            raise self._complain(f"elements nested deeper than {_MAX_DEPTH}")
        self.where.append(name)
        if name == "mediawiki":
            self.wiki.language = attributes.get("xml:lang", "")[:40]
        elif name == "page":
            self.page = WikiArticle(self.waiting, line=self.parser.CurrentLineNumber)
            self.waiting.seek(0)
            self.waiting.truncate()
        elif name == "revision":
            self.time, self.text = "", None
        is_wanted = name in _FILLED and "deleted" not in attributes
        self.words = [] if is_wanted else None
        self.room = wikitext.MAX_TEXT if name == "text" else _MAX_WORDS

    def _say(self, text: str) -> None:
        if self.words is not None and self.room > 0:
            self.words.append(text[: self.room])
            self.room -= len(text)

    def _close(self, _: str) -> None:
        name, words = self.where.pop(), self.words
        content = "".join(words) if words is not None else None
        self.words = None
        if name == "revision":
            self._keep()
        elif name == "page":
            if self.page.spans:
                self.take(self.page)
        elif content is not None:
            self._fill(name, content)

    def _fill(self, name: str, content: str) -> None:
        if name == "text":
            self.text = content
        elif name == "timestamp":
            self.time = content.strip()
        elif name == "title":
            self.page.title = content.strip()
        elif name == "ns":
            self.page.space = content.strip()
        elif name == "case":
            self.wiki.any_case = content.strip() == "case-sensitive"
        elif content.strip():
            self.wiki.spaces.add(content.strip().lower())

    def _keep(self) -> None:
        """Store a revision in the temporary file; one whose text is deleted does not count."""
        if self.text is None or self._is_elsewhere():
            return
        try:
            time = moment(self.time)
        except ValueError:
            raise self._complain(f"not a time: {self.time[:60]!r}") from None
        text = self.text.encode("utf-8", "replace")
        self.page.spans.append((time, self.waiting.seek(0, 2), len(text)))
        self.waiting.write(text)

    def _is_elsewhere(self) -> bool:
        space = self.page.title.partition(":")[0].lower() if ":" in self.page.title else ""
        return self.page.space != "0" if self.page.space else space in self.wiki.spaces


@contextmanager
def _opened(dump: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The file, and what is in it once unpacked."""
    try:
        with dump.open("rb") as raw, _unpacked(raw) as file:
            yield raw, file
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(f"cannot read {dump}: {getattr(error, 'strerror', None) or error}") from None


def _unpacked(raw: BufferedReader) -> IO[bytes]:
    magic = raw.peek(3)[:3]
    if magic[:2] == b"\x1f\x8b":
        return cast("IO[bytes]", gzip.open(raw))
    return bz2.open(raw) if magic == b"BZh" else raw
