"""Rebuild tables, links and index from the archive and the query log."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sought.archive import CdxjCheck, Damage
from sought.archive.damage import known_damage, write_list
from sought.crawl.buffer import Buffer
from sought.crawl.cycle import beliefs_in
from sought.operate.typed_report import TypedReport
from sought.record.damage import keep_damage, named
from sought.record.directory import Directory
from sought.record.hosts import Hosts
from sought.record.leases import Visit
from sought.record.recovery import Report, recover
from sought.record.store import Store
from sought.record.table import State
from sought.record.workload_refresh import Refresh
from sought.web.errors import SoughtError


@dataclass(frozen=True)
class RebuildReport(TypedReport):
    """How many records were read, in how many seconds, and which parts of the archive were lost, one line each."""

    records: int
    seconds: float
    lost: tuple[str, ...]


def rebuild(path: Path, report: Report, lost: Callable[[Damage], None] = lambda _: None) -> int:
    """Rebuild everything that is derived; returns the number of records read.

    The new tables and the new index are made beside the old ones and then take their place (swap.py): until then, and
    if anything goes wrong, the old ones stay as they are.  Records that cannot be read are passed over and listed
    (archive/damage.json), and `lost` gets each stretch that was not listed before; pages that were fetched
    nowhere else count as never fetched.

    The workload is drawn first, so that every fetch on record is measured again.  Gains are then those by what is asked
    today and not by what was asked at the time of the fetch, and by statistics frozen at other moments; of terms that
    nobody asks for any more nothing is left.  If only so many pages are kept, those leave that are the least important
    now, by the policy of sought.toml: who had left before is not on record.

    Rows and hosts get other numbers if records were lost: requests in flight are renumbered.
    """
    directory = Directory.open(path, rebuilding=True)
    archive, misfits = path / "archive", CdxjCheck(path / "archive")
    try:
        Refresh(directory).before_the_first_page(time.time())
        count = recover(directory, report, misfits.add)
        _deny_again(directory)
        _drop_again(directory)
        directory.leases.unanswered = renumbered(directory, directory.leases.unanswered)
        fresh = named(path, directory.damage.unlisted)
        if directory.damage.by_place or known_damage(archive):
            known = [each for each in known_damage(archive) if each.place in directory.damage.by_place]
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
        directory.writer.commit()
        beliefs = beliefs_in(directory, policy)
        Buffer(keep, policy).trim(directory.repository, beliefs.pages, directory.clock.now())


# ---- Leases of a crash name hosts and rows by the numbers of the old tables


def renumbered(directory: Directory, visits: list[Visit]) -> list[Visit]:
    """The same by the numbers of new tables, which have taken in the whole archive.

    If the old tables cannot be read there are none: then a host may be asked a moment too early.
    """
    if not visits:
        return []
    try:
        named = _named(directory, visits)
    except (SoughtError, OSError, ValueError):  # msgspec's errors are ValueErrors
        return []
    hosts, row = directory.repository.hosts, directory.repository.discovery.row
    return [
        visit._replace(host=hosts.at(origin).number, row=row(url) if url and row(url) >= 0 else None)
        for origin, url, visit in named
    ]


def _named(directory: Directory, visits: list[Visit]) -> list[tuple[str, str, Visit]]:
    """Requests by origin and URL, as the old tables have them; the URL is empty for what is no page they know."""
    store = Store(directory.path / "store", writable=False)
    try:
        table, hosts = store.load(), Hosts(directory.config.agent.name)
        hosts.load(store)
        return [
            (hosts[visit.host].origin, "" if row is None or row >= len(table) else store.url(row), visit)
            for visit in visits
            if visit.host < len(hosts)
            for row in (visit.row,)
        ]
    finally:
        store.close()
