"""Captures as a world: what each URL answered, from WARC files of any writer and from crawls of our own.

1. All files are read through once; of each capture only where it lies is kept.
2. In order of time, each answer is given to the recorder.  A revisit, and an answer of 304, stands for an earlier body.
3. Nobody knows how long a page had been there when it was first captured: it counts as there from the beginning.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from sought.archive import Place
from sought.archive.body import with_body
from sought.archive.catalogue import outcome_at
from sought.archive.fields import instant
from sought.lab.worlds.imports.http_block import http
from sought.lab.worlds.imports.importer import UNIT, Importer, ImportResult, Progress, Read, unit_of
from sought.lab.worlds.imports.warc_files import WarcFile, warc_files
from sought.lab.worlds.imports.warc_records import Fields, Spot, content, head, time_of
from sought.lab.worlds.recorder import Taken, WorldRecorder
from sought.record.named_urls import LOADED, SEEDS
from sought.record.workload import FOLDER
from sought.web.errors import BadInput, BadURL, CrawlDamaged
from sought.web.message import Failure, RequestPurpose, Response
from sought.web.url import canonical, hostname, origin

Report = Callable[[int, int], None]
Kind = Literal["response", "revisit", "resource", "failure"]
_REPORT_EVERY = 256


class _Capture(NamedTuple):
    """One answer: when, to what, and where it lies.  `refers` is the capture that a revisit names: URL and time."""

    time: float
    file: int
    offset: int
    length: int
    kind: Kind
    url: str
    purpose: RequestPurpose
    digest: str
    refers: tuple[str, float] | None


def import_warc(recorder: WorldRecorder, files: Sequence[Path], report: Report = lambda _done, _total: None) -> Taken:
    """Give the recorder every capture in .warc and .warc.gz files, folders of them, CDXJ indexes, crawl directories.

    The seeds are those on record in our own archives, else the first page captured of each host.
    """
    sources = warc_files(files)
    captures, seeds = _seen(sources, report)
    if not captures:
        raise BadInput(f"{', '.join(map(str, files))}: no captures of http or https URLs")
    answers = _CaptureReader([source.path for source in sources], captures)
    begun: set[tuple[RequestPurpose, str]] = set()
    start, end = captures[0].time, captures[-1].time
    for number, capture in enumerate(captures):
        if number % _REPORT_EVERY == 0:
            report(number, len(captures))
        response = answers.news(capture)
        if response is not None:
            what = (capture.purpose, capture.url)
            recorder.answer(replace(with_body(response), time=capture.time if what in begun else start))
            begun.add(what)
    report(len(captures), len(captures))
    return Taken(start, end, tuple(seeds or _first_pages(captures)))


def _seen(sources: list[WarcFile], report: Report) -> tuple[list[_Capture], list[str]]:
    """All captures in order of time, and all seeds; of two captures of a URL at one moment the last."""
    found: list[_Capture] = []
    seeds: dict[str, None] = {}
    for number, (path, walk) in enumerate(sources):
        for spot in walk(path):
            fields, start = head(path, spot)
            if fields.get("warc-target-uri") in (SEEDS, LOADED):
                seeds.update(dict.fromkeys(_listed(content(path, spot.offset, spot.length), start)))
            elif capture := _capture(path, number, spot, fields):
                found.append(capture)
                if len(found) % _REPORT_EVERY == 0:
                    report(len(found), 0)
    found.sort(key=lambda capture: capture[:3])
    return list({(each.purpose, each.url, each.time): each for each in found}.values()), list(seeds)


def _listed(note: bytes | None, start: int) -> Iterator[str]:
    """The URLs of a note."""
    for line in (note or b"")[start:].decode("utf-8", "replace").split():
        try:
            yield canonical(line)
        except BadURL:
            continue


def _capture(path: Path, file: int, spot: Spot, fields: Fields) -> _Capture | None:
    """What a record tells of a URL; None if it is of another kind, or about something nobody could crawl."""
    kind = _kind(fields)
    try:
        url = canonical(fields.get("warc-target-uri", "").strip("<>"))  # wget writes them in brackets
    except BadURL:
        return None
    if kind is None:
        return None
    time = time_of(path, spot, fields)
    digest = fields.get("warc-payload-digest", "")
    return _Capture(
        time, file, spot.offset, spot.length, kind, url, _purpose(url, fields), digest, _refers(fields, url)
    )


def _kind(fields: Fields) -> Kind | None:
    kind = fields.get("warc-type", "")
    if kind == "metadata" and "sought-purpose" in fields:
        return "failure"
    return kind if kind in ("response", "revisit", "resource") else None  # type: ignore[return-value]  # just asked


def _purpose(url: str, fields: Fields) -> RequestPurpose:
    told = fields.get("sought-purpose")
    if told in list(RequestPurpose):
        return RequestPurpose(told)
    return RequestPurpose.ROBOTS if url == f"{origin(url)}/robots.txt" else RequestPurpose.PAGE


def _refers(fields: Fields, url: str) -> tuple[str, float] | None:
    try:
        named = fields.get("warc-refers-to-target-uri", "").strip("<>")
        return (canonical(named) if named else url), instant(fields["warc-refers-to-date"])
    except (BadURL, KeyError, ValueError):
        return None


def _first_pages(captures: list[_Capture]) -> list[str]:
    first: dict[str, str] = {}
    for capture in captures:
        if capture.purpose is RequestPurpose.PAGE:
            first.setdefault(hostname(capture.url), capture.url)
    return list(first.values())


class _CaptureReader:
    """Reads captures, and knows of each URL what it said last."""

    def __init__(self, paths: list[Path], captures: list[_Capture]) -> None:
        self.paths = paths
        bodies = [each for each in captures if each.kind in ("response", "resource")]
        self.by_digest = {each.digest: each for each in reversed(bodies) if each.digest}
        self.by_moment = {(each.url, each.time): each for each in bodies}
        self.last: dict[tuple[RequestPurpose, str], object] = {}

    def news(self, capture: _Capture) -> Response | None:
        """The answer, with the body it stands for; None if it is as before, or that body is nowhere."""
        source, response = capture, self.read(capture)
        if capture.kind == "revisit" or response.status == 304:
            original = self.original(capture, response.status)
            if original is None:
                return None
            source, response = original, _repeated(response, self.read(original))
        body = source.digest or (source.file, source.offset)
        asked = tuple(response.all_headers("x-robots-tag"))
        said = response.status, response.failure, response.header("location"), asked, body
        what = (capture.purpose, capture.url)
        if self.last.get(what) == said:
            return None
        self.last[what] = said
        return replace(response, url=capture.url, purpose=capture.purpose)

    def original(self, capture: _Capture, status: int) -> _Capture | None:
        """The capture that has the body; the digest of a 304 may be that of its own, empty one."""
        named = self.by_moment.get(capture.refers) if capture.refers else None
        return named if status == 304 else self.by_digest.get(capture.digest, named)

    def read(self, capture: _Capture) -> Response:
        """What the record itself says."""
        path, (_, file, offset, length, kind, url, *_) = self.paths[capture.file], capture
        record = content(path, offset, length)
        if record is None:
            return Response(url, failure=Failure.TOO_LARGE)
        fields, start = head(path, Spot(offset, length, record, len(record)))
        block = record[start : start + int(fields["content-length"])]
        if kind == "resource":
            return Response(url, 200, headers=(("Content-Type", fields.get("content-type", "")),), raw=block)
        if kind == "failure":
            return _failure(path, Place(file, offset, length), record)
        answer = http(block)
        if answer is None:
            return Response(url, failure=None if kind == "revisit" else Failure.HEADERS)
        status, headers, raw = answer
        return Response(url, status, headers=headers, raw=raw, address=fields.get("warc-ip-address", ""))


def _repeated(said: Response, original: Response) -> Response:
    """The original's body, with what the answer itself says: a 304 only what is new (RFC 9111, 3.2)."""
    is_whole = bool(said.headers) and said.status != 304
    of_body = "content-encoding" if is_whole else "content-"
    own = [each for each in said.headers if not each[0].lower().startswith(of_body)]
    names = {name.lower() for name, _ in own}
    kept = [
        (name, value)
        for name, value in original.headers
        if name.lower() not in names and (name.lower().startswith("content-") or not is_whole)
    ]
    status = original.status if said.status in (0, 304) else said.status
    return replace(original, status=status, headers=(*own, *kept), address=said.address)


