"""Which parts of the archive cannot be read?

Damage is never cut out or overwritten: readers skip to the next complete record, and `damage.json` lists the ranges
that a repair has seen, with the URLs that were lost if they are known.  `sought check` reports ranges that are not
listed.
"""

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from sought.archive import files
from sought.archive.cdxj import captured

FILE = "damage.json"
ENDS_EARLY = "the file ends early"
_MOST_URLS = 100  # of one range


class Damage(msgspec.Struct, frozen=True, order=True):
    """A range of a file without a complete record; `stop` 0: the file is missing."""

    file: int
    start: int
    stop: int
    reason: str = ""
    urls: tuple[str, ...] = ()

    @property
    def place(self) -> tuple[int, int, int]:
        return self.file, self.start, self.stop

    def __str__(self) -> str:
        name = files.warc_name(self.file)
        where = f"{name}: bytes {self.start:,} to {self.stop:,}" if self.stop else name
        lost = f"; lost: {' '.join(self.urls)}" if self.urls else ""
        return f"{where} cannot be read ({self.reason}){lost}"


_decode = msgspec.json.Decoder(list[Damage]).decode


def known_damage(folder: Path) -> list[Damage]:
    """The damage that a repair has seen; empty if the list is missing or damaged itself."""
    try:
        return _decode((folder / FILE).read_bytes())
    except (OSError, ValueError):  # msgspec's errors are ValueErrors
        return []


def new_damage(folder: Path, damage: Iterable[Damage]) -> list[Damage]:
    """The damage that is not yet listed."""
    known = {each.place for each in known_damage(folder)}
    return sorted({each.place: each for each in damage if each.place not in known}.values())


def write_list(folder: Path, damage: Iterable[Damage]) -> None:
    """Replace the list atomically; it is on disk when this returns."""
    path = folder / FILE
    if path.is_dir():
        set_aside(path)
    fresh = path.with_suffix(".new")
    with fresh.open("wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(sorted(damage))) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def set_aside(path: Path) -> Path:
    """Rename an unusable file, so that it is kept but not in the way; returns its new name."""
    number = 0
    while (aside := path.with_name(f"{path.name}{f'.{number}' if number else ''}.damaged")).exists():
        number += 1
    return path.rename(aside)


def with_urls(folder: Path, damage: Damage) -> Damage:
    """Add the URLs that the file's CDXJ has for this range."""
    path, name = files.cdxj_path(folder, damage.file), files.warc_name(damage.file)
    stop = damage.stop or float("inf")
    urls = [url for url, offset in captured(path, name) if damage.start <= offset < stop]
    return msgspec.structs.replace(damage, urls=tuple(dict.fromkeys(urls[:_MOST_URLS])))
