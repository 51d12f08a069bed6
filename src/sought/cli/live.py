"""A running crawl on the screen."""

import asyncio
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rich.live import Live
from rich.table import Table

from sought.cli.options import console, errors
from sought.cli.wording import amount, counted, duration
from sought.operate.log import TextLog

if TYPE_CHECKING:  # a command that needs no crawl must not wait for one to load
    from sought.crawl.cycle import Cycle
    from sought.crawl.progress import Progress
    from sought.operate.time_left import TimeLeft

_LINE_EVERY = 10.0
_ESTIMATE_EVERY = 5.0
_LONG = 180.0  # seconds: a crawl that takes longer says so …
_MUCH_LONGER = 3.0  # … and again when it is so many times as long
_COUNTED_EVERY = 60.0

in_words = TextLog(lambda line: errors.print(line, markup=False))


class ProgressDisplay:
    """Shows progress four times a second and turns Ctrl-C into a clean stop; a second Ctrl-C ends at once."""

    def __init__(self, *, quiet: bool, seconds: float | None = None) -> None:
        self.seconds = seconds
        self.quiet = quiet or not errors.is_terminal
        self.plain = not quiet and self.quiet  # not a terminal: a line now and then instead of a live picture
        self.live = Live(console=errors, refresh_per_second=4, transient=True)
        self.asked_to_stop = 0
        self.estimate: TimeLeft | None = None
        self.said = _LONG / _MUCH_LONGER  # the longest estimate that was printed
        self.report: dict[str, Any] = {}  # of the answers, to put gains into searches

    def __enter__(self) -> Self:
        if not self.quiet:
            self.live.start()
            self.live.update("starting … (the first run on a machine compiles for about twenty seconds)")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.quiet:
            self.live.stop()

    def started(self, cycle: "Cycle") -> None:
        loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, self._stop, cycle)
        if self.seconds is not None:
            loop.call_later(self.seconds, cycle.stop)
        if not self.quiet:
            self._refresh(loop, cycle.progress)
        elif self.plain:
            loop.call_later(_LINE_EVERY, self._line, loop, cycle.progress)
        if not self.quiet or self.plain:
            loop.call_later(_ESTIMATE_EVERY, self._estimate, loop, cycle)

    def _stop(self, cycle: "Cycle") -> None:
        self.asked_to_stop += 1
        if self.asked_to_stop > 1:
            cycle.stop_now()
        else:
            cycle.stop()

    def _estimate(self, loop: asyncio.AbstractEventLoop, cycle: "Cycle") -> None:
        """Say how long it takes if that is long, and much longer than was said before."""
        from sought.operate.time_left import time_left

        self.estimate, self.report = time_left(cycle), cycle.writer.measuring.report()
        if self.estimate.seconds >= self.said * _MUCH_LONGER and not cycle.paused and not cycle.stopping:
            self.said = self.estimate.seconds
            errors.print(how_long(self.estimate), markup=False, soft_wrap=True)
        loop.call_later(_ESTIMATE_EVERY, self._estimate, loop, cycle)

    def _line(self, loop: asyncio.AbstractEventLoop, progress: "Progress") -> None:
        p = progress
        errors.print(
            f"{p.fetched:,} fetched, {p.known:,} known, {p.in_flight:,} in flight, {p.hosts_waiting:,} hosts waiting"
        )
        loop.call_later(_LINE_EVERY, self._line, loop, progress)

    def _refresh(self, loop: asyncio.AbstractEventLoop, progress: "Progress") -> None:
        self.live.update(picture(progress, self.report, self.estimate))
        loop.call_later(0.25, self._refresh, loop, progress)

    def summary(self, result: dict[str, Any], report: dict[str, Any]) -> None:
        """What came of a crawl; `report` is that of its answers."""
        seconds = max(result["seconds"], 1e-9)
        rate = f"{result['fetched'] / seconds:,.1f} a second"
        console.print(f"{result['fetched']:,} fetched in {seconds:.1f} s ({rate}), {result['known']:,} URLs known")
        outcomes = sorted(result["outcomes"].items(), key=lambda item: -item[1])
        console.print("answers: " + ", ".join(f"{n:,} × {name}" for name, n in outcomes) if outcomes else "no answers")
        for host, what in list(result["troubles"].items())[:5]:
            console.print(f"trouble with {host}: {what}", markup=False)
        if more := len(result["troubles"]) - 5 if len(result["troubles"]) > 5 else 0:
            console.print(f"… and with {more} more {'host' if more == 1 else 'hosts'}")
        if result["measured"]:
            console.print(
                f"{_gain(result['gain'], report)} (measured on {counted(result['measured'], 'fetch', 'fetches')})"
            )
        console.print(f"ended: {result['ended']}")


