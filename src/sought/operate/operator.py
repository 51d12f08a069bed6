"""Reports of a live crawl, and orders to it.

Once a second the operator writes the pulse, once a minute a row of the journal; twice a second it looks for orders.
None of this may end a crawl: a file that cannot be written is logged once, and skipped.
"""

import math
import os
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec

from sought.crawl.cycle import Cycle
from sought.crawl.observer import CycleObserver
from sought.crawl.plan import Plan, eligible
from sought.operate.audit import APPLIED, Audited, note
from sought.operate.journal import CycleTally, fold, write_row
from sought.operate.log import Log
from sought.operate.obeying import obey, take_up
from sought.operate.orders import Inbox, WaitingOrder
from sought.operate.outlook import Outlook, outlook
from sought.operate.pulse import FINISHED, PulseNotes, described, pulse, write_pulse
from sought.record.commit import Commit
from sought.record.directory import Directory
from sought.record.hosts import Host
from sought.record.settings import load_settings, save_settings
from sought.web.expression import expression_of
from sought.web.message import Response

_LOOK_EVERY = 0.5
_PULSE_EVERY = 1.0
_REPORT_EVERY = 10.0  # looking at all queries takes longer than all else in a pulse
_ROW_EVERY = 60.0
_FOLD_EVERY = 3600.0
_MOST_DAMAGE = 100  # stretches of damage
_MINUTE = 61  # pulses


