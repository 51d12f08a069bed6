"""How is a damaged query log repaired?  Damaged files are renamed to `*.damaged`, and the log goes on without them."""

import fcntl
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import structs

from sought.demand.disk import open_private
from sought.demand.frames import RowKind
from sought.demand.manifest import Manifest, Segment, read_manifest, write_manifest
from sought.demand.parquet import check_in_subprocess
from sought.demand.staging import span
from sought.demand.store import read_segment
from sought.web.errors import CrawlDamaged, SoughtError

_SEGMENT = re.compile(rf"(\d+)-\d+-({'|'.join(RowKind)})\.parquet")


def damaged_parts(folder: Path) -> Iterator[str]:
    """One line for each part of the log that cannot be read."""
    if not folder.exists():
        return
    try:
        manifest = read_manifest(folder)
    except (SoughtError, OSError) as error:
        yield str(error)
        return
    if (folder / manifest.live).is_dir():
        yield f"{folder / manifest.live} is a directory"
    for segment in manifest.segments:
        if why := _problem(folder, segment):
            yield why


def repair_log(folder: Path) -> list[str]:
    """Make the log readable; returns one line for each part that was lost."""
    if not folder.exists():
        return []
    lost = [f"{path} was a directory" for name in ("lock", "manifest.json") if _set_aside_folder(path := folder / name)]
    with open(folder / "lock", "a", opener=open_private) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            manifest = read_manifest(folder)
        except CrawlDamaged as error:  # a newer format is not damage
            manifest = _from_files(folder)
            lost.append(f"{error}: made again from the files that there are")
        live = folder / manifest.live
        if _set_aside_folder(live):
            lost.append(f"{live} was a directory")
        sound = []
        for segment in manifest.segments:
            if why := _problem(folder, segment):
                lost.append(f"{why}; the log goes on without it")
                _set_aside(folder / segment.name)
            else:
                sound.append(segment)
        if lost:
            write_manifest(folder, structs.replace(manifest, revision=manifest.revision + 1, segments=tuple(sound)))
    return lost


def _problem(folder: Path, segment: Segment) -> str:
    path = folder / segment.name
    try:
        if segment.crc is None and path.is_file():
            check_in_subprocess(path)
        read_segment(folder, segment)
    except FileNotFoundError:
        return f"{path} is missing"
    except SoughtError:
        return f"{path} is damaged"
    return ""


def _from_files(folder: Path) -> Manifest:
    """A manifest from file names.  Old and new versions of a segment may both exist: equal rows count once."""
    segments, version = [], 0
    for path in sorted(folder.glob("*.parquet")):
        if (name := _SEGMENT.fullmatch(path.name)) and not _problem(
            folder, segment := Segment(path.name, RowKind(name[2]), None)
        ):
            oldest, newest = span(segment.kind, read_segment(folder, segment))
            segments.append(structs.replace(segment, oldest=oldest, newest=newest))
            version = max(version, int(name[1]))
    live = sorted(folder.glob("live-*.jsonl"), key=lambda path: (len(path.name), path.name))
    return Manifest(version, tuple(segments), live[-1].name if live else f"live-{version}.jsonl")


def _set_aside_folder(path: Path) -> bool:
    if not path.is_dir():
        return False
    _set_aside(path)
    return True


def _set_aside(path: Path) -> None:
    number = 0
    while (aside := path.with_name(f"{path.name}{f'.{number}' if number else ''}.damaged")).exists():
        number += 1
    if path.exists():
        path.rename(aside)
