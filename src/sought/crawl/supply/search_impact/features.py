"""What can be known of how well a page will answer a query, before it is fetched?

The features of S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §6.1: how much of the query is in the
address and in anchors, how important the page and how specific the query is.  The words of a row's anchors are looked
at together, not anchor by anchor.
"""

import numpy as np
from numpy.typing import NDArray

from sought.crawl.supply.search_impact.matching import Matching
from sought.crawl.table import Table
from sought.index.gram_shares import gram_shares

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Features = NDArray[np.float32]

NAMES = (
    *("words in host", "n-grams in host", "words in path", "n-grams in path", "words in anchors", "n-grams in anchors"),
    *("anchors", "log in-links", "log PageRank", "slashes", "mean score of host", "words of query", "weight of query"),
)


def features(
    matching: Matching, table: Table, log_ranks: Floats, units: Floats, rows: Rows, queries: Rows, host_means: Floats
) -> Features:
    """A row for each pair of a table's row and a query, in the order of NAMES; `host_means` are those of the pairs."""
    found = np.empty((len(rows), len(NAMES)), np.float32)
    found[:, :6] = gram_shares(matching.index, rows, queries)
    found[:, 6] = matching.anchors[rows]
    found[:, 7] = np.log1p(table["inlinks"][rows])
    found[:, 8] = log_ranks[rows]
    found[:, 9] = matching.slashes[rows]
    found[:, 10] = host_means
    found[:, 11] = matching.lengths[queries]
    found[:, 12] = units[queries]
    return found
