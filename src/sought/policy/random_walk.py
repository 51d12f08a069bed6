"""New pages by a random walk from pages that people see or click."""

from dataclasses import dataclass
from typing import ClassVar

from sought.beliefs.random_walk import RandomWalkScore
from sought.policy.ordering import Ordering
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class RandomWalk(Ordering, RandomWalkScore):
    """RW and RW-EG (Tran, Turk, Cambazoglu & Nejdl, SIGIR 2015, §4).

    `impact` is the search impact of a page, clicks or views; `beta` is how much more pages with many links count (1 on
    their dense set, 0 on their skewed one).  omega = 1 is RW; below 1 it is RW-EG, on a graph enriched by edges between
    pages with a common parent (theirs: 0.1 to 0.2 on the dense set, 0.8 to 0.9 on the skewed one).
    """

    paper: ClassVar[str] = "tran-et-al-2015"
