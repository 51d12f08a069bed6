"""How does an answer get into archive, tables and index?  It is archived, applied, indexed, measured and committed.

    record(response)   archive and digest                        archive.append, repository.prepared
    commit()           1. flush the archive to disk              archive.flush
                       2. apply the answers to the tables        repository.apply
                       3. update the index                       index.update, index.delete
                       4. measure the gain of each fetch         measuring.shift, gains.with_gains
                       5. store all of it atomically             repository.commit
                       6. return it as one value                 Commit
    commit_index()     make the index durable and searchable

The tables never hold anything that is not in the archive.  After a crash the index may be ahead of the tables; then the
same records are replayed, and the index gets the same entries again.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sought.archive import Damage, Original, Place, Position
from sought.archive.decode import with_body
from sought.index import Entry
from sought.record.clock import Clock
from sought.record.commit import Commit
from sought.record.damage import DamageLog
from sought.record.directory_parts import ArchivePart, IndexPart
from sought.record.expectations import note_expected
from sought.record.gains import FetchGains, with_gains
from sought.record.measuring import Measuring
from sought.record.repository import FetchedAnswer, Repository
from sought.record.store import Store
from sought.record.table import Source
from sought.web.errors import CrawlDamaged
from sought.web.message import Request, Response


class Added(NamedTuple):
    """Rows of seeds or loaded URLs (negative: refused), and the commit that stored them."""

    rows: list[int]
    commit: Commit


class Writer:
    """`applied` is the position in the archive up to which it is in the tables.

    `pending` answers wait for `commit`; the number `unindexed` of answers waits for `commit_index`.
    """

    def __init__(
        self,
        archive: ArchivePart,
        store: Store,
        repository: Repository,
        index: IndexPart,
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
        """The request for a page; conditional if there is a copy to compare with."""
        url = self.store.url(row)
        if not self.repository.trusts_copy(row):
            return Request(url)
        details = self.store.details(row)
        return Request(url, details.etag, details.last_modified)

    def record(self, row: int, response: Response) -> FetchedAnswer:
        """Archive an answer and digest it; the next commit applies it.  The row of robots.txt or a sitemap is -1."""
        original = None
        if row >= 0 and self.repository.trusts_copy(row):
            details = self.store.details(row)
            if details.digest:
                original = Original(response.url, details.body_time, details.digest)
        fetched = self.repository.prepared(row, response, self.archive.append(response, original))
        self.pending.append(fetched)
        return fetched

    def add_urls(self, urls: Sequence[str], uri: str, source: Source) -> Added:
        """Enter seeds or loaded URLs.  The archive notes them, so that a rebuild has them too."""
        now = round(self.clock.now(), 6)  # the archive's precision
        self.archive.note(uri, "\n".join(urls).encode(), "text/plain", now)
        rows = self.repository.add_urls(urls, source, now)
        return Added(rows, self.commit())

    def commit(self) -> Commit:
        """Apply and store everything that has been recorded."""
        self.archive.flush(sync=True)
        self.repository.apply(self.pending)
        self.unindexed += len(self.pending)
        self.pending.clear()
        return self.commit_applied(self.archive.end)

    def commit_applied(self, applied: Position) -> Commit:
        """Index, measure and store what has been applied: the archive up to this position."""
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
        """Store the vectors of pages that were indexed again without a fetch."""
        self.measuring.save()
        self.store.commit()
        self.measuring.saved()

    def index_changes(self) -> FetchGains | None:
        """Update the search index, to be seen after the next `commit_index`; returns the gains."""
        changes = self.repository.changes.take()
        removed, renewed = sorted(changes.removed), sorted(changes.renewed - changes.entries.keys())
        entries = list(changes.entries.values())
        entries += [entry for row in renewed if (entry := self.stored_entry(row))]
        if removed:
            self.index.delete(removed)
        if entries:
            self.index.update(entries, self.measuring.counter)
        return self.measuring.shift(removed, [entry.row for entry in entries])

    def stored_entry(self, row: int) -> Entry | None:
        """The index entry of a row, from its copy in the archive; None if it is not searchable."""
        if not self.repository.searchable(row):
            return None
        details = self.repository.details.get(row) or self.store.details(row)
        try:
            response = with_body(self.archive.read(Place(*details.place)))
        except CrawlDamaged as error:  # its present entry stays in the index, until a repair or the next fetch
            file, offset, length = details.place
            self.damage.note(Damage(file, offset, offset + length, str(error), (self.store.url(row),)))
            return None
        return self.repository.changes.entry(row, response, self.repository.digested(response))

    def commit_index(self) -> None:
        """Make the index durable and searchable up to `applied`."""
        self.index.commit()
        self.mark_indexed()

    def mark_indexed(self) -> None:
        """The index has been committed."""
        self.unindexed = 0
        self.store.put_meta("demand", self.measuring.report())
        self.store.put_meta("indexed", (self.applied.file, self.applied.offset))
        self.store.commit()
