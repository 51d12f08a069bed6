"""Crawl and stop: the share of the K visited pages that are among the K most important.

    P_CS = 100·M/K,  M = |{p visited: I(p) ≥ I(r_K)}|,  r_K the K-th most important of T live pages

J. Cho, H. Garcia-Molina, L. Page, Efficient Crawling Through URL Ordering, WWW7 1998, §2.2.  Ideal 100, random 100·K/T.
Equals of r_K are hot too (M is at most K all the same).  A page that is no longer live is not counted as visited.
"""

from dataclasses import dataclass

import numpy as np

from sought.lab.measures.importance import IMPORTANCES, Importance, visited, weighed
from sought.lab.measures.measure import Floats, check_choice, named
from sought.lab.replay.run import Run
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class CrawlAndStop:
    """NaN until a page has been visited."""

    importance: Importance = "backlinks"

    def __post_init__(self) -> None:
        check_choice("importance", self.importance, IMPORTANCES)

    @property
    def name(self) -> str:
        return named("p_cs", "pagerank" * (self.importance == "pagerank"))

    def __call__(self, run: Run) -> Floats:
        values = np.full(len(run.moments), np.nan)
        for web, seen in zip(weighed(run, self.importance), visited(run), strict=True):
            count = int(np.count_nonzero(seen[web.pages]))
            if count:
                values[web.moment.unit] = 100 * np.count_nonzero(seen[web.hot(count)]) / count
        return values


MEASURES = (
    CrawlAndStop(),
    CrawlAndStop("pagerank"),
)