def _failure(path: Path, place: Place, record: bytes) -> Response:
    try:
        told = outcome_at(path, place, record)
    except CrawlDamaged as error:
        raise BadInput(str(error)) from None
    if told is None or told.response is None:
        raise BadInput(f"{path} is damaged at offset {place.offset}: a failure without its cause")
    headers = tuple([(_unicode(name), _unicode(value)) for name, value in told.response.headers])
    return replace(told.response, headers=headers)


def _unicode(text: str) -> str:
    """The archive gives back bytes that are no UTF-8 as half characters, which no other file can hold."""
    return text.encode("utf-8", "replace").decode()


def _plan(paths: Sequence[Path], options: Mapping[str, Any]) -> Read:
    unit = unit_of(options["unit"])

    def read(recorder: WorldRecorder, progress: Progress) -> ImportResult:
        taken = import_warc(recorder, paths, progress("reading captures"))
        about = {"source": "warc", "files": [file.resolve().name for file in paths]}
        return ImportResult(taken, unit, about, [file / FOLDER for file in paths if (file / FOLDER).is_dir()])

    return read


WARC = Importer(
    "warc",
    "Import a recorded crawl; the first capture of a page counts from the beginning.\n\n"
    "Of a crawl directory its query log is taken, too, unless --queries names another.",
    "WARC files, folders of them, CDXJ indexes, crawl directories.",
    _plan,
    (UNIT,),
    metavar="FILES...",
    several=True,
)
