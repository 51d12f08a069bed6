"""Which queries could new pages help most?  Those asked often whose best results are poor.

neediness(q) = f(q)·improvability(x), x being the mean score of the best K results, where there are fewer 0 (S. Pandey,
C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §5.2).  Improvability is learnt from the queries' own past: how
many fetched pages have entered their best K since their x was noted.  Until enough have, all queries are alike.
"""

import numpy as np
from numpy.typing import NDArray

from sought.crawl.supply.holdings import Holdings
from sought.crawl.supply.supplier import Committed
from sought.crawl.supply.tops import best_scores
from sought.index.statistics import Statistics
from sought.index.top import Top
from sought.policy.improvability import Improvability, fit_improvability

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

_ENOUGH = 200  # pages that have entered somebody's best results
_META = "improvability"


class Improving:
    """What has been learnt, kept in the store: the pages that taught it will not enter again."""

    def __init__(self, holdings: Holdings) -> None:
        self.store = holdings.store
        self.curve = Improvability(*self.store.meta(_META, ()))
        self.noted: tuple[object, object] = (None, None)  # lists and statistics for which x was noted
        self.x = np.zeros(0)

    def take(self, committed: Committed) -> None:
        """What enters is counted by the lists."""

    def update(self, top: Top, statistics: Statistics, x: Floats, asked: Numbers) -> Improvability:
        """The curve as of now; `x` are the mean scores of all queries, `asked` those that count.

        By other statistics all scores are others, and it is counted anew.
        """
        if self.noted[0] is not top or self.noted[1] is not statistics:
            self._mark(top, statistics, x)
        elif int(top.entered[asked].sum()) >= max(_ENOUGH, len(asked) // 4):
            self.curve = fit_improvability(self.x[asked], top.entered[asked])
            self.store.put_meta(_META, [self.curve.a, self.curve.b, self.curve.most])
            self._mark(top, statistics, x)
        return self.curve

    def _mark(self, top: Top, statistics: Statistics, x: Floats) -> None:
        self.noted, self.x = (top, statistics), x
        top.forget_entered()


def mean_scores(top: Top, k: int, units: Floats) -> Floats:
    """Of the best k results of each query, in comparable units; those that are missing count as 0."""
    total: Floats = best_scores(top, k).sum(axis=1, dtype=np.float64)
    return total / (k * units)


def neediest(neediness: Floats, most: int) -> Numbers:
    """The neediest queries, of equals the first, in this order; who needs nothing is none of them."""
    some = np.flatnonzero(neediness > 0)
    if not most:
        return some[:0]
    if len(some) > most:
        least = np.partition(neediness[some], len(some) - most)[len(some) - most]
        above, level = some[neediness[some] > least], some[neediness[some] == least]
        some = np.sort(np.concatenate([above, level[: most - len(above)]]))
    return some[np.argsort(-neediness[some], kind="stable")]
