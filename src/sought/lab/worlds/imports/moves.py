"""Pages that have moved: a table with the columns week, from and to."""

from pathlib import Path
from typing import NamedTuple

from sought.lab.worlds.imports.addresses import address
from sought.web.errors import BadInput

_COLUMNS = ("week", "from", "to")


class Move(NamedTuple):
    """From this snapshot on (0 is the first) one URL redirects to another."""

    week: int
    origin: str
    target: str


def read_moves(file: Path, base: str, last: int) -> list[Move]:
    """Plain paths of a site, tab-separated, with a header line; a line that cannot be used is BadInput.

    `last` is the last snapshot.
    """
    try:
        lines = file.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except OSError as error:
        raise BadInput(f"cannot read {file}: {error.strerror}") from None
    if tuple(lines[0].decode("utf-8", "replace").rstrip("\r").split("\t")) != _COLUMNS:
        raise BadInput(f"{file}:1: the first line must name week, from and to, with tabs between")
    moves = []
    for number, line in enumerate(lines[1:], 2):
        if line.strip():
            try:
                moves.append(_move(line.rstrip(b"\r"), base, last))
            except BadInput as error:
                raise BadInput(f"{file}:{number}: {error}") from None
    return moves


def _move(line: bytes, base: str, last: int) -> Move:
    try:
        fields = line.decode().split("\t")
    except UnicodeDecodeError:
        raise BadInput("not UTF-8") from None
    if len(fields) != len(_COLUMNS):
        raise BadInput(f"{len(fields)} columns instead of {len(_COLUMNS)}")
    week = fields[0]
    if not (week.isascii() and week.isdigit() and len(week) < 10):
        raise BadInput(f"not a week: {week[:40]!r}")
    if int(week) > last:
        raise BadInput(f"week {week} is after the last snapshot, {last}")
    origin, target = (_url(base, path) for path in fields[1:])
    if origin == target:
        raise BadInput(f"{fields[1][:80]!r} moves to itself")
    return Move(int(week), origin, target)


def _url(base: str, path: str) -> str:
    if not path.startswith("/"):
        raise BadInput(f"not a path that starts with '/': {path[:80]!r}")
    return address(base, path.strip("/").encode())
