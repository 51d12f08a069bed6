"""How are small files written that others read at the same time?  Lines are appended, or the file is replaced whole.

kill -9 may leave a torn last line.  Readers skip it, and the next line begins on a line of its own.  Of a file that is
replaced, it leaves the old one or the new one.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

Row = TypeVar("Row")


def append_line(path: Path, row: Any, most: int | None = None) -> None:
    """Append a JSON value as a line; the folder is made if it is missing.

    A file that would grow beyond `most` bytes is first renamed to `older(path)`, which it replaces.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    line = msgspec.json.encode(row) + b"\n"
    if most is not None and path.exists() and path.stat().st_size + len(line) > most:
        path.replace(older(path))
    with path.open("ab+") as file:
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(size - 1)
            torn = file.read(1) != b"\n"
            file.write(b"\n" if torn else b"")
        file.write(line)


def older(path: Path) -> Path:
    """The new name of a file that has become too large: log.1.jsonl for log.jsonl."""
    return path.with_name(f"{path.stem}.1{path.suffix}")


def read_lines(path: Path, kind: type[Row]) -> Iterator[Row]:
    """The readable lines, in order."""
    return _decoded(_bytes(path).split(b"\n"), kind)


def last_lines(path: Path, kind: type[Row], most: int) -> Iterator[Row]:
    """The readable lines from the last to the first, then those of the older file; of each the last `most` bytes."""
    for file in (path, older(path)):
        yield from _decoded(reversed(_bytes(file, most).split(b"\n")), kind)


def _decoded(lines: Iterable[bytes], kind: type[Row]) -> Iterator[Row]:
    decode = msgspec.json.Decoder(kind).decode
    for line in lines:
        try:
            yield decode(line)
        except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
            continue


def _bytes(path: Path, last: int | None = None) -> bytes:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0 if last is None else max(0, size - last))
            return file.read()
    except OSError:  # there is none, or it is no file
        return b""


def replace_file(path: Path, content: bytes, *, sync: bool = False) -> None:
    """In one step; with `sync` also if the power fails."""
    fresh = path.with_name(f".{path.name}.new")
    with fresh.open("wb") as file:
        file.write(content)
        if sync:
            file.flush()
            os.fsync(file.fileno())
    fresh.replace(path)


def folder_bytes(folder: Path) -> int:
    """Size of all files below a folder; files that vanish meanwhile do not count."""
    total = 0
    for file in folder.rglob("*"):
        try:
            total += file.stat().st_size if file.is_file() else 0
        except FileNotFoundError:
            continue
    return total
