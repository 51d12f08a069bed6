"""What should a fetch from a host cost so that the host is not asked too often?

A. Kolobov, Y. Peres, E. Lubetzky and E. Horvitz, Optimal Freshness Crawl under Politeness Constraints, SIGIR 2019:
hosts above their cap are fixed at it and the rest is solved again, until none is above.  The same comes out at once if
each host has a price of its own, at which it is just at its cap: its pages pay that or the common price, whichever is
higher.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sought.policy.estimator import Rows
from sought.policy.pages import Floats

Taker = Callable[[Floats | float, slice | Rows], Floats]  # rates of rows at a price, or at a price for each
_FAR = 300.0  # e to this, up or down
_CLOSE = 1e-12
_ROUNDING = 1e-6
_LEAST = 1e-300


def host_prices(take: Taker, host: NDArray[np.uint32], cap: float) -> Floats:
    """For each row the price at which its host's rows together take `cap`; 0 if they never do.

    What they take must not fall faster than the price rises.  All hosts are solved at once, by Chandrupatla's method on
    the logarithms of both.  Only hosts that are not settled are asked again, in far fewer rounds than halving takes.
    """
    from scipy.optimize.elementwise import find_root

    excess, hosts = _excess(take, host, cap), np.flatnonzero(np.bincount(host))
    top = np.full(len(hosts), _FAR)
    top += excess(top, hosts) + _ROUNDING  # where they would take `cap` if that fell as fast as the price rises
    allowed = {"xatol": _CLOSE, "xrtol": 0.0, "fatol": _CLOSE, "frtol": 0.0}
    found = find_root(excess, (np.full(len(hosts), -_FAR), top), args=(hosts,), tolerances=allowed)
    price = np.zeros(int(hosts[-1]) + 1)
    price[hosts] = np.where(found.success, np.exp(found.x), 0.0)
    return price[host]


def _excess(take: Taker, host: NDArray[np.uint32], cap: float) -> Callable[[Floats, Rows], Floats]:
    """By the logarithms of the prices of some hosts: that of what each takes over `cap`."""

    def excess(at: Floats, hosts: Rows) -> Floats:
        price = np.zeros(int(host.max()) + 1)
        price[hosts] = np.exp(at)
        own = price[host]
        rows = np.flatnonzero(own)
        taken = np.bincount(host[rows], take(own[rows], rows), len(price))
        logarithm: Floats = np.log(np.maximum(taken[hosts], _LEAST) / cap)
        return logarithm

    return excess
