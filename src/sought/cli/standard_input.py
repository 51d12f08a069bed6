"""What a parent process tells a command through its standard input: how much it may fetch, and that the parent is gone.

The operating system closes a pipe when the process that writes to it ends, however it ends.  So a command that ends
with its standard input never outlives its parent, even after kill -9.
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
    """Read by a thread until it ends; then this process gets SIGTERM, and ends as after Ctrl-C."""

    def __init__(self) -> None:
        self._thread = threading.Thread(target=self._read, name="standard-input", daemon=True)

    def start(self) -> None:
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # until whoever runs the command knows better
        self._thread.start()

    def _read(self) -> None:
        if sys.stdin is not None:  # None: it was closed before we began
            for line in iter(lambda: sys.stdin.buffer.readline(_LONGEST), b""):
                if not self._understood(line):
                    return
        os.kill(os.getpid(), signal.SIGTERM)

    def _understood(self, line: bytes) -> bool:
        """What lines say is nobody's business here; False: read no more."""
        return True


class FetchAllowance(StandardInput):
    """Each line is a number of fetches that a crawl may make; it waits when it has made them all.

    A line that is no such number ends the crawl with an error.
    """

    def __init__(self) -> None:
        super().__init__()
        self._allowed = 0
        self._problem: BadInput | None = None
        self._changed: Callable[[], None] = lambda: None

    def giving(self, started: Callable[["Cycle"], None]) -> Callable[["Cycle"], None]:
        """The same, and the cycle that starts gets this allowance."""

        def both(cycle: "Cycle") -> None:
            started(cycle)
            self._give_to(cycle)

        return both

    def _give_to(self, cycle: "Cycle") -> None:
        loop = asyncio.get_running_loop()

        def tell() -> None:
            try:
                loop.call_soon_threadsafe(self._apply, cycle)
            except RuntimeError:
                pass  # the crawl has ended

        self._changed = tell
        self._apply(cycle)

    def _understood(self, line: bytes) -> bool:
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
