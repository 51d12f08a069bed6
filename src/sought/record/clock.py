"""What time is it, and how does it pass?  The system's clock for a live crawl; the laboratory brings its own."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

_AT_MOST = 1.0  # seconds: whoever watches wants to see that time passes


class Clock(Protocol):
    """Seconds since 1970."""

    def now(self) -> float:
        """The present time."""

    async def wait(self, woken: asyncio.Event, until: float, *, busy: bool) -> None:
        """Until woken or until a time, or less; `busy` while answers are on their way."""


def _passed() -> float:
    """Seconds that have passed since some moment, also while the machine slept; nobody can set this clock."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class WallClock:
    """The system's time when it is made, and from then on what has passed: in a run it never goes back or jumps."""

    def __init__(self, wall: Callable[[], float] = time.time, passed: Callable[[], float] = _passed) -> None:
        self._passed = passed
        self._offset = wall() - passed()

    def now(self) -> float:
        return self._offset + self._passed()

    async def wait(self, woken: asyncio.Event, until: float, *, busy: bool) -> None:
        left = min(max(0.0, until - self.now()), _AT_MOST)
        timer = asyncio.get_running_loop().call_later(left, woken.set)
        await woken.wait()
        timer.cancel()
