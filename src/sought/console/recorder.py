"""How do searches and clicks get into the query log without waiting for the disk?

One thread writes, in the order of arrival.  What waits is bounded, and what finds no room is counted and left out:
a search page is there to answer.  A clean end writes all that waits; `kill -9` loses what has waited for a moment.
"""

import logging
import queue
import threading
import time
from collections.abc import Iterable, Iterator, Sequence

from sought.demand import Event, QueryLog, Search
from sought.web.errors import BadInput, SoughtError

MAX_WAITING = 10_000
_MOMENT = 0.1  # seconds in which rows gather: opening and locking files takes longer than writing a row
_AT_ONCE = 500
_DAY = 86400.0
_LOG = logging.getLogger("sought.console")


class QueryRecorder:
    """Writes to a query log, and once a day deletes from it what is older than the log keeps."""

    def __init__(self, log: QueryLog) -> None:
        self.log = log
        self.left_out = 0
        self._rows: queue.Queue[Search | Event | None] = queue.Queue(MAX_WAITING)
        self._forgotten = -_DAY
        self._thread = threading.Thread(target=self._work, name="recorder", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def take(self, rows: Iterable[Search | Event]) -> None:
        """Rows to be written soon; never waits."""
        for row in rows:
            try:
                self._rows.put_nowait(row)
            except queue.Full:
                self.left_out += 1

    def close(self) -> None:
        """Write what waits, and end."""
        self._rows.put(None)
        self._thread.join()

    def _work(self) -> None:
        while True:
            self._forget_daily()
            try:
                row = self._rows.get(timeout=_DAY / 24)
            except queue.Empty:
                continue
            time.sleep(_MOMENT if row else 0.0)
            rows = [row, *self._waiting()]
            if kept := [row for row in rows if row]:
                self._write(kept)
            if None in rows:
                return

    def _waiting(self) -> Iterator[Search | Event | None]:
        for _ in range(_AT_ONCE):
            try:
                yield self._rows.get_nowait()
            except queue.Empty:
                return

    def _write(self, rows: Sequence[Search | Event]) -> None:
        try:
            self.log.take(rows)
        except (SoughtError, OSError) as error:
            if isinstance(error, BadInput) and len(rows) > 1:  # one of them is bad: the others are kept
                for row in rows:
                    self._write([row])
                return
            if not self.left_out:
                _LOG.warning("the query log cannot be written: %s", error)
            self.left_out += len(rows)

    def _forget_daily(self) -> None:
        """The crawler does so too, but the page's promise must hold without one."""
        if time.monotonic() - self._forgotten < _DAY or not self.log.folder.exists():
            return
        self._forgotten = time.monotonic()
        try:
            self.log.forget(time.time())
        except (SoughtError, OSError) as error:
            _LOG.warning("the query log cannot be shortened: %s", error)
