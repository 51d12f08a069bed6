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

from pathlib import Path

from sought.archive import Archive, Position
from sought.fetch.agent import user_agent
from sought.fetch.politeness import Manners, Politeness
from sought.record.config import Config, pace
from sought.record.lock import Lock
from sought.record.losses import DamageLog, cut_off, log_trouble
from sought.record.measuring import Measuring
from sought.record.parts import DirectoryParts
from sought.record.repository import Repository
from sought.record.settings import crawl_config
from sought.record.store import Store
from sought.record.stored_politeness import StoredPoliteness, forgive_guarded
from sought.record.swap import begin_swap, finish_swap, settle_swap
from sought.record.writer import Writer


def manners(config: Config) -> Manners:
    p = config.politeness
    return Manners(p.delay, p.max_delay, p.latency_factor, p.per_host, p.per_address)


class Directory:
    """The parts of an open crawl directory, for its one writer; all changes go through `writer`."""

    def __init__(self, path: Path, parts: DirectoryParts | None = None, *, rebuilding: bool = False) -> None:
        """With `rebuilding`, store and index are new ones, beside those that there are (swap.py)."""
        self.path = path
        self.rebuilding = rebuilding
        self.parts = parts or DirectoryParts()
        self.clock = self.parts.clock
        self.config = crawl_config(path)
        self.agent = user_agent(self.config.agent.contact, self.config.agent.name)
        self.damage = DamageLog(path / "archive")
        self.lock = Lock(path / "lock")
        try:
            if rebuilding:
                derived = begin_swap(path)
            else:
                derived = path
                settle_swap(path)
            self._open(derived)
        except BaseException:
            self._let_go()
            self.lock.release()
            raise
        forgive_guarded(self.config.fetch, self.store, self.repository.hosts)
        self.manners = StoredPoliteness(Politeness(manners(self.config)), self.repository.hosts)
        self.pace = pace(self.config)

    def _open(self, derived: Path) -> None:
        parts, config, archive = self.parts, self.config, self.path / "archive"
        self.store = Store(derived / "store", writable=True)
        applied = Position(*self.store.meta("applied", (0, 0)))
        for each in cut_off(self.store, archive):
            self.damage.note(each)
        self.archive = parts.archive(archive, self.agent, applied, self.damage.note)
        self.repository = Repository(config, self.store, config.agent.name, parts.digest)
        self.index = parts.index(derived / "index")
        self.measuring = Measuring(config, self.store, self.repository.table, counter=parts.counter)
        self.leases = parts.leases(self.path / "leases")
        self.writer = Writer(
            self.archive, self.store, self.repository, self.index, self.measuring, self.damage, self.clock
        )

    @property
    def politeness(self) -> Politeness:
        return self.manners.politeness

    @property
    def unreadable(self) -> list[str]:
        """What of the record cannot be read, as far as it was seen, and no repair has seen it; one line each."""
        trouble = log_trouble(self.store)
        archive = [f"archive/{each}" for each in self.damage.unlisted] if self.damage.by_place else []
        return [*archive, *([trouble] if trouble else [])]

    # ---- the end

    def close(self) -> None:
        try:
            self.writer.commit()
            self.writer.commit_index()
            self.leases.keep(self.leases.unanswered)
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
            self.writer.commit()
            self.writer.commit_index()
            self.leases.keep([])
            self._let_go()
            if catalogues:
                Archive.catalogue_again(self.path / "archive", self.agent, catalogues, self.writer.applied)
            finish_swap(self.path)
            self._keep_leases()
        finally:
            self.lock.release()

    def _keep_leases(self) -> None:
        leases = self.parts.leases(self.path / "leases")
        leases.keep(self.leases.unanswered)
        leases.close()
