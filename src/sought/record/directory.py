"""One directory is one crawl.

    sought.toml   what the crawl is about
    archive/      the record: every answer ever received (WARC), and what was loaded by hand
    queries/      the record of what people asked, saw and clicked
    store/        derived: table, links, hosts, history (RocksDB)
    index/        derived: the search index
    leases        requests sent and not yet recorded
    pulse.json    how a running crawl stands right now (pulse.py)
    journal/      how it stood, minute by minute (journal.py)
    orders/       what it is told to do (orders.py)
    audit.jsonl   who told it, and what came of it (audit.py)
    settings.json what has been ordered and overrides sought.toml (settings.py)
    rebuilding/   while `sought rebuild` runs: the new store and index (swap.py)
    lock          held by the one process that writes

The archive is the record.  `applied` says up to where the tables have taken it in, `indexed` up to where the search
index has; what lies behind is replayed when the directory is opened for writing.
"""

import fcntl
import math
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import IO

from sought.archive import Archive, Damage, Original, Place, Position
from sought.archive.damage import unlisted, with_urls
from sought.fetch.agent import user_agent
from sought.fetch.politeness import Manners, Politeness
from sought.index import Entry
from sought.record.admission import REASONS
from sought.record.commit import Commit
from sought.record.config import FILE, Config, load_config, pace
from sought.record.expectations import note_expected
from sought.record.hosts import Host
from sought.record.losses import cut_off, log_trouble
from sought.record.measuring import Measuring
from sought.record.parts import Parts
from sought.record.repository import Changes, Fetched, Repository
from sought.record.settings import in_force, load_settings
from sought.record.store import Store
from sought.record.swap import begin_swap, finish_swap, settle_swap
from sought.record.table import Source
from sought.web.coding import CodingError, decoded
from sought.web.errors import BadConfig, BadInput, CrawlBusy, CrawlDamaged
from sought.web.message import Request, Response
from sought.web.url import hostname, origin

_LIMIT = 64 << 20
_NAMED = 100  # stretches of damage of which the URLs are looked up

SEEDS = "urn:sought:seeds"
LOADED = "urn:sought:loaded"


def crawl_files(path: Path) -> Config:
    """The configuration of an existing crawl directory, with what has been ordered in place of what is written."""
    if not path.is_dir():
        raise BadInput(f"no crawl at {path}: make one with 'sought init {path} URL…'")
    return in_force(load_config(path / FILE), load_settings(path))


def folder_bytes(folder: Path) -> int:
    """Size of all files below a folder; files that vanish meanwhile do not count."""
    total = 0
    for file in folder.rglob("*"):
        try:
            total += file.stat().st_size if file.is_file() else 0
        except FileNotFoundError:
            continue
    return total


def manners(config: Config) -> Manners:
    p = config.politeness
    return Manners(p.delay, p.max_delay, p.latency_factor, p.per_host, p.per_address)


def with_body(response: Response) -> Response:
    """An archived answer with its body decoded as when it was fetched."""
    try:
        return replace(response, body=decoded(response.raw, response.header("content-encoding"), _LIMIT))
    except CodingError:
        return response


class Lock:
    """One writer at a time; the system releases it when the process ends, however it ends."""

    def __init__(self, path: Path) -> None:
        if path.is_dir():
            raise CrawlDamaged(f"{path} is a directory: run 'sought check {path.parent} --repair'")
        try:
            self.file: IO[str] = path.open("a+")
        except OSError as error:
            raise BadInput(
                f"cannot write in {path.parent}: {error.strerror}; a crawl can be read there, but a command that "
                "writes to it (also to check or to mend it) needs a folder that it may write to"
            ) from None
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.file.seek(0)
            owner = self.file.read(32).strip() or "unknown"
            self.file.close()
            raise CrawlBusy(f"{path.parent} is in use by process {owner}; wait for it or stop it") from None
        self.file.truncate(0)
        self.file.write(str(os.getpid()))
        self.file.flush()

    def release(self) -> None:
        self.file.close()


