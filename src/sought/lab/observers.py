"""What does somebody see who looks at every page of a world in turn, and what would estimators have expected?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sought.lab.hindsight import pages_after
from sought.lab.poisson_pages import fetches_of
from sought.lab.reliability import Forecasts, together
from sought.lab.world import NOTHING, World
from sought.policy import Belief, Fetches, Learner, Pages
from sought.policy.estimator import Estimator

Floats = NDArray[np.float64]


def watched_in_turn(world: World, every: int) -> Iterator[Fetches]:
    """The log of whoever fetches each page every so many units, a part of them in each; all at the start.

    A page that is gone is not looked at again.  Servers say when a page was last modified.
    """
    held = np.full(len(world.urls), NOTHING)
    last = np.full(len(world.urls), -np.inf)
    turn = (world.keys % np.uint64(every)).astype(np.int64)
    v = world.versions
    for unit in range(world.units + 1):
        time, live = world.start + unit * world.unit, world.live(world.start + unit * world.unit)
        is_page = np.where(live == NOTHING, False, world.is_page[live])
        due = np.where(held == NOTHING, is_page, world.is_page[held] & (live != NOTHING))
        rows = np.flatnonzero(due & ((turn == unit % every) | (unit == 0)))
        old, new, first = held[rows], live[rows], held[rows] == NOTHING
        changed = first | (v.content[old] != v.content[new]) | (v.status[old] != v.status[new])
        gap = np.where(first, np.inf, time - last[rows])
        yield fetches_of(rows, np.full(len(rows), time), gap, changed, np.floor(v.time[new]))
        held[rows], last[rows] = new, time


def foretold(estimators: Mapping[str, Estimator], log: Sequence[Fetches], pages: Pages) -> dict[str, Forecasts]:
    """By each estimator: the chance that a page has changed, said before each of its fetches but the first.

    Nothing is asked before any page has been looked at again: nobody could know anything.
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
    return {name: together(each) for name, each in parts.items()}


def pages_of(world: World, beliefs: Mapping[Belief, Floats]) -> Pages:
    """The table of a world's pages, none fetched, with what else is believed of them."""
    none = np.zeros(0)
    table = pages_after(world, [fetches_of(none.astype(np.int64), none, none, none.astype(np.bool_))])
    columns = {name: getattr(table, name) for name in Pages.column_names()}
    return Pages(**columns, beliefs=dict(beliefs))


@dataclass(frozen=True)
class Everywhere:
    """For comparison: all pages change equally often, as all did so far."""

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
