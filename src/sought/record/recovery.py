"""How do tables and index catch up with the archive?  After a crash by replaying its end, in a rebuild all of it."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sought.archive import Position, Record, Stored
from sought.archive.decode import with_body
from sought.record.damage import keep_damage, kept_damage
from sought.record.directory import Directory
from sought.record.leases import Visit
from sought.record.seeds import SOURCES
from sought.web.message import RequestPurpose
from sought.web.url import origin

Report = Callable[[int], None]
_BATCH = 500
_SHOWN = 20  # damaged places that `sought status` shows


def open_directory(path: Path, report: Report | None = None) -> Directory:
    """Open a crawl for writing, with everything finished before a crash applied."""
    directory = Directory.open(path)
    try:
        recover(directory, report or (lambda _: None))
    except BaseException:
        directory.abandon()
        raise
    return directory


def recover(directory: Directory, report: Report, look: Callable[[Record], None] = lambda _: None) -> int:
    """Replay what the tables or the index lack of the archive; returns the number of records.

    Damage is skipped, and stored for `sought status`.  `look` is called with each record.
    """
    behind = _reindex(directory)
    writer = directory.writer
    count, end = 0, writer.applied
    sitemaps: Counter[int] = Counter()  # by host
    fetched: set[str] = set()  # since the last commit, each once: the gain of every fetch is measured by itself
    for record in directory.archive.records(since=writer.applied):
        if len(fetched) == _BATCH or record.uri in fetched:
            writer.commit_applied(end)
            report(count)
            fetched.clear()
        look(record)
        _apply(directory, record, sitemaps)
        count, end = count + 1, record.end
        fetched.add(record.uri)
    if count or behind:
        directory.manners.restore_delays()
        writer.commit()
        writer.commit_index()
        report(count)
    if not directory.rebuilding:  # in which hosts have other numbers
        directory.leases.unanswered = _without(directory.leases.unanswered, sitemaps)
    _store_damage(directory)
    return count


def _store_damage(directory: Directory) -> None:
    damage = directory.damage.unlisted[:_SHOWN]
    if damage != kept_damage(directory.store):
        keep_damage(directory.store, damage)
        directory.store.commit()


def _apply(directory: Directory, record: Record, sitemaps: Counter[int]) -> None:
    repository = directory.repository
    if record.response is None:
        if record.uri in SOURCES:
            repository.add_urls(record.body.decode().split("\n"), SOURCES[record.uri], record.time)
        return
    response = with_body(record.response)
    row = repository.known_row(response.url, response.time) if response.purpose is RequestPurpose.PAGE else -1
    stored = Stored(record.place, record.digest, record.kind == "revisit")
    repository.apply([repository.prepared(row, response, stored)])
    if response.purpose is RequestPurpose.SITEMAP:
        sitemaps[repository.hosts.at(origin(response.url)).number] += 1
    directory.manners.replay(response)


def _without(visits: list[Visit], sitemaps: Counter[int]) -> list[Visit]:
    """Visits without those of sitemaps whose answers turned out to be on record; `sitemaps` counts these by host."""
    remaining = []
    for visit in visits:
        if visit.purpose is RequestPurpose.SITEMAP and sitemaps[visit.host]:
            sitemaps[visit.host] -= 1
        else:
            remaining.append(visit)
    return remaining


def _reindex(directory: Directory) -> int:
    """Bring the index up to date with the tables; returns the number of rows entered again or removed, plus one.

    Rows fetched since the last commit of the index may be missing or outdated in it.  Denials leave no record, and an
    index that was deleted is empty, so the index is also compared with the table.
    """
    repository, applied = directory.repository, directory.writer.applied
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
        if record.response is not None and record.response.purpose is RequestPurpose.PAGE:
            renew.add(repository.discovery.row(record.response.url))
    rows = sorted(renew)
    for start in range(0, len(rows), _BATCH):
        repository.changes.renew(rows[start : start + _BATCH])
        directory.writer.index_changes()
        directory.writer.commit_vectors()
    return len(rows) + len(repository.changes.removed) + 1
