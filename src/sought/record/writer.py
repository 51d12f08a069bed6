"""The one way in: an answer is archived, applied to the tables, indexed, measured, and committed.

    record(response)   archive and digest                        archive.append, repository.prepared
    commit()           1. the archive is put on disk             archive.flush
                       2. the answers change the tables          repository.apply
                       3. the index gets what has changed        index.update, index.delete
                       4. the gain of each fetch is measured     measuring.shift, gains.with_gains
                       5. all of it is stored, atomically        repository.commit
                       6. and returned, as one value             Commit
    commit_index()     what was handed to the index is durable, and can be found

Nothing is known that is not on record.  The index may get ahead of the tables in a crash; then the same records are
replayed, and it gets the same again.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sought.archive import Damage, Original, Place, Position
from sought.archive.decode import with_body
from sought.index import Entry
from sought.record.clock import Clock
from sought.record.commit import Commit
from sought.record.expectations import note_expected
from sought.record.gains import FetchGains, with_gains
from sought.record.losses import DamageLog
from sought.record.measuring import Measuring
from sought.record.parts import Indexing, Recording
from sought.record.repository import Changes, FetchedAnswer, Repository
from sought.record.store import Store
from sought.record.table import Source
from sought.web.errors import CrawlDamaged
from sought.web.message import Request, Response


class Added(NamedTuple):
    """Rows of URLs that a person named (negative: refused), and the commit that brought them in."""

    rows: list[int]
    commit: Commit


class Writer:
    """`applied` is up to where the tables have taken in the archive; `unindexed` answers wait for `commit_index`."""

    def __init__(
        self,
        archive: Recording,
        store: Store,
        repository: Repository,
        index: Indexing,
        measuring: Measuring,
        damage: DamageLog,
        clock: Clock,
    ) -> None:
        self.archive = archive
        self.store = store
        self.repository = repository
        self.index = index
        self.measuring = measuring
        self.damage = damage
        self.clock = clock
        self.applied = Position(*store.meta("applied", (0, 0)))
        self.pending: list[FetchedAnswer] = []
        self.unindexed = 0

    @property
    def has_changes(self) -> bool:
        """Whether a commit would write anything."""
        return bool(self.pending or self.repository.has_changes)

    def request(self, row: int) -> Request:
        """For a page: conditional, if there is a copy to compare with."""
        url = self.store.url(row)
        if not self.repository.trusts_copy(row):
            return Request(url)
        details = self.store.details(row)
        return Request(url, details.etag, details.last_modified)

    def record(self, row: int, response: Response) -> FetchedAnswer:
        """Archive an answer and digest it.  It is applied with the next commit.  The row of a file is -1."""
        original = None
        if row >= 0 and self.repository.trusts_copy(row):
            details = self.store.details(row)
            if details.digest:
                original = Original(response.url, details.body_time, details.digest)
        fetched = self.repository.prepared(row, response, self.archive.append(response, original))
        self.pending.append(fetched)
        return fetched

    def add_urls(self, urls: Sequence[str], uri: str, source: Source) -> Added:
        """URLs named by a person; recorded in the archive so that a rebuild knows them too."""
        now = round(self.clock.now(), 6)  # as the archive keeps it
        self.archive.note(uri, "\n".join(urls).encode(), "text/plain", now)
        rows = self.repository.add_urls(urls, source, now)
        return Added(rows, self.commit())

    def commit(self) -> Commit:
        """Everything that has been recorded."""
        self.archive.flush(sync=True)
        self.repository.apply(self.pending)
        self.unindexed += len(self.pending)
        self.pending.clear()
        return self.commit_applied(self.archive.end)

    def commit_applied(self, applied: Position) -> Commit:
        """What has been applied, which is the archive up to there: index it, measure it, store it."""
        gains = self.index_changes()
        finished = with_gains(self.repository.finished, gains)
        if gains:
            self.measuring.add_up(finished)
        self.applied = applied
        self.store.put_meta("applied", (applied.file, applied.offset))
        self.measuring.save()
        note_expected(finished, self.store)
        committed = self.repository.commit(finished)
        self.measuring.saved()
        return committed

    def commit_vectors(self) -> None:
        """Store what the index has been handed beside any fetch."""
        self.measuring.save()
        self.store.commit()
        self.measuring.saved()

    def index_changes(self) -> FetchGains | None:
        """Hand what has changed to the search index, to show with the next `commit_index`; what that gains."""
        changes, self.repository.changes = self.repository.changes, Changes()
        removed, renewed = sorted(changes.removed), sorted(changes.renewed - changes.entries.keys())
        entries = list(changes.entries.values())
        entries += [entry for row in renewed if (entry := self.stored_entry(row))]
        if removed:
            self.index.delete(removed)
        if entries:
            self.index.update(entries, self.measuring.counter)
        return self.measuring.shift(removed, [entry.row for entry in entries])

    def stored_entry(self, row: int) -> Entry | None:
        """What the index should have of a row, from its copy in the archive; None if it is not searchable."""
        if not self.repository.searchable(row):
            return None
        details = self.repository.details.get(row) or self.store.details(row)
        try:
            response = with_body(self.archive.read(Place(*details.place)))
        except CrawlDamaged as error:  # what the index has of the row stays there, until a repair or the next fetch
            file, offset, length = details.place
            self.damage.note(Damage(file, offset, offset + length, str(error), (self.store.url(row),)))
            return None
        return self.repository.entry(row, response, self.repository.digested(response))

    def commit_index(self) -> None:
        """Make the index durable and searchable up to what has been applied."""
        self.index.commit()
        self.mark_indexed()

    def mark_indexed(self) -> None:
        """The index has been committed."""
        self.unindexed = 0
        self.store.put_meta("demand", self.measuring.report())
        self.store.put_meta("indexed", (self.applied.file, self.applied.offset))
        self.store.commit()
