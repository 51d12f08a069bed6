"""What is in a crawl directory, and how is it opened and closed for writing?

    sought.toml   what the crawl is about
    archive/      the record: every answer ever received (WARC), and URLs that were loaded by hand
    queries/      the record of what people asked, saw and clicked
    store/        derived: table, links, hosts, history (RocksDB)
    index/        derived: the search index
    leases        requests that were sent and have no recorded answer
    pulse.json    the present state of a running crawl (pulse.py)
    journal/      its state minute by minute (journal.py)
    orders/       orders that it has not taken up yet (orders.py)
    audit.jsonl   who gave which order, and the result (audit.py)
    settings.json orders in force; they override sought.toml (settings.py)
    rebuilding/   while `sought rebuild` runs: the new store and index (swap.py)
    lock          held by the one process that writes

The archive is the record.  `applied` is the position up to which it is in the tables, `indexed` the one up to which it
is in the search index.  What comes after is replayed when the directory is opened for writing.
"""

from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from sought.archive import Archive, Position
from sought.fetch.agent import user_agent
from sought.fetch.politeness import Manners, Politeness
from sought.record.clock import Clock
from sought.record.config import Config, pace
from sought.record.damage import DamageLog, cut_off, log_trouble
from sought.record.directory_parts import ArchivePart, DirectoryParts, IndexPart, LeasesPart
from sought.record.lock import Lock
from sought.record.measuring import Measuring
from sought.record.repository import Repository
from sought.record.settings import crawl_config
from sought.record.store import Store
from sought.record.stored_politeness import StoredPoliteness, forgive_guarded
from sought.record.swap import begin_swap, finish_swap, settle_swap
from sought.record.writer import Writer


def manners(config: Config) -> Manners:
    p = config.politeness
    return Manners(p.delay, p.max_delay, p.latency_factor, p.per_host, p.per_address)


@dataclass(slots=True)
class Directory:
    """The parts of an open crawl directory, for its one writer; all changes go through `writer`.

    `pace` is fetches a second.  A directory that is `rebuilding` has a new store and a new index (swap.py).
    """

    path: Path
    parts: DirectoryParts
    config: Config
    lock: Lock
    damage: DamageLog
    store: Store
    archive: ArchivePart
    repository: Repository
    index: IndexPart
    measuring: Measuring
    leases: LeasesPart
    manners: StoredPoliteness
    writer: Writer
    pace: float
    rebuilding: bool

    @classmethod
    def open(cls, path: Path, parts: DirectoryParts | None = None, *, rebuilding: bool = False) -> "Directory":
        """Lock a directory and open it; with `rebuilding`, its store and index are new, beside the old."""
        parts, config = parts or DirectoryParts(), crawl_config(path)
        agent = user_agent(config.agent.contact, config.agent.name)
        with ExitStack() as on_failure:
            lock = Lock(path / "lock")
            on_failure.callback(lock.release)
            if rebuilding:
                derived = begin_swap(path)
            else:
                derived = path
                settle_swap(path)
            store = on_failure.enter_context(closing(Store(derived / "store", writable=True)))
            damage = DamageLog(path / "archive")
            for each in cut_off(store, path / "archive"):
                damage.note(each)
            applied = Position(*store.meta("applied", (0, 0)))
            archive = on_failure.enter_context(closing(parts.archive(path / "archive", agent, applied, damage.note)))
            repository = Repository(config, store, config.agent.name, parts.digest)
            index = on_failure.enter_context(closing(parts.index(derived / "index")))
            measuring = Measuring(config, store, repository.table, counter=parts.counter)
            leases = on_failure.enter_context(closing(parts.leases(path / "leases")))
            writer = Writer(archive, store, repository, index, measuring, damage, parts.clock)
            forgive_guarded(config.fetch, store, repository.hosts)
            polite = StoredPoliteness(Politeness(manners(config)), repository.hosts)
            on_failure.pop_all()
        return cls(
            path, parts, config, lock, damage, store, archive, repository, index, measuring, leases, polite, writer,
            pace(config), rebuilding,
        )  # fmt: skip

    @property
    def clock(self) -> Clock:
        return self.parts.clock

    @property
    def agent(self) -> str:
        """The user agent."""
        return user_agent(self.config.agent.contact, self.config.agent.name)

    @property
    def politeness(self) -> Politeness:
        return self.manners.politeness

    @property
    def unreadable(self) -> list[str]:
        """Known damage of archive and query log that no repair has handled yet, one line each."""
        trouble = log_trouble(self.store)
        archive = [f"archive/{each}" for each in self.damage.unlisted] if self.damage.by_place else []
        return [*archive, *([trouble] if trouble else [])]

    def close(self) -> None:
        """Commit everything, then release the files."""
        try:
            self.writer.commit()
            self.writer.commit_index()
            self.leases.keep(self.leases.unanswered)
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Release the files without writing anything more."""
        self._close_parts()
        if self.rebuilding:
            settle_swap(self.path)
        self.lock.release()

    def _close_parts(self) -> None:
        for part in (self.leases, self.index, self.store, self.archive):
            part.close()

    def take_over(self, catalogues: list[int]) -> None:
        """Replace the old store and index by the new ones, which are complete, and write these CDXJ files again.

        Leases name rows, which have other numbers in the new tables.  They are removed before the swap and written
        again after it, so that a kill in between leaves none rather than wrong ones.
        """
        try:
            self.writer.commit()
            self.writer.commit_index()
            self.leases.keep([])
            self._close_parts()
            if catalogues:
                Archive.rebuild_catalogue(self.path / "archive", self.agent, catalogues, self.writer.applied)
            finish_swap(self.path)
            self._keep_leases()
        finally:
            self.lock.release()

    def _keep_leases(self) -> None:
        leases = self.parts.leases(self.path / "leases")
        leases.keep(self.leases.unanswered)
        leases.close()
