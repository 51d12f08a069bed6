"""What oracles may look at: the live Web, the repository, and what the judge will ask.  No crawler can."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sought.lab.judge.evaluator import Evaluator
from sought.lab.judge.judge import Judge
from sought.lab.worlds.world import NOTHING, Numbers

Floats = NDArray[np.float64]

_LOOKED_AT = 1024  # pages


class TrueBelief(Protocol):
    """A belief that is true, because the laboratory fills it in (see oracles.py)."""

    def of(self, truth: "Truth") -> Floats:
        """A value for every page of the world."""


class Truth:
    """Kept up with a replay: `observe` every fetch, and go on in time by `at`.

    `copies` and `live` have the version of every page that was last observed, and that is on the Web `now`.
    """

    def __init__(self, judge: Judge, start: Numbers) -> None:
        """`start` is what the repository begins with."""
        self.judge, self.copies, self.now = judge, start.copy(), -np.inf
        self.live = np.full(len(start), NOTHING)
        self._evaluator, self._entered = judge.evaluator(), np.full(len(start), NOTHING)
        self._order = np.argsort(judge.world.keys)
        self._keys = judge.world.keys[self._order]
        self._gains, self._moved = np.zeros(len(start)), True
        self._weights = np.zeros(0)

    def observe(self, page: int, version: int) -> None:
        """A page of the world was fetched, and this is what it was; an error tells nothing of it."""
        if version == NOTHING or self.judge.world.is_observation[version]:
            self.copies[page] = version

    def at(self, time: float) -> None:
        """The Web and what is asked have moved on."""
        if time != self.now:
            live = self.judge.world.live(time)
            pages = np.flatnonzero(live != self.live)
            self._evaluator.set_lives(pages.astype(np.uint32), self.judge.matches(pages, live[pages]))
            weights = self.judge.demand.weights("judged", time)
            self._moved = self._moved or len(pages) > 0 or not np.array_equal(weights, self._weights)
            self._weights = weights
            self._evaluator.set_weights(weights)
            self.live, self.now = live, time

    @property
    def evaluator(self) -> Evaluator:
        """One that knows all of this."""
        pages = np.flatnonzero(self.copies != self._entered)
        self._evaluator.set_copies(pages.astype(np.uint32), self.judge.matches(pages, self.copies[pages]))
        self._entered[pages] = self.copies[pages]
        return self._evaluator

    def gains(self) -> Floats:
        """What fetching each page, and no other, would change now; 0 for those in step.

        While the Web stands still, only the pages that gained most when last looked at are looked at again: what the
        others gain, which hardly grows by what has been fetched since, is looked at when the Web has moved on.
        """
        stale = np.flatnonzero(self.copies != self.live)
        known, self._gains = self._gains, np.zeros(len(self.live))
        if not self._moved and len(stale) > _LOOKED_AT:
            self._gains[stale] = known[stale]
            stale = stale[np.argpartition(-known[stale], _LOOKED_AT)[:_LOOKED_AT]]
        self._gains[stale] = self.evaluator.gains(stale.astype(np.uint32))
        self._moved = False
        return self._gains.copy()

    def rows(self, keys: NDArray[np.uint64]) -> Numbers:
        """The page of each key; NOTHING if the world has none."""
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[at] == keys, self._order[at], NOTHING)

    def column(self, belief: TrueBelief, keys: NDArray[np.uint64], now: float) -> Floats:
        """A belief about the rows of a crawl's table, which has these keys; 0 for those unknown to the world."""
        self.at(now)
        rows = self.rows(keys)
        return np.where(rows == NOTHING, 0.0, belief.of(self)[rows])
