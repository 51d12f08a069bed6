"""Variation: how much change intervals differ inside groups of pages.

    mean over groups of sd/mean of the interval;  interval of a page = time observed / number of changes

Q. Tan, P. Mitra, Clustering-based Incremental Web Crawling, TOIS 2010, §6.3.7, fig. 8: the lower, the better groups
predict changes.  A page is observed from its birth until it is gone for good, or the world ends.  If it never
changed, its interval is as long as that (at least: it is censored).  Groups of one page say nothing and are left out.
It depends on the world and the grouping only, so it is the same for every run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sought.lab.measures.measure import Floats, check_choice
from sought.lab.measures.reading import ReadCopies
from sought.lab.replay.run import Run
from sought.lab.worlds.world import Numbers, World
from sought.web.expression import brief
from sought.web.url import hostname

By = Literal["host", "directory"]


@brief
@dataclass(frozen=True)
class Variation:
    """Of pages of one host, or of one directory; NaN if none has two pages."""

    by: By = "host"

    def __post_init__(self) -> None:
        check_choice("by", self.by, get_args(By))

    @property
    def name(self) -> str:
        return f"variation_{self.by}"

    def __call__(self, run: Run) -> Floats:
        groups = by_host(run.world.urls) if self.by == "host" else by_directory(run.world.urls)
        return np.full(len(run.moments), variation(run.world, groups))


def variation(world: World, groups: Numbers) -> float:
    """The mean coefficient of variation, where groups[p] is the group of page p."""
    intervals, _ = change_intervals(world)
    known = np.isfinite(intervals)
    _, group = np.unique(groups[known], return_inverse=True)
    sizes = np.bincount(group)
    means = np.bincount(group, intervals[known]) / sizes
    deviations = np.sqrt(np.bincount(group, (intervals[known] - means[group]) ** 2) / sizes)
    counted = sizes > 1
    return float((deviations[counted] / means[counted]).mean()) if counted.any() else np.nan


def change_intervals(world: World) -> tuple[Floats, NDArray[np.bool_]]:
    """The mean time between changes of every page, and whether it is only a lower bound; NaN if never observed."""
    reading = ReadCopies(world)
    first, last = (np.full(len(world.urls), fill) for fill in (np.inf, -np.inf))
    there, page = np.flatnonzero(world.is_page), world.versions.page
    np.minimum.at(first, page[there], world.versions.time[there])
    np.maximum.at(last, page[there], np.minimum(world.until[there], world.end))
    observed = last - np.maximum(first, world.start)
    changes = np.bincount(page[reading.changes(first, last)], minlength=len(world.urls))
    return np.where(observed > 0, observed / np.maximum(changes, 1), np.nan), changes == 0


def by_host(urls: Sequence[str]) -> Numbers:
    """A number for each host."""
    return _numbered([hostname(url) for url in urls])


def by_directory(urls: Sequence[str]) -> Numbers:
    """A number for each address up to its last slash."""
    return _numbered([url.partition("?")[0].rpartition("/")[0] for url in urls])


def _numbered(names: Sequence[str]) -> Numbers:
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], np.int64)


MEASURES = (
    Variation("host"),
    Variation("directory"),
)
