"""New pages that pages which people see lead to."""

from dataclasses import dataclass
from typing import Literal, get_args

from sought.policy.checks import check_choice, check_positive, check_share
from sought.policy.ordering import Ordering
from sought.web.expression import brief

Impact = Literal["clicks", "views"]
IMPACTS: tuple[Impact, ...] = get_args(Impact)


@brief
@dataclass(frozen=True)
class RandomWalk(Ordering):
    """RW and RW-EG (Tran, Turk, Cambazoglu & Nejdl, SIGIR 2015, §4).

    `impact` is what a page has brought to search, clicks or views; `beta` says how much pages with many links count
    for more (1 in their dense set, 0 in their skewed one).  omega = 1 is RW; below 1 it is RW-EG, on a graph enriched
    by edges between pages with a common parent (theirs: 0.1 to 0.2 on the dense set, 0.8 to 0.9 on the skewed one).
    """

    impact: Impact = "clicks"
    omega: float = 1.0
    beta: float = 0.0
    alpha: float = 0.85
    epsilon: float = 0.001

    def __post_init__(self) -> None:
        check_choice("RandomWalk: impact", self.impact, IMPACTS)
        check_share("RandomWalk: omega", self.omega)
        check_share("RandomWalk: alpha", self.alpha, below_one=True)
        check_positive("RandomWalk: beta", self.beta, or_zero=True)
        check_positive("RandomWalk: epsilon", self.epsilon)
