"""How does a page drift away from its copy, and what is a fetch then worth?  Functions of the number of updates.

C. Olston, S. Pandey, Recrawl Scheduling Based on Information Longevity, WWW 2008, §2.2 and §3.3.  An update adds an
item to a part of the page and removes the one that came K updates before (scroll), or replaces the part (churn, K = 1).
After x updates on average, a share min(N, K)/K of the part has been replaced, N being Poisson of mean x.  A fetch is
worth U(t) = t·D(t) - ∫D = ∫ y dD(y): divergence × time.
"""

import numpy as np

from sought.web.pages import Floats

_FEW, _MANY = 0.02, 1e6  # updates: below, a few terms of the series have all digits; above, the limit is as good
_PLAIN = 1e-9  # a life so near to 1 is churn


def drifted(updates: Floats, life: Floats) -> Floats:
    """E[min(N, K)]/K: the replaced share of a part whose items live K updates (any number from 1)."""
    from scipy.special import gammainc, gammaincc  # not in the plain installation

    gone: Floats = updates / life * gammaincc(life, updates) + gammainc(life + 1.0, updates)
    return gone


def worth_of(updates: Floats, life: Floats) -> Floats:
    """U of a part, in times between two updates: E[m(m+1)/2]/K, m = min(N - 1, K) and not below 0."""
    from scipy.special import gammainc, gammaincc

    out = churn_worth(updates)
    scrolls = np.flatnonzero(life > 1.0 + _PLAIN)
    x, lives = np.minimum(updates[scrolls], _MANY), life[scrolls]
    few = 0.5 * x * x / lives * gammaincc(lives - 1.0, x)
    out[scrolls] = few + 0.5 * (lives + 1.0) * gammainc(lives + 1.0, x)
    return out


def churn_worth(updates: Floats) -> Floats:
    """1 - (1 + x)·exp(-x): U if every update makes the whole page stale, as in Cho & Garcia-Molina 2003."""
    x = np.minimum(updates, _MANY)
    series = x * x * (1 / 2 - x * (1 / 3 - x * (1 / 8 - x * (1 / 30 - x * (1 / 144 - x / 840)))))
    return np.where(x < _FEW, series, 1.0 - (1.0 + x) * np.exp(-x))


def churn_age(updates: Floats) -> Floats:
    """x²/2 - 1 + (1 + x)·exp(-x): the same if the time counts for which the copy has been stale."""
    x = updates
    series = x * x * x * (1 / 3 - x * (1 / 8 - x * (1 / 30 - x * (1 / 144 - x / 840))))
    return np.where(x < _FEW, series, 0.5 * x * x - 1.0 + (1.0 + x) * np.exp(-x))
