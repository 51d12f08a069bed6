"""New pages by their similarity to a topic, alone or mixed with the number of links to them."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sought.beliefs.topic_likeness import Likeness
from sought.policy.ordering import of_new
from sought.web.checks import check_positive, check_topic
from sought.web.expression import brief
from sought.web.pages import Floats, Pages


@brief
@dataclass(frozen=True)
class Similarity:
    """IC'(p) = k1·IS'(p, Q) + k2·IB'(p) (Cho, Garcia-Molina & Page 1998, §2.1).

    k2 = 0, the default, is similarity alone.  IS' is at most 1 and IB' a number of links, so that k2 is best small.
    """

    paper: ClassVar[str] = "cho-garcia-molina-page-1998"

    topic: str
    k1: float = 1.0
    k2: float = 0.0

    def __post_init__(self) -> None:
        check_topic("Similarity", self.topic)
        check_positive("Similarity: k1", self.k1, or_zero=True)
        check_positive("Similarity: k2", self.k2, or_zero=True)

    @property
    def beliefs(self) -> tuple[Likeness]:
        return (Likeness(self.topic),)

    def importance(self, pages: Pages) -> Floats:
        with np.errstate(over="ignore"):
            mixed = self.k1 * pages.belief(Likeness(self.topic)) + self.k2 * pages.inlinks
        return np.clip(mixed, *_FINITE)

    def __call__(self, pages: Pages, now: float) -> Floats:
        return of_new(pages, self.importance(pages))


_FINITE = float(np.finfo(np.float64).min), float(np.finfo(np.float64).max)
