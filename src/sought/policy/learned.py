"""New pages by an impact that is learned from the values of other orderings."""

from dataclasses import dataclass
from typing import ClassVar

from sought.beliefs.learned import LearnedScore
from sought.policy.ordering import Ordering
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class Learned(Ordering, LearnedScore):
    """The machine-learned combination of Tran, Turk, Cambazoglu & Nejdl (SIGIR 2015), §6 and Table 4.

    A regression tree (theirs on the dense set) or a linear model by online gradient descent (on the skewed one).  It
    learns from fetched pages: their features before they were fetched, and the impact they have now.  With fewer than
    fifty such pages, pages come in the order of RandomWalk(impact).
    """

    paper: ClassVar[str] = "tran-et-al-2015"
