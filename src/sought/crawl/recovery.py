"""Bring the tables and the index up to the archive: after a crash its tail, after `sought rebuild` all of it."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sought.archive import Position, Record, Stored
from sought.crawl.buffer import Buffer
from sought.crawl.cycle import beliefs_in
from sought.crawl.directory import LOADED, SEEDS, Directory, Lock, crawl_files, with_body
from sought.crawl.refresh import Refresh
from sought.crawl.table import Source, State
from sought.crawl.workload import FOLDER, draw, query_log
from sought.web.message import Purpose
from sought.web.url import origin

Report = Callable[[int], None]
_BATCH = 500
_NOTES = {SEEDS: Source.SEED, LOADED: Source.LOAD}


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
    behind = _reindex(directory)
    count, end = 0, directory.applied
    fetched: set[str] = set()  # since the last commit: what each fetch of a page was worth is measured by itself
    for record in directory.archive.records(since=directory.applied):
        if len(fetched) == _BATCH or record.uri in fetched:
            directory.commit_tables(end)
            report(count)
            fetched.clear()
        _apply(directory, record)
        count, end = count + 1, record.end
        fetched.add(record.uri)
    if count or behind:
        directory.restore_delays()
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
    repository.apply([repository.prepared(row, response, stored)])
    if response.purpose is Purpose.SITEMAP:
        directory.replayed_sitemaps[repository.hosts.at(origin(response.url)).number] += 1
    directory.was_polite(response)


def _reindex(directory: Directory) -> int:
    """Bring the index up to the tables; returns how many rows were given to it again or taken out.

    Rows fetched since the index was last committed may be missing or old in it; rows that were denied since leave no
    record, and an index that was deleted has nothing: so it is compared with the table as well.
    """
    repository, applied = directory.repository, directory.applied
    table, indexed = repository.table, Position(*directory.store.meta("indexed", (0, 0)))
    held = directory.index.rows().astype(np.int64)
    wanted = table.searchable()
    if indexed >= applied and len(held) == len(wanted):
        return 0
    repository.changes.removed.update(np.setdiff1d(held, wanted).tolist())
    renew = set(np.setdiff1d(wanted, held).tolist())
    for record in directory.archive.records(since=indexed) if indexed < applied else ():
        if record.end > applied:
            break
        if record.response is not None and record.response.purpose is Purpose.PAGE:
            renew.add(repository.discovery.row(record.response.url))
    rows = sorted(renew)
    for start in range(0, len(rows), _BATCH):
        repository.changes.renewed.update(rows[start : start + _BATCH])
        directory.index_changes()
        directory.commit_vectors()
    return len(rows) + len(repository.changes.removed) + 1


def rebuild(path: Path, report: Report) -> int:
    """Make everything derived again from the archive and the query log; returns the number of records read.

    The workload is drawn first, so that every fetch on record is measured again.  Gains are then those by what is asked
    today and not by what was asked at the time of the fetch, and by statistics frozen at other moments; of terms that
    nobody asks for any more nothing is left.  If only so many pages are kept, those leave that are the least important
    now, by the policy of sought.toml: who had left before is not on record.
    """
    config = crawl_files(path)
    lock = Lock(path / "lock")
    try:
        if (path / FOLDER).exists():
            draw(query_log(path, config), config, time.time())  # nothing is deleted if the log cannot be read
        for derived in ("store", "index"):
            shutil.rmtree(path / derived, ignore_errors=True)
    finally:
        lock.release()
    directory = Directory(path)
    try:
        Refresh(directory).before_the_first_page(time.time())
        count = recover(directory, report)
        _deny_again(directory)
        _drop_again(directory)
    except BaseException:
        directory.abandon()  # what was not replayed yet is replayed by whoever opens the directory next
        raise
    directory.close()
    return count


def _deny_again(directory: Directory) -> None:
    """A denial leaves no record: pages that the last robots.txt on record forbids leave the index again."""
    repository = directory.repository
    for row in np.flatnonzero(repository.table["state"] == State.LIVE).tolist():
        host = repository.hosts[int(repository.table["host"][row])]
        if host.robots and host.robots_kind == "parsed" and not host.robots.allows(directory.store.url(row)):
            repository.deny(row, host.robots_until, forbidden=True)


def _drop_again(directory: Directory) -> None:
    policy, keep = directory.config.policy, directory.config.crawl.keep
    if keep:
        directory.commit()
        beliefs = beliefs_in(directory, policy)
        Buffer(keep, policy).trim(directory.repository, beliefs.pages, directory.clock.now())
