"""Which WARC files does a person mean?  Files, folders, indexes and crawl directories."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from sought.archive import files, members
from sought.lab.worlds.imports.warc_records import BEGINNING, Spot, walk
from sought.web.errors import BadInput, CrawlDamaged

_SUFFIXES = (".warc", ".warc.gz")


class WarcFile(NamedTuple):
    """A file and how it is read through."""

    path: Path
    walk: Callable[[Path], Iterator[Spot]]


def warc_files(paths: Iterable[Path]) -> list[WarcFile]:
    """Each file once, in the order given."""
    found: dict[Path, WarcFile] = {}
    for path in paths:
        for file in _files(path):
            found.setdefault(file.path.resolve(), file)
    return list(found.values())


def _files(path: Path) -> list[WarcFile]:
    if (path / "archive").is_dir():
        return _archive(path / "archive")
    if path.is_dir():
        inside = sorted(each for each in path.rglob("*") if each.name.endswith(_SUFFIXES) and each.is_file())
        if not inside:
            raise BadInput(f"{path}: neither a crawl nor a folder with .warc or .warc.gz files")
        return [WarcFile(each, walk) for each in inside]
    if not path.is_file():
        raise BadInput(f"{path}: no such file")
    return _indexed(path) if path.suffix == ".cdxj" else [WarcFile(path, walk)]


def _archive(folder: Path) -> list[WarcFile]:
    """The files of a crawl; of the last one a crash may have torn the tail, or the crawl goes on."""
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


def _walk_own(path: Path, *, is_last: bool) -> Iterator[Spot]:
    try:
        for offset, length, content in members.walk(path, 0, forgive_torn_tail=is_last):
            yield Spot(offset, length, content[:BEGINNING], len(content))
    except CrawlDamaged as error:
        raise BadInput(str(error)) from None


class _Line(msgspec.Struct):
    filename: str


def _indexed(index: Path) -> list[WarcFile]:
    """The files that a CDXJ index names, which lie beside it."""
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
    return [WarcFile(index.parent / name, walk) for name in names]
