"""Small files that others read while they are written: lines that are appended, and files that are replaced whole.

kill -9 may leave a torn last line, which readers pass over and the next line does not continue; of a file that is
replaced it leaves the old one or the new one.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

Row = TypeVar("Row")


def append_line(path: Path, row: Any) -> None:
    """One JSON value as a line of its own; a first line makes the folder, too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as file:
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(size - 1)
            torn = file.read(1) != b"\n"
            file.write(b"\n" if torn else b"")
        file.write(msgspec.json.encode(row) + b"\n")


def read_lines(path: Path, kind: type[Row], last: int | None = None) -> Iterator[Row]:
    """What can be read of the lines, in their order; only those in the `last` so many bytes."""
    decode = msgspec.json.Decoder(kind).decode
    for line in _bytes(path, last).split(b"\n"):
        try:
            yield decode(line)
        except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
            continue


def _bytes(path: Path, last: int | None) -> bytes:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0 if last is None else max(0, size - last))
            return file.read()
    except FileNotFoundError:
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
