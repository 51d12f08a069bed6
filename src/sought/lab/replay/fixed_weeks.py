"""Quality of policies and schedules on a fixed set of pages with given beliefs, without a crawl.

Where nothing is discovered or learned, a replay is only this: in each unit a number of pages is fetched, those that a
policy ranks highest or that a schedule made in advance names.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Belief
from sought.lab.judge.judge import Judge
from sought.lab.replay.known_changes import plan_by_chances
from sought.lab.replay.slot_schedule import plan
from sought.lab.worlds.world import NOTHING, Numbers
from sought.policy.ranking import best
from sought.web.pages import Pages
from sought.web.policy import Policy

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Weeks:
    """The repository is in step at the first of these times; in each later one so many pages are fetched."""

    judge: Judge
    times: Floats

    @property
    def pages(self) -> Numbers:
        """The pages that exist at the first time."""
        return np.flatnonzero(self.judge.world.live(float(self.times[0])) != NOTHING)

    def ranked(self, policy: Policy, beliefs: Mapping[Belief, Floats], fetches: int) -> Iterator[Numbers]:
        """The pages that a policy with these beliefs fetches in each unit."""
        world, pages = self.judge.world, self.pages
        last = np.full(len(pages), float(self.times[0]))
        columns = {belief: column[pages] for belief, column in beliefs.items()}
        once, never = np.ones(len(pages), np.uint16), np.full(len(pages), -np.inf)
        nothing = np.zeros(len(pages), np.uint32)
        hosts, start = world.sites[1][pages].astype(np.uint32), np.full(len(pages), float(self.times[0]))
        for time in self.times[1:].tolist():
            depth = nothing.astype(np.uint16)
            table = Pages(
                *(world.keys[pages], hosts, depth, start, last, never, once, depth, nothing, never),
                *(once > 0, never, never),
                beliefs=columns,
                pace=fetches / world.unit,
            )
            chosen = best(policy(table, time), table.key, fetches)
            last = last.copy()
            last[chosen] = time
            yield pages[chosen]

    def planned(self, rate: Floats, weight: Floats, fetches: int) -> Iterator[Numbers]:
        """The pages of each unit by the best schedule made in advance; `rate` is changes a second.

        J. Wolf et al., Optimal Crawling Strategies for Web Search Engines, WWW 2002.
        """
        pages, slots = self.pages, len(self.times) - 1
        page, slot = plan(rate[pages] * self.judge.world.unit, weight[pages], min(fetches, len(pages)), slots)
        for each in range(slots):
            yield pages[page[slot == each]]

    def by_chances(self, chance: Floats, weight: Floats, fetches: int) -> Iterator[Numbers]:
        """The pages of each unit by the best schedule for known chances of a change.

        `chance` is by page and unit.  Wolf et al. as above, §3.2: quasi-deterministic changes.
        """
        pages = self.pages
        page, slot = plan_by_chances(chance[pages], weight[pages], fetches)
        for each in range(len(self.times) - 1):
            yield pages[page[slot == each]]

    def quality(self, fetched: Iterator[Numbers]) -> float:
        """The mean over units, after the fetches, by the demand that judges."""
        world, judge, evaluator = self.judge.world, self.judge, self.judge.evaluator()
        copies, lives = (np.full(len(world.urls), NOTHING) for _ in range(2))
        values = []
        for time, pages in zip(self.times.tolist(), chain([self.pages], fetched), strict=True):
            live = world.live(time)
            moved, pages = np.flatnonzero(live != lives), pages[live[pages] != copies[pages]]
            evaluator.set_lives(moved.astype(np.uint32), judge.matches(moved, live[moved]))
            evaluator.set_copies(pages.astype(np.uint32), judge.matches(pages, live[pages]))
            evaluator.set_weights(judge.demand.weights("judged", time))
            copies[pages], lives = live[pages], live
            values.append(evaluator.quality().value)
        return float(np.mean(values[1:]))

    def never(self) -> float:
        """The quality if nothing is fetched."""
        return self.quality(np.zeros(0, np.int64) for _ in self.times[1:])

    def views(self) -> Floats:
        """How often each page is seen at the first time, by the known demand."""
        evaluator, time = self.judge.evaluator(), float(self.times[0])
        live, every = self.judge.world.live(time), np.arange(len(self.judge.world.urls), dtype=np.uint32)
        evaluator.set_lives(every, self.judge.matches(every.astype(np.int64), live))
        evaluator.set_weights(self.judge.demand.weights("known", time))
        return evaluator.attention()
