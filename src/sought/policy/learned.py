"""New pages by an impact that is learnt from what other orderings say of them."""

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
    learns from pages that were new once: what was said of them before they were fetched, and the impact they have now.
    Until it knows fifty of them pages come in the order of RandomWalk(impact).
    """

    paper: ClassVar[str] = "tran-et-al-2015"
