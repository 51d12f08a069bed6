"""A wiki as a world, from MediaWiki's XML export with all revisions (plain, .gz or .bz2).

Pages of namespace 0 (`wiki_dump`); each revision is a version from its time on, as HTML (`wikitext`).  A wiki begins
with one page; the world starts when half of the pages exist, each in its latest revision.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sought.lab.worlds.imports import wikitext
from sought.lab.worlds.imports.importer import UNIT, Importer, ImportOption, ImportResult, Progress, Read, unit_of
from sought.lab.worlds.imports.wiki_dump import Wiki, WikiArticle, moment, read_pages
from sought.lab.worlds.recorder import RecordedSpan, WorldRecorder
from sought.web.errors import BadInput
from sought.web.message import Response

_HTML = (("Content-Type", "text/html; charset=utf-8"),)

Report = Callable[[int, int], None]


def import_wiki(
    recorder: WorldRecorder,
    dump: Path,
    base_url: str,
    report: Report = lambda _done, _total: None,
    seed: str | None = None,
    since: float | None = None,
) -> RecordedSpan:
    """Record every revision; of those up to the start only the last of each page.

    The start is `since`, else the first moment at which at least half of all pages exist; for that the file is read
    twice.  The seed is the page with most links to it at the start, unless a title is named.
    """
    before = 1 if since is None else 0  # readings
    start = _half_there(dump, base_url, lambda done, total: report(done, 2 * total)) if since is None else since
    pages = _Pages(recorder, dump, Wiki(base_url), start)
    read_pages(dump, pages.wiki, pages.take, lambda done, total: report(before * total + done, (before + 1) * total))
    _check(dump, pages)
    return RecordedSpan(start, pages.last, (_seed(pages, seed),))


def _half_there(dump: Path, base_url: str, report: Report) -> float:
    if dump.is_fifo():
        raise BadInput(f"{dump}: a pipe can be read only once; say with --from when the world starts")
    first: list[float] = []
    read_pages(dump, Wiki(base_url), lambda page: first.append(min(page.spans)[0]), report)
    if not first:
        raise _no_pages(dump)
    return sorted(first)[(len(first) - 1) // 2]


def _no_pages(dump: Path) -> BadInput:
    return BadInput(f"{dump}: no pages of namespace 0 with a revision")


def _check(dump: Path, pages: "_Pages") -> None:
    if not pages.seen:
        raise _no_pages(dump)
    if not pages.first <= pages.start <= pages.last:
        start, first, last = (_day(at) for at in (pages.start, pages.first, pages.last))
        raise BadInput(f"{dump}: no world can start on {start}: its revisions are from {first} to {last}")


def _seed(pages: "_Pages", title: str | None) -> str:
    if title is not None:
        if (url := pages.wiki.address(title)) not in pages.seen:
            raise BadInput(f"{pages.dump}: no page {title!r} of namespace 0")
        return url
    recorder = pages.recorder
    urls, links = list(recorder.pages), list(recorder.links)
    there: dict[str, int] = {
        urls[row["page"]]: number
        for number, row in enumerate(recorder.rows)
        if row["time"] == pages.start and urls[row["page"]] in pages.seen
    }
    counts = Counter(links[link].url for number in there.values() for link in recorder.link_lists[number])
    shown = [url for url, number in there.items() if recorder.rows[number]["status"] == 200]  # no redirect
    return min(shown or list(there), key=lambda url: (-counts[url], url))


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(moment))


class _Pages:
    """Takes pages to the recorder; `first` and `last` are the times of all revisions, whenever the start is."""

    def __init__(self, recorder: WorldRecorder, dump: Path, wiki: Wiki, start: float) -> None:
        self.recorder, self.dump, self.wiki, self.start = recorder, dump, wiki, start
        self.seen: set[str] = set()
        self.first, self.last = float("inf"), float("-inf")

    def take(self, page: WikiArticle) -> None:
        url = self.wiki.address(page.title)
        if not url or url in self.seen:
            what = "comes twice" if url else "has no possible address"
            raise BadInput(f"{self.dump}, line {page.line}: page {page.title[:200]!r} {what}")
        self.seen.add(url)
        revisions = page.revisions()
        self.first, self.last = min(self.first, revisions[0][0]), max(self.last, revisions[-1][0])
        past = sum(at <= self.start for at, _, _ in revisions)
        for at, start, size in revisions[max(past - 1, 0) :]:
            self.recorder.answer(self._answer(url, page.title, page.text(start, size), max(at, self.start)))

    def _answer(self, url: str, title: str, text: str, time: float) -> Response:
        target = self.wiki.address(wikitext.redirect(text).lstrip(":"))
        if target and target != url:
            return Response(url, 301, headers=(*_HTML, ("Location", target)), time=time)
        wiki = self.wiki
        page = wikitext.html(text, title, wiki.address, wiki.language, frozenset(wiki.spaces))
        body = page.encode("utf-8", "replace")
        return Response(url, 200, headers=_HTML, raw=body, body=body, time=time)


def _plan(paths: Sequence[Path], options: Mapping[str, Any]) -> Read:
    [dump] = paths
    base_url, unit = options["base-url"], unit_of(options["unit"])
    since = None if options["from"] is None else _since(options["from"])

    def read(recorder: WorldRecorder, progress: Progress) -> ImportResult:
        span = import_wiki(recorder, dump, base_url, progress("bytes read"), options["seed"], since)
        return ImportResult(span, unit, {"source": "wiki", "file": dump.resolve().name, "base_url": base_url})

    return read


def _since(date: str) -> float:
    try:
        return moment(date)
    except ValueError:
        raise BadInput(f"--from: not a date such as 2020-01-31: {date[:60]!r}") from None


WIKI = Importer(
    "wiki",
    "Import the articles of a wiki with all revisions.",
    "MediaWiki's XML export with revisions, also .gz or .bz2.",
    _plan,
    (
        ImportOption("base-url", str, "The URL of the wiki's root; pages are at /wiki/ below it."),
        UNIT,
        ImportOption(
            "from",
            str | None,
            "First day, as 2020-01-31; default: when half of all pages exist.",
            None,
            metavar="DATE",
        ),
        ImportOption(
            "seed",
            str | None,
            "Title of the start page; default: the most linked one that exists from the start.",
            None,
        ),
    ),
    metavar="DUMP",
)
