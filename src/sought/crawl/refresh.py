"""Keeping the workload up with the query log, a little at a time, while the crawl goes on."""

from collections.abc import Callable

import numpy as np

from sought.crawl.config import seconds
from sought.crawl.directory import Directory
from sought.crawl.table import Reason, State
from sought.crawl.workload import draw, query_log

_AT_ONCE = 100  # pages read again before the crawl goes on


class Refresh:
    """Draws the workload anew when it is due and the log has changed, and reads again the pages that need it."""

    def __init__(self, directory: Directory) -> None:
        self.directory = directory
        self.measuring = directory.measuring
        self.log = query_log(directory.path, directory.config)
        self.every = seconds(directory.config.demand.refresh)
        self.drawn_at = -np.inf
        self.owed: list[int] = []

    def step(self, now: float) -> None:
        """What can be done at once."""
        if self.measuring.coming is not None:
            self._read_again()
        elif now - self.drawn_at >= self.every:
            self.begin(now)

    def begin(self, now: float) -> None:
        """Draw the workload as of now."""
        self.drawn_at = now
        self.log.forget(now)
        asked = draw(self.log, self.directory.config, now)
        if np.array_equal(asked.keys, self.measuring.asked.keys):
            self.measuring.reweigh(asked)
            return
        self.directory.commit()
        self.directory.commit_index()
        terms = self.measuring.begin(asked, self.directory.index.languages)
        self.owed = self._owing(terms)

    def finish(self, now: float, report: Callable[[int], None] = lambda _: None) -> int:
        """Draw the workload and read all pages that need it, at once; returns how many queries are measured by.

        `report` is told how many pages are left to read.
        """
        self.begin(now)
        while self.measuring.coming is not None:
            report(len(self.owed))
            self._read_again()
        self.directory.commit_vectors()
        return len(self.measuring.asked.texts)

    def _owing(self, terms: list[str]) -> list[int]:
        """Searchable pages without a vector, and those that hold terms which are not in their vectors."""
        table = self.directory.repository.table
        searchable = np.flatnonzero((table["state"] == State.LIVE) & (table["reason"] == Reason.NONE))
        missing = np.setdiff1d(searchable, self.measuring.rows())
        holding = self.directory.index.holding(terms).astype(np.int64)
        owing: list[int] = np.union1d(missing, np.intersect1d(holding, searchable)).tolist()
        return owing

    def _read_again(self) -> None:
        some, self.owed = self.owed[:_AT_ONCE], self.owed[_AT_ONCE:]
        self.directory.repository.changes.renewed.update(some)
        self.directory.commit()
        if not self.owed:
            self.measuring.adopt()
