"""Progress of a running crawl and of other long work, on the terminal."""

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
from sought.cli.wording import amount, duration
from sought.console.wording import count
from sought.operate.log import TextLog

if TYPE_CHECKING:  # a command that needs no crawl must not wait for one to load
    from sought.crawl.cycle import Cycle
    from sought.crawl.progress import Progress
    from sought.operate.time_left import TimeLeft

_LINE_EVERY = 10.0
_ESTIMATE_EVERY = 5.0
_LONG = 180.0  # seconds; a longer estimate is printed …
_MUCH_LONGER = 3.0  # … and again when it has grown by this factor
_COUNTED_EVERY = 60.0

text_log = TextLog(lambda line: errors.print(line, markup=False))


class ProgressDisplay:
    """Shows progress four times a second.  Ctrl-C stops the crawl cleanly, a second Ctrl-C at once."""

    def __init__(self, *, quiet: bool, seconds: float | None = None) -> None:
        self.seconds = seconds
        self.quiet = quiet or not errors.is_terminal
        self.plain = not quiet and self.quiet  # not a terminal: a line now and then instead of a live table
        self.live = Live(console=errors, refresh_per_second=4, transient=True)
        self.stop_requests = 0
        self.estimate: TimeLeft | None = None
        self.longest_printed = _LONG / _MUCH_LONGER  # the longest estimate that was printed
        self.report: dict[str, Any] = {}  # of the answers, to convert gains to searches

    def __enter__(self) -> Self:
        if not self.quiet:
            self.live.start()
            self.live.update("starting … (the first run on a machine compiles code for about twenty seconds)")
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
        self.stop_requests += 1
        if self.stop_requests > 1:
            cycle.stop_now()
        else:
            cycle.stop()

    def _estimate(self, loop: asyncio.AbstractEventLoop, cycle: "Cycle") -> None:
        """Print the estimated time if it is long, and again when it has grown a lot."""
        from sought.operate.time_left import time_left

        self.estimate, self.report = time_left(cycle), cycle.writer.measuring.report()
        if self.estimate.seconds >= self.longest_printed * _MUCH_LONGER and not cycle.paused and not cycle.stopping:
            self.longest_printed = self.estimate.seconds
            errors.print(time_left_text(self.estimate), markup=False, soft_wrap=True)
        loop.call_later(_ESTIMATE_EVERY, self._estimate, loop, cycle)

    def _line(self, loop: asyncio.AbstractEventLoop, progress: "Progress") -> None:
        p = progress
        errors.print(
            f"{p.fetched:,} fetched, {p.known:,} known, {p.in_flight:,} in flight, {p.hosts_waiting:,} hosts waiting"
        )
        loop.call_later(_LINE_EVERY, self._line, loop, progress)

    def _refresh(self, loop: asyncio.AbstractEventLoop, progress: "Progress") -> None:
        self.live.update(progress_table(progress, self.report, self.estimate))
        loop.call_later(0.25, self._refresh, loop, progress)

    def summary(self, result: dict[str, Any], report: dict[str, Any]) -> None:
        """Print the outcome of a crawl; `report` is about the answers."""
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
                f"{_gain(result['gain'], report)} (measured on {count(result['measured'], 'fetch', 'fetches')})"
            )
        console.print(f"ended: {result['ended']}")


def _gain(gain: float, report: dict[str, Any]) -> str:
    """In searches a week if any query has a result, else in the scorer's unit."""
    from sought.operate.searches import searches_a_week

    searches = searches_a_week(gain, report)
    if searches is None:
        return f"gain {gain:.3g}"
    size = amount(abs(searches))
    return f"gain: {size} searches a week are answered {'better' if searches >= 0 else 'worse'}"


def time_left_text(left: "TimeLeft") -> str:
    """How long the crawl takes, why, and how to speed it up."""
    pages = f"{count(left.pages, 'known page')} on {count(left.hosts, 'host')}"
    if left.by_budget:
        return f"The budget allows {pages} in about {duration(left.seconds)}: see budget in sought.toml."
    own = "If the sites are yours, set [politeness] delay in sought.toml, or use init --own-site."
    return f"At one request to a host every {left.delay:g} s, {pages} take about {duration(left.seconds)}. {own}"


def progress_table(
    progress: "Progress", report: dict[str, Any] | None = None, estimate: "TimeLeft | None" = None
) -> Table:
    """The current state of a crawl."""
    seconds = max(time.time() - progress.started, 1e-9)
    table = Table.grid(padding=(0, 2))
    table.add_row("fetched", f"{progress.fetched:,}", f"{progress.fetched / seconds:,.1f} a second")
    outcomes = sorted(progress.outcomes.items(), key=lambda item: -item[1])[:6]
    table.add_row("answers", "", ", ".join(f"{n:,} × {name}" for name, n in outcomes))
    table.add_row("known", f"{progress.known:,}", f"{progress.chosen:,} chosen on {progress.waiting:,} hosts")
    table.add_row("in flight", f"{progress.in_flight:,}", f"{progress.hosts_waiting:,} hosts waiting for their delay")
    table.add_row("received", f"{progress.bytes / 1e6:,.1f} MB", f"{progress.disk / 1e6:,.1f} MB on disk")
    if progress.measured:
        table.add_row("answers", "", f"{_gain(progress.gain, report or {})}")
    if estimate and estimate.seconds >= 1.0:
        table.add_row("left", duration(estimate.seconds), f"for {count(estimate.pages, 'page')} that are known now")
    return table


@contextmanager
def status_line(text: str, *, quiet: bool) -> Iterator[None]:
    """Show on a terminal what is being done, until it is done."""
    if quiet or not errors.is_terminal:
        yield
    else:
        with errors.status(text):
            yield


class CountDisplay:
    """Shows the progress of long work of unknown size as a count."""

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
