"""How often should each page be fetched if the n-th missed change costs 1/n, and hosts have a limit of fetches?

A. Kolobov, Y. Peres, C. Lu and E. Horvitz, Staying up to Date with Online Content Changes Using Reinforcement Learning
for Scheduling, NeurIPS 2019: n missed changes cost 1 + 1/2 + … + 1/n, so no page is given up.

A. Kolobov, Y. Peres, E. Lubetzky and E. Horvitz, Optimal Freshness Crawl under Politeness Constraints, SIGIR 2019:
hosts above their limit are fixed at it and the rest is solved again, until none is above.  Here the same follows in one
step: each host has a price of its own at which it just reaches its limit, and its pages pay that or the common price,
whichever is higher.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sought.policy.solvers.frequencies import clearing_price
from sought.web.pages import Floats, Rows

Taker = Callable[[Floats | float, slice | Rows], Floats]  # rates of rows at a price, or at a price for each
_FAR = 300.0  # e to this, up or down
_CLOSE = 1e-12
_ROUNDING = 1e-6
_MIN = 1e-300


def host_prices(take: Taker, host: NDArray[np.uint32], cap: float) -> Floats:
    """For each row the price at which its host's rows together take `cap`; 0 if they never do.

    The amount taken must not fall faster than the price rises.  All hosts are solved at once, by Chandrupatla's method
    on the logarithms of both; only hosts that have not converged are evaluated again.
    """
    from scipy.optimize.elementwise import find_root

    excess, hosts = _excess(take, host, cap), np.flatnonzero(np.bincount(host))
    top = np.full(len(hosts), _FAR)
    top += excess(top, hosts) + _ROUNDING  # where they would take `cap` if that fell as fast as the price rises
    allowed = {"xatol": _CLOSE, "xrtol": 0.0, "fatol": _CLOSE, "frtol": 0.0}
    roots = find_root(excess, (np.full(len(hosts), -_FAR), top), args=(hosts,), tolerances=allowed)
    price = np.zeros(int(hosts[-1]) + 1)
    price[hosts] = np.where(roots.success, np.exp(roots.x), 0.0)
    return price[host]


def _excess(take: Taker, host: NDArray[np.uint32], cap: float) -> Callable[[Floats, Rows], Floats]:
    """log(taken / cap) of some hosts as a function of the logarithms of their prices."""

    def excess(at: Floats, hosts: Rows) -> Floats:
        price = np.zeros(int(host.max()) + 1)
        price[hosts] = np.exp(at)
        own = price[host]
        rows = np.flatnonzero(own)
        taken = np.bincount(host[rows], take(own[rows], rows), len(price))
        logarithm: Floats = np.log(np.maximum(taken[hosts], _MIN) / cap)
        return logarithm

    return excess


Flags = NDArray[np.bool_]


def harmonic_rates(
    rate: Floats,
    weight: Floats,
    announced: Flags,
    total: float,
    host: NDArray[np.uint32] | None = None,
    per_host: float = np.inf,
) -> Floats:
    """Fetches per unit of time of least cost; they sum to `total`, or less if more are of no use.

    A page whose changes are seen only by fetching (cost −weight · ln(ρ/(ρ + rate))) is fetched at random at rate ρ.  A
    page whose changes are `announced` (cost −weight · ln π) is fetched at each change with probability π, so at rate
    π · rate.  The same price for both gives the best split of the budget.  With `host`, the pages of each host get
    `per_host` at most.
    """
    out = np.zeros(len(rate))
    moves = np.flatnonzero((rate > 0.0) & (weight > 0.0))
    if total <= 0.0 or per_host <= 0.0 or not len(moves):
        return out
    rows = moves[np.argsort(rate[moves] / weight[moves], kind="stable")]  # sums do not depend on the order of rows
    take = _taker(rate[rows], weight[rows], announced[rows])
    least = 0.0 if host is None or np.isinf(per_host) else host_prices(take, host[rows], per_host)
    price = clearing_price(lambda price, step: step * _sum(take, price, least, step), len(rows), total)
    out[rows] = take(np.maximum(price, least), slice(None))
    return out


def _taker(rate: Floats, weight: Floats, announced: Flags) -> Taker:
    def take(price: Floats | float, rows: slice | Rows) -> Floats:
        """ρ is the positive root of ρ² + rate·ρ = weight·rate/price; at price 0 only announcements are ever enough."""
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            worth = weight[rows] / price
            more = 4.0 * worth / rate[rows]
            unseen = 2.0 * worth / (1.0 + np.sqrt(1.0 + more))
        return np.where(announced[rows], np.minimum(rate[rows], worth), unseen)

    return take


def _sum(take: Taker, price: float, least: Floats | float, step: int) -> float:
    some = slice(step // 2, None, step)
    return float(take(np.maximum(price, least if isinstance(least, float) else least[some]), some).sum())
