"""How often should each page be fetched, if fetches of a page come at even intervals?

J. Cho and H. Garcia-Molina, Synchronizing a Database to Improve Freshness, SIGMOD 2000; Effective Page Refresh Policies
for Web Crawlers, TODS 2003.  Changes come at random (Poisson) at a known rate.
"""

from math import log, log1p, sqrt

import numpy as np
from numba import types

from sought.policy.pages import Floats, pieces
from sought.policy.refresh.price import clearing_price
from sought.web.compiled import Int, cached, compiled, readable

_MARGIN = 4e-12  # how exactly a price is known, and some more
_NEAR = 1e-8  # Newton's method doubles the digits of each step: after such a one there are 15


def optimal_frequencies(rate: Floats, weight: Floats, total: float) -> Floats:
    """Fetches per unit of time for each page: they sum to `total`, and the weighted share of pages whose copy is up to
    date is the largest there is.

    A page that changes fast for its weight gets nothing, for it would be stale at once (rate · price ≥ weight).  Pages
    that never change (rate 0) or do not count (weight 0) get nothing; if no others are left, nothing is given.

    No frequency is too high: where a page can be fetched only once in a slot, take whole fetches (allotment.py).

    With x changes between two fetches, the best x have 1 − (1+x)e^{−x} = price · rate / weight: a Lambert W,
    branch −1.  SciPy's works on complex numbers; here it is a few steps of Newton's method.
    """
    out = np.zeros(len(rate))
    moves = np.flatnonzero((rate > 0.0) & (weight > 0.0))
    if total <= 0.0 or not len(moves):
        return out
    slope = rate[moves] / weight[moves]
    order = np.argsort(slope)  # sums are then the same whatever the order of rows
    at = _prices(rate[moves[order]], slope[order], total)
    for piece in pieces(len(moves)):
        out[moves[piece]] = _frequencies(rate[moves[piece]], slope[piece], *at)
    return out


def _prices(rate: Floats, slope: Floats, total: float) -> tuple[float, float, float]:
    """A price at which a little more than `total` is taken, one for a little less, and which share of the first to mix.

    Where a page fetched rarely is as good as always stale, it takes nothing at one price and a lot at the next float.
    """

    def taken(price: float, step: int) -> float:
        return float(_taken(rate, slope, price, step))

    middle = float(slope[len(slope) // 2])
    price = clearing_price(lambda price, step: taken(price / middle, step), len(rate), total) / middle
    cheap, dear = price * (1.0 - _MARGIN), price * (1.0 + _MARGIN)
    most, least = taken(cheap, 1), taken(dear, 1)
    return cheap, dear, float(np.clip((total - least) / (most - least), 0.0, 1.0)) if most > least else 0.0


_READ = readable(types.float64)


@cached(types.float64(_READ, _READ, types.float64, types.int64))
def _taken(rate: Floats, slope: Floats, price: float, step: Int) -> float:
    """The sum over every `step`-th page, times `step`; slopes ascend."""
    total = 0.0
    for i in range(step // 2, len(rate), step):
        at = price * slope[i]
        if at >= 1.0:
            break
        total += _frequency(rate[i], at)
    return total * float(step)


@cached(types.float64[::1](_READ, _READ, *[types.float64] * 3))
def _frequencies(rate: Floats, slope: Floats, cheap: float, dear: float, share: float) -> Floats:
    """For each page those at two prices, mixed."""
    out = np.zeros(len(rate))
    for i in range(len(rate)):
        most = _frequency(rate[i], slope[i] * cheap)
        least = _frequency(rate[i], slope[i] * dear)
        out[i] = least + share * (most - least)
    return out


@compiled
def _frequency(rate: float, at: float) -> float:
    return rate / _changes(at) if at < 1.0 else 0.0


@compiled
def _changes(at: float) -> float:
    """x with 1 − (1+x)e^{−x} = at, which is −1 − W₋₁((at − 1)/e).

    A series near 0; else Newton's method for log(1+x) − x = log(1 − at), from a start within a few percent.
    """
    q = sqrt(2.0 * at)
    x = q * (1.0 + q * (1 / 3 + q * (11 / 72 + q * (43 / 540 + q * (769 / 17280 + q * (221 / 8505))))))
    if at < 1e-4:
        return x
    goal = log1p(-at)
    if at > 0.7:
        x = -goal + log(1.0 - goal) * (1.0 + 1.0 / (1.0 - goal))
    for _ in range(6):
        step = (log1p(x) - x - goal) * (1.0 + x) / x
        x += step
        if abs(step) < _NEAR * x:
            break
    return x
