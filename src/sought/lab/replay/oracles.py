"""How well could it be done by whoever knows more than a crawler can?

Each oracle is a policy over one belief that only the laboratory can fill.  None is a bound of quality (bounds of a
surrogate are in transport.py): each takes one fetch for itself and values no links; `Ceiling` needs none.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sought.lab.replay.truth import Truth
from sought.lab.worlds.world import NOTHING, World
from sought.web.expression import brief
from sought.web.pages import NEVER, Pages

Floats = NDArray[np.float64]

# ---- what they know


@brief
@dataclass(frozen=True)
class NowGain:
    """What the fetch of each page, and no other, would add to the quality's numerator now."""

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
    """Changes a second of each page since it is there; half a change if it never did, so that 1/Δ is finite."""
    v = world.versions
    changes = np.bincount(v.page[1:][_changed(world)], minlength=len(world.urls))
    born = np.full(len(world.urls), world.end)
    born[v.page[world.firsts]] = v.time[world.firsts]
    return np.maximum(changes, 0.5) / np.maximum(world.end - born, world.unit)


def next_changes(world: World) -> Floats:
    """When each version is followed by one that says something else; inf if it never is."""
    v = world.versions
    ends = np.flatnonzero(np.append(_changed(world) | (v.page[1:] != v.page[:-1]), True))
    return world.until[ends[np.searchsorted(ends, np.arange(len(v)))]]


def _changed(world: World) -> NDArray[np.bool_]:
    """Whether each version but the first is of the same page as the one before, and differs for a reader."""
    v = world.versions
    differs: NDArray[np.bool_] = (v.content[1:] != v.content[:-1]) | (v.status[1:] != v.status[:-1])
    same: NDArray[np.bool_] = v.page[1:] == v.page[:-1]
    return same & differs


# ---- what they do


@brief
@dataclass(frozen=True)
class ClairvoyantNow:
    """Knows the live Web, not the future: largest gain now."""

    is_oracle: ClassVar[bool] = True

    @property
    def beliefs(self) -> tuple[NowGain]:
        return (NowGain(),)

    def __call__(self, pages: Pages, now: float) -> Floats:
        return pages.belief(NowGain()).copy()


@brief
@dataclass(frozen=True)
class ClairvoyantRate:
    """Knows the live Web and true change rates: largest L/Δ."""

    is_oracle: ClassVar[bool] = True

    @property
    def beliefs(self) -> tuple[RateWorth]:
        return (RateWorth(),)

    def __call__(self, pages: Pages, now: float) -> Floats:
        return pages.belief(RateWorth()).copy()


@brief
@dataclass(frozen=True)
class ClairvoyantFuture:
    """Knows the live Web and all changes to come: largest gain × time until the next change."""

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
