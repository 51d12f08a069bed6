"""Captures as a world: what each URL answered, from WARC files of any writer and from crawls of our own.

1. All files are read once; only the place of each capture is kept.
2. Answers are recorded in order of time.  A revisit or a 304 repeats an earlier body.
3. When a page appeared before its first capture is unknown: it counts as there from the beginning.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from sought.archive import Place
from sought.archive.catalogue import outcome_at
from sought.archive.decode import with_body
from sought.archive.fields import instant
from sought.lab.worlds.imports.importer import UNIT, Importer, ImportResult, Progress, Read, unit_of
from sought.lab.worlds.imports.warc_files import (
    Fields,
    RecordSpan,
    WarcFile,
    http_response,
    record_bytes,
    record_fields,
    record_time,
    warc_files,
)
from sought.lab.worlds.recorder import RecordedSpan, WorldRecorder
from sought.record.seeds import LOADED, SEEDS
from sought.record.workload import FOLDER
from sought.web.errors import BadInput, BadURL, CrawlDamaged
from sought.web.message import Failure, RequestPurpose, Response
from sought.web.url import canonical, hostname, origin

Report = Callable[[int, int], None]
Kind = Literal["response", "revisit", "resource", "failure"]
_REPORT_EVERY = 256


class _Capture(NamedTuple):
    """One answer and its place in a file.  `refers` is the capture that a revisit names: URL and time."""

    time: float
    file: int
    offset: int
    length: int
    kind: Kind
    url: str
    purpose: RequestPurpose
    digest: str
    refers: tuple[str, float] | None


def import_warc(
    recorder: WorldRecorder, files: Sequence[Path], report: Report = lambda _done, _total: None
) -> RecordedSpan:
    """Record every capture in .warc and .warc.gz files, folders of them, CDXJ indexes, crawl directories.

    The seeds are those on record in our own archives, else the first page captured of each host.
    """
    sources = warc_files(files)
    captures, seeds = _find_captures(sources, report)
    if not captures:
        raise BadInput(f"{', '.join(map(str, files))}: no captures of http or https URLs")
    answers = _CaptureReader([source.path for source in sources], captures)
    begun: set[tuple[RequestPurpose, str]] = set()
    start, end = captures[0].time, captures[-1].time
    for number, capture in enumerate(captures):
        if number % _REPORT_EVERY == 0:
            report(number, len(captures))
        response = answers.new_answer(capture)
        if response is not None:
            key = (capture.purpose, capture.url)
            recorder.answer(replace(with_body(response), time=capture.time if key in begun else start))
            begun.add(key)
    report(len(captures), len(captures))
    return RecordedSpan(start, end, tuple(seeds or _first_pages(captures)))


def _find_captures(sources: list[WarcFile], report: Report) -> tuple[list[_Capture], list[str]]:
    """All captures in order of time, and all seeds; of two captures of a URL at one moment the last."""
    captures: list[_Capture] = []
    seeds: dict[str, None] = {}
    for number, (path, record_spans) in enumerate(sources):
        for spot in record_spans(path):
            fields, start = record_fields(path, spot)
            if fields.get("warc-target-uri") in (SEEDS, LOADED):
                seeds.update(dict.fromkeys(_urls_in_note(record_bytes(path, spot.offset, spot.length), start)))
            elif capture := _capture(path, number, spot, fields):
                captures.append(capture)
                if len(captures) % _REPORT_EVERY == 0:
                    report(len(captures), 0)
    captures.sort(key=lambda capture: capture[:3])
    return list({(each.purpose, each.url, each.time): each for each in captures}.values()), list(seeds)


def _urls_in_note(note: bytes | None, start: int) -> Iterator[str]:
    """The URLs in the text of a note."""
    for line in (note or b"")[start:].decode("utf-8", "replace").split():
        try:
            yield canonical(line)
        except BadURL:
            continue


def _capture(path: Path, file: int, spot: RecordSpan, fields: Fields) -> _Capture | None:
    """The capture in a record; None for other kinds of records and for URLs that cannot be crawled."""
    kind = _kind(fields)
    try:
        url = canonical(fields.get("warc-target-uri", "").strip("<>"))  # wget writes them in brackets
    except BadURL:
        return None
    if kind is None:
        return None
    time = record_time(path, spot, fields)
    digest = fields.get("warc-payload-digest", "")
    return _Capture(
        time, file, spot.offset, spot.length, kind, url, _purpose(url, fields), digest, _refers_to(fields, url)
    )


def _kind(fields: Fields) -> Kind | None:
    kind = fields.get("warc-type", "")
    if kind == "metadata" and "sought-purpose" in fields:
        return "failure"
    return kind if kind in ("response", "revisit", "resource") else None  # type: ignore[return-value]  # just asked


def _purpose(url: str, fields: Fields) -> RequestPurpose:
    purpose = fields.get("sought-purpose")
    if purpose in list(RequestPurpose):
        return RequestPurpose(purpose)
    return RequestPurpose.ROBOTS if url == f"{origin(url)}/robots.txt" else RequestPurpose.PAGE


def _refers_to(fields: Fields, url: str) -> tuple[str, float] | None:
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
    """Reads captures, and remembers the latest answer of each URL."""

    def __init__(self, paths: list[Path], captures: list[_Capture]) -> None:
        self.paths = paths
        bodies = [each for each in captures if each.kind in ("response", "resource")]
        self.by_digest = {each.digest: each for each in reversed(bodies) if each.digest}
        self.by_moment = {(each.url, each.time): each for each in bodies}
        self.last: dict[tuple[RequestPurpose, str], object] = {}

    def new_answer(self, capture: _Capture) -> Response | None:
        """The answer with its body; None if nothing has changed, or if the body of a revisit is missing."""
        source, response = capture, self.read(capture)
        if capture.kind == "revisit" or response.status == 304:
            original = self.original(capture, response.status)
            if original is None:
                return None
            source, response = original, _with_original_body(response, self.read(original))
        body = source.digest or (source.file, source.offset)
        robots = tuple(response.all_headers("x-robots-tag"))
        answer = response.status, response.failure, response.header("location"), robots, body
        key = (capture.purpose, capture.url)
        if self.last.get(key) == answer:
            return None
        self.last[key] = answer
        return replace(response, url=capture.url, purpose=capture.purpose)

    def original(self, capture: _Capture, status: int) -> _Capture | None:
        """The capture with the body; the digest of a 304 may be that of its own, empty body."""
        named = self.by_moment.get(capture.refers) if capture.refers else None
        return named if status == 304 else self.by_digest.get(capture.digest, named)

    def read(self, capture: _Capture) -> Response:
        """The answer in the record itself."""
        path, (_, file, offset, length, kind, url, *_) = self.paths[capture.file], capture
        record = record_bytes(path, offset, length)
        if record is None:
            return Response(url, failure=Failure.TOO_LARGE)
        fields, start = record_fields(path, RecordSpan(offset, length, record, len(record)))
        block = record[start : start + int(fields["content-length"])]
        if kind == "resource":
            return Response(url, 200, headers=(("Content-Type", fields.get("content-type", "")),), raw=block)
        if kind == "failure":
            return _failure(path, Place(file, offset, length), record)
        answer = http_response(block)
        if answer is None:
            return Response(url, failure=None if kind == "revisit" else Failure.HEADERS)
        status, headers, raw = answer
        return Response(url, status, headers=headers, raw=raw, address=fields.get("warc-ip-address", ""))


def _with_original_body(answer: Response, original: Response) -> Response:
    """The original's body with the headers of the answer; a 304 has only those that are new (RFC 9111, 3.2)."""
    is_whole = bool(answer.headers) and answer.status != 304
    of_body = "content-encoding" if is_whole else "content-"
    own = [each for each in answer.headers if not each[0].lower().startswith(of_body)]
    names = {name.lower() for name, _ in own}
    kept = [
        (name, value)
        for name, value in original.headers
        if name.lower() not in names and (name.lower().startswith("content-") or not is_whole)
    ]
    status = original.status if answer.status in (0, 304) else answer.status
    return replace(original, status=status, headers=(*own, *kept), address=answer.address)


def _failure(path: Path, place: Place, record: bytes) -> Response:
    try:
        outcome = outcome_at(path, place, record)
    except CrawlDamaged as error:
        raise BadInput(str(error)) from None
    if outcome is None or outcome.response is None:
        raise BadInput(f"{path} is damaged at offset {place.offset}: a failure without its cause")
    headers = tuple([(_valid_unicode(name), _valid_unicode(value)) for name, value in outcome.response.headers])
    return replace(outcome.response, headers=headers)


def _valid_unicode(text: str) -> str:
    """The archive returns bytes that are not UTF-8 as surrogates, which other files cannot hold."""
    return text.encode("utf-8", "replace").decode()


def _plan(paths: Sequence[Path], options: Mapping[str, Any]) -> Read:
    unit = unit_of(options["unit"])

    def read(recorder: WorldRecorder, progress: Progress) -> ImportResult:
        span = import_warc(recorder, paths, progress("reading captures"))
        about = {"source": "warc", "files": [file.resolve().name for file in paths]}
        return ImportResult(span, unit, about, [file / FOLDER for file in paths if (file / FOLDER).is_dir()])

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
