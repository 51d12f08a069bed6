"""Forecasts of estimators from a log in which every page of a world is fetched in rotation."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Belief, Estimator, Learner
from sought.lab.replay.hindsight import pages_after
from sought.lab.worlds.world import NOTHING, World
from sought.record.fetches import Fetches
from sought.web.pages import Pages

Floats = NDArray[np.float64]

# ---- Calibration of forecasts.
#
# A. H. Murphy, R. L. Winkler, Reliability of subjective probability forecasts, 1977; G. W. Brier, Verification of
# forecasts expressed in terms of probability, 1950.

Flags = NDArray[np.bool_]

BINS = 10
LEAST = 1e-3  # chances are clipped to this distance from 0 and 1, or one surprise would outweigh all others


@dataclass(frozen=True)
class Forecasts:
    """Chances of a change, and whether there was one; `before` is how often each page had been fetched again."""

    chance: Floats
    changed: Flags
    before: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.chance)

    def some(self, which: Flags) -> "Forecasts":
        return Forecasts(self.chance[which], self.changed[which], self.before[which])

    @property
    def likelihood(self) -> float:
        """The mean log-likelihood of the outcomes."""
        chance = np.clip(self.chance, LEAST, 1.0 - LEAST)
        return float(np.mean(np.log(np.where(self.changed, chance, 1.0 - chance)))) if len(self) else np.nan

    @property
    def brier(self) -> float:
        return float(np.mean((self.chance - self.changed) ** 2)) if len(self) else np.nan

    @property
    def ratio(self) -> float:
        """Changes expected over changes found."""
        return float(self.chance.sum() / self.changed.sum()) if self.changed.any() else np.nan

    @property
    def slope(self) -> float:
        """The slope of outcomes over chances, by least squares; 1 is ideal, less means that chances differ too much."""
        spread = float(np.var(self.chance)) if len(self) else 0.0
        return float(np.mean((self.chance - self.chance.mean()) * self.changed)) / spread if spread > 0 else np.nan

    def table(self) -> list[tuple[float, float, int]]:
        """In ten bins of equal width that are not empty: mean chance, share that changed, how many."""
        which = np.minimum((self.chance * BINS).astype(np.int64), BINS - 1)
        count = np.bincount(which, minlength=BINS)
        chance, changed = (np.bincount(which, each, BINS) for each in (self.chance, self.changed.astype(np.float64)))
        return [
            (float(chance[b] / count[b]), float(changed[b] / count[b]), int(count[b])) for b in np.flatnonzero(count)
        ]


def joined_forecasts(parts: list[Forecasts]) -> Forecasts:
    empty = Forecasts(np.zeros(0), np.zeros(0, np.bool_), np.zeros(0, np.int64))
    every = [empty, *parts]
    return Forecasts(
        np.concatenate([each.chance for each in every]),
        np.concatenate([each.changed for each in every]),
        np.concatenate([each.before for each in every]),
    )


def fetches_in_rotation(world: World, every: int) -> Iterator[Fetches]:
    """A log in which each page is fetched every so many units, a part of them in each unit; all at the start.

    Pages that are gone are not fetched again.  Servers send Last-Modified.
    """
    held = np.full(len(world.urls), NOTHING)
    last = np.full(len(world.urls), -np.inf)
    phase = (world.keys % np.uint64(every)).astype(np.int64)
    v = world.versions
    for unit in range(world.units + 1):
        time, live = world.start + unit * world.unit, world.live(world.start + unit * world.unit)
        is_page = np.where(live == NOTHING, False, world.is_page[live])
        due = np.where(held == NOTHING, is_page, world.is_page[held] & (live != NOTHING))
        rows = np.flatnonzero(due & ((phase == unit % every) | (unit == 0)))
        old, new, first = held[rows], live[rows], held[rows] == NOTHING
        changed = first | (v.content[old] != v.content[new]) | (v.status[old] != v.status[new])
        gap = np.where(first, np.inf, time - last[rows])
        yield Fetches.from_columns(rows, np.full(len(rows), time), gap, changed, modified=np.floor(v.time[new]))
        held[rows], last[rows] = new, time


def forecasts_of(estimators: Mapping[str, Estimator], log: Sequence[Fetches], pages: Pages) -> dict[str, Forecasts]:
    """For each estimator the chance that a page has changed, before each of its fetches but the first.

    Forecasts begin when the first page has been fetched again: before, nothing can be learned.
    """
    learners: dict[str, Learner] = {name: each.learner() for name, each in estimators.items()}
    parts: dict[str, list[Forecasts]] = {name: [] for name in learners}
    seen = np.zeros(len(pages), np.int64)
    for fetches in log:
        again = np.isfinite(fetches.gap)
        rows, gap = fetches.row[again], fetches.gap[again]
        for name, learner in learners.items():
            if len(rows) and seen.any():
                chance = -np.expm1(-learner.column(pages)[rows] * gap)
                parts[name].append(Forecasts(chance, fetches.changed[again], seen[rows]))
            learner.learn(fetches)
        seen[rows] += 1
    return {name: joined_forecasts(each) for name, each in parts.items()}


def pages_of(world: World, beliefs: Mapping[Belief, Floats]) -> Pages:
    """The table of a world's pages, none fetched, with these beliefs."""
    none = np.zeros(0)
    table = pages_after(world, [Fetches.from_columns(none, none, none, none)])
    columns = {name: getattr(table, name) for name in Pages.column_names()}
    return Pages(**columns, beliefs=dict(beliefs))


@dataclass(frozen=True)
class Everywhere:
    """A baseline: one change rate for all pages, from all fetches so far."""

    def learner(self) -> Learner:
        return _Everywhere()


class _Everywhere:
    def __init__(self) -> None:
        self.changes, self.time = 0.5, 0.0

    def learn(self, fetches: Fetches) -> None:
        again = np.isfinite(fetches.gap)
        self.changes += float(np.count_nonzero(fetches.changed[again]))
        self.time += float(fetches.gap[again].sum())

    def column(self, pages: Pages) -> Floats:
        return np.full(len(pages), self.changes / self.time if self.time else 1 / (365.25 * 86400.0))
