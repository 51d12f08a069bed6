"""What is a score worth, compared with scores for other queries?

Scores of one query are sums over its terms, and rare terms add more.  In units of what the terms could add at most, a
share of it says the same of every query ("scores must be comparable across queries": S. Pandey, C. Olston, Crawl
Ordering by Search Impact, WSDM 2008, §5.2).
"""

import numpy as np
from numpy.typing import NDArray

from sought.index.measure import Measure


def units(measure: Measure) -> NDArray[np.float64]:
    """For each query the sum of its terms' weights, with BM25 in proportion to that of idf; 1 where there is none.

    Terms are those of the language whose terms are on most pages.  Scorers that make something else of the sum have
    their own common scale: 1.
    """
    queries = len(measure.queries)
    languages = measure.filing.languages
    if not measure.scorer.is_sum or not languages:
        return np.ones(queries)
    terms = len(measure.vocabulary)
    held = measure.statistics.of_terms(terms)[:, -1]
    starts, found = max(map(measure.filing.terms, languages), key=lambda read: int(held[read[1]].sum()))
    weight = measure.scorer.weights(measure.statistics, terms).sum(axis=1, dtype=np.float64)
    owner = np.repeat(np.arange(queries), np.diff(starts))
    total = np.bincount(owner, weight[found], minlength=queries)
    return np.where(total > 0, total, 1.0)
