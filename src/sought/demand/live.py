"""How are single searches kept until there are enough for a segment?  One JSON line each, appended at once."""

import errno
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from sought.demand.disk import space_for
from sought.demand.rows import Event, Search, is_bounded


def append(path: Path, rows: Iterable[Search | Event]) -> int:
    """Write rows; the size of the file afterwards.  One `write`, so that a kill leaves all or nothing of them.

    A disk that fills up can tear a line all the same: the next row then starts a line of its own.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        size = os.fstat(descriptor).st_size
        torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        data = (b"\n" if torn else b"") + b"".join(msgspec.json.encode(row) + b"\n" for row in rows)
        with space_for(path):
            if os.write(descriptor, data) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return size + len(data)
    finally:
        os.close(descriptor)


def size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def read(path: Path) -> list[Search | Event]:
    """The rows of a file in order."""
    return [row for row in lines(path) if row]


def lines(path: Path) -> list[Search | Event | None]:
    """The lines of a file in order; None for one that is torn, or that has a row no log should hold."""
    try:
        *whole, torn = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    return [*map(_row, whole), *([None] if torn else [])]


def _row(line: bytes) -> Search | Event | None:
    try:
        fields = msgspec.json.decode(line)
        row = msgspec.convert(fields, Search) if "query" in fields else msgspec.convert(fields, Event)
    except (msgspec.MsgspecError, TypeError, UnicodeDecodeError, RecursionError):
        return None
    return row if is_bounded(row) else None
