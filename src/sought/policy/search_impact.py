"""New pages by how often people would see them among the first results."""

from dataclasses import dataclass
from typing import ClassVar

from sought.beliefs.search_impact.hybrid import SearchImpactScore
from sought.policy.ordering import Ordering
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class SearchImpact(Ordering, SearchImpactScore):
    """Pandey & Olston, Crawl Ordering by Search Impact, WSDM 2008: their Figure 4, complete.

    In each cycle the neediest queries are chosen (a share `sketches` of the workload, at least `fewest`) and matched
    with the addresses and anchors of new pages by word n-grams up to `g`; a match shares at least `rho` of the query's
    n-grams.  The score of a matching page is predicted; its impact is how often it would be in the first `k` results.

    by_queries = 0.9 is their hybrid with the impact of pages of the same importance, 1 their query-driven policy (the
    Q-Overlap of Tran et al. 2015), 0 the one by importance alone.  estimate = "expected" uses the distribution of
    predicted scores instead of its mean.
    """

    paper: ClassVar[str] = "pandey-olston-2008"
