"""What has a crawl done since the last row of its journal?"""

import time
from collections import Counter
from pathlib import Path

from sought.crawl.cycle import Cycle
from sought.crawl.directory import folder_bytes
from sought.crawl.hosts import Host
from sought.crawl.journal_rows import Row, top
from sought.crawl.outlook import Outlook, demand
from sought.crawl.supply.supplier import Committed
from sought.web.message import Response

_KEPT_HOSTS = 100_000  # of a minute
_LEVELS = ("worth_of_answers", "unanswered", "poor", "queries", "searches_a_week", "to_gain", "quality")


class Tally:
    """Counts what the cycle does not: by purpose and by host, and what was expected."""

    def __init__(self, cycle: Cycle) -> None:
        self.cycle = cycle
        self._begin()

    def _begin(self) -> None:
        progress = self.cycle.progress
        self.began = time.monotonic()  # how long a row covers must not depend on what the wall clock is set to
        self.fetched, self.bytes, self.outcomes = progress.fetched, progress.bytes, dict(progress.outcomes)
        self.sums = self.cycle.directory.measuring.sums
        self.purposes: Counter[str] = Counter()
        self.hosts: Counter[str] = Counter()
        self.expected = 0.0

    def answered(self, host: Host, response: Response, purpose: str) -> None:
        self.purposes[purpose] += 1
        if len(self.hosts) < _KEPT_HOSTS or host.origin in self.hosts:
            self.hosts[host.origin] += 1

    def committed(self, what: Committed) -> None:
        self.expected += sum(each.outcome.expected or 0.0 for each in what.finished if each.outcome.gain is not None)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def row(self, ahead: Outlook, now: float) -> Row:
        """All since the last row, and how the crawl stands now; counting begins again."""
        progress, directory = self.cycle.progress, self.cycle.directory
        sums = directory.measuring.sums
        told = demand(directory.measuring.report(), ahead)
        row = Row(
            time=now,
            seconds=self.seconds,
            fetched=progress.fetched - self.fetched,
            bytes=progress.bytes - self.bytes,
            purposes=dict(self.purposes),
            gain={"first": sums.first - self.sums.first, "later": sums.later - self.sums.later},
            expected=self.expected,
            outcomes=dict(Counter(progress.outcomes) - Counter(self.outcomes)),
            hosts=top(self.hosts),
            price=ahead.price,
            known=len(self.cycle.repository.table),
            searchable=len(self.cycle.repository.table.searchable()),
            bytes_on_disk=_sizes(directory.path),
            **{name: told[name] for name in _LEVELS if name in told},
        )
        self._begin()
        return row


def _sizes(path: Path) -> dict[str, int]:
    return {part: folder_bytes(path / part) for part in ("archive", "store", "index")}
