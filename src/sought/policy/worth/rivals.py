"""Pages that would serve the same query are not all needed."""

import numpy as np
from numpy.typing import NDArray

from sought.web.pages import Floats

_VISIBILITY = 1.5  # who comes at rank r is seen r^-1.5 as often as the first


def in_company(entry: Floats, query: Floats, share: Floats, key: NDArray[np.uint64]) -> Floats:
    """What pages bring beside others that are to enter for the same query, the best of which comes first.

    The k-th of them is seen k^-1.5 as often as if it came alone, in what it brings for that query; of equals those of
    the lower key come first.
    """
    rows = np.flatnonzero((query >= 0.0) & (share > 0.0))
    rows = rows[np.lexsort((key[rows], -entry[rows], query[rows]))]
    named = query[rows]
    starts = np.flatnonzero(np.append(True, named[1:] != named[:-1])[: len(named)])
    place = np.arange(len(rows)) - np.repeat(starts, np.diff(starts, append=len(rows)))
    found = entry.copy()
    found[rows] *= 1.0 - np.minimum(share[rows], 1.0) * (1.0 - (place + 1.0) ** -_VISIBILITY)
    return found
