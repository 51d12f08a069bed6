"""Not all pages that would serve the same query are needed."""

import numpy as np
from numpy.typing import NDArray

from sought.web.pages import Floats

_VISIBILITY = 1.5  # the result at rank r is seen r^-1.5 as often as the first


def discount_same_query(entry: Floats, query: Floats, share: Floats, key: NDArray[np.uint64]) -> Floats:
    """What new pages bring if others enter for the same query, the best first.

    The k-th is seen k^-1.5 as often as it would be alone, so its share for that query shrinks; ties by the lower key.
    """
    rows = np.flatnonzero((query >= 0.0) & (share > 0.0))
    rows = rows[np.lexsort((key[rows], -entry[rows], query[rows]))]
    named = query[rows]
    starts = np.flatnonzero(np.append(True, named[1:] != named[:-1])[: len(named)])
    place = np.arange(len(rows)) - np.repeat(starts, np.diff(starts, append=len(rows)))
    discounted = entry.copy()
    discounted[rows] *= 1.0 - np.minimum(share[rows], 1.0) * (1.0 - (place + 1.0) ** -_VISIBILITY)
    return discounted