class Operator(CycleObserver):
    """Connects a cycle with the files of its directory; call `begin` before its run and `end` after it."""

    def __init__(self, directory: Directory, log: Log) -> None:
        self.directory = directory
        self.path = directory.path
        self.log = log
        self.settings = load_settings(self.path)
        self.inbox = Inbox(self.path)
        self.ahead = Outlook()
        self.finished: deque[dict[str, Any]] = deque(maxlen=FINISHED)
        self.report: dict[str, Any] = {}
        self.counted: deque[tuple[float, int]] = deque(maxlen=_MINUTE)  # fetches so far, at each pulse
        self.looked_at = self.pulsed_at = self.reported_at = self.folded_at = -math.inf  # by the monotonic clock
        self.reported: set[str] = set()  # damage, and files that cannot be written
        self.stopping = False

    def begin(self, cycle: Cycle) -> None:
        """Before the first step: apply earlier orders, also those given while no crawl was running."""
        self.tally = CycleTally(cycle)
        take_up(cycle, self.settings)
        budget = self.directory.config.crawl.budget if cycle.budget.per is not None else cycle.budget.fetches
        policy = expression_of(cycle.planner.policy)
        started = {"directory": str(self.path), "process": os.getpid(), "policy": policy, "budget": budget}
        self.log("started", **started, paused=cycle.paused)
        self.look(cycle, cycle.clock.now())
        if cycle.paused:
            self.log("paused", directory=str(self.path))

    def end(self, cycle: Cycle, failure: BaseException | None = None) -> None:
        """After the last step."""
        now, p = cycle.clock.now(), cycle.progress
        if failure:
            p.ended = f"failed: {str(failure) or type(failure).__name__}"
            self.log("failed", what=p.ended.removeprefix("failed: "))
        else:
            self.log("stopped", ended=p.ended, fetched=p.fetched, seconds=p.seconds, gain=p.gain)
        self._keep_wanted(cycle)
        self._try("journal", lambda: write_row(self.path, self.tally.row(self.ahead, now)))
        self.reported_at = -math.inf
        self._write_pulse(cycle, now, p.ended)

    # ---- as the observer of a cycle

    def look(self, cycle: Cycle, now: float) -> None:
        """Between two steps; nothing, most of the time."""
        clock = time.monotonic()
        if cycle.stopping and not self.stopping:
            self.log("stopping")
        self.stopping = cycle.stopping
        if clock - self.looked_at >= _LOOK_EVERY:
            self._report_damage()
            self._take_orders(cycle, now)
            self.looked_at = clock
        if clock - self.pulsed_at >= _PULSE_EVERY:
            self._write_pulse(cycle, now)
            self.pulsed_at = clock
        if self.tally.seconds >= _ROW_EVERY:
            self._try("journal", lambda: write_row(self.path, self.tally.row(self.ahead, now)))
        if clock - self.folded_at >= _FOLD_EVERY:
            self._try("journal", lambda: fold(self.path, now))
            self.folded_at = clock
        self.due = now + max(0.0, self.looked_at + _LOOK_EVERY - clock)

    def planned(self, cycle: Cycle, plan: Plan) -> None:
        table, now = cycle.writer.repository.table, cycle.clock.now()
        may = eligible(table, now, self.directory.config.revisit_after, plan.excluded)
        self.ahead = outlook(plan.expected, plan.pages, may, self.directory.measuring.sums.fetches)
        hosts, seconds = len(cycle.planner.queue.rows), cycle.planner.seconds
        figures = {"price": self.ahead.price, "to_gain": self.ahead.to_gain}
        self.log("plan", chosen=len(cycle.planner.queue), hosts=hosts, known=len(table), seconds=seconds, **figures)

    def answered(self, host: Host, response: Response, purpose: str) -> None:
        self.tally.answered(host, response, purpose)
        if response.failure:
            what = f"{response.failure}: {response.detail}" if response.detail else str(response.failure)
            self.log("trouble", host=host.origin, url=response.url, what=what)

    def committed(self, what: Commit) -> None:
        self.tally.committed(what)
        self.finished.extendleft(described(each, self.directory.store) for each in what.finished[-FINISHED:])
        if what.finished:
            gains = [each.outcome.gain for each in what.finished if each.outcome.gain is not None]
            self.log("commit", fetches=len(what.finished), gain=math.fsum(gains) if gains else None)

    def _report_damage(self) -> None:
        """Log each damaged part once."""
        for what in self.directory.unreadable:
            if what not in self.reported and len(self.reported) < _MOST_DAMAGE:
                self.reported.add(what)
                self.log("damaged", what=what, remedy=f"run 'sought check {self.path} --repair' when it has ended")

    # ---- orders

    def _take_orders(self, cycle: Cycle, now: float) -> None:
        self._keep_wanted(cycle)
        for waiting in self.inbox.look(now):
            self._take_order(waiting, cycle, now)

    def _take_order(self, waiting: WaitingOrder, cycle: Cycle, now: float) -> None:
        """Settings are on disk before the order's file goes: after kill -9 it may be applied twice, never lost."""
        given = waiting.given
        if given is None:
            outcome = f"not an order: {waiting.problem}"
            self._note(Audited(now, waiting.id, outcome))
            self.inbox.put_aside(waiting)
            return
        outcome, settings = obey(given.order, cycle, self.settings)
        if settings != self.settings:
            self.settings = settings
            self._try("settings", lambda: save_settings(self.path, settings))
        self._keep_wanted(cycle)
        order = msgspec.to_builtins(given.order)
        self._note(Audited(now, waiting.id, outcome, given.who[:200], given.time, order))
        self.inbox.remove(waiting)

    def _note(self, what: Audited) -> None:
        self._try("audit", lambda: note(self.path, what))
        fields = {"id": what.id, "who": what.who or "nobody", "order": _in_words(what.order or {"order": "a file"})}
        if what.outcome == APPLIED:
            self.log("order-applied", **fields)
        else:
            self.log("order-refused", **fields, why=what.outcome)

    def _keep_wanted(self, cycle: Cycle) -> None:
        """Keep the pages that somebody asked for until they are fetched, also for the next crawl."""
        if len(cycle.planner.wanted) != len(self.settings.wanted):
            urls = tuple(self.directory.store.url(row) for row in cycle.planner.wanted)
            self.settings = msgspec.structs.replace(self.settings, wanted=urls)
            self._try("settings", lambda: save_settings(self.path, self.settings))

    # ---- files

    def _write_pulse(self, cycle: Cycle, now: float, ended: str | None = None) -> None:
        clock = time.monotonic()
        if clock - self.reported_at >= _REPORT_EVERY:
            self.report, self.reported_at = self.directory.measuring.report(), clock
        speed = self._speed(clock, cycle.progress.fetched)
        noted = PulseNotes(self.ahead, self.report, list(self.finished), speed, self.directory.unreadable)
        self._try("pulse", lambda: write_pulse(self.path, pulse(cycle, noted, now, ended)))

    def _speed(self, clock: float, fetched: int) -> float | None:
        """Answers a second, over the last minute."""
        self.counted.append((clock, fetched))
        began, before = self.counted[0]
        return (fetched - before) / (clock - began) if clock > began else None

    def _try(self, what: str, write: Callable[[], None]) -> None:
        """Log a failed write once, until one succeeds again; a full disk ends the crawl elsewhere (the archive)."""
        try:
            write()
            self.reported.discard(what)
        except OSError as error:
            if what not in self.reported:
                self.reported.add(what)
                self.log("unwritable", what=f"{what}: {error.strerror or error}")


def _in_words(order: dict[str, Any]) -> str:
    return " ".join(str(each) for each in order.values())
