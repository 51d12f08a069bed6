"""Crawl and stop with threshold: the share of the hot pages that has been visited.

    P_ST = 100·|{p visited: I(p) ≥ G}| / H,  H = |{p: I(p) ≥ G}|

J. Cho, H. Garcia-Molina, L. Page, Efficient Crawling Through URL Ordering, WWW7 1998, §2.2.  Ideal 100·min(K, H)/H,
random 100·K/T after K of T pages.  G is the importance of the page that a share `hot` of the live pages reaches; more
pages are hot than that where several have importance G.
"""

from dataclasses import dataclass

import numpy as np

from sought.lab.measures.importance import IMPORTANCES, Importance, visited, weighed
from sought.lab.measures.measure import Floats, check_choice, check_share, named
from sought.lab.replay.run import Run
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class Threshold:
    """NaN where there are no pages."""

    hot: float = 0.1
    importance: Importance = "backlinks"

    def __post_init__(self) -> None:
        check_share("hot", self.hot)
        check_choice("importance", self.importance, IMPORTANCES)

    @property
    def name(self) -> str:
        share = f"{self.hot:g}" if self.hot != Threshold.hot else ""
        return named("p_st", share, "pagerank" * (self.importance == "pagerank"))

    def __call__(self, run: Run) -> Floats:
        values = np.full(len(run.moments), np.nan)
        for web, seen in zip(weighed(run, self.importance), visited(run), strict=True):
            hot = web.hot(max(1, round(self.hot * len(web.pages))))
            if len(hot):
                values[web.moment.unit] = 100 * np.count_nonzero(seen[hot]) / len(hot)
        return values


MEASURES = (
    Threshold(),
    Threshold(importance="pagerank"),
)
