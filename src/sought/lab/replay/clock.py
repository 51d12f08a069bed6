"""A virtual clock: time passes only while nothing else can happen."""

import asyncio
import math
from collections.abc import Callable


class VirtualClock:
    """Stands still while requests are in flight; otherwise it jumps to the time that is waited for.

    At `limit` it stops and calls `at_limit`: later times are never reached.
    """

    def __init__(self, start: float) -> None:
        self.time = start
        self.limit = math.inf
        self.at_limit: Callable[[], None] = lambda: None

    def now(self) -> float:
        return self.time

    async def wait(self, woken: asyncio.Event, until: float, *, busy: bool) -> None:
        if busy:
            await woken.wait()
        elif not woken.is_set():
            self.advance(min(until if until < math.inf else self.time + 1.0, self.limit))
            if self.time >= self.limit:
                self.at_limit()
            await asyncio.sleep(0)

    def advance(self, until: float) -> None:
        """To a later time; time never runs back."""
        self.time = max(self.time, until)
