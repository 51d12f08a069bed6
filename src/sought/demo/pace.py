"""How fast does the contest's clock run?  As fast as the slowest participant.

The toy web, the budget of both crawlers and the people who search go by one clock.  It runs as fast as a clock on the
wall, and waits for the slowest.  So a busy machine makes the contest slower, and never unfair: by the same toy
time both crawlers were allowed the same number of fetches, and both heard the same searches.

Invariant: the clock is never more than `lead` seconds ahead of anybody.
"""

import asyncio
import time
from collections import deque

from sought.demo.figures import DEFAULT, ROUND_ROBIN
from sought.toyweb import Served

PEOPLE = "people"
_ALL = (DEFAULT, ROUND_ROBIN, PEOPLE)
_WHO = {
    DEFAULT: "the default policy's crawl",
    ROUND_ROBIN: "the round-robin crawl",
    PEOPLE: "the search pages",
}
_RECENT = 10.0  # seconds over which speed is measured
_BUSY = 0.8  # a slower contest is called slow
_SETTLED = 5.0  # seconds before that


class Pace:
    """The clock, in seconds since both crawls were let go.  It stands at 0 until `start`."""

    def __init__(self, served: Served, days_per_second: float, lead: float) -> None:
        self._served, self._rate, self._lead = served, days_per_second, lead
        self._done = dict.fromkeys(_ALL, 0.0)
        self._looks: deque[tuple[float, float]] = deque()
        self._began: float | None = None
        self._moved = 0.0  # when the slowest did something for the last time, by the clock on the wall
        served.run_until(0.0)
        served.set_time(0.0)

    def start(self) -> None:
        self._began = self._moved = time.monotonic()
        self._served.run_until(self._lead * self._rate)

    def now(self) -> float:
        return self._served.now() / self._rate

    def report(self, who: str, seconds: float) -> None:
        """Record that a participant has done all that is due until then."""
        before = min(self._done.values())
        self._done[who] = max(self._done[who], seconds)
        if min(self._done.values()) > before:
            self._moved = time.monotonic()
            self._served.run_until((min(self._done.values()) + self._lead) * self._rate)

    async def reached(self, seconds: float, stop: asyncio.Event) -> None:
        """Wait for a time of this clock, or until stopped."""
        while (left := seconds - self.now()) > 0.0 and not stop.is_set():
            await either(stop, min(max(left, 0.01), 0.1))

    @property
    def behind(self) -> str:
        """The participant that is furthest behind."""
        return _WHO[min(self._done, key=lambda who: self._done[who])]

    @property
    def stood(self) -> float:
        """For how many seconds the slowest has done nothing."""
        return time.monotonic() - self._moved if self._began is not None else 0.0

    @property
    def overall(self) -> float | None:
        """Seconds of this clock for each on the wall."""
        return self.now() / max(time.monotonic() - self._began, 1e-9) if self._began is not None else None

    def note(self) -> str:
        """A note that the machine is too busy, if it is; to be called about once a second."""
        if self._began is None:
            return ""
        now = time.monotonic()
        self._looks.append((now, self.now()))
        while self._looks[0][0] < now - _RECENT:
            self._looks.popleft()
        wall, seconds = now - self._looks[0][0], self._looks[-1][1] - self._looks[0][1]
        if now - self._began < _SETTLED or wall < 1.0 or seconds > _BUSY * wall:
            return ""
        slow = f"{wall / seconds:.1f} times slower than planned" if seconds > 0.01 * wall else "almost at a standstill"
        return (
            f"This machine is busy: the contest is {slow}. Its clock waits for {self.behind}, so both "
            "crawlers get the same number of fetches."
        )


async def either(stop: asyncio.Event, seconds: float) -> None:
    """Wait until stopped, so long at most."""
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        pass
