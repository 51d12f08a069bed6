"""Which records does a WARC file of any writer hold?  Plain, or each record a gzip member (ISO 28500, annex D).

Reading a file takes little memory whatever it claims to hold: only the beginning of each record is kept.  The
archive's own reader (archive/members.py) is stricter, and can tell a torn tail from other damage.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn, cast

import msgspec
from isal import isal_zlib

from sought.archive import files, members
from sought.archive.fields import Headers, instant, parsed_headers
from sought.web.errors import BadInput, CrawlDamaged

BEGINNING = 1 << 18
MAX_RECORD = 72 << 20
_PIECE = 1 << 14  # what lies behind a member is copied once per member: keep it short
_GZIP = b"\x1f\x8b"
_VERSION = re.compile(rb"WARC/\d{1,2}\.\d{1,2}\r?\n")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_LENGTH = re.compile(r"\d{1,18}")
_NotDeflateError = cast("type[Exception]", isal_zlib.IsalError)  # its stub declares an instance

Fields = dict[str, str]


class RecordSpan(NamedTuple):
    """The place of a record in its file, and the beginning of its decompressed content."""

    offset: int
    length: int
    beginning: bytes
    size: int


class _Damage(Exception):
    """The record is damaged; the text says how."""


def record_spans(path: Path) -> Iterator[RecordSpan]:
    """Every record; raises BadInput that names the file and the offset where it is not whole."""
    with path.open("rb", buffering=0) as file:
        size, offset = os.fstat(file.fileno()).st_size, 0
        compressed = file.read(2) == _GZIP
        while offset < size:
            try:
                spot = _member(file, offset, BEGINNING) if compressed else _plain(file, offset, size)
            except _Damage as damage:
                _complain(path, offset, str(damage))
            yield spot
            offset += spot.length
            offset = offset if compressed else _after_blank_lines(file, offset)


def record_bytes(path: Path, offset: int, length: int) -> bytes | None:
    """A whole record, decompressed; None if it is larger than any a crawl would keep."""
    with path.open("rb", buffering=0) as file:
        file.seek(offset)
        if file.read(2) != _GZIP:
            file.seek(offset)
            return file.read(length) if length <= MAX_RECORD else None
        try:
            spot = _member(file, offset, MAX_RECORD)
        except _Damage as damage:
            _complain(path, offset, str(damage))
    return spot.beginning if spot.size <= MAX_RECORD else None


def record_fields(path: Path, spot: RecordSpan) -> tuple[Fields, int]:
    """The fields of a record, with names in lower case, and the offset of its block."""
    try:
        fields, start, stop = _head(spot.beginning)
    except _Damage as damage:
        _complain(path, spot.offset, str(damage))
    if stop > spot.size:
        _complain(path, spot.offset, "the record is shorter than it says")
    if _VERSION.match(spot.beginning[stop:].lstrip(b"\r\n")):
        _complain(
            path, spot.offset, "several records in one gzip member; compress each by itself, as the standard says"
        )
    return fields, start


def record_time(path: Path, spot: RecordSpan, fields: Fields) -> float:
    try:
        return instant(fields["warc-date"])
    except (ValueError, KeyError):
        _complain(path, spot.offset, f"no time: {fields.get('warc-date', '')[:60]!r}")


def _complain(path: Path, offset: int, reason: str) -> NoReturn:
    raise BadInput(f"{path} is damaged at offset {offset}: {reason}") from None


def _head(beginning: bytes) -> tuple[Fields, int, int]:
    """Fields, and the offsets at which the block begins and ends."""
    version = _VERSION.match(beginning)
    if not version:
        raise _Damage("no WARC record starts here")
    end = _HEAD_END.search(beginning, version.end() - 2)
    if not end:
        raise _Damage("the fields of the record do not end")
    lines = beginning[version.end() : end.start()].decode("utf-8", "replace").split("\n")
    fields = {name.strip().lower(): value.strip() for name, value in parsed_headers(lines)}
    length = fields.get("content-length", "")
    if not (length.isascii() and _LENGTH.fullmatch(length)):
        raise _Damage(f"no Content-Length: {length[:60]!r}")
    return fields, end.end(), end.end() + int(length)


def _plain(file: BinaryIO, offset: int, size: int) -> RecordSpan:
    file.seek(offset)
    beginning = file.read(BEGINNING)
    _, _, stop = _head(beginning)
    if offset + stop > size:
        raise _Damage("the file ends within a record")
    return RecordSpan(offset, stop, beginning[:stop], stop)


def _after_blank_lines(file: BinaryIO, offset: int) -> int:
    """Two line ends follow a record; some writers leave more, or fewer."""
    file.seek(offset)
    following = file.read(16)
    return offset + len(following) - len(following.lstrip(b"\r\n"))


def _member(file: BinaryIO, offset: int, kept: int) -> RecordSpan:
    """The gzip member at an offset, with the first `kept` bytes of its content."""
    decoder = isal_zlib.decompressobj(wbits=31)
    file.seek(offset)
    parts, size, read = list[bytes](), 0, 0
    while piece := file.read(_PIECE):
        read += len(piece)
        try:
            part = decoder.decompress(piece)
        except _NotDeflateError as error:
            raise _Damage(str(error)) from None
        if size < kept:
            parts.append(part[: kept - size])
        size += len(part)
        if decoder.eof:
            return RecordSpan(offset, read - len(decoder.unused_data), b"".join(parts), size)
    raise _Damage("the file ends within a record")


# ---- Files, folders, CDXJ indexes and crawl directories that a user may name.


_SUFFIXES = (".warc", ".warc.gz")


class WarcFile(NamedTuple):
    """A file, and the function that reads its records."""

    path: Path
    record_spans: Callable[[Path], Iterator[RecordSpan]]


def warc_files(paths: Iterable[Path]) -> list[WarcFile]:
    """Each file once, in the order given."""
    files: dict[Path, WarcFile] = {}
    for path in paths:
        for file in _files(path):
            files.setdefault(file.path.resolve(), file)
    return list(files.values())


def _files(path: Path) -> list[WarcFile]:
    if (path / "archive").is_dir():
        return _archive(path / "archive")
    if path.is_dir():
        inside = sorted(each for each in path.rglob("*") if each.name.endswith(_SUFFIXES) and each.is_file())
        if not inside:
            raise BadInput(f"{path}: neither a crawl nor a folder with .warc or .warc.gz files")
        return [WarcFile(each, record_spans) for each in inside]
    if not path.is_file():
        raise BadInput(f"{path}: no such file")
    return _indexed(path) if path.suffix == ".cdxj" else [WarcFile(path, record_spans)]


def _archive(folder: Path) -> list[WarcFile]:
    """The files of a crawl.  The last may have a torn tail: after a crash, or because the crawl is running."""
    try:
        numbers = files.numbers(folder)
    except CrawlDamaged as error:
        raise BadInput(str(error)) from None
    if not numbers:
        raise BadInput(f"{folder}: nothing was crawled yet")
    return [
        WarcFile(files.warc_path(folder, number), partial(_walk_own, is_last=number == numbers[-1]))
        for number in numbers
    ]


def _walk_own(path: Path, *, is_last: bool) -> Iterator[RecordSpan]:
    try:
        for offset, length, content in members.walk(path, 0, forgive_torn_tail=is_last):
            yield RecordSpan(offset, length, content[:BEGINNING], len(content))
    except CrawlDamaged as error:
        raise BadInput(str(error)) from None


class _Line(msgspec.Struct):
    filename: str


def _indexed(index: Path) -> list[WarcFile]:
    """The files beside a CDXJ index that it names."""
    names: dict[str, int] = {}
    with index.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip() and not line.startswith(b"!"):
                try:
                    about = msgspec.json.decode(line.split(b" ", 2)[2], type=_Line)
                except (IndexError, msgspec.MsgspecError, UnicodeDecodeError):
                    raise BadInput(f"{index}:{number}: not a line of CDXJ that names a file") from None
                names.setdefault(Path(about.filename).name, number)
    if not names:
        raise BadInput(f"{index}: names no files")
    for name, number in names.items():
        if not (index.parent / name).is_file():
            raise BadInput(f"{index}:{number}: no file {name!r} beside it")
    return [WarcFile(index.parent / name, record_spans) for name in names]


# ---- The HTTP answer in the block of a record.


_STATUS = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})(?: ([^\r\n]*))?\r?\n")
_END = re.compile(rb"\r?\n\r?\n")
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,8})[^\r\n]{0,1000}\r?\n")


def http_response(block: bytes) -> tuple[int, Headers, bytes] | None:
    """Status, headers and body; None if it is not HTTP."""
    status = _STATUS.match(block)
    end = _END.search(block, status.end() - 2) if status else None
    if not status or not end:
        return None
    lines = block[status.end() : end.start()].decode("utf-8", "replace").split("\n")
    headers = parsed_headers([line.rstrip("\r") for line in lines])
    return int(status[1]), headers, _whole(headers, block[end.end() :])


def _whole(headers: Headers, body: bytes) -> bytes:
    """The body with its chunks joined (RFC 9112, 7.1); unchanged if they were joined before it was stored."""
    chunked = any(name.lower() == "transfer-encoding" and "chunked" in value.lower() for name, value in headers)
    joined = _joined(body) if chunked else None
    return body if joined is None else joined


def _joined(body: bytes) -> bytes | None:
    parts, at = list[bytes](), 0
    while chunk := _CHUNK.match(body, at):
        size = int(chunk[1], 16)
        if not size:
            return b"".join(parts)
        part = body[chunk.end() : chunk.end() + size]
        if len(part) < size:
            return None
        parts.append(part)
        at = chunk.end() + size
        at += len(body[at : at + 2]) - len(body[at : at + 2].lstrip(b"\r\n"))
    return None
