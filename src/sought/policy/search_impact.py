"""New pages by how often they would be among the first results."""

from dataclasses import dataclass
from typing import ClassVar

from sought.beliefs.search_impact.hybrid import SearchImpactScore
from sought.policy.ordering import Ordering
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class SearchImpact(Ordering, SearchImpactScore):
    """Pandey & Olston, Crawl Ordering by Search Impact, WSDM 2008: their Figure 4, whole.

    Each cycle the neediest queries are chosen (the share `sketches` of the workload, at least `fewest`), matched with
    the addresses and anchors of new pages by word n-grams up to `g` (a match has the share `rho` of the query's), and
    what a matching page would score is predicted; who would be in the first `k` is its impact.

    by_queries = 0.9 is their hybrid with what pages as important as this one bring, 1 their query-driven policy (the
    Q-Overlap of Tran et al. 2015), 0 the one that goes by importance alone.  estimate = "expected" works with the
    distribution of predicted scores instead of its mean.
    """

    paper: ClassVar[str] = "pandey-olston-2008"
