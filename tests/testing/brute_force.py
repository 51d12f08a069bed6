"""What is the very best that could be done?  By trying everything: for tiny worlds, and to test all else by."""

from functools import cache
from itertools import combinations

import numpy as np

from sought.index.quality import quality
from sought.lab.judge.judge import Judge
from sought.lab.replay.oracles import Floats
from sought.lab.worlds.world import Numbers

MOST_PAGES = 12

Choice = list[list[int]]


def best(judge: Judge, moments: Floats, budget: int, copies: Numbers, horizon: int) -> tuple[float, Choice]:
    """The best mean quality after the fetches of the first `horizon` units, on judged demand, and what these are.

    All pages are known; at most `budget` are fetched a unit.
    """
    if len(judge.world.urls) > MOST_PAGES:
        raise ValueError(f"{len(judge.world.urls)} pages: everything can be tried for {MOST_PAGES} at most")
    times = moments[:horizon].tolist()
    lives = [tuple(judge.world.live(time).tolist()) for time in times]

    @cache
    def onwards(unit: int, held: tuple[int, ...]) -> tuple[float, Choice]:
        """Σ quality from this unit on."""
        if unit == len(times):
            return 0.0, []
        live = lives[unit]
        stale = [page for page in range(len(held)) if held[page] != live[page]]
        found = []
        for count in range(min(budget, len(stale)) + 1):
            for chosen in combinations(stale, count):
                after = tuple(live[page] if page in chosen else version for page, version in enumerate(held))
                rest, choices = onwards(unit + 1, after)
                found.append((quality_of(judge, times[unit], after) + rest, [list(chosen), *choices]))
        return max(found, key=lambda each: each[0])

    total, choices = onwards(0, tuple(copies.tolist()))
    return total / len(times) if times else 1.0, choices


def quality_of(judge: Judge, time: float, copies: tuple[int, ...]) -> float:
    """Of a repository at a time, worked out from nothing."""
    pages = np.arange(len(copies))
    held, live = (judge.matches(pages, versions) for versions in (np.array(copies), judge.world.live(time)))
    weights = judge.demand.weights("judged", time)
    return quality(held, live, weights, judge.ties, judge.visibility, tie=judge.tie).value
