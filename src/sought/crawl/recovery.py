"""Bring the tables and the index up to the archive: after a crash its tail, after `sought rebuild` all of it."""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sought.archive import Damage, Misfits, Position, Record, Stored
from sought.archive.damage import listed, write_list
from sought.crawl.buffer import Buffer
from sought.crawl.cycle import beliefs_in
from sought.crawl.directory import LOADED, SEEDS, Directory, with_body
from sought.crawl.lost import keep_damage, kept_damage, named
from sought.crawl.refresh import Refresh
from sought.crawl.renumber import renumbered
from sought.crawl.table import Source, State
from sought.web.message import Purpose
from sought.web.url import origin

Report = Callable[[int], None]
_BATCH = 500
_SHOWN = 20  # stretches of damage that a status shows
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


def recover(directory: Directory, report: Report, look: Callable[[Record], None] = lambda _: None) -> int:
    """Replay what the archive has and the tables or the index lack; returns the number of records.

    What cannot be read is passed over, and remembered in the store for `sought status`.  `look` sees each record.
    """
    behind = _reindex(directory)
    count, end = 0, directory.applied
    fetched: set[str] = set()  # since the last commit: what each fetch of a page was worth is measured by itself
    for record in directory.archive.records(since=directory.applied):
        if len(fetched) == _BATCH or record.uri in fetched:
            directory.commit_tables(end)
            report(count)
            fetched.clear()
        look(record)
        _apply(directory, record)
        count, end = count + 1, record.end
        fetched.add(record.uri)
    if count or behind:
        directory.restore_delays()
        directory.commit()
        directory.commit_index()
        report(count)
    _remember_damage(directory)
    return count


def _remember_damage(directory: Directory) -> None:
    found = directory.fresh_damage[:_SHOWN]
    if found != kept_damage(directory.store):
        keep_damage(directory.store, found)
        directory.store.commit()


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


def rebuild(path: Path, report: Report, lost: Callable[[Damage], None] = lambda _: None) -> int:
    """Make everything derived again from the archive and the query log; returns the number of records read.

    The new tables and the new index are made beside the old ones and then take their place (swap.py): until then, and
    if anything goes wrong, the old ones stay as they are.  Records that cannot be read are passed over and listed
    (archive/damage.json), and `lost` is told of each stretch that was not listed before; pages that were fetched
    nowhere else count as never fetched.

    The workload is drawn first, so that every fetch on record is measured again.  Gains are then those by what is asked
    today and not by what was asked at the time of the fetch, and by statistics frozen at other moments; of terms that
    nobody asks for any more nothing is left.  If only so many pages are kept, those leave that are the least important
    now, by the policy of sought.toml: who had left before is not on record.

    Rows and hosts get other numbers if records were lost: requests in flight are renumbered.
    """
    directory = Directory(path, rebuilding=True)
    archive, misfits = path / "archive", Misfits(path / "archive")
    try:
        Refresh(directory).before_the_first_page(time.time())
        count = recover(directory, report, misfits.add)
        _deny_again(directory)
        _drop_again(directory)
        directory.in_flight = renumbered(directory, directory.in_flight)
        fresh = named(path, directory.fresh_damage)
        if directory.damage or listed(archive):
            known = [each for each in listed(archive) if each.place in directory.damage]
            write_list(archive, [*known, *fresh])
            keep_damage(directory.store, [])
        catalogues = sorted({*misfits.finish(directory.archive.end), *(each.file for each in fresh)})
    except BaseException:
        directory.abandon()
        raise
    directory.take_over(catalogues)
    for each in fresh:
        lost(each)
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
