"""New pages by an impact that is learnt from what other orderings say of them."""

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from sought.policy.checks import check_choice
from sought.policy.ordering import Ordering
from sought.policy.random_walk import IMPACTS, Impact
from sought.web.expression import brief

Model = Literal["tree", "linear"]
Target = Literal["impact", "log1p"]


@brief
@dataclass(frozen=True)
class Learned(Ordering):
    """The machine-learned combination of Tran, Turk, Cambazoglu & Nejdl (SIGIR 2015), §6 and Table 4.

    A regression tree (theirs on the dense set) or a linear model by online gradient descent (on the skewed one).  It
    learns from pages that were new once: what was said of them before they were fetched, and the impact they have now.
    Until it knows fifty of them pages come in the order of RandomWalk(impact).
    """

    model: Model = "tree"
    impact: Impact = "clicks"
    target: Target = "impact"
    needs: ClassVar[str] = "sklearn"

    def __post_init__(self) -> None:
        check_choice("Learned: model", self.model, get_args(Model))
        check_choice("Learned: impact", self.impact, IMPACTS)
        check_choice("Learned: target", self.target, get_args(Target))
