"""At which price of a fetch do pages together take what there is?

Every planner here gives a page more fetches the less a fetch costs.  So one number, the multiplier of the budget in
Lagrange's sense, settles all of them, and pages need to know nothing else of each other.
"""

from collections.abc import Callable
from functools import cache
from math import exp

_SAMPLE = 1 << 14
_FAR = 600.0  # e to this, up or down: any price, or none
_NO_PRICE = 1e-250


def clearing_price(taken: Callable[[float, int], float], size: int, total: float) -> float:
    """The price at which `taken`, which falls as the price rises, is `total`; 0 if it is less at any price.

    `taken(price, step)` is for every `step`-th of `size` rows, times `step`.  If there are many, some are asked first
    and say where to look: then all of them are asked six times or so.
    """
    price = 1.0
    for step, width in ((max(1, size // _SAMPLE), 8.0), (max(1, size // _SAMPLE // 32), 0.01), (1, 1e-3)):
        price *= exp(_root(_excess(taken, step, total, price), width))
    return price if price > _NO_PRICE else 0.0


def _excess(taken: Callable[[float, int], float], step: int, total: float, at: float) -> Callable[[float], float]:
    """By the logarithm of a price over `at`."""
    return cache(lambda x: taken(at * exp(x), step) - total)


def _root(excess: Callable[[float], float], width: float) -> float:
    """Where a falling function passes 0, looked for from 0 outwards; `_FAR` away if nowhere."""
    from scipy.optimize import brentq

    here, sign = 0.0, 1.0 if excess(0.0) > 0.0 else -1.0
    while abs(here) < _FAR:
        there = sign * min(abs(here) + width, _FAR)
        if sign * excess(there) <= 0.0:
            found: float = brentq(excess, min(here, there), max(here, there), xtol=1e-12, rtol=1e-14, maxiter=200)  # type: ignore[no-untyped-call]  # SciPy has no types
            return found
        here, width = there, 4.0 * width
    return here
