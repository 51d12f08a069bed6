"""Importance of the pages of the live Web, independent of queries.

    backlinks  IB(p) = how many live pages link to p
    pagerank   IR(p) = (1-d) + d·Σ_{t→p} IR(t)/c_t, d = 0.9, where c_t is how many pages t links to

J. Cho, H. Garcia-Molina, L. Page, Efficient Crawling Through URL Ordering, WWW7 1998, §2.1.  Each pair of pages counts
once, links to oneself do not; from a page without links the surfer jumps to any.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from sought.graph.links import links_of
from sought.graph.walks import pr
from sought.lab.judge.judge import links_at
from sought.lab.measures.measure import Floats
from sought.lab.replay.run import Moment, Run
from sought.lab.worlds.world import NOTHING, Numbers

Importance = Literal["backlinks", "pagerank"]
IMPORTANCES: tuple[Importance, ...] = get_args(Importance)
_DIGITS = 6  # beyond them PageRank has not converged, and equal pages would differ


class Weighed(NamedTuple):
    """The live pages of a unit and how important each of them is."""

    moment: Moment
    pages: Numbers
    importance: Floats

    def hot(self, count: int) -> Numbers:
        """The `count` most important pages, and all that are as important as the last of these."""
        return self.pages[is_hot(self.importance, count)]


def weighed(run: Run, kind: Importance) -> Iterator[Weighed]:
    """Unit after unit; importance is computed again when the Web has changed."""
    live, pages, values = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    for moment in run.walk():
        now = run.searchable(moment.live)
        if not np.array_equal(now, live):
            live, pages = now, np.flatnonzero(now != NOTHING)
            sources, targets = links_at(run.world, now)
            kept = now[targets] != NOTHING
            number = np.searchsorted(pages, np.stack((sources[kept], targets[kept])))
            values = importance(number[0], number[1], len(pages), kind)
        yield Weighed(moment, pages, values)


def importance(sources: Numbers, targets: Numbers, pages: int, kind: Importance) -> Floats:
    """Of every page, where sources[i] links to targets[i]."""
    if kind == "backlinks":
        return np.bincount(targets, minlength=pages).astype(np.float64)
    return np.round(pages * pr(links_of(sources, targets, pages), alpha=0.9, tolerance=1e-8), _DIGITS)


def is_hot(values: Floats, count: int) -> NDArray[np.bool_]:
    """Which are among the `count` largest, or equal to the least of them."""
    at = max(len(values) - count, 0)
    least = np.partition(values, at)[at] if count and len(values) else np.inf
    hot: NDArray[np.bool_] = values >= least
    return hot


def visited(run: Run) -> Iterator[NDArray[np.bool_]]:
    """Which pages have been seen by the end of each unit: copies at the beginning, and all that were fetched."""
    seen = run.searchable(run.copies) != NOTHING
    for unit in range(len(run.moments)):
        part = run.log.of(unit)
        versions = run.searchable(run.log.version[part])
        seen[run.log.page[part][versions != NOTHING]] = True
        yield seen
