"""A site in a git repository as a world: HTML and Markdown pages at its commits.

1. The history is cut into snapshots (`git_history`), and what changed between two is listed.
2. Files become pages by their paths (`addresses`), Markdown becomes HTML (`markdown`).
3. At each snapshot every page whose file changed answers anew; one without a file is gone, or has moved (`moves`).
4. Addresses that pages link to and servers would correct (`/a/`, `/a/index.html`, `/%61` for `/a`) answer with
   redirects while the page is there, and go or move with it.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from sought.lab.worlds.imports.addresses import (
    base_of,
    is_folder,
    is_markdown,
    is_page,
    linked,
    page_address,
    precedence,
)
from sought.lab.worlds.imports.git_history import Blobs, Change, GitRepository, Snapshot, opened, snapshots
from sought.lab.worlds.imports.importer import Importer, ImportOption, ImportResult, Progress, Read
from sought.lab.worlds.imports.markdown import to_html
from sought.lab.worlds.imports.moves import Move, read_moves
from sought.lab.worlds.recorder import RecordedSpan, WorldRecorder, digested
from sought.lab.worlds.world import WEEK
from sought.record.config import seconds
from sought.web.errors import BadInput, BadURL
from sought.web.message import Failure, Response

Report = Callable[[int, int], None]
_HTML = ("Content-Type", "text/html; charset=utf-8")
_MAX_SPELLINGS = 64  # of one address; any letter may be percent-encoded


def import_git(
    recorder: WorldRecorder,
    source: Path,
    base_url: str,
    every: float = 0.0,
    moves: Path | None = None,
    report: Report = lambda _done, _total: None,
) -> RecordedSpan:
    """Record a snapshot every so many seconds, or each commit if `every` is 0.

    `source` is a work tree, a bare repository or a bundle.  Called again for another site, it adds that to the world.
    """
    if every < 0:
        raise BadInput(f"a snapshot every {every:g} seconds is not possible")
    base = base_of(base_url)
    with opened(source) as repository:
        times = snapshots(repository.commits(), every)
        news = _news(repository, times)
        if not any(news.values()):
            raise BadInput(f"{source}: no HTML or Markdown page in its history")
        moved = _by_week(read_moves(moves, base, times[-1].number) if moves else [])
        start, total = times[0].time, sum(map(len, news.values())) + sum(map(len, moved.values()))
        at = {snapshot.number: snapshot.time for snapshot in times}
        with repository.blobs() as blobs:
            site = _Site(recorder, base, blobs)
            for number in sorted(news.keys() | moved.keys()):
                touched = site.change(news.get(number, ()), moved.get(number, ()))
                site.answer(touched, at.get(number, start + number * every), lambda done: report(done, total))
        site.correct()
    report(total, total)
    return RecordedSpan(start, times[-1].time, (f"{base}/",))


def _news(repository: GitRepository, times: list[Snapshot]) -> dict[int, list[Change]]:
    """The pages that changed, by number of the snapshot."""
    changed, before = {}, ""
    for number, _, commit in times:
        changes: Iterator[Change] = repository.changes(before, commit) if before else repository.files(commit)
        changed[number] = [change for change in changes if is_page(change.path)]
        before = commit
    return changed


def _by_week(moves: list[Move]) -> dict[int, list[Move]]:
    weeks: dict[int, list[Move]] = defaultdict(list)
    for move in moves:
        weeks[move.week].append(move)
    return weeks


class _Site:
    """The files at each URL, and the redirects of those that have moved.

    `ways` are the percent-decoded spellings of each URL, `leads` the targets of each URL with the time of each change.
    """

    def __init__(self, recorder: WorldRecorder, base: str, blobs: Blobs) -> None:
        self.recorder, self.base, self.blobs = recorder, base, blobs
        self.files: dict[str, dict[bytes, bytes]] = {}
        self.moved: dict[str, str] = {}
        self.ways: dict[bytes, str] = {}
        self.leads: dict[str, list[tuple[float, str]]] = defaultdict(list)
        self.done = 0

    def change(self, changes: "list[Change] | tuple[()]", moves: "list[Move] | tuple[()]") -> list[str]:
        """Apply changes and moves; the URLs whose answers may have changed."""
        touched = []
        for path, blob in changes:
            try:
                url = page_address(self.base, path)
            except BadURL:  # no crawl could fetch it
                continue
            files = self.files.setdefault(url, {}) if blob else self.files.get(url, {})
            if blob:
                files[path] = blob
                self.ways[unquote_to_bytes(self.base) + b"/" + path] = url
            elif files.pop(path, None) is None:  # a link or a submodule: it never was a page
                continue
            touched.append(url)
        for _, url, target in moves:
            self.moved[url] = target
            touched.append(url)
        return list(dict.fromkeys(touched))

    def answer(self, urls: list[str], time: float, report: Callable[[int], None]) -> None:
        for url in urls:
            files = self.files.get(url)
            there = url if files else self.moved.get(url, "")
            if not self.leads[url] or self.leads[url][-1][1] != there:
                self.leads[url].append((time, there))
            if files:
                self.page(url, min(files, key=precedence), time)
            elif url in self.moved:
                self.recorder.answer(_redirect(url, self.moved[url], time))
            else:
                self.recorder.answer(_gone(url, time))
            self.done += 1
            if self.done % 64 == 0:
                report(self.done)

    def page(self, url: str, path: bytes, time: float) -> None:
        body = self.blobs.read(self.files[url][path])
        if body is None:
            self.recorder.answer(Response(url, 200, headers=(_HTML,), time=time, failure=Failure.TOO_LARGE))
            return
        if is_markdown(path):
            text = body.decode("utf-8", "replace").removeprefix("\ufeff")
            body = to_html(text, lambda href: linked(self.base, path, href)).encode()
        response = Response(url, 200, headers=(_HTML,), raw=body, body=body, time=time)
        # Links of a folder's page are relative to the folder.
        within = replace(response, url=f"{url}/") if is_folder(path) and not url.endswith("/") else response
        self.recorder.answer(response, digested(within) if within is not response else None)

    def correct(self) -> None:
        """Redirects from the other addresses of a page, where links use them."""
        plain = {unquote_to_bytes(url): url for url in self.files}
        ways = self.ways | {way + b"/": url for way, url in plain.items()} | plain
        spellings = Counter[str]()
        for target in dict.fromkeys(link.url for link in self.recorder.links):
            url = None if "?" in target else ways.get(unquote_to_bytes(target))
            if url is None or target in self.recorder.pages or spellings[url] >= _MAX_SPELLINGS:
                continue
            spellings[url] += 1
            for time, there in self.leads[url]:
                self.recorder.answer(
                    _redirect(target, there, time) if there not in ("", target) else _gone(target, time)
                )


def _gone(url: str, time: float) -> Response:
    return Response(url, 404, headers=(_HTML,), time=time)


def _redirect(url: str, target: str, time: float) -> Response:
    return Response(url, 301, headers=(_HTML, ("Location", target)), time=time)


def _plan(paths: Sequence[Path], options: Mapping[str, Any]) -> Read:
    base_urls, every = options["base-url"], options["every"]
    tables = _each_path("--moves", options["moves"] or [None] * len(paths), paths)
    sites = list(zip(paths, _each_path("--base-url", base_urls, paths), tables, strict=True))
    if len(set(base_urls)) < len(base_urls):
        raise BadInput("--base-url: each site needs one of its own")
    step = seconds(every)

    def read(recorder: WorldRecorder, progress: Progress) -> ImportResult:
        spans = [
            import_git(recorder, path, base, step, table, progress(f"reading {path.name}"))
            for path, base, table in sites
        ]
        names = [
            {"base_url": base, "from": path.name, "moves": table.name if table else ""} for path, base, table in sites
        ]
        return ImportResult(_joined(spans), step or WEEK, {"source": "git", "every": every, "sites": names})

    return read


def _each_path(option: str, values: Sequence[Any], paths: Sequence[Path]) -> Sequence[Any]:
    if len(values) != len(paths):
        raise BadInput(f"{option}: {len(values)} for {len(paths)} paths; it is given once for each path, in order")
    return values


def _joined(spans: Sequence[RecordedSpan]) -> RecordedSpan:
    seeds = tuple(seed for each in spans for seed in each.seeds)
    return RecordedSpan(min(each.start for each in spans), max(each.end for each in spans), seeds)


GIT = Importer(
    "git",
    "Import the HTML and Markdown pages of git repositories at each snapshot.",
    "A git repository or bundle for each site.",
    _plan,
    (
        ImportOption("base-url", list[str], "The URL of the site's root; once for each path, in order."),
        ImportOption("every", str, "Time between snapshots; 0s: every commit.", "7d"),
        ImportOption(
            "moves",
            list[Path] | None,
            "A table week, from, to of pages that moved; once for each path.",
            None,
        ),
    ),
    metavar="PATH_OR_BUNDLE...",
    several=True,
)
