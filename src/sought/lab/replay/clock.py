"""A clock that moves only when there is nothing else to do."""

import asyncio
import math
from collections.abc import Callable


class VirtualClock:
    """Stands still while answers are on their way; else it is at once the time that is waited for.

    At `limit` it stops, and says so: whoever waits for something later waits in vain.
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
