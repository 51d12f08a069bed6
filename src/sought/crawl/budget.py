"""How many fetches may start, and when?

A rate (`10000 per day`) is kept exactly in every calendar period (a UTC day for a rate per day), and fetches are spread
over it.  A number (`--fetches 500`) is a limit of this run; an allowance is a limit that grows while the crawl runs.
"""

import math
from dataclasses import dataclass, field

_MAX_CATCH_UP = 60.0  # seconds: a crawl that was slower than its rate catches up on so much
_LAST = 0.05  # of a period: what is left then is spent as fast as hosts allow
_FIRST_BURST = 64  # fetches that a crawl which has just begun, and has missed nothing, may make at once


@dataclass(slots=True)
class Budget:
    """Charged before a request is sent; a charge is never returned.

    `spent` is what has been used of the period that began at `period_start`, also by earlier runs and lost requests.
    """

    fetches: int | None = None  # limit of this run; None: no limit
    per: int | None = None  # limit of every period of `seconds`; None: no rate
    seconds: float = 86400.0
    spent: int = 0
    period_start: float = 0.0
    used: int = 0
    allowed: int | None = None  # allowance of this run, at which it waits for more; None: no allowance
    _next: float = field(default=-math.inf)

    def ready_at(self, now: float) -> float:
        """When the next fetch may start; inf if none is left in this run or in the allowance."""
        if self.fetches is not None and self.used >= self.fetches:
            return float("inf")
        if self.allowed is not None and self.used >= self.allowed:
            return float("inf")
        if self.per is None:
            return now
        self._enter_period(now)
        if self.spent >= self.per:
            return self.period_start + self.seconds
        return max(now, self._next)

    def spare(self, now: float) -> float:
        """How many fetches may start at once; inf if one is lost unless it starts now, and without a rate.

        What was missed is lost when it is too much to be caught up, and at the end of a period what is left of it.
        """
        if self.per is None:
            return math.inf
        self._enter_period(now)
        pace, is_first = self.seconds / self.per, self._next == -math.inf
        missed = _FIRST_BURST * pace if is_first else now - self._next
        is_last = now >= self.period_start + self.seconds * (1.0 - _LAST)
        if is_last or (missed >= _MAX_CATCH_UP and not is_first):
            return math.inf
        own = math.inf if self.allowed is None else self.allowed - self.used
        return min(self.left(now), own, math.floor(missed / pace) + 1)

    def next_spare(self, now: float) -> float:
        """When there may be one more."""
        return now + self.seconds / self.per if self.per else math.inf

    def charge(self, now: float) -> None:
        self.used += 1
        if self.per is not None:
            self._enter_period(now)
            self.spent += 1
            # Evenly spread, but for what may be caught up.
            interval = self.seconds / self.per
            missed = _MAX_CATCH_UP if self._next > -math.inf else min(_MAX_CATCH_UP, _FIRST_BURST * interval)
            self._next = max(self._next, now - missed) + interval

    def change_rate(self, per: int, seconds: float, spent: int, now: float) -> None:
        """Another rate from now on; `spent` is what the present period has been charged already."""
        self.per, self.seconds = per, seconds
        self.spent, self.period_start = spent, now - now % seconds
        self.forget_missed()

    def forget_missed(self) -> None:
        """Do not catch up on a time in which nothing was to be fetched."""
        self._next = -math.inf

    def left(self, now: float) -> float:
        """Fetches that may still start before the period ends."""
        run = float("inf") if self.fetches is None else self.fetches - self.used
        if self.per is None:
            return run
        self._enter_period(now)
        return min(run, self.per - self.spent)

    def _enter_period(self, now: float) -> None:
        """Start counting anew if another period has begun."""
        start = now - now % self.seconds
        if start > self.period_start:
            self.period_start, self.spent = start, 0
