"""Keeping the workload up with the query log, a little at a time, while the crawl goes on.

A log that cannot be read stops no crawl: what was drawn from it last stays in force, and it is looked at again when the
next look is due.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sought.record.commit import Commit
from sought.record.config import seconds
from sought.record.directory import Directory
from sought.record.losses import keep_log_trouble, log_trouble
from sought.record.workload import FOLDER, WorkloadQueries, draw, query_log, with_topics
from sought.web.errors import BadInput, CrawlBusy, LogDamaged
from sought.web.policy import Policy, topics_of

if TYPE_CHECKING:
    from sought.demand import QueryLog

DAY = 86400.0
_BATCH = 100  # pages read again before the crawl goes on
_FORGOTTEN = "forgotten"  # when the log was last asked to forget
_UNREADABLE = (LogDamaged, BadInput, CrawlBusy)  # damaged, of a newer version, or rewritten all the time


class Refresh:
    """Draws the workload anew when it is due and the log has changed, and reads again the pages that need it.

    What is asked for the first time, or no longer, is taken in whenever it is due.  Once a day the log forgets what is
    older than it keeps (that rewrites its files), and the workload is drawn although nothing was added: tallies begin,
    and searches leave the window.  Then, too, queries are spelled as they mostly are now, and visibility is as fitted.
    """

    def __init__(
        self,
        directory: Directory,
        policy: Policy | None = None,
        drawn: Callable[[float], WorkloadQueries] | None = None,
    ) -> None:
        """Topics are those of `policy`, or of sought.toml's; `drawn` says what is asked, in place of the query log."""
        self.directory = directory
        self.drawn = drawn
        self.topics = topics_of(policy or directory.config.policy)
        self.writer = directory.writer
        self.measuring = directory.measuring
        self.every = seconds(directory.config.demand.refresh)
        self.forgot_at: float = directory.store.meta(_FORGOTTEN, -np.inf)
        self.owed: list[int] | None = None  # pages to be read again before the coming workload is in force

    @cached_property
    def log(self) -> "QueryLog":
        return query_log(self.directory.path, self.directory.config)

    @property
    def _nothing_ever_asked(self) -> bool:
        is_empty = self.drawn is None and not self.topics and not (self.directory.path / FOLDER).exists()
        return self.measuring.counter is None and is_empty

    def step(self, now: float, take: Callable[[Commit], None] = lambda _: None) -> None:
        """What can be done at once; nothing, most of the time.  `take` is given each commit before what follows it."""
        for commit in self._step(now):
            take(commit)

    def _step(self, now: float) -> Iterator[Commit]:
        if self.owed is not None:
            yield from self._read_again()
        elif now - self.measuring.drawn_at >= self.every:
            try:
                yield from self._look(now)
            except _UNREADABLE as error:
                yield from self._go_on(error, now)

    def start(self, now: float) -> int:
        """`finish` for a crawl that begins: it begins with the workload of before if the log cannot be read."""
        try:
            return self.finish(now)
        except LogDamaged as error:
            _do(self._go_on(error, now))
            return len(self.measuring.asked.texts)

    def _go_on(self, error: Exception, now: float) -> Iterator[Commit]:
        self.measuring.drawn_at = now
        yield from self._note(error.what if isinstance(error, LogDamaged) else str(error))

    def _note(self, trouble: str) -> Iterator[Commit]:
        """For the crawl's log and pulse, and for `sought status`."""
        if trouble != log_trouble(self.directory.store):
            keep_log_trouble(self.directory.store, trouble)
            yield self.writer.commit()

    def finish(self, now: float, report: Callable[[int], None] = lambda _: None) -> int:
        """Draw the workload and read all pages that need it, at once; returns how many queries are measured by.

        `report` is told how many pages are left to read.
        """
        if self._nothing_ever_asked:
            return 0
        _do(self._begin(now))
        while self.owed is not None:
            report(len(self.owed))
            _do(self._read_again())
        self.writer.commit_vectors()
        return len(self.measuring.asked.texts)

    def before_the_first_page(self, now: float) -> None:
        """Draw the workload while there is no page to read again: all that is applied from now on is measured."""
        if self._nothing_ever_asked:
            return
        asked = self._drawn(now)
        _do(self._note(""))
        if asked.texts:
            self.measuring.begin(asked, ())
            self.measuring.adopt()
        self.writer.commit_vectors()

    def _look(self, now: float) -> Iterator[Commit]:
        """Draw the workload if the log may say something new."""
        if self._nothing_ever_asked:
            self.measuring.drawn_at = now
            return
        is_same = not self.drawn and self.measuring.drawn_from == self.log.stamp() and not self._must_forget(now)
        if is_same and not self.measuring.lacking and not log_trouble(self.directory.store):
            self.measuring.drawn_at = now
        else:
            yield from self._begin(now)

    def _begin(self, now: float) -> Iterator[Commit]:
        """Draw the workload as of now."""
        a_day_passed = self._must_forget(now)
        asked = self._drawn(now)
        yield from self._note("")
        if not asked.texts:
            yield from self._stop()
        elif self._serves(asked, a_day_passed):
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
            self.measuring.drawn_at = now
            return self.drawn(now)
        if self._must_forget(now):
            self.log.forget(now)
            self.forgot_at = now
            self.directory.store.put_meta(_FORGOTTEN, now)
        stamp = self.log.stamp()  # what is written while we read is new
        asked = draw(self.log, self.directory.config, now)
        self.measuring.drawn_at, self.measuring.drawn_from = now, stamp
        return asked

    def _must_forget(self, now: float) -> bool:
        return not self.drawn and not 0.0 <= now - self.forgot_at < DAY

    def _serves(self, asked: WorkloadQueries, wholly: bool) -> bool:
        """Whether the workload in force is this one, but for weights."""
        present = self.measuring.asked
        if self.measuring.lacking or not np.array_equal(asked.keys, present.keys):
            return False
        return not wholly or (asked.texts == present.texts and asked.exponent == present.exponent)

    def _stop(self) -> Iterator[Commit]:
        """Nothing is asked: nothing is counted."""
        if self.measuring.counter:
            yield self.writer.commit()
            self.measuring.stop()
            self.writer.commit_vectors()

    def _owing(self, terms: list[str]) -> list[int]:
        """Searchable pages without a vector, and those that hold terms which are not in their vectors."""
        searchable = self.directory.repository.table.searchable()
        missing = np.setdiff1d(searchable, self.measuring.rows())
        holding = self.directory.index.holding(terms).astype(np.int64)
        owing: list[int] = np.union1d(missing, np.intersect1d(holding, searchable)).tolist()
        return owing

    def _read_again(self) -> Iterator[Commit]:
        owed = self.owed or []
        self.directory.repository.changes.renewed.update(owed[:_BATCH])
        yield self.writer.commit()
        self.owed = owed[_BATCH:] or None
        if self.owed is None:
            self.measuring.adopt()
            self.writer.commit_vectors()


def _do(steps: Iterable[Commit]) -> None:
    """Where no cycle waits for the commits."""
    deque(steps, maxlen=0)
