"""How does the workload follow the query log while the crawl goes on?  A little at a time.

A log that cannot be read does not stop the crawl: the last workload stays in force, and the log is read again when the
next refresh is due.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sought.record.commit import Commit
from sought.record.config import seconds
from sought.record.damage import keep_log_trouble, log_trouble
from sought.record.directory import Directory
from sought.record.workload import FOLDER, WorkloadQueries, draw, query_log, with_topics
from sought.web.errors import BadInput, CrawlBusy, LogDamaged
from sought.web.policy import Policy, topics_of

if TYPE_CHECKING:
    from sought.demand import QueryLog

DAY = 86400.0
_BATCH = 100  # pages read again in one step
_FORGOTTEN = "forgotten"  # when old searches were last removed from the log
_UNREADABLE = (LogDamaged, BadInput, CrawlBusy)  # damaged, of a newer version, or rewritten again and again


class Refresh:
    """Draws a new workload when one is due and the log has changed, and reads the pages that contain new terms again.

    New queries enter, and queries that nobody asks any more leave, whenever a refresh is due.  Once a day the log
    removes what is older than it may keep, which rewrites its files, and the workload is drawn even if the log has not
    changed, because tallies begin and searches leave the window.  Only then the spelling of queries and the visibility
    exponent are renewed.
    """

    def __init__(
        self,
        directory: Directory,
        policy: Policy | None = None,
        drawn: Callable[[float], WorkloadQueries] | None = None,
    ) -> None:
        """Topics are those of `policy`, by default of that in sought.toml; `drawn` replaces the query log."""
        self.directory = directory
        self.drawn = drawn
        self.topics = topics_of(policy or directory.config.policy)
        self.writer = directory.writer
        self.measuring = directory.measuring
        self.every = seconds(directory.config.demand.refresh)
        self.forgot_at: float = directory.store.meta(_FORGOTTEN, -np.inf)
        self.owed: list[int] | None = None  # pages to read again before the new workload is in force

    @cached_property
    def log(self) -> "QueryLog":
        return query_log(self.directory.path, self.directory.config)

    @property
    def _has_no_demand(self) -> bool:
        """Whether nobody has ever asked anything."""
        is_empty = self.drawn is None and not self.topics and not (self.directory.path / FOLDER).exists()
        return self.measuring.counter is None and is_empty

    def step(self, now: float, take: Callable[[Commit], None] = lambda _: None) -> None:
        """Do one step; mostly there is nothing to do.  `take` is given each commit before the step goes on."""
        for commit in self._step(now):
            take(commit)

    def _step(self, now: float) -> Iterator[Commit]:
        if self.owed is not None:
            yield from self._read_again()
        elif now - self.measuring.drawn_at >= self.every:
            try:
                yield from self._draw_if_changed(now)
            except _UNREADABLE as error:
                yield from self._keep_last(error, now)

    def start(self, now: float) -> int:
        """`finish` at the start of a crawl, which keeps the last workload if the log cannot be read."""
        try:
            return self.finish(now)
        except LogDamaged as error:
            _exhaust(self._keep_last(error, now))
            return len(self.measuring.asked.texts)

    def _keep_last(self, error: Exception, now: float) -> Iterator[Commit]:
        """Keep the last workload, for the log cannot be read."""
        self.measuring.note_drawn(now)
        yield from self._note(error.what if isinstance(error, LogDamaged) else str(error))

    def _note(self, trouble: str) -> Iterator[Commit]:
        """Store the state of the log for the crawl's own log, its pulse and `sought status`."""
        if trouble != log_trouble(self.directory.store):
            keep_log_trouble(self.directory.store, trouble)
            yield self.writer.commit()

    def finish(self, now: float, report: Callable[[int], None] = lambda _: None) -> int:
        """Draw the workload and read all pages that need it at once; returns the number of queries in force.

        `report` is called with the number of pages still to read.
        """
        if self._has_no_demand:
            return 0
        _exhaust(self._begin(now))
        while self.owed is not None:
            report(len(self.owed))
            _exhaust(self._read_again())
        self.writer.commit_vectors()
        return len(self.measuring.asked.texts)

    def before_the_first_page(self, now: float) -> None:
        """Draw the workload while there is no page to read again, so that everything applied later is measured."""
        if self._has_no_demand:
            return
        asked = self._drawn(now)
        _exhaust(self._note(""))
        if asked.texts:
            self.measuring.begin(asked, ())
            self.measuring.adopt()
        self.writer.commit_vectors()

    def _draw_if_changed(self, now: float) -> Iterator[Commit]:
        if self._has_no_demand:
            self.measuring.note_drawn(now)
            return
        is_same = not self.drawn and self.measuring.drawn_from == self.log.stamp() and not self._must_forget(now)
        if is_same and not self.measuring.lacking and not log_trouble(self.directory.store):
            self.measuring.note_drawn(now)
        else:
            yield from self._begin(now)

    def _begin(self, now: float) -> Iterator[Commit]:
        """Draw the workload as of now."""
        a_day_passed = self._must_forget(now)
        asked = self._drawn(now)
        yield from self._note("")
        if not asked.texts:
            yield from self._stop()
        elif self._differs_in_weights_only(asked, a_day_passed):
            self.measuring.reweigh(asked)
        else:
            yield self.writer.commit()
            self.writer.commit_index()
            self.owed = self._owing(self.measuring.begin(asked, self.directory.index.languages))

    def _drawn(self, now: float) -> WorkloadQueries:
        asked = self._asked(now)
        return with_topics(asked, self.topics) if self.topics else asked

    def _asked(self, now: float) -> WorkloadQueries:
        if self.drawn:
            self.measuring.note_drawn(now)
            return self.drawn(now)
        if self._must_forget(now):
            self.log.forget(now)
            self.forgot_at = now
            self.directory.store.put_meta(_FORGOTTEN, now)
        stamp = self.log.stamp()  # before reading: what is written meanwhile counts as new
        asked = draw(self.log, self.directory.config, now)
        self.measuring.note_drawn(now, stamp)
        return asked

    def _must_forget(self, now: float) -> bool:
        return not self.drawn and not 0.0 <= now - self.forgot_at < DAY

    def _differs_in_weights_only(self, asked: WorkloadQueries, also_spelling: bool) -> bool:
        """Whether the workload in force has the same queries (if asked for, with the same spelling and exponent)."""
        present = self.measuring.asked
        if self.measuring.lacking or not np.array_equal(asked.keys, present.keys):
            return False
        return not also_spelling or (asked.texts == present.texts and asked.exponent == present.exponent)

    def _stop(self) -> Iterator[Commit]:
        """Nobody asks anything: stop counting."""
        if self.measuring.counter:
            yield self.writer.commit()
            self.measuring.stop()
            self.writer.commit_vectors()

    def _owing(self, terms: list[str]) -> list[int]:
        """Searchable pages without a vector, and those that contain terms missing in their vectors."""
        searchable = self.directory.repository.table.searchable()
        missing = np.setdiff1d(searchable, self.measuring.rows())
        holding = self.directory.index.holding(terms).astype(np.int64)
        owing: list[int] = np.union1d(missing, np.intersect1d(holding, searchable)).tolist()
        return owing

    def _read_again(self) -> Iterator[Commit]:
        owed = self.owed or []
        self.directory.repository.changes.renew(owed[:_BATCH])
        yield self.writer.commit()
        self.owed = owed[_BATCH:] or None
        if self.owed is None:
            self.measuring.adopt()
            self.writer.commit_vectors()


def _exhaust(steps: Iterable[Commit]) -> None:
    """Do all steps where nobody needs the commits."""
    deque(steps, maxlen=0)
