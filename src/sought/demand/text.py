"""How is a foreign file read safely?  Line by line, within bounds, also compressed."""

import csv
import gzip
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeVar

import polars as pl

from sought.demand.rows import Row, checked
from sought.web.errors import BadInput

MAX_LINE = 1 << 20
HEAD = 1 << 16
_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_UNREADABLE = (
    OSError,
    EOFError,
    zlib.error,
    zipfile.BadZipFile,
    NotImplementedError,  # a compression that zipfile does not know
    RuntimeError,  # a .zip with a password
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,
)

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class ParsedRow:
    """The result of one line: a row, an error, or None (an event of another kind)."""

    file: str
    line: int
    row: Row | BadInput | None


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Turn errors of a file as a whole into BadInput."""
    try:
        yield
    except _UNREADABLE as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[:1] or [type(error).__name__]
        raise BadInput(f"cannot read {path}: {reason if isinstance(reason, str) else reason[0]}") from None


@contextmanager
def open_bytes(path: Path) -> Iterator[IO[bytes]]:
    """A file's bytes, uncompressed."""
    with file_errors(path), path.open("rb") as file:
        if file.peek(2)[:2] == _GZIP:
            with gzip.open(file) as inner:
                yield inner  # type: ignore[misc]  # a GzipFile reads like any file
        else:
            yield file


def head(path: Path) -> bytes:
    """The beginning of a file."""
    with open_bytes(path) as file:
        return file.read(HEAD).removeprefix(_BOM)


def lines(file: IO[bytes]) -> Iterator[bytes]:
    """The lines of a file, each cut at MAX_LINE."""
    start = _BOM
    while line := file.readline(MAX_LINE):
        whole = line.endswith(b"\n")
        yield line.removeprefix(start)
        start = b""
        while not whole and (rest := file.readline(MAX_LINE)):
            whole = rest.endswith(b"\n")


def decoded_lines(file: IO[bytes], path: Path) -> Iterator[str]:
    """The lines of a text file.  Invalid UTF-8 becomes surrogates, which make the row a bad one."""
    for number, line in enumerate(lines(file)):
        if not number and line.startswith(_UTF_16):
            raise BadInput(f"cannot read {path}: it is in UTF-16; save it as UTF-8")
        yield line.decode("utf-8", "surrogateescape")


def records(source: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str] | BadInput]]:
    """Lines split into fields: (line number, fields).  Tab-separated text has no quotes."""
    for number, line in enumerate(source, 1):
        if text := line.rstrip("\r\n"):
            yield number, text.split("\t") if delimiter == "\t" else _quoted(text, delimiter)


def _quoted(line: str, delimiter: str) -> list[str] | BadInput:
    """Fields that may be quoted.  A row is one line: an open quote must not swallow the next rows."""
    reader = csv.reader((line, ""), delimiter=delimiter)
    try:
        fields = next(reader)
    except csv.Error as error:
        return BadInput(str(error))
    return fields if reader.line_num == 1 else BadInput("a quote is not closed")


def parse_row(parse: Callable[[Item], Row | None], item: Item) -> Row | BadInput | None:
    """Parse and check one row; an error is returned, not raised."""
    try:
        row = parse(item)
        return row if row is None else checked(row)
    except BadInput as error:
        return error
