"""What time is it, and how does a crawl wait?  The system's clock for a live crawl; the laboratory has its own."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

_MAX_WAIT = 1.0  # seconds, so that observers see time pass


class Clock(Protocol):
    """Seconds since 1970."""

    def now(self) -> float:
        """The present time."""

    async def wait(self, woken: asyncio.Event, until: float, *, busy: bool) -> None:
        """Until woken or until a time, or less; `busy` while requests are in flight."""


def _elapsed() -> float:
    """Seconds since some moment, including those in which the machine slept; this clock cannot be set."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class WallClock:
    """The system's time when it is made, plus the time elapsed since: within a run it never goes back or jumps."""

    def __init__(self, wall: Callable[[], float] = time.time, elapsed: Callable[[], float] = _elapsed) -> None:
        self._elapsed = elapsed
        self._offset = wall() - elapsed()

    def now(self) -> float:
        return self._offset + self._elapsed()

    async def wait(self, woken: asyncio.Event, until: float, *, busy: bool) -> None:
        left = min(max(0.0, until - self.now()), _MAX_WAIT)
        timer = asyncio.get_running_loop().call_later(left, woken.set)
        await woken.wait()
        timer.cancel()
