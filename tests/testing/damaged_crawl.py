"""What tests of damage need: a small crawl with everything in it, ways to damage a file, and commands in-process."""

import contextlib
import io
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

import sought
from sought.cli import main
from sought.demand import Search

Harm = Callable[[Path], None]


def fill(path: Path) -> None:
    """Crawl a few pages, with queries in segments and live ones, and leave every kind of file behind."""
    crawl, now = sought.open(path), time.time()
    with crawl.queries.writing() as staging:
        for number in range(20):
            staging.add(Search(f"comet telescope {number % 3}", now - 3600.0 * number, (), 1000 + number))
    crawl.queries.record(Search("lighthouse", now - 60.0, ()))
    crawl.crawl(fetches=30)
    (path / "settings.json").write_text('{"paused": false}')
    (path / "audit.jsonl").write_text('{"time": 1.0, "id": "1", "outcome": "applied"}\n')


def files_of(path: Path) -> list[str]:
    return sorted(str(file.relative_to(path)) for file in path.rglob("*") if file.is_file())


def flip(share: float) -> Harm:
    """Change one byte, so far into the file."""

    def harm(file: Path) -> None:
        data = bytearray(file.read_bytes())
        if data:
            data[min(int(len(data) * share), len(data) - 1)] ^= 0xFF
            file.write_bytes(data)

    return harm


def cut(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: len(data) * 2 // 3])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def delete(file: Path) -> None:
    file.unlink()


def replace_by_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


HARMS: dict[str, Harm] = {
    "first byte": flip(0.0),
    "a third in": flip(0.33),
    "two thirds in": flip(0.66),
    "last byte": flip(1.0),
    "cut": cut,
    "empty": empty,
    "delete": delete,
    "folder": replace_by_folder,
}


def called(*arguments: str | Path) -> tuple[int, str, str]:
    """A command in this process: exit code, what it printed, and what it complained of."""
    out, err = io.StringIO(), io.StringIO()
    argv = ["sought", *map(str, arguments)]
    with patch.object(sys, "argv", argv), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = end.code
    return int(code or 0), out.getvalue(), err.getvalue()


@contextlib.contextmanager
def copied(path: Path, to: Path) -> Iterator[Path]:
    shutil.copytree(path, to)
    try:
        yield to
    finally:
        shutil.rmtree(to)
