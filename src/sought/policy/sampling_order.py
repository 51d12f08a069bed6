"""In which order does a cycle fetch that samples first?  Samples, then pages like changed samples, then others.

2 to 3    samples that are not fetched yet: the first of every group before the second of any
1 to 2    pages that the samples indicate
0 to 1    other known pages
-1 to 0   pages that were fetched in this cycle, the oldest copy first
never     pages never fetched
"""

import numpy as np

from sought.beliefs.ages import by_rotation
from sought.beliefs.cycles import Flags
from sought.web.pages import NEVER, Floats, Pages, Rows

_SAMPLES, _INDICATED = 2.0, 1.0


def values(
    pages: Pages, now: float, fetched: Flags, others: Floats, indicated: Floats, samples: Rows, place: Rows
) -> Floats:
    """The value of every row.

    `others` is from 0 to below 1; so is `indicated`, or below 0 for rows that no sample indicates.  `samples` are the
    rows to sample, at these places of their groups; those that were fetched in this cycle are skipped.
    """
    value = others.copy()
    np.copyto(value, _INDICATED + indicated, where=indicated >= 0)
    value[samples] = _SAMPLES + 1.0 / (1.0 + place)
    np.copyto(value, by_rotation(pages, now), where=fetched)
    value[pages.is_new] = NEVER
    return value
