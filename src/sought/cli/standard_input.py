"""Standard input as a control channel from a parent process: lines allow fetches, its end ends the command.

The operating system closes a pipe when the writing process ends, even by kill -9.  So a command that exits when its
standard input closes never outlives its parent.
"""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from sought.web.errors import BadInput

if TYPE_CHECKING:  # --help must not wait for a crawler to load
    from sought.crawl.cycle import Cycle

_LONGEST = 20  # bytes of a line


class StandardInput:
    """A thread reads standard input until it closes, then sends SIGTERM to this process, which ends as after Ctrl-C."""

    def __init__(self) -> None:
        self._thread = threading.Thread(target=self._read, name="standard-input", daemon=True)

    def start(self) -> None:
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # until the command sets its own handler
        self._thread.start()

    def _read(self) -> None:
        if sys.stdin is not None:  # None: closed before the start
            for line in iter(lambda: sys.stdin.buffer.readline(_LONGEST), b""):
                if not self._handle(line):
                    return
        os.kill(os.getpid(), signal.SIGTERM)

    def _handle(self, line: bytes) -> bool:
        """Ignore the line; subclasses return False to stop reading."""
        return True


class FetchAllowance(StandardInput):
    """Each line is a number of fetches that the crawl may make in addition; it waits when it has made them all.

    A line that is not a number ends the crawl with an error.
    """

    def __init__(self) -> None:
        super().__init__()
        self._allowed = 0
        self._problem: BadInput | None = None
        self._changed: Callable[[], None] = lambda: None

    def attached_to(self, started: Callable[["Cycle"], None]) -> Callable[["Cycle"], None]:
        """A callback that attaches this allowance to the cycle, after `started`."""

        def start(cycle: "Cycle") -> None:
            started(cycle)
            self._attach(cycle)

        return start

    def _attach(self, cycle: "Cycle") -> None:
        loop = asyncio.get_running_loop()

        def notify() -> None:
            try:
                loop.call_soon_threadsafe(self._apply, cycle)
            except RuntimeError:
                pass  # the crawl has ended

        self._changed = notify
        self._apply(cycle)

    def _handle(self, line: bytes) -> bool:
        if line.strip().isdigit() and line.endswith(b"\n"):
            self._allowed += int(line)
        else:
            self._problem = BadInput(f"not a number of fetches on standard input: {line!r}")
        self._changed()
        return self._problem is None

    def _apply(self, cycle: "Cycle") -> None:
        cycle.budget.allowed = self._allowed
        cycle.failed = cycle.failed or self._problem
        cycle.wake.set()
