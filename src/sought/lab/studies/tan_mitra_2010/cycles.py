"""What do the studies of tan-mitra-2010 share?  Cycles over a fixed set of pages, and how two policies are compared.

Q. Tan, P. Mitra, Clustering-Based Incremental Web Crawling, TOIS 2010: 300,000 pages of 210 sites for a year,
of which 25,000, 50,000 or 100,000 can be fetched in a cycle of one to eight weeks.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from operator import or_
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sought.lab.judge.statistics import t_statistic
from sought.lab.measures import ChangeRatio, FreshnessAt, Measure, PrecisionAt
from sought.lab.replay.setting import Setting, fetches_of, pages_at_start, seen_in
from sought.lab.studies.bounds import lacks
from sought.lab.studies.figures import line_figure
from sought.lab.studies.grid import Grid
from sought.lab.studies.study import Figure, StudyContext, WorldResult
from sought.lab.worlds.files import open_world
from sought.lab.worlds.world import WEEK, World
from sought.web.policy import Policy

Floats = NDArray[np.float64]

PAPER = "tan-mitra-2010"
LITTLE, SOME, MUCH = 0.09, 0.18, 0.35  # of all pages a cycle: 25,000, 50,000 and 100,000 of 285,000
SAMPLE = 10  # fetches of a cycle that there are for each cluster: samples have 5 pages or more
FEWEST_CLUSTERS, MOST_CLUSTERS = 5, 100
FEWEST_CYCLES = 8
MANY_HOSTS = 20  # from which on sites are groups among others
CRITICAL = 1.96
MEASURES: tuple[Measure, ...] = (ChangeRatio(), FreshnessAt(), PrecisionAt())
RATIO, FRESH, PRECISE = (measure.name for measure in MEASURES)
AGAIN, TWICE = "fetched again", "seen twice"  # no measures of the paper: they tell why
NEEDS = f"a world with queries, a fixed set of pages and at least {FEWEST_CYCLES} cycles"

Series = Mapping[str, Floats]  # by measure, a value for each cycle


@dataclass(frozen=True)
class CycleWorld:
    """A world as the paper has one: pages that are there all the time, cycles of some weeks."""

    folder: Path
    world: World
    setting: Setting

    @property
    def cycle(self) -> float:
        """In seconds, as policies have it."""
        return float(self.world.unit)

    @property
    def clusters(self) -> int:
        """As many as leave `SAMPLE` fetches of the smallest cycle for each, at most the paper's."""
        fetches = fetches_of(LITTLE, pages_at_start(self.world))
        return min(max(fetches // SAMPLE, FEWEST_CLUSTERS), MOST_CLUSTERS)

    @property
    def hosts(self) -> int:
        live = self.world.live(self.world.start)
        return len(np.unique(self.world.sites[1][live >= 0]))

    @property
    def plain(self) -> Setting:
        """For `world`, which is seen in the setting already."""
        return replace(self.setting, pages="all", every=1)

    def series(self, arms: Mapping[str, Policy], share: float, context: StudyContext) -> dict[str, Series]:
        """What came of each policy, cycle by cycle."""
        replayed = Grid(arms, (share,), (self.setting,), MEASURES).replay(self.folder, context)
        pages = pages_at_start(self.world)
        return {
            name: {
                **{measure.name: replayed[name].series(measure) for measure in MEASURES},
                **reasons(replayed[name].log(), pages),
            }
            for name in arms
        }


def reasons(log: pl.DataFrame, pages: int) -> dict[str, Floats]:
    """The share of a cycle's fetches that are of pages fetched in the cycle before (NaN for the first), and the share
    of all pages that were fetched by the end of the cycle: of others there is one version only.
    """
    fetched = [set(part["page"].to_list()) for _, part in log.sort("unit").group_by("unit", maintain_order=True)]
    again = [len(now & before) / len(now) for before, now in pairwise(fetched)]
    seen = [len(known) / pages for known in accumulate(fetched, or_)]
    return {AGAIN: np.array([np.nan, *again]), TWICE: np.array(seen)}


def ground_of(folder: Path, weeks: int) -> CycleWorld | str:
    """Cycles of so many weeks; or what the world lacks."""
    world = open_world(folder)
    setting = Setting(pages="fixed", every=max(1, round(weeks * WEEK / world.unit)), scorer="TfIdfPageRank(0.5, 0.5)")
    if lack := lacks(world):
        return lack
    seen = seen_in(world, setting)
    if seen.units < FEWEST_CYCLES:
        return f"fewer than {FEWEST_CYCLES} cycles of {weeks} weeks"
    if pages_at_start(seen) < SAMPLE * FEWEST_CLUSTERS:
        return f"fewer than {SAMPLE * FEWEST_CLUSTERS} pages are there all the time"
    return CycleWorld(folder, seen, setting)


def judging(
    weeks: int, look: Callable[[CycleWorld, StudyContext], WorldResult]
) -> Callable[[Path, StudyContext], WorldResult]:
    """What judges a world by cycles of so many weeks."""

    def judge(folder: Path, context: StudyContext) -> WorldResult:
        ground = ground_of(folder, weeks)
        return WorldResult(lack=ground) if isinstance(ground, str) else look(ground, context)

    return judge


def over_cycles(study: str, title: str, by_name: Mapping[str, Floats], y: str) -> Figure:
    """One line for each name."""
    series = {name: (list(range(1, len(each) + 1)), each.tolist()) for name, each in by_name.items()}
    return line_figure(study, title, series, "cycle", y)


def mean(values: Floats) -> float:
    """Of cycles that say something."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def effect(a: Floats, b: Floats) -> float:
    """Cohen's d: the difference of two means in standard deviations; NaN if there is none."""
    first, second = a[~np.isnan(a)], b[~np.isnan(b)]
    if min(len(first), len(second)) < 2:
        return float("nan")
    spread = float(np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2.0))
    return float(first.mean() - second.mean()) / spread if spread else float("nan")


def paired(a: Floats, b: Floats) -> float:
    """t of the differences cycle by cycle: what all policies meet in a cycle cancels out."""
    gaps = a - b
    return t_statistic(gaps, np.zeros(2)) if np.count_nonzero(~np.isnan(gaps)) > 1 else float("nan")


def differ(a: Floats, b: Floats) -> bool:
    """Whether two means do, by the paper's test."""
    return bool(abs(t_statistic(a, b)) > CRITICAL)


def part_of(values: Floats, first: float, last: float) -> float:
    """The mean over cycles from one share of them to another."""
    size = len(values)
    return mean(values[int(np.floor(first * size)) : max(int(np.ceil(last * size)), 1)])


def largest_first(values: Mapping[str, float], digits: int = 4) -> str:
    """Names and numbers, the largest first."""
    order: Sequence[str] = sorted(values, key=lambda name: -values[name])
    return ", ".join(f"{name} {values[name]:.{digits}f}" for name in order)
