"""Unknown pages may be better than expected, and only a fetch shows it.

share   2 % of the fetches of a week go to pages that would not be chosen, drawn by how uncertain their worth is
none    what is expected is all that counts
draw    beliefs are drawn anew every week: W. R. Thompson, On the likelihood that one unknown probability exceeds
        another, Biometrika 1933
bound   the best in ten is hoped for

What a first fetch gains is taken to be log-normal about its expectation, and the rate at which a page links to unknown
pages is a Gamma (find_rate.py).  Draws are hashes of the URL and the week, so rounds and restarts do not draw again.
"""

from typing import Literal

import numpy as np

from sought.beliefs.death_rate import WEEK
from sought.beliefs.find_rate import FindRate
from sought.policy.worth.page_state import PageState
from sought.policy.worth.parts import WorthParts, bought
from sought.web.mixing import bits_of, fractions, mixed
from sought.web.pages import Floats, Pages

Explore = Literal["share", "none", "draw", "bound"]
SHAPE = FindRate("shape")
SHARE = 0.02
SPREAD = 0.5  # of the logarithm of what a first fetch gains
_BOUND = 0.1  # so unlikely is it that a page is better than its bound
_LEAST = 1e-9


def dice(pages: Pages, now: float) -> Floats:
    """A number between 0 and 1 for every page and week."""
    week = mixed(bits_of(np.array([np.floor(now / WEEK)])))
    return np.clip(fractions(mixed(pages.key ^ week)), _LEAST, 1.0 - _LEAST)


def drawn(s: PageState, pages: Pages, now: float, explore: Explore) -> PageState:
    """Beliefs as they are drawn, or hoped for."""
    from scipy.special import gammainccinv, ndtri  # takes a while

    unlikely = dice(pages, now) if explore == "draw" else np.full(len(pages), _BOUND)
    shape = _shape(pages)
    entry = s.entry * np.exp(-SPREAD * ndtri(unlikely) - SPREAD**2 / 2.0)
    return s._replace(entry=entry, finds=s.finds * gammainccinv(shape, unlikely) / shape)


def shares(pages: Pages, parts: WorthParts) -> Floats:
    """The probability with which each page is drawn among the explored: 0 for those that are chosen anyway."""
    spread = np.where(parts.total >= parts.price, 0.0, parts.entry * SPREAD + parts.finds / np.sqrt(_shape(pages)))
    total = float(spread.sum())
    return np.minimum(SHARE * bought(pages) / total * spread, 1.0) if total > 0.0 else np.zeros(len(pages))


def chances(s: PageState, pages: Pages, parts: WorthParts, explore: Explore) -> Floats:
    """How probable the choice of each page was; NaN where nothing is drawn.  `parts` are those of the expected gain."""
    if explore == "share":
        return np.where(parts.total >= parts.price, 1.0, shares(pages, parts))
    return _of_draws(s, pages, parts) if explore == "draw" else np.full(len(pages), np.nan)


def _of_draws(s: PageState, pages: Pages, parts: WorthParts) -> Floats:
    """The probability that a draw makes each page worth its price."""
    from scipy.special import gammaincc, ndtr

    price = max(parts.price, np.finfo(np.float64).tiny)
    more = np.log(np.maximum(parts.entry, _LEAST * price) / price)
    of_new = ndtr(more / SPREAD - SPREAD / 2.0)
    shape, rest = _shape(pages), parts.total - parts.finds
    needed = np.divide(price - rest, parts.finds, out=np.full(len(pages), np.inf), where=parts.finds > 0.0)
    of_known = np.where(rest >= price, 1.0, gammaincc(shape, shape * np.maximum(needed, 0.0)))
    return np.where(s.is_new, of_new, of_known)


def _shape(pages: Pages) -> Floats:
    return np.clip(np.nan_to_num(pages.belief(SHAPE)), 1e-3, 1e6)
