"""One ranking of new pages, stale pages and pages that lead to others, by the worth of a fetch of each.

Worth is expected gain × the time it lasts: quality × seconds.  The price T of a fetch is the worth of the last one that
the budget of a week can buy.

    a page never fetched    (V + n·v)·l               V: EntryValue; it leads to n unknown pages
    a page known            e·(U(t, Δ) + S·m)         its text may have changed since it was fetched, t ago; or by a
                                                      sitemap, and stays so for a time m
                          + g·(U(c, d) + P·l)         it may have gone since it was seen, c ago; or by signs
    what its links show   + Σ over those it links to: what it is worth to know whether they have gone
    and lead to           + η·v·t²/2                  unknown pages

U is the index of Olston & Pandey (index.py), l how much of the time ahead a page lives, g what is lost while it is not
known that a page has gone, and v what an unknown page brings beyond its price T (parts.py).  What is believed
of pages is in page_state.py.
"""

from dataclasses import dataclass
from typing import ClassVar, get_args

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Belief
from sought.beliefs.entry_value import EntryValue
from sought.beliefs.presence import Presence
from sought.beliefs.prospect import MainQuery, MainShare
from sought.beliefs.rate_history import YEAR
from sought.policy.ranking import best
from sought.policy.worth import parts
from sought.policy.worth.explore import SHAPE, Explore, chances, dice, drawn, shares
from sought.policy.worth.hubs import linked_news, marginal_worth
from sought.policy.worth.page_state import BELIEFS, PageState, page_state_of
from sought.policy.worth.parts import Unpriced, WorthParts
from sought.policy.worth.rivals import discount_same_query
from sought.web.checks import check_choice, check_positive
from sought.web.expression import brief
from sought.web.pages import Floats, Pages
from sought.web.policy import Expected, Purpose, Purposes

_ROUNDS = 3  # the price depends on what is worth more than it
_CHECKED = 4096  # of the best pages, whose links are checked for overlap
_FIRST = 2.0  # explored pages are worth so many times the price
PARTS = ("edits", "deaths", "signs", "links", "finds", "turns")


@brief
@dataclass(frozen=True)
class Worth:
    """See above.  A gain counts for `horizon` seconds at most.

    `explore` says how unknown pages are explored: by a "share" of fetches, by a "draw", by an upper "bound", or
    not at all ("none"); see explore.py.

    `without` leaves one part out, to see what it is for: edits, deaths, signs (of death), links (what they tell),
    finds (pages they lead to), or turns (of pages that tell the same one counts).
    """

    horizon: float = YEAR
    explore: Explore = "share"
    without: str = ""
    reads_links: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_positive("Worth: horizon", self.horizon)
        check_choice("Worth: explore", self.explore, get_args(Explore))
        check_choice("Worth: without", self.without, ("", *PARTS))

    @property
    def needs(self) -> str:
        """Draws and bounds are quantiles that SciPy knows."""
        return "scipy" if self.explore in ("draw", "bound") else ""

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        return BELIEFS if self.explore == "none" else (*BELIEFS, SHAPE)

    def __call__(self, pages: Pages, now: float) -> Floats:
        return self._value(self.parts(pages, now), pages, now)

    def expects(self, pages: Pages, now: float) -> Expected:
        """Values, the gain of each fetch now, how probable its choice was, where that is drawn, and what it is for."""
        s = self._page_state(pages, now)
        worth = self._all(self._with_discounts(s, pages), pages, now)
        chance = chances(s, pages, worth, self.explore)
        if self.explore in ("draw", "bound"):
            worth = self.parts(pages, now)
        gone = 1.0 - (1.0 - s.gone) * np.exp(-s.death * s.unseen)
        edited = 1.0 - (1.0 - s.edited) * np.exp(-s.edits * s.age)
        of_known = edited * s.edit + gone * (s.shown - s.needed)
        gain = np.where(s.live, of_known, np.where(s.is_new, s.entry - s.floor, 0.0))
        return Expected(self._value(worth, pages, now), gain, chance, worth.price, _purpose(worth, s.is_new))

    def _value(self, worth: WorthParts, pages: Pages, now: float) -> Floats:
        """What each is worth after better ones; explored pages come before the last that the budget buys."""
        value = worth.total
        if pages.links is not None and self.without not in ("links", "turns"):
            rows = best(value, pages.key, min(_CHECKED, len(pages)))
            value[rows] = marginal_worth(
                pages.links, worth.news, value, rows, pages.live, max(1, round(parts.bought(pages)))
            )
        if self.explore == "share":
            explored = np.flatnonzero(dice(pages, now) < shares(pages, worth))
            value[explored] = np.maximum(value[explored], _FIRST * worth.price)
        return value

    def importance(self, pages: Pages) -> Floats:
        """What the answers would lose without a page, or are expected to gain by a new one."""
        return np.where(pages.is_new, pages.belief(EntryValue()), pages.belief(Presence()))

    def parts(self, pages: Pages, now: float) -> WorthParts:
        """With the price that follows from them."""
        s = self._page_state(pages, now)
        if self.explore in ("draw", "bound"):
            s = drawn(s, pages, now, self.explore)
        return self._all(self._with_discounts(s, pages), pages, now)

    def _with_discounts(self, s: PageState, pages: Pages) -> PageState:
        """With new pages discounted for others that serve the same query."""
        if self.without == "turns":
            return s
        query, share = pages.belief(MainQuery()), pages.belief(MainShare())
        return s._replace(entry=discount_same_query(s.entry, query, share, pages.key))

    def _all(self, s: PageState, pages: Pages, now: float) -> WorthParts:
        fixed = parts.unpriced(s, pages, now, self.horizon)
        worth = self._priced(s, pages, fixed, 0.0, with_links=False)
        price = parts.price_of(pages, worth.total)
        for left in range(_ROUNDS - 1, -1, -1):
            worth = self._priced(s, pages, fixed, price, with_links=True)
            if left:  # a high price makes for a low one, and the other way round: the truth lies between
                price = float(np.sqrt(price * parts.price_of(pages, worth.total)))
        return worth

    def _page_state(self, pages: Pages, now: float) -> PageState:
        state = page_state_of(pages, now, self.horizon)
        return state._replace(gone=np.zeros(len(pages))) if self.without == "signs" else state

    def _priced(self, s: PageState, pages: Pages, fixed: Unpriced, price: float, *, with_links: bool) -> WorthParts:
        """What everything is worth at a price."""
        nothing, surplus = np.zeros(len(pages)), parts.surplus(s, pages, fixed.linked, price)
        news = parts.news(s, fixed.unnoticed, price)
        tell = with_links and pages.links is not None and self.without != "links"
        return WorthParts(
            entry=parts.entry(s, fixed.hope, surplus),
            edits=nothing if self.without == "edits" else fixed.edits,
            deaths=nothing if self.without == "deaths" else parts.deaths(s, fixed.unnoticed, price),
            links=np.where(s.live, linked_news(pages.links, news), 0.0) if tell and pages.links else nothing,
            finds=nothing if self.without == "finds" or not with_links else parts.finds(s, surplus),
            news=news,
            price=price,
        )


def _purpose(worth: WorthParts, is_new: NDArray[np.bool_]) -> Purposes:
    """Of known pages, which part is worth more: what they are themselves, or what their links reveal and lead to."""
    of_known = np.where(worth.edits + worth.deaths >= worth.links + worth.finds, Purpose.STALE, Purpose.HUB)
    return np.where(is_new, Purpose.NEW, of_known).astype(np.int8)
