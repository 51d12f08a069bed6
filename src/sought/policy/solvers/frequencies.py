"""How often should each page be fetched at even intervals, and which price of a fetch uses up the budget?

Every planner here gives a page more fetches the less a fetch costs.  So one number, the Lagrange multiplier of the
budget, decides about all pages.
"""

from collections.abc import Callable
from functools import cache
from math import exp, log, log1p, sqrt

import numpy as np
from numba import types

from sought.web.compiled import Int, cached, compiled, readable
from sought.web.pages import Floats, pieces

_SAMPLE = 1 << 14
_FAR = 600.0  # e to this, up or down: any price, or none
_NO_PRICE = 1e-250


def clearing_price(taken: Callable[[float, int], float], size: int, total: float) -> float:
    """The price at which `taken`, which falls as the price rises, is `total`; 0 if it is less at any price.

    `taken(price, step)` is the sum over every `step`-th of `size` rows, times `step`.  If there are many rows, a sample
    gives a first price; then the sum over all rows is needed about six times.
    """
    price = 1.0
    for step, width in ((max(1, size // _SAMPLE), 8.0), (max(1, size // _SAMPLE // 32), 0.01), (1, 1e-3)):
        price *= exp(_root(_excess(taken, step, total, price), width))
    return price if price > _NO_PRICE else 0.0


def _excess(taken: Callable[[float, int], float], step: int, total: float, at: float) -> Callable[[float], float]:
    """The excess over `total` as a function of the logarithm of price / `at`."""
    return cache(lambda x: taken(at * exp(x), step) - total)


def _root(excess: Callable[[float], float], width: float) -> float:
    """The zero of a falling function, searched from 0 outwards; `_FAR` away if there is none."""
    from scipy.optimize import brentq

    here, sign = 0.0, 1.0 if excess(0.0) > 0.0 else -1.0
    while abs(here) < _FAR:
        there = sign * min(abs(here) + width, _FAR)
        if sign * excess(there) <= 0.0:
            root: float = brentq(excess, min(here, there), max(here, there), xtol=1e-12, rtol=1e-14, maxiter=200)  # type: ignore[no-untyped-call]  # SciPy has no types
            return root
        here, width = there, 4.0 * width
    return here


# J. Cho and H. Garcia-Molina, Synchronizing a Database to Improve Freshness, SIGMOD 2000; Effective Page Refresh
# Policies for Web Crawlers, TODS 2003.  Changes come at random (Poisson) at a known rate.


_MARGIN = 4e-12  # above the relative error of a price
_NEAR = 1e-8  # Newton's method doubles the digits with each step: after such a step there are 15


def optimal_frequencies(rate: Floats, weight: Floats, total: float) -> Floats:
    """Fetches per unit of time for each page: they sum to `total`, and the weighted share of pages whose copy is up to
    date is the largest there is.

    A page that changes too fast for its weight gets 0, for it would be stale at once (rate · price ≥ weight).  Pages
    that never change (rate 0) or do not count (weight 0) get 0, too; if there are no others, all get 0.

    Frequencies have no upper bound: if a page can be fetched only once in a slot, use whole fetches (allotment.py).

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
    """A price at which slightly more than `total` is taken, one for slightly less, and the share of the first in a mix.

    A page that is nearly always stale when fetched rarely takes nothing at one price, and a lot at the next float.
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
