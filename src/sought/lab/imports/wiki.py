"""A wiki as a world: MediaWiki's XML export with all revisions, plain, .gz or .bz2.

Pages of namespace 0; each revision is a version from its time on.  The file is read as a stream; the revisions of one
page wait in a temporary file until all are there, since dumps do not promise their order.  Document types are refused,
so nothing can expand.
"""

import bz2
import gzip
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path
from typing import IO, cast
from urllib.parse import quote
from xml.parsers import expat

from sought.lab.imports import wikitext
from sought.lab.imports.taken import Taken
from sought.lab.recorder import Recorder
from sought.web.errors import BadInput, BadURL
from sought.web.message import Response
from sought.web.url import canonical

_HTML = (("Content-Type", "text/html; charset=utf-8"),)
_SLICE = 1 << 16
_MAX_DEPTH = 32
_MAX_WORDS = 4096  # characters of a title or a time
_IN_MEMORY = 1 << 26  # bytes of one page's revisions
_FILLED = ("title", "ns", "timestamp", "text", "case", "namespace")

Report = Callable[[int, int], None]


@dataclass
class _Page:
    title: str = ""
    space: str = ""
    line: int = 0
    spans: list[tuple[float, int, int]] = field(default_factory=list)  # time, where it starts, how long it is


class Wiki:
    """What is known of a wiki when its pages come: addresses of titles, names of namespaces, language."""

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


def import_wiki(
    recorder: Recorder,
    dump: Path,
    base_url: str,
    report: Report = lambda _done, _total: None,
    seed: str | None = None,
) -> Taken:
    """Give every revision to the recorder; the seed is the page with most links to it, unless a title is named."""
    wiki = Wiki(base_url)
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as waiting:
        reader = _Reader(recorder, dump, wiki, waiting)
        reader.read(report)
    if not reader.seen:
        raise BadInput(f"{dump}: no pages of namespace 0 with a revision")
    return Taken(reader.start, reader.end, (_seed(recorder, dump, wiki, reader.seen, seed),))


def _seed(recorder: Recorder, dump: Path, wiki: Wiki, seen: set[str], title: str | None) -> str:
    if title is not None:
        if (url := wiki.address(title)) not in seen:
            raise BadInput(f"{dump}: no page {title!r} of namespace 0")
        return url
    latest = {row["page"]: number for number, row in enumerate(recorder.rows)}
    links = list(recorder.links)
    counts = Counter(links[link].url for number in latest.values() for link in recorder.link_lists[number])
    shown = [
        url
        for url in seen
        if recorder.rows[latest[recorder.pages[url]]]["status"] == 200  # a redirect leads nowhere else
    ]
    return min(shown or seen, key=lambda url: (-counts[url], url))


class _Reader:
    """Expat's events to revisions.  `where` is the path of open elements, `words` the text of one that is wanted."""

    def __init__(self, recorder: Recorder, dump: Path, wiki: Wiki, waiting: IO[bytes]) -> None:
        self.recorder, self.dump, self.wiki, self.waiting = recorder, dump, wiki, waiting
        self.seen: set[str] = set()
        self.start, self.end = float("inf"), float("-inf")
        self.where: list[str] = []
        self.words: list[str] | None = None
        self.room = 0
        self.page = _Page()
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
            self.page = _Page(line=self.parser.CurrentLineNumber)
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
        said = "".join(words) if words is not None else None
        self.words = None
        if name == "revision":
            self._keep()
        elif name == "page":
            self._finish()
        elif said is not None:
            self._fill(name, said)

    def _fill(self, name: str, said: str) -> None:
        if name == "text":
            self.text = said
        elif name == "timestamp":
            self.time = said.strip()
        elif name == "title":
            self.page.title = said.strip()
        elif name == "ns":
            self.page.space = said.strip()
        elif name == "case":
            self.wiki.any_case = said.strip() == "case-sensitive"
        elif said.strip():
            self.wiki.spaces.add(said.strip().lower())

    def _keep(self) -> None:
        """Write a revision aside; one whose text is deleted is none."""
        if self.text is None or self._is_elsewhere():
            return
        try:
            time = datetime.fromisoformat(self.time)
        except ValueError:
            raise self._complain(f"not a time: {self.time[:60]!r}") from None
        moment = (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
        text = self.text.encode("utf-8", "replace")
        self.page.spans.append((moment, self.waiting.seek(0, 2), len(text)))
        self.waiting.write(text)

    def _is_elsewhere(self) -> bool:
        space = self.page.title.partition(":")[0].lower() if ":" in self.page.title else ""
        return self.page.space != "0" if self.page.space else space in self.wiki.spaces

    def _finish(self) -> None:
        """Give a page's revisions to the recorder, oldest first; of two in one second the later one in the file."""
        if not self.page.spans:
            return
        url = self.wiki.address(self.page.title)
        if not url or url in self.seen:
            what = "comes twice" if url else "has no possible address"
            raise BadInput(f"{self.dump}, line {self.page.line}: page {self.page.title[:200]!r} {what}")
        self.seen.add(url)
        for time, (start, size) in sorted({time: (start, size) for time, start, size in self.page.spans}.items()):
            self.waiting.seek(start)
            self.recorder.answer(self._answer(url, self.waiting.read(size).decode(), time))
            self.start, self.end = min(self.start, time), max(self.end, time)

    def _answer(self, url: str, text: str, time: float) -> Response:
        target = self.wiki.address(wikitext.redirect(text).lstrip(":"))
        if target and target != url:
            return Response(url, 301, headers=(*_HTML, ("Location", target)), time=time)
        wiki = self.wiki
        page = wikitext.html(text, self.page.title, wiki.address, wiki.language, frozenset(wiki.spaces))
        body = page.encode("utf-8", "replace")
        return Response(url, 200, headers=_HTML, raw=body, body=body, time=time)


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
