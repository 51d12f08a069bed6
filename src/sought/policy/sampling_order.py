"""What is fetched first in a cycle that samples: samples, then what they speak for, then others.

2 to 3    samples that are not fetched yet: the first of every group before the second of any
1 to 2    pages that samples speak for
0 to 1    other known pages
-1 to 0   pages that were fetched in this cycle, the oldest copy first: only if there is nothing else
never     pages never fetched
"""

import numpy as np

from sought.beliefs.ages import in_turn
from sought.beliefs.cycles import Flags
from sought.web.pages import NEVER, Floats, Pages, Rows

_SAMPLES, _SPOKEN_FOR = 2.0, 1.0


def values(
    pages: Pages, now: float, fetched: Flags, others: Floats, spoken_for: Floats, samples: Rows, place: Rows
) -> Floats:
    """The value of every row.

    `others` is from 0 to below 1, and so is `spoken_for`, or below 0 for rows that no sample speaks for.  `samples`
    are the rows to sample, at these places of their groups; those that have been are passed over.
    """
    value = others.copy()
    np.copyto(value, _SPOKEN_FOR + spoken_for, where=spoken_for >= 0)
    value[samples] = _SAMPLES + 1.0 / (1.0 + place)
    np.copyto(value, in_turn(pages, now), where=fetched)
    value[pages.is_new] = NEVER
    return value
