"""Repair a crawl directory: tables, index and CDXJ from the archive; what cannot be read is kept aside.

1. small files that cannot be used are renamed to `*.damaged`: none of them is part of the record
2. the query log goes on without its damaged files, which are renamed as well
3. an index whose files are damaged is deleted, and filled again when the directory is opened
4. if a check then finds that only CDXJ files are wrong, these are made again; if anything else is, all tables are
   (`rebuild`), beside the old ones

Nothing in the archive is moved, cut or overwritten but a torn tail, as at every opening.
"""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sought.archive import Archive, Damage
from sought.archive.damage import set_aside
from sought.index.checksums import damaged_files
from sought.operate.check import examined
from sought.operate.rebuild import rebuild
from sought.operate.typed_report import TypedReport
from sought.record.damage import keep_log_trouble
from sought.record.lock import Lock
from sought.record.recovery import open_directory
from sought.record.settings import FILE as SETTINGS
from sought.record.settings import load_settings
from sought.record.swap import settle_swap
from sought.record.workload import FOLDER
from sought.web.errors import BadConfig, BadInput, CrawlDamaged

Report = Callable[[int], None]
_FILES = ("lock", "leases", "pulse.json", "audit.jsonl", "audit.1.jsonl", "log.jsonl", "log.1.jsonl")
_FOLDERS = ("journal", "orders", FOLDER)


@dataclass(frozen=True)
class RepairReport(TypedReport):
    """What was repaired, what of the record was lost, and what is still wrong, one line each."""

    ok: bool
    problems: tuple[str, ...]
    repaired: tuple[str, ...]
    lost: tuple[str, ...]


def repair(path: Path, report: Report) -> RepairReport:
    """Repair a crawl directory that no other process writes to."""
    if not path.is_dir():
        raise BadInput(f"no crawl at {path}: make one with 'sought init {path} URL…'")
    done = list(_small_files(path))
    lost = _locked(path, done)
    damage: list[Damage] = []
    _mend_tables(path, report, done, damage)
    lost += [f"archive/{each}" for each in damage]
    problems = _still_wrong(path, report)
    return RepairReport(not problems, tuple(problems), tuple(done), tuple(lost))


def _small_files(path: Path) -> Iterator[str]:
    """Those that are no files, and settings that cannot be read."""
    for name in (*_FILES, SETTINGS):
        if (path / name).is_dir():
            yield f"{name} was a directory: it is {set_aside(path / name).name} now"
    for name in _FOLDERS:
        if (path / name).is_file():
            yield f"{name} was a file: it is {set_aside(path / name).name} now"
    for file in sorted((path / "journal").glob("*.jsonl")):
        if file.is_dir():
            yield f"journal/{file.name} was a directory: it is {set_aside(file).name} now"
    try:
        load_settings(path)
    except BadConfig as error:
        yield f"{error}: it is {set_aside(path / SETTINGS).name} now, and sought.toml alone counts"


def _locked(path: Path, done: list[str]) -> list[str]:
    """Query log and index, while no other process writes; returns what the query log has lost."""
    lock = Lock(path / "lock")
    try:
        settle_swap(path)
        lost = _mend_queries(path)
        if unsound := list(damaged_files(path / "index")):
            shutil.rmtree(path / "index")
            done.append(f"{unsound[0]}: the search index is made again")
        return lost
    finally:
        lock.release()


def _mend_queries(path: Path) -> list[str]:
    if not (path / FOLDER).exists():
        return []
    from sought.demand.repair import repair_log

    return repair_log(path / FOLDER)


def _mend_tables(path: Path, report: Report, done: list[str], damage: list[Damage]) -> None:
    try:
        directory = open_directory(path, report)
    except (CrawlDamaged, OSError) as error:
        why = [str(error)]
    else:
        try:
            seen = examined(directory, report)
            damage += directory.damage.unlisted
        finally:
            directory.abandon()
        why = [problem for name, problems in seen.problems.items() if name != "catalogues" for problem in problems]
        if not why and seen.misfits:
            lock = Lock(path / "lock")
            try:
                Archive.rebuild_catalogue(path / "archive", directory.agent, seen.misfits, directory.writer.applied)
            finally:
                lock.release()
            done += [f"{problem}: made again" for problem in seen.problems["catalogues"]]
    if why:
        known = {each.place for each in damage}
        count = rebuild(path, report, lambda each: None if each.place in known else damage.append(each))
        done.append(f"{why[0]}: all tables and the index are made again from {count:,} records")


def _still_wrong(path: Path, report: Report) -> list[str]:
    directory = open_directory(path, report)
    try:
        seen = examined(directory, report)
        if not seen.problems["queries"]:
            keep_log_trouble(directory.store, "")
        return seen.lines
    finally:
        directory.close()
