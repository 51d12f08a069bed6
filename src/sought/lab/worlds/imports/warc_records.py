"""Which records does a WARC file hold, whoever wrote it?  Plain, or each record a gzip member (ISO 28500, annex D).

Reading a file through costs little memory, whatever it claims to hold: of each record only the beginning is kept.  The
archive's own reader (archive/members.py) is stricter, and can tell a torn tail from other damage.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn, cast

from isal import isal_zlib

from sought.archive.fields import instant, parsed_headers
from sought.web.errors import BadInput

BEGINNING = 1 << 18
MAX_RECORD = 72 << 20
_PIECE = 1 << 14  # what lies behind a member is copied once per member: keep it short
_GZIP = b"\x1f\x8b"
_VERSION = re.compile(rb"WARC/\d{1,2}\.\d{1,2}\r?\n")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_LENGTH = re.compile(r"\d{1,18}")
_NotDeflateError = cast("type[Exception]", isal_zlib.IsalError)  # its stub declares an instance

Fields = dict[str, str]


class Spot(NamedTuple):
    """A record: where it lies in its file, and how it begins once decompressed."""

    offset: int
    length: int
    beginning: bytes
    size: int


class _Damage(Exception):
    """What is wrong with the record at hand."""


def walk(path: Path) -> Iterator[Spot]:
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


def content(path: Path, offset: int, length: int) -> bytes | None:
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


def head(path: Path, spot: Spot) -> tuple[Fields, int]:
    """The fields of a record, their names in small letters, and where its block begins."""
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


def time_of(path: Path, spot: Spot, fields: Fields) -> float:
    try:
        return instant(fields["warc-date"])
    except (ValueError, KeyError):
        _complain(path, spot.offset, f"no time: {fields.get('warc-date', '')[:60]!r}")


def _complain(path: Path, offset: int, reason: str) -> NoReturn:
    raise BadInput(f"{path} is damaged at offset {offset}: {reason}") from None


def _head(beginning: bytes) -> tuple[Fields, int, int]:
    """Fields, and where the block begins and ends."""
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


def _plain(file: BinaryIO, offset: int, size: int) -> Spot:
    file.seek(offset)
    beginning = file.read(BEGINNING)
    _, _, stop = _head(beginning)
    if offset + stop > size:
        raise _Damage("the file ends within a record")
    return Spot(offset, stop, beginning[:stop], stop)


def _after_blank_lines(file: BinaryIO, offset: int) -> int:
    """Two line ends follow a record; some writers left more, or fewer."""
    file.seek(offset)
    following = file.read(16)
    return offset + len(following) - len(following.lstrip(b"\r\n"))


def _member(file: BinaryIO, offset: int, kept: int) -> Spot:
    """The gzip member at an offset; of its content `kept` bytes."""
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
            return Spot(offset, read - len(decoder.unused_data), b"".join(parts), size)
    raise _Damage("the file ends within a record")
