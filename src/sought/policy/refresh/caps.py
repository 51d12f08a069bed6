"""What should a fetch from a host cost so that the host is not asked too often?

A. Kolobov, Y. Peres, E. Lubetzky and E. Horvitz, Optimal Freshness Crawl under Politeness Constraints, SIGIR 2019:
hosts above their cap are fixed at it and the rest is solved again, until none is above.  The same comes out at once if
each host has a price of its own, at which it is just at its cap: its pages pay that or the common price, whichever is
higher.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sought.policy.pages import Floats

Taker = Callable[[Floats | float, slice], Floats]  # rates of rows at a price, or at a price for each
_STEPS = 60
_FAR = 300.0  # e to this, up or down


def host_prices(take: Taker, host: NDArray[np.uint32], cap: float) -> Floats:
    """For each row the price at which its host's rows together take `cap`; 0 if they never do.  All hosts at once."""
    hosts = int(host.max()) + 1
    low, high = np.full(hosts, -_FAR), np.full(hosts, _FAR)
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        over = np.bincount(host, take(np.exp(middle)[host], slice(None)), hosts) > cap
        low, high = np.where(over, middle, low), np.where(over, high, middle)
    return np.where(low > -_FAR, np.exp(high), 0.0)[host]
