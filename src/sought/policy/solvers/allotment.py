"""How many whole fetches should each page have before a horizon?

J. Wolf, M. Squillante, P. Yu, J. Sethuraman and L. Ozsen, Optimal Crawling Strategies for Web Search Engines, WWW 2002,
§3: gains are separate by page and shrink with every fetch, so taking the largest next gain again and again is exact.
"""

from math import exp

import numpy as np
from numba import types

from sought.policy.ranking import Keys
from sought.web.compiled import Int, cached, compiled, readable
from sought.web.pages import Floats, Rows


def allotted(rate: Floats, weight: Floats, total: int, slots: int, key: Keys | None = None) -> Rows:
    """The number of fetches of each page, at most one a slot, `total` together; ties of gains by the lower key.

    `rate` is changes a slot.  Copies are fresh at the beginning, so that x fetches make x+1 even intervals, in which
    the page is fresh for a share ((x+1)/λT)·(1 − e^{−λT/(x+1)}) of the time.  Pages that cannot gain (rate or weight
    0) get none, even if fetches are left.

    Instead of a heap of pages: bisection on the least gain that is still worth a fetch, until each page is decided but
    for one fetch, or to the last bit.
    """
    change = np.ascontiguousarray(rate, np.float64) * slots
    weight = np.ascontiguousarray(weight, np.float64)
    low, high = np.zeros(len(change), np.int64), np.where((change > 0.0) & (weight > 0.0), slots, 0)
    if total <= 0 or high.sum() <= total:
        return high if total > 0 else low
    low, high = _narrowed(change, weight, total, low, high)
    open_ = np.flatnonzero(high > low)
    gain = np.empty(len(open_))
    _next_gains(change[open_], weight[open_], low[open_], gain)
    return _filled(low, open_, (high - low)[open_], gain, total, key)


def _narrowed(change: Floats, weight: Floats, total: int, low: Rows, high: Rows) -> tuple[Rows, Rows]:
    """Lower and upper bounds of the number of fetches; they sum to at most `total`, and to more.

    The bar between them is halved as an integer: positive floats are ordered as their bits are.
    """
    gain, live = np.empty(len(change)), high > 0
    _next_gains(change, weight, low, gain)
    above = _bits(gain[live].max()) + 1
    _next_gains(change, weight, np.maximum(high - 1, 0), gain)
    below = _bits(max(0.0, gain[live].min()))
    while above - below > 1 and (high - low).max() > 1:
        middle = (above + below) // 2
        count = np.empty_like(low)
        _worth(change, weight, np.int64(middle).view(np.float64), low, high, count)
        if count.sum() <= total:
            above, low = middle, count
        else:
            below, high = middle, count
    return low, high


def _filled(count: Rows, pages: Rows, room: Rows, gain: Floats, total: int, key: Keys | None) -> Rows:
    """The rest of `total` goes to the pages with the largest gain, to each as much as it has room for."""
    order = np.lexsort((pages if key is None else key[pages], -gain))
    before = np.cumsum(room[order]) - room[order]
    count[pages[order]] += np.clip(total - count.sum() - before, 0, room[order])
    return count


def _bits(number: float) -> int:
    return int(np.float64(number).view(np.int64))


_READ, _COUNTS = readable(types.float64), readable(types.int64)


@cached(types.void(_READ, _READ, types.float64, _COUNTS, _COUNTS, types.int64[::1]))
def _worth(change: Floats, weight: Floats, bar: float, low: Rows, high: Rows, out: Rows) -> None:
    """How many fetches of each page, between these, gain at least `bar` each."""
    for i in range(len(change)):
        least, most = low[i], high[i]
        while least < most:
            middle = (least + most + 1) // 2
            if weight[i] * _gain(change[i], middle - 1) >= bar:
                least = middle
            else:
                most = middle - 1
        out[i] = least


@cached(types.void(_READ, _READ, _COUNTS, types.float64[::1]))
def _next_gains(change: Floats, weight: Floats, count: Rows, out: Floats) -> None:
    """The gain of one more fetch."""
    for i in range(len(change)):
        out[i] = weight[i] * _gain(change[i], count[i]) if change[i] > 0.0 else 0.0


@compiled
def _gain(change: float, fetches: Int) -> float:
    """How much fresher one more fetch makes a page, as a share of the horizon in which it changes `change` times."""
    before, after = change / (fetches + 1), change / (fetches + 2)
    if before < 1.0:
        return _staleness(before) - _staleness(after)
    kept: float = (fetches + 1) * exp(-before) - (fetches + 2) * exp(-after)
    return (1.0 + kept) / change


@compiled
def _staleness(x: float) -> float:
    """1 − (1 − e^{−x})/x for x below 1, as a series: all digits count, for gains are small differences of it."""
    term = 0.5 * x
    total = term
    for k in range(3, 22):
        term *= -x / k
        total += term
    return total
