"""Which parameters does search impact have?"""

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from sought.beliefs.belief import Supplied
from sought.web.checks import check_choice, check_positive, check_share, check_whole
from sought.web.expression import brief

Estimate = Literal["scalar", "expected"]


@brief
@dataclass(frozen=True)
class SearchImpactParameters(Supplied):
    """See the policy `SearchImpact`."""

    is_abstract: ClassVar[bool] = True

    by_queries: float = 0.9
    k: int = 10
    g: int = 3
    rho: float = 1.0
    sketches: float = 0.0007
    fewest: int = 1000
    estimate: Estimate = "scalar"
    needs: ClassVar[str] = "sklearn"

    def __post_init__(self) -> None:
        check_share(f"{type(self).__name__}: by_queries", self.by_queries)
        check_whole(f"{type(self).__name__}: k", self.k, 1, 100)
        check_whole(f"{type(self).__name__}: g", self.g, 1, 8)
        check_share(f"{type(self).__name__}: rho", self.rho)
        check_positive(f"{type(self).__name__}: rho", self.rho)
        check_share(f"{type(self).__name__}: sketches", self.sketches)
        check_whole(f"{type(self).__name__}: fewest", self.fewest, 0, 10_000_000)
        check_choice(f"{type(self).__name__}: estimate", self.estimate, get_args(Estimate))
