"""New pages by how often they would be among the first results."""

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from sought.policy.checks import check_choice, check_positive, check_share, check_whole
from sought.policy.ordering import Ordering
from sought.web.expression import brief

Estimate = Literal["scalar", "expected"]


@brief
@dataclass(frozen=True)
class SearchImpact(Ordering):
    """Pandey & Olston, Crawl Ordering by Search Impact, WSDM 2008: their Figure 4, whole.

    Each cycle the neediest queries are chosen (the share `sketches` of the workload, at least `fewest`), matched with
    the addresses and anchors of new pages by word n-grams up to `g` (a match has the share `rho` of the query's), and
    what a matching page would score is predicted; who would be in the first `k` is its impact.

    by_queries = 0.9 is their hybrid with what pages as important as this one bring, 1 their query-driven policy (the
    Q-Overlap of Tran et al. 2015), 0 the one that goes by importance alone.  estimate = "expected" works with the
    distribution of predicted scores instead of its mean.
    """

    by_queries: float = 0.9
    k: int = 10
    g: int = 3
    rho: float = 1.0
    sketches: float = 0.0007
    fewest: int = 1000
    estimate: Estimate = "scalar"
    needs: ClassVar[str] = "sklearn"

    def __post_init__(self) -> None:
        check_share("SearchImpact: by_queries", self.by_queries)
        check_whole("SearchImpact: k", self.k, 1, 100)
        check_whole("SearchImpact: g", self.g, 1, 8)
        check_share("SearchImpact: rho", self.rho)
        check_positive("SearchImpact: rho", self.rho)
        check_share("SearchImpact: sketches", self.sketches)
        check_whole("SearchImpact: fewest", self.fewest, 0, 10_000_000)
        check_choice("SearchImpact: estimate", self.estimate, get_args(Estimate))
