"""How are single searches stored until there are enough for a segment?  One JSON line each, appended at once.

Lines are read together as columns if all have the format written here, else one by one, so that a bad line affects no
other.
"""

import errno
import os
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
import polars as pl

from sought.demand.disk import PRIVATE, disk_full_errors
from sought.demand.frames import SCHEMAS, RowKind, frame, kind_of
from sought.demand.rows import MAX_RANK, MAX_SHOWN, MAX_TIME, Action, Event, Search, is_bounded

_LINE = {
    "query": pl.String(),
    "time": pl.Float64(),
    "shown": pl.List(pl.String()),
    "id": pl.UInt64(),
    "search": pl.UInt64(),
    "action": pl.String(),
    "url": pl.String(),
    "rank": pl.UInt32(),
}
_DATED = (pl.col("id") > 0) & pl.col("time").is_between(0.0, MAX_TIME)
_FIT = {
    RowKind.SEARCHES: _DATED & (pl.col("shown").list.len() <= MAX_SHOWN) & ~pl.col("shown").list.contains(None),
    RowKind.EVENTS: _DATED
    & pl.col("action").is_in(list(Action))
    & pl.col("url").is_not_null()
    & (pl.col("rank") <= MAX_RANK),
}
_decode_search = msgspec.json.Decoder(Search).decode
_decode_event = msgspec.json.Decoder(Event).decode


def append(path: Path, rows: Iterable[Search | Event]) -> int:
    """Append rows; returns the size of the file.  One `write`, so that a kill leaves all of them or none.

    A full disk can still truncate a line: the next row then starts a new line.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, PRIVATE)
    try:
        size = os.fstat(descriptor).st_size
        torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        data = (b"\n" if torn else b"") + b"".join(msgspec.json.encode(row) + b"\n" for row in rows)
        with disk_full_errors(path):
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


def frames(path: Path) -> dict[RowKind, pl.DataFrame]:
    """The rows of a file by kind, in order."""
    try:
        data = path.read_bytes()
        read = _columns(pl.read_ndjson(data, schema=_LINE)) if _has_own_format(data) else None
    except (pl.exceptions.PolarsError, FileNotFoundError):
        read = None
    if read:
        return read
    rows = [row for row in lines(path) if row]
    return {
        kind: frame(kind, [row for row in rows if kind_of(row) is kind]) for kind in (RowKind.SEARCHES, RowKind.EVENTS)
    }


def _has_own_format(data: bytes) -> bool:
    """Whether the last line is complete and no character is escaped (the escape may be invalid)."""
    return data.endswith(b"\n") and b"\\u" not in data


def _columns(read: pl.DataFrame) -> dict[RowKind, pl.DataFrame] | None:
    """None if a line is not in the format written here."""
    is_search = read["query"].is_not_null()
    frames_by_kind = {
        RowKind.SEARCHES: read.filter(is_search).select(list(SCHEMAS[RowKind.SEARCHES])),
        RowKind.EVENTS: read.filter(~is_search)
        .drop("id")
        .rename({"search": "id"})
        .select(list(SCHEMAS[RowKind.EVENTS])),
    }
    fit = all(rows.select(_FIT[kind].fill_null(value=False).all()).item() for kind, rows in frames_by_kind.items())
    return frames_by_kind if fit else None


def lines(path: Path) -> list[Search | Event | None]:
    """The rows of a file in order; None for a truncated or invalid line."""
    try:
        *whole, torn = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    return [*map(_row, whole), *([None] if torn else [])]


def _row(line: bytes) -> Search | Event | None:
    decode: Callable[[bytes], Search | Event] = _decode_search if b'"query"' in line else _decode_event
    try:
        row = decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return row if is_bounded(row) else None
