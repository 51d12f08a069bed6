"""Oracles: policies that know more than a crawler can.

Each oracle is a policy over one belief that only the laboratory can fill.  None is a bound of quality (bounds of a
surrogate are in judge/transport.py): each takes one fetch for itself and values no links; `Ceiling` needs none.
"""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from sought.lab.judge.evaluator import Evaluator
from sought.lab.judge.judge import Judge
from sought.lab.worlds.world import NOTHING, Numbers, World
from sought.web.expression import brief
from sought.web.pages import NEVER, Pages

Floats = NDArray[np.float64]

_LOOKED_AT = 1024  # pages


class TrueBelief(Protocol):
    """A belief that is true, because the laboratory fills it in."""

    def of(self, truth: "Truth") -> Floats:
        """A value for every page of the world."""


class Truth:
    """The live Web, the repository and the judged demand.  A replay calls `observe` for fetches and `at` for times.

    `copies` has the version of every page in the repository, `live` that on the Web `now`.
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
        """A page of the world was fetched in this version; errors leave the copy as it was."""
        if version == NOTHING or self.judge.world.is_observation[version]:
            self.copies[page] = version

    def at(self, time: float) -> None:
        """Go on to a time."""
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
        """The evaluator of the present copies, live pages and weights."""
        pages = np.flatnonzero(self.copies != self._entered)
        self._evaluator.set_copies(pages.astype(np.uint32), self.judge.matches(pages, self.copies[pages]))
        self._entered[pages] = self.copies[pages]
        return self._evaluator

    def gains(self) -> Floats:
        """The gain of fetching each page, and no other, now; 0 where the copy is up to date.

        While the Web stands still only the pages with the largest gains are evaluated again: the gains of the others
        hardly grow by fetches of other pages.
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
        """The column of a belief for the rows of a crawl's table, by their keys; 0 for keys that the world lacks."""
        self.at(now)
        rows = self.rows(keys)
        return np.where(rows == NOTHING, 0.0, belief.of(self)[rows])


# ---- Beliefs that only the laboratory can fill.


@brief
@dataclass(frozen=True)
class NowGain:
    """What fetching each page, and no other, would add to the quality's numerator now."""

    is_oracle: ClassVar[bool] = True

    def of(self, truth: Truth) -> Floats:
        return truth.gains()


@brief
@dataclass(frozen=True)
class RateWorth:
    """That gain for as long as it is expected to last: L/Δ, with the page's change rate over the whole history."""

    is_oracle: ClassVar[bool] = True

    def of(self, truth: Truth) -> Floats:
        return truth.gains() / change_rates(truth.judge.world)


@brief
@dataclass(frozen=True)
class FutureWorth:
    """That gain for as long as it will last: until the page changes next, or the world ends (one unit after `end`)."""

    is_oracle: ClassVar[bool] = True

    def of(self, truth: Truth) -> Floats:
        world = truth.judge.world
        lasts = np.minimum(next_changes(world)[truth.live], world.end + world.unit) - truth.now
        return truth.gains() * np.where(truth.live == NOTHING, 0.0, lasts)


@brief
@dataclass(frozen=True)
class TrueImpact:
    """Of pages never fetched: Σ_q f_q·I(rank among all live pages); 0 for the others."""

    is_oracle: ClassVar[bool] = True

    def of(self, truth: Truth) -> Floats:
        return np.where(truth.copies == NOTHING, truth.evaluator.attention(), 0.0)


def change_rates(world: World) -> Floats:
    """Changes a second of each page since its birth; at least half a change, so that 1/Δ is finite."""
    v = world.versions
    changes = np.bincount(v.page[1:][_changed(world)], minlength=len(world.urls))
    born = np.full(len(world.urls), world.end)
    born[v.page[world.firsts]] = v.time[world.firsts]
    return np.maximum(changes, 0.5) / np.maximum(world.end - born, world.unit)


def next_changes(world: World) -> Floats:
    """When each version is followed by one that differs for a reader; inf if it never is."""
    v = world.versions
    ends = np.flatnonzero(np.append(_changed(world) | (v.page[1:] != v.page[:-1]), True))
    return world.until[ends[np.searchsorted(ends, np.arange(len(v)))]]


def _changed(world: World) -> NDArray[np.bool_]:
    """Whether each version but the first is of the same page as the one before, and differs for a reader."""
    v = world.versions
    differs: NDArray[np.bool_] = (v.content[1:] != v.content[:-1]) | (v.status[1:] != v.status[:-1])
    same: NDArray[np.bool_] = v.page[1:] == v.page[:-1]
    return same & differs


# ---- The policies.


@brief
@dataclass(frozen=True)
class ClairvoyantNow:
    """Knows the live Web, not the future; fetches by the largest gain now."""

    is_oracle: ClassVar[bool] = True

    @property
    def beliefs(self) -> tuple[NowGain]:
        return (NowGain(),)

    def __call__(self, pages: Pages, now: float) -> Floats:
        return pages.belief(NowGain()).copy()


@brief
@dataclass(frozen=True)
class ClairvoyantRate:
    """Knows the live Web and true change rates; fetches by the largest L/Δ."""

    is_oracle: ClassVar[bool] = True

    @property
    def beliefs(self) -> tuple[RateWorth]:
        return (RateWorth(),)

    def __call__(self, pages: Pages, now: float) -> Floats:
        return pages.belief(RateWorth()).copy()


@brief
@dataclass(frozen=True)
class ClairvoyantFuture:
    """Knows the live Web and all changes to come; fetches by the largest gain × time until the next change."""

    is_oracle: ClassVar[bool] = True

    @property
    def beliefs(self) -> tuple[FutureWorth]:
        return (FutureWorth(),)

    def __call__(self, pages: Pages, now: float) -> Floats:
        return pages.belief(FutureWorth()).copy()


@brief
@dataclass(frozen=True)
class IdealRanking:
    """New pages only, by true impact: the ideal of S. Pandey, C. Olston, Crawl ordering by search impact, 2008."""

    paper: ClassVar[str] = "pandey-olston-2008"

    is_oracle: ClassVar[bool] = True

    @property
    def beliefs(self) -> tuple[TrueImpact]:
        return (TrueImpact(),)

    def __call__(self, pages: Pages, now: float) -> Floats:
        return np.where(pages.is_new, pages.belief(TrueImpact()), NEVER)


@brief
@dataclass(frozen=True)
class Ceiling:
    """ClairvoyantNow in a replay that makes all live pages known to the crawl: the ceiling where pages are born."""

    is_oracle: ClassVar[bool] = True
    knows_all: ClassVar[bool] = True

    @property
    def beliefs(self) -> tuple[NowGain]:
        return (NowGain(),)

    def __call__(self, pages: Pages, now: float) -> Floats:
        return ClairvoyantNow()(pages, now)


ORACLES: dict[str, type] = {
    each.__name__: each for each in (ClairvoyantNow, ClairvoyantRate, ClairvoyantFuture, IdealRanking, Ceiling)
}