def _gain(gain: float, report: dict[str, Any]) -> str:
    """In searches, if anything has an answer; or else as it is."""
    from sought.operate.searches import searches_a_week

    searches = searches_a_week(gain, report)
    if searches is None:
        return f"gain {gain:.3g}"
    size = amount(abs(searches))
    return f"gain: {size} searches a week are answered {'better' if searches >= 0 else 'worse'}"


def how_long(left: "TimeLeft") -> str:
    """How long a crawl takes, why, and what can be done about it."""
    pages = f"{counted(left.pages, 'known page')} on {counted(left.hosts, 'host')}"
    if left.by_budget:
        return f"By the budget, {pages} take about {duration(left.seconds)}: see budget in sought.toml."
    own = "set [politeness] delay in sought.toml, or make the crawl with init --own-site, if the sites are yours"
    return f"At one request to a host every {left.delay:g} s, {pages} take about {duration(left.seconds)}: {own}."


def picture(progress: "Progress", report: dict[str, Any] | None = None, estimate: "TimeLeft | None" = None) -> Table:
    """What a crawl is doing right now."""
    seconds = max(time.time() - progress.started, 1e-9)
    table = Table.grid(padding=(0, 2))
    table.add_row("fetched", f"{progress.fetched:,}", f"{progress.fetched / seconds:,.1f} a second")
    outcomes = sorted(progress.outcomes.items(), key=lambda item: -item[1])[:6]
    table.add_row("answers", "", ", ".join(f"{n:,} × {name}" for name, n in outcomes))
    table.add_row("known", f"{progress.known:,}", f"{progress.chosen:,} chosen on {progress.waiting:,} hosts")
    table.add_row("in flight", f"{progress.in_flight:,}", f"{progress.hosts_waiting:,} hosts waiting for their turn")
    table.add_row("received", f"{progress.bytes / 1e6:,.1f} MB", f"{progress.disk / 1e6:,.1f} MB on disk")
    if progress.measured:
        table.add_row("answers", "", f"{_gain(progress.gain, report or {})}")
    if estimate and estimate.seconds >= 1.0:
        table.add_row("left", duration(estimate.seconds), f"for {counted(estimate.pages, 'page')} that are known now")
    return table


@contextmanager
def working(on: str, *, quiet: bool) -> Iterator[None]:
    """Say what is being done while it is, on a screen."""
    if quiet or not errors.is_terminal:
        yield
    else:
        with errors.status(on):
            yield


class Counting:
    """A counter for long work without a known end."""

    def __init__(self, what: str, *, quiet: bool) -> None:
        self.what = what
        self.status = None if quiet or not errors.is_terminal else errors.status(f"0 {what}")
        self.plain = not quiet and self.status is None  # not a terminal: a line now and then
        self.printed_at = time.monotonic()

    def __enter__(self) -> Callable[[int], None]:
        if self.status:
            self.status.start()
        return self._report

    def _report(self, count: int) -> None:
        if self.status:
            self.status.update(f"{count:,} {self.what}")
        elif self.plain and time.monotonic() - self.printed_at >= _COUNTED_EVERY:
            errors.print(f"{count:,} {self.what}", markup=False)
            self.printed_at = time.monotonic()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.status:
            self.status.stop()
