"""How does a number for each host become a column?"""

import numpy as np
from numpy.typing import NDArray

from sought.web.pages import Floats, Pages, pieces


def hosts_in(pages: Pages) -> int:
    """The length of an array indexed by host."""
    return int(pages.host.max(initial=0)) + 1


def spread(by_host: Floats, host: NDArray[np.uint32]) -> Floats:
    """The number of each row's host."""
    out = np.empty(len(host))
    for piece in pieces(len(host)):  # NumPy copies an index into eight bytes a row
        out[piece] = by_host[host[piece]]
    return out
