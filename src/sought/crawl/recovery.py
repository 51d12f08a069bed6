"""Bring the tables and the index up to the archive: after a crash its tail, after `sought rebuild` all of it."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from sought.archive import Place, Position, Record, Stored
from sought.crawl.directory import LOADED, SEEDS, Directory, Lock, crawl_files
from sought.crawl.repository import digested, prepared
from sought.crawl.table import Source
from sought.web.coding import CodingError, decoded
from sought.web.message import Purpose, Response
from sought.web.url import origin

Report = Callable[[int], None]
_BATCH = 500
_NOTES = {SEEDS: Source.SEED, LOADED: Source.LOAD}
_LIMIT = 64 << 20


def open_directory(path: Path, report: Report | None = None) -> Directory:
    """Open a crawl for writing, with everything finished before a crash applied."""
    directory = Directory(path)
    try:
        recover(directory, report or (lambda _: None))
    except BaseException:
        directory.abandon()
        raise
    return directory


def recover(directory: Directory, report: Report) -> int:
    """Replay what the archive has and the tables or the index lack; returns the number of records."""
    indexed = Position(*directory.store.meta("indexed", (0, 0)))
    behind = _reindex(directory, indexed) if indexed < directory.applied else 0
    count = 0
    for record in directory.archive.records(since=directory.applied):
        _apply(directory, record)
        count += 1
        if count % _BATCH == 0:
            directory.commit_tables(record.end)
            directory.index_changes()
            report(count)
    if count or behind:
        directory.commit()
        directory.commit_index()
        report(count)
    return count


def _apply(directory: Directory, record: Record) -> None:
    repository = directory.repository
    if record.response is None:
        if record.uri in _NOTES:
            repository.add_urls(record.body.decode().split("\n"), _NOTES[record.uri], record.time)
        return
    response = with_body(record.response)
    row = repository.known_row(response.url, response.time) if response.purpose is Purpose.PAGE else -1
    stored = Stored(record.place, record.digest, record.kind == "revisit")
    repository.apply([prepared(row, response, stored)])
    if response.purpose is Purpose.SITEMAP:
        directory.replayed_sitemaps[repository.hosts.at(origin(response.url)).number] += 1
    directory.was_polite(response)


def with_body(response: Response) -> Response:
    """An archived answer with its body decoded as when it was fetched."""
    try:
        return replace(response, body=decoded(response.raw, response.header("content-encoding"), _LIMIT))
    except CodingError:
        return response


def _reindex(directory: Directory, since: Position) -> int:
    """Rows fetched after `since` are in the tables and perhaps not in the index: give them to it again."""
    repository, applied, count = directory.repository, directory.applied, 0
    for record in directory.archive.records(since=since):
        if record.end > applied:
            break
        if record.response is None or record.response.purpose is not Purpose.PAGE:
            continue
        row = repository.discovery.row(record.response.url)
        _renew_entry(directory, row)
        count += 1
    return count


def _renew_entry(directory: Directory, row: int) -> None:
    repository = directory.repository
    if not repository.searchable(row):
        repository.changes.removed.add(row)
        return
    response = with_body(directory.archive.read(Place(*repository.store.details(row).place)))
    repository.changes.entries[row] = repository.entry(row, response, digested(response))


def rebuild(path: Path, report: Report) -> int:
    """Make everything derived again from the archive; returns the number of records read."""
    crawl_files(path)
    lock = Lock(path / "lock")
    try:
        for derived in ("store", "index"):
            shutil.rmtree(path / derived, ignore_errors=True)
    finally:
        lock.release()
    directory = Directory(path)
    try:
        return recover(directory, report)
    finally:
        directory.close()
