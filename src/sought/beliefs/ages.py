"""How do rules for known pages turn ages and rates into values?"""

import numpy as np

from sought.web.pages import NEVER, Floats, Pages, pieces

_MAX = float(np.finfo(np.float64).max)


def ages(pages: Pages, now: float) -> Floats:
    """Seconds since the last fetch; 0 for pages never fetched."""
    age = np.empty(len(pages))
    for piece in pieces(len(pages)):
        last = pages.last_fetch[piece]
        age[piece] = np.fmax(now - np.where(np.isneginf(last), now, last), 0.0)
    return age


def known_only(pages: Pages, values: Floats) -> Floats:
    """The values for known pages, NEVER for pages never fetched and for NaN; infinite values become finite."""
    value = np.where(pages.is_new | np.isnan(values), NEVER, values)
    return np.minimum(value, _MAX, out=value)


def by_rotation(pages: Pages, now: float) -> Floats:
    """From -1 to below 0, the oldest copy first: for pages that are fetched only if budget is left."""
    return -1.0 / (1.0 + ages(pages, now))


def by_periods(pages: Pages, now: float, rate: Floats) -> Floats:
    """The share of the interval between two fetches that has passed, at `rate` fetches a second.

    Fetching the page of the largest share keeps to the rates, or to rates in proportion that the budget allows.  Pages
    of rate 0 come after all others, the oldest copy first.
    """
    fetched = np.isfinite(rate) & (rate > 0.0)
    with np.errstate(over="ignore"):
        passed = ages(pages, now) * np.where(fetched, rate, 0.0)
    return known_only(pages, np.where(fetched, passed, by_rotation(pages, now)))
