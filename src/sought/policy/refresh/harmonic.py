"""How often should each page be fetched, if every further unseen change costs less than the one before, but something?

A. Kolobov, Y. Peres, C. Lu and E. Horvitz, Staying up to Date with Online Content Changes Using Reinforcement Learning
for Scheduling, NeurIPS 2019: n unseen changes cost 1 + 1/2 + … + 1/n, and no page is given up.
"""

import numpy as np
from numpy.typing import NDArray

from sought.policy.estimator import Rows
from sought.policy.pages import Floats
from sought.policy.refresh.caps import Taker, host_prices
from sought.policy.refresh.price import clearing_price

Flags = NDArray[np.bool_]


def harmonic_rates(
    rate: Floats,
    weight: Floats,
    announced: Flags,
    total: float,
    host: NDArray[np.uint32] | None = None,
    per_host: float = np.inf,
) -> Floats:
    """Fetches per unit of time that cost least; they sum to `total`, or less if there is no use for more.

    A page whose changes show only when it is fetched (cost −weight · ln(ρ/(ρ + rate))) is fetched at random at rate ρ.
    One whose changes are `announced` (cost −weight · ln π) is fetched at a change with probability π, so at rate
    π · rate.  One price settles both, which is the best split of the budget between the two kinds.  With `host`, the
    pages of each have `per_host` at most (A. Kolobov, Y. Peres, E. Lubetzky and E. Horvitz, Optimal Freshness Crawl
    under Politeness Constraints, SIGIR 2019).
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
