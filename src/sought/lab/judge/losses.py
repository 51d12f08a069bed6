"""What does it cost not to have a version?  The additive surrogate of quality, and how far it is from additive.

The loss of a version is taken by itself, on the day it appears, all other pages in step: what attention finds with it,
less what it finds with the version before.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sought.lab.judge.judge import Judge
from sought.lab.replay.truth import Truth
from sought.lab.worlds.world import NOTHING, Numbers

Floats = NDArray[np.float64]


def losses(judge: Judge, copies: Numbers | None = None, report: Callable[[int, int], None] = lambda *_: None) -> Floats:
    """Of every version, in units of the quality's numerator; those that end before the world's start have none.

    What is in force at the start follows what the repository has then: `copies`, or nothing.
    """
    world = judge.world
    v = world.versions
    none = np.full(len(world.urls), NOTHING)
    before = np.append(NOTHING, world.observed[:-1])
    before[world.firsts] = NOTHING
    at_start = world.live(world.start)
    there = at_start != NOTHING
    before[at_start[there]] = (none if copies is None else copies)[there]
    births = np.where(world.until > world.start, np.maximum(v.time, world.start), np.inf)
    found, truth = np.zeros(len(v)), Truth(judge, none)
    times = np.unique(births[births <= world.end])
    for done, time in enumerate(times.tolist(), 1):
        truth.at(time)
        truth.copies[:] = truth.live
        born = np.flatnonzero(births == time)
        pages = v.page[born].astype(np.int64)
        found[born] = -truth.evaluator.gains_of(v.page[born], judge.matches(pages, before[born]))
        report(done, len(times))
    return found


@dataclass(frozen=True)
class Additivity:
    """For each unit: Σ of the losses of versions not held, what is really lost, and what could be found."""

    singletons: Floats
    true: Floats
    ideal: Floats

    @property
    def errors(self) -> Floats:
        """|Σ singletons - true loss|, as a share of what could be found; 0 where that is nothing."""
        return np.abs(self.singletons - self.true) / np.where(self.ideal > 0, self.ideal, 1.0)


def additivity(judge: Judge, loss: Floats, states: Iterable[tuple[float, Numbers]]) -> Additivity:
    """Of a repository that has these copies at these times."""
    truth, rows = Truth(judge, np.full(len(judge.world.urls), NOTHING)), []
    for time, copies in states:
        truth.at(time)
        truth.copies[:] = copies
        quality = truth.evaluator.quality()
        missed = truth.live[truth.live != truth.copies]
        rows.append((float(loss[missed].sum()), quality.denominator - quality.numerator, quality.denominator))
    return Additivity(*np.array(rows, np.float64).reshape(-1, 3).T)
