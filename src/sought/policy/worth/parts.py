"""What is a fetch worth, and for which reason?  In quality × seconds."""

from typing import NamedTuple

import numpy as np

from sought.beliefs.by_host import hosts_in, spread
from sought.beliefs.death_rate import WEEK
from sought.beliefs.rate_history import YEAR
from sought.policy.ranking import nth_largest
from sought.policy.solvers.planning import pace_of
from sought.policy.worth.hubs import linked_news
from sought.policy.worth.index import expected_lifetime, refresh_index
from sought.policy.worth.page_state import PageState
from sought.web.pages import Floats, Pages

_AS_IF = 3.0  # links of a page to average ones of its host that are taken for granted
_BACK = 0.1  # pages that went come back so much more rarely than others go
_ANSWERS = 4.0 / YEAR  # how soon, a second, a page is there that was not, or did not answer


class WorthParts(NamedTuple):
    """Of every page: as a new one, for its text, for its death, for what its links tell and lead to.

    `news` is what it is worth to learn of its death from others, `price` what one fetch costs.
    """

    entry: Floats
    edits: Floats
    deaths: Floats
    links: Floats
    finds: Floats
    news: Floats
    price: float

    @property
    def total(self) -> Floats:
        return self.entry + self.edits + self.deaths + self.links + self.finds


def bought(pages: Pages) -> float:
    """How many fetches the budget of a week buys."""
    return pace_of(pages, len(pages)) * WEEK


def price_of(pages: Pages, worth: Floats) -> float:
    """The worth of the last of these fetches."""
    count = int(min(bought(pages), len(worth)))
    return max(nth_largest(worth, count), 0.0) if 0 < count < len(worth) else 0.0


class Unpriced(NamedTuple):
    """What does not depend on the price: the worth of edits, the hope for pages that are not there, and two more.

    `unnoticed` is, by the loss per second, what it is worth to look whether a page has gone for which no sign speaks;
    `linked` to how many pages that were fetched each page links.
    """

    edits: Floats
    hope: Floats
    unnoticed: Floats
    linked: Floats


def unpriced(s: PageState, pages: Pages, now: float, horizon: float) -> Unpriced:
    """Of all pages."""
    most = -np.expm1(-s.death * s.unseen) * s.lives
    unnoticed = (1.0 - s.gone) * np.minimum(refresh_index(s.unseen, s.death), most)
    linked = linked_news(pages.links, (~s.is_new).astype(np.float64)) if pages.links else np.zeros(len(pages))
    return Unpriced(_edits(s, horizon), _hope(s, pages, now), unnoticed, linked)


def _hope(s: PageState, pages: Pages, now: float) -> Floats:
    """That pages which went come back, and those answer that never did."""
    silence = np.where(s.is_new | s.live, 0.0, now - pages.last_fetch).clip(0.0)
    return s.floor * refresh_index(silence, _BACK * s.death) + s.silent * refresh_index(
        silence, np.full(len(pages), _ANSWERS)
    )


def _edits(s: PageState, horizon: float) -> Floats:
    """Its text may not be what it was; if a sitemap says so, as far as such signals are true on its host."""
    known = s.edited * expected_lifetime(s.edits, horizon)
    return np.where(s.live, s.edit * (known + (1.0 - s.edited) * refresh_index(s.age, s.edits)), 0.0)


def entry(s: PageState, hope: Floats, surplus: Floats) -> Floats:
    """Of pages never fetched, with the pages they lead to; of those that are not there, the hope that they will be."""
    return s.entry * s.lives + np.where(s.is_new, s.reveals * surplus * s.lives, hope)


def loss(s: PageState, price: float) -> Floats:
    """The loss in a second while it is not known that a page has gone: those that should be in its place are missed.

    And the page itself, if it has moved and is worth fetching where it is now.
    """
    return np.where(s.live, s.shown - s.needed + s.moves * np.maximum(s.needed - price / s.lives, 0.0), 0.0)


def deaths(s: PageState, unnoticed: Floats, price: float) -> Floats:
    """It may have gone since it was last seen, or by signs."""
    return loss(s, price) * (unnoticed + s.gone * s.lives)


def news(s: PageState, unnoticed: Floats, price: float) -> Floats:
    """What it is worth to learn from another page whether a page is still there.

    If it has gone it must still be fetched, at the price.  Where there are signs, one is spared that fetch if it has
    not; or, if the signs are too weak to fetch it for, one may learn that it has.
    """
    lost = loss(s, price)
    whole = lost * s.lives
    left = np.maximum(whole - price, 0.0)
    share = np.divide(left, whole, out=np.zeros(len(whole)), where=whole > 0.0)
    return lost * unnoticed * share + np.minimum(price * (1.0 - s.gone), s.gone * left)


def surplus(s: PageState, pages: Pages, linked: Floats, price: float) -> Floats:
    """What an unknown page brings in a second beyond its price, if each page links to one.

    As much as those that it is known to link to and that were fetched, drawn to those of its host.  Pages that were not
    there, failed, or are copies of others brought nothing, and count: those in hand are the best of what was found.
    """
    hosts = hosts_in(pages)
    beyond = np.where(s.live, np.maximum(s.needed - price / s.lives, 0.0), 0.0)
    fetched = np.bincount(pages.host, ~s.is_new, hosts)
    of_all = beyond.sum() / max(1.0, fetched.sum())
    of_host = spread((np.bincount(pages.host, beyond, hosts) + of_all) / (fetched + 1.0), pages.host)
    if pages.links is None:
        return of_host
    return (linked_news(pages.links, beyond) + _AS_IF * of_host) / (linked + _AS_IF)


def finds(s: PageState, surplus: Floats) -> Floats:
    """It may link to unknown pages: they appear at an even rate, and each is missed from then on."""
    return s.finds * surplus * s.age * s.age / 2.0