class Directory:
    """An open crawl directory, for its one writer.

    A fetch is finished when `record` and then `commit` have returned: `commit` puts the archive on disk first, then
    the tables; the search index follows in `commit_index`.
    """

    def __init__(self, path: Path, parts: Parts | None = None, *, rebuilding: bool = False) -> None:
        """With `rebuilding`, store and index are new ones, beside those that there are (swap.py)."""
        self.path = path
        self.rebuilding = rebuilding
        parts = parts or Parts()
        self.clock = parts.clock
        self.config = crawl_files(path)
        self.agent = user_agent(self.config.agent.contact, self.config.agent.name)
        self.damage: dict[tuple[int, int, int], Damage] = {}  # of the archive, as far as it has been read
        self.misfits: list[int] = []  # files of the archive whose CDXJ is wrong, as a check has found
        self.lock = Lock(path / "lock")
        try:
            if rebuilding:
                derived = begin_swap(path)
            else:
                derived = path
                settle_swap(path)
            self._open(parts, derived)
        except BaseException:
            self._let_go()
            self.lock.release()
            raise
        self._forgive_guarded()
        self.politeness = Politeness(manners(self.config))
        for name, state in self.repository.hosts.manners.items():
            self.politeness.restore(name, state)
        self.restore_delays()
        self.pending: list[Fetched] = []
        self.watch: Callable[[Commit], None] = lambda _: None  # told of every commit of the tables
        self.unindexed = 0
        self.replayed_sitemaps: Counter[int] = Counter()  # by host, since the last commit of a crashed run
        self.pace = pace(self.config)
        self.in_flight = list(self.leases.found)  # requests without an answer, until a crawl has settled them

    def _open(self, parts: Parts, derived: Path) -> None:
        self.store = Store(derived / "store", writable=True)
        self.applied = Position(*self.store.meta("applied", (0, 0)))
        for each in cut_off(self.store, self.path / "archive"):
            self.note_damage(each)
        self.archive = parts.archive(self.path / "archive", self.agent, self.applied, self.note_damage)
        self.repository = Repository(self.config, self.store, self.config.agent.name, parts.digest)
        self.index = parts.index(derived / "index")
        self.measuring = Measuring(self.config, self.store, self.repository.table, counter=parts.counter)
        self._leases_at = parts.leases
        self.leases = parts.leases(self.path / "leases")

    def note_damage(self, damage: Damage) -> None:
        """Part of the archive cannot be read: what is healthy goes on."""
        if damage.place not in self.damage:
            few = len(self.damage) < _NAMED and not damage.urls
            self.damage[damage.place] = with_urls(self.path / "archive", damage) if few else damage

    @property
    def fresh_damage(self) -> list[Damage]:
        """What no repair has seen."""
        return unlisted(self.path / "archive", self.damage.values())

    @property
    def unreadable(self) -> list[str]:
        """What of the record cannot be read, as far as it was seen, and no repair has seen it; one line each."""
        trouble = log_trouble(self.store)
        archive = [f"archive/{each}" for each in self.fresh_damage] if self.damage else []
        return [*archive, *([trouble] if trouble else [])]

    def _forgive_guarded(self) -> None:
        """If sought.toml allows other networks than before, hosts that were refused for theirs get another chance."""
        fetch = self.config.fetch
        allowed = [list(fetch.allow_networks), [list(each) for each in sorted(fetch.resolve.items())]]
        if self.store.meta("allowed", allowed) != allowed:
            for host in self.repository.hosts.list:
                if host.robots_kind == "guarded":
                    host.robots, host.robots_until = None, -math.inf
                    self.repository.hosts.manners.pop(host.name, None)
                    self.repository.hosts.changed.add(host.number)
        self.store.put_meta("allowed", allowed)

    @property
    def has_changes(self) -> bool:
        """Whether a commit would write anything."""
        return bool(self.pending or self.repository.has_changes)

    def restore_delays(self) -> None:
        """What the stored robots.txt files ask for."""
        for host in self.repository.hosts.list:
            if host.robots and host.robots.delay:
                self.politeness.set_crawl_delay(host.name, host.robots.delay)

    def remember_manners(self, host: Host) -> None:
        """Store with the next commit what politeness knows of a host."""
        self.repository.hosts.manners[host.name] = self.politeness.state(host.name)
        self.repository.hosts.changed.add(host.number)

    def request(self, row: int) -> Request:
        """For a page: conditional, if there is a copy to compare with."""
        url = self.store.url(row)
        if not self.repository.trusts_copy(row):
            return Request(url)
        details = self.store.details(row)
        return Request(url, details.etag, details.last_modified)

    def record(self, row: int, response: Response) -> Fetched:
        """Archive an answer and digest it.  It is applied with the next commit."""
        original = None
        if row >= 0 and self.repository.trusts_copy(row):
            details = self.repository.store.details(row)
            if details.digest:
                original = Original(response.url, details.body_time, details.digest)
        fetched = self.repository.prepared(row, response, self.archive.append(response, original))
        self.pending.append(fetched)
        return fetched

    def add_urls(self, urls: list[str], uri: str, source: Source) -> list[int]:
        """URLs named by a person; recorded in the archive so that a rebuild knows them too."""
        now = round(self.clock.now(), 6)  # as the archive keeps it
        self.archive.note(uri, "\n".join(urls).encode(), "text/plain", now)
        rows = self.repository.add_urls(urls, source, now)
        self.commit()
        return rows

    def plant_seeds(self) -> None:
        """Make sure that the seeds of sought.toml are known."""
        known = self.repository.discovery.row
        fresh = [url for url in self.config.seeds if known(url) < 0]
        if not self.config.seeds and not len(self.repository.table):
            raise BadConfig(f'{self.path / FILE}: no seeds: write seeds = ["https://…"], or load a list of URLs')
        for url in fresh:
            if why := self.repository.admission.look(url, origin(url), None, 0)[0]:
                raise BadConfig(f"{self.path / FILE}: the seed {url} would not be admitted: {REASONS[why]}")
        if fresh:
            self.add_urls(fresh, SEEDS, Source.SEED)

    def commit(self) -> None:
        """Archive, then tables: nothing is known that is not on record."""
        self.archive.flush(sync=True)
        self.repository.apply(self.pending)
        self.unindexed += len(self.pending)
        self.pending.clear()
        self.commit_tables(self.archive.end)

    def commit_tables(self, applied: Position) -> None:
        """Hand what has been applied to the index, measure what it was worth, and store it and up to where that is.

        The index may thus get ahead of the tables; then the same records are replayed, and it gets the same again.
        """
        self.index_changes()
        self.applied = applied
        self.store.put_meta("applied", (applied.file, applied.offset))
        self.measuring.save()
        repository = self.repository
        note_expected(repository.finished, self.store)
        committed = Commit(
            list(repository.finished), dict(repository.fresh_links), list(repository.discovery.fresh_anchors)
        )
        repository.commit()
        self.measuring.saved()
        self.watch(committed)

    def commit_vectors(self) -> None:
        """Store what the index has been handed beside any fetch."""
        self.measuring.save()
        self.store.commit()
        self.measuring.saved()

    def was_polite(self, response: Response) -> None:
        """Take a recorded request into account, as if it had just been made."""
        name = hostname(response.url)
        self.politeness.began(name, response.address, response.time)
        self.politeness.ended(name, response.address, response.time + response.elapsed, response)
        self.remember_manners(self.repository.hosts.at(origin(response.url)))

    def index_changes(self) -> None:
        """Hand what has changed to the search index, to show with the next `commit_index`, and measure its worth."""
        changes, self.repository.changes = self.repository.changes, Changes()
        removed, renewed = sorted(changes.removed), sorted(changes.renewed - changes.entries.keys())
        entries = list(changes.entries.values())
        entries += [entry for row in renewed if (entry := self.stored_entry(row))]
        if removed:
            self.index.delete(removed)
        if entries:
            self.index.update(entries, self.measuring.counter)
        self.measuring.shift(removed, [entry.row for entry in entries], self.repository.finished)

    def stored_entry(self, row: int) -> Entry | None:
        """What the index should have of a row, from its copy in the archive; None if it is not searchable."""
        if not self.repository.searchable(row):
            return None
        details = self.repository.details.get(row) or self.store.details(row)
        try:
            response = with_body(self.archive.read(Place(*details.place)))
        except CrawlDamaged as error:  # what the index has of the row stays there, until a repair or the next fetch
            file, offset, length = details.place
            self.note_damage(Damage(file, offset, offset + length, str(error), (self.store.url(row),)))
            return None
        return self.repository.entry(row, response, self.repository.digested(response))

    def commit_index(self) -> None:
        """Make the index durable and searchable up to what has been applied."""
        self.index.commit()
        self.mark_indexed()

    def mark_indexed(self) -> None:
        self.unindexed = 0
        self.store.put_meta("demand", self.measuring.report())
        self.store.put_meta("indexed", (self.applied.file, self.applied.offset))
        self.store.commit()

    def close(self) -> None:
        try:
            self.commit()
            self.commit_index()
            self.leases.keep(self.in_flight)
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Let go of the files without writing anything more."""
        self._let_go()
        if self.rebuilding:
            settle_swap(self.path)
        self.lock.release()

    def _let_go(self) -> None:
        for name in ("leases", "index", "store", "archive"):
            if name in vars(self):
                vars(self)[name].close()

    def take_over(self, catalogues: list[int]) -> None:
        """Put new parts, which are whole, in the place of the old ones, and make these CDXJ files again.

        No moment has leases that name rows of other tables: a kill between the old and the new ones has none.
        """
        try:
            self.commit()
            self.commit_index()
            self.leases.keep([])
            self._let_go()
            if catalogues:
                Archive.catalogue_again(self.path / "archive", self.agent, catalogues, self.applied)
            finish_swap(self.path)
            self._keep_leases()
        finally:
            self.lock.release()

    def _keep_leases(self) -> None:
        leases = self._leases_at(self.path / "leases")
        leases.keep(self.in_flight)
        leases.close()
