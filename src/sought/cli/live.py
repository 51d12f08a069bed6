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
from sought.crawl.log import TextLog

if TYPE_CHECKING:  # a command that needs no crawl must not wait for one to load
    from sought.crawl.cycle import Cycle
    from sought.crawl.progress import Progress

_LINE_EVERY = 10.0

in_words = TextLog(lambda line: errors.print(line, markup=False))


class Watch:
    """Shows progress four times a second and turns Ctrl-C into a clean stop; a second Ctrl-C ends at once."""

    def __init__(self, *, quiet: bool, seconds: float | None = None) -> None:
        self.seconds = seconds
        self.quiet = quiet or not errors.is_terminal
        self.plain = not quiet and self.quiet  # not a terminal: a line now and then instead of a live picture
        self.live = Live(console=errors, refresh_per_second=4, transient=True)
        self.asked_to_stop = 0

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

    def _stop(self, cycle: "Cycle") -> None:
        self.asked_to_stop += 1
        if self.asked_to_stop > 1:
            cycle.stop_now()
        else:
            cycle.stop()

    def _line(self, loop: asyncio.AbstractEventLoop, progress: "Progress") -> None:
        p = progress
        errors.print(
            f"{p.fetched:,} fetched, {p.known:,} known, {p.in_flight:,} in flight, {p.hosts_waiting:,} hosts waiting"
        )
        loop.call_later(_LINE_EVERY, self._line, loop, progress)

    def _refresh(self, loop: asyncio.AbstractEventLoop, progress: "Progress") -> None:
        self.live.update(picture(progress))
        loop.call_later(0.25, self._refresh, loop, progress)

    def summary(self, result: dict[str, Any]) -> None:
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
            fetches = "1 fetch" if result["measured"] == 1 else f"{result['measured']:,} fetches"
            console.print(f"gain {result['gain']:.3g}, measured on {fetches}")
        console.print(f"ended: {result['ended']}")


def picture(progress: "Progress") -> Table:
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
        table.add_row(
            "gain", f"{progress.gain:.3g}", f"{progress.gain / progress.measured:.3g} a fetch, for the answers"
        )
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

    def __enter__(self) -> Callable[[int], None]:
        if self.status:
            self.status.start()
        return self._report

    def _report(self, count: int) -> None:
        if self.status:
            self.status.update(f"{count:,} {self.what}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.status:
            self.status.stop()
