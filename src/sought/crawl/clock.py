"""What time is it, and how does it pass?  The system's clock for a live crawl; the laboratory brings its own."""

import asyncio
import time
from typing import Protocol

_AT_MOST = 1.0  # seconds: whoever watches wants to see that time passes


class Clock(Protocol):
    """Seconds since 1970."""

    def now(self) -> float:
        """The present time."""

    async def wait(self, woken: asyncio.Event, until: float, *, busy: bool) -> None:
        """Until woken or until a time, or less; `busy` while answers are on their way."""


class WallClock:
    """The system's."""

    def now(self) -> float:
        return time.time()

    async def wait(self, woken: asyncio.Event, until: float, *, busy: bool) -> None:
        left = min(max(0.0, until - self.now()), _AT_MOST)
        timer = asyncio.get_running_loop().call_later(left, woken.set)
        await woken.wait()
        timer.cancel()
