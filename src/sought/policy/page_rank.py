"""New pages by their PageRank on the known part of the Web."""

from dataclasses import dataclass
from typing import ClassVar

from sought.beliefs.page_rank import PageRankScore
from sought.policy.ordering import Ordering
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class PageRank(Ordering, PageRankScore):
    """IR'(p) = (1-d) + d·Σ_{t→p} IR'(t)/c_t over links seen so far; a page without known links leads to all pages.

    Cho, Garcia-Molina & Page 1998, §2.1 and §4, `PageRank`.  With d = 0.85 pages come in the order of the PageRank of
    Tran, Turk, Cambazoglu & Nejdl (SIGIR 2015), which is this divided by the number of pages.
    """

    paper: ClassVar[str] = "cho-garcia-molina-page-1998"
