"""What quality does a budget buy?  Fetches and losses as functions of the price of a fetch, from what is believed.

At a price T a page is fetched whenever its worth reaches T (policy/worth/index.py): T gives an interval τ for each
page, and intervals give fetches a second and a mean loss.

    stale text          e·(1 − (1 − e^{−Δτ})/(Δτ))
    pages that went     the same with g and d, and the interval at which a page is seen: at its own fetches or at those
                        of pages that link to it, whatever comes first
    pages missing       V of those that are born × the time until a page is fetched that links to them, and known
                        pages tell how new ones are linked to; V × the time since then of those not worth T

It is the mean over the time ahead, had the budget been the same since the record began: a page that is not worth T in
all that time grows older and older.  Everything is in the unit of gains.

Neglected: that hosts must not be asked too fast; that demand drifts; that pages go together, which makes for signs of
death, and that halves of a year are unlike each other (dial.py has intervals for that); that exploring takes
its share; that a page which is found has to wait for its first fetch, and one that has moved is lost meanwhile.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.rate_history import YEAR
from sought.policy.solvers.planning import pace_of
from sought.policy.worth import parts
from sought.policy.worth.hubs import linked_news
from sought.policy.worth.index import refresh_index
from sought.policy.worth.page_state import PageState, page_state_of
from sought.web.mixing import mixed
from sought.web.pages import Floats, Links, Pages, Rows

PAGES, LINKS = 10_000, 8  # at most so many pages, and links to each, are looked at: a weighted sample
_WITHIN = 86400.0  # seconds from the beginning: what is discovered then was there before
_AGES = np.geomspace(60.0, 100.0 * YEAR, 120)
_PRICES = 120
_RANGE = 1e-10  # of the highest price that matters: what is worth less is never fetched
_SMALL, _TINY = 1e-4, float(np.finfo(np.float64).tiny)


# ---- What can be lost?  Of known pages, which others link to, and of pages that are born.


class TimeSpan(NamedTuple):
    """The record's time, and the time ahead that is estimated; `least` is the shortest time between two fetches."""

    since: float
    now: float
    ahead: float = YEAR / 2.0
    least: float = 86400.0

    @property
    def past(self) -> float:
        return max(self.now - self.since, _WITHIN)


class Stakes(NamedTuple):
    """Columns of known pages: each stands for `weight` of them; 0: it is there for its links only."""

    weight: Floats
    age: Floats  # of a copy that was not fetched again since the record began
    edit: Floats
    edits: Floats
    lost: Floats  # a second, while it is not known that it has gone
    death: Floats
    needed: Floats
    tells: Floats  # the losses its links reveal, its own among them, shared with the other pages that link there
    finds: Floats  # what the unknown pages bring that it will link to, a second each second
    source: Rows  # links between these pages
    target: Rows
    stands_for: Floats  # so many of them

    def seen_by_links(self, fetches: Floats) -> Floats:
        """How often a second pages are fetched that link to each."""
        return np.bincount(self.target, self.stands_for * fetches[self.source], len(self.weight)).astype(np.float64)


class Births(NamedTuple):
    """Pages that were new since the record began, and those that have waited since before."""

    value: Floats
    lives: Floats
    waited: NDArray[np.bool_]
    a_second: float  # so often a page like each of those that have not waited is born


def stakes_of(s: PageState, pages: Pages, span: TimeSpan) -> Stakes:
    chosen = _sample(np.flatnonzero(s.live), pages)
    lost, count = np.where(s.live, s.shown - s.needed, 0.0), np.count_nonzero(s.live)
    source, target, stands_for = _links_to(chosen, pages)
    rows = np.union1d(chosen, source)
    tells, finds = (each[rows] for each in (_tells(lost, pages), _finds(s, pages)))
    return Stakes(
        weight=np.isin(rows, chosen) * (count / max(1, len(chosen))),
        age=span.now - np.clip(pages.found[rows], span.since, span.now),
        edit=s.edit[rows],
        edits=s.edits[rows],
        lost=lost[rows],
        death=s.death[rows],
        needed=s.needed[rows],
        tells=tells,
        finds=finds,
        source=np.searchsorted(rows, source),
        target=np.searchsorted(rows, target),
        stands_for=stands_for,
    )


def births_of(s: PageState, pages: Pages, span: TimeSpan) -> Births:
    """As many are born as were discovered lately, at most as many as pages fetched again are expected to lead to.

    A crawl that is still exploring a site discovers pages that are old.
    """
    is_late = pages.found > span.since + _WITHIN
    rows = np.flatnonzero((is_late & (s.live | s.is_new)) | (s.is_new & ~is_late))
    came = int(np.count_nonzero(is_late[rows]))
    rate = min(came / span.past, float(s.finds[s.live].sum()))
    value = np.where(s.is_new, s.entry, s.needed)[rows]
    return Births(value, s.lives[rows], ~is_late[rows], rate / max(1, came))


def _sample(rows: Rows, pages: Pages) -> Rows:
    """By a hash of the URL, so that it is the same sample each time."""
    if len(rows) <= PAGES:
        return rows
    drawn: Rows = rows[np.argpartition(mixed(pages.key[rows]), PAGES)[:PAGES]]
    return drawn


def _links_to(rows: Rows, pages: Pages) -> tuple[Rows, Rows, Floats]:
    """From live pages to these: source, target, and for how many links each stands."""
    if pages.links is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    is_wanted = np.zeros(len(pages), np.bool_)
    is_wanted[rows] = True
    at = np.flatnonzero(is_wanted[pages.links.targets])
    source = pages.links.sources[np.searchsorted(pages.links.bounds, at, "right") - 1].astype(np.int64)
    target = pages.links.targets[at].astype(np.int64)
    kept = np.flatnonzero(pages.live[source] & (source != target))
    kept = kept[np.argsort(target[kept], kind="stable")]
    _, start, count = np.unique(target[kept], return_index=True, return_counts=True)
    step = -(-count // LINKS)
    is_drawn = (np.arange(len(kept)) - np.repeat(start, count)) % np.repeat(step, count) == 0
    stands_for = np.repeat(count / -(-count // step), count)
    return source[kept[is_drawn]], target[kept[is_drawn]], stands_for[is_drawn]


def _tells(lost: Floats, pages: Pages) -> Floats:
    if pages.links is None:
        return lost
    shared = lost / (np.bincount(pages.links.targets, minlength=len(lost)) + 1.0)
    return shared + linked_news(pages.links, shared)


def _finds(s: PageState, pages: Pages) -> Floats:
    links: Links | None = pages.links
    linked = linked_news(links, s.live.astype(np.float64)) if links else np.zeros(len(pages))
    return s.finds * parts.surplus(s, pages, linked, 0.0)


# ---- The curve


class BudgetCurve(NamedTuple):
    """From a price at which nothing is fetched down to 0, where every page is, as often as it may be.

    `fetches` a second ascend, losses descend.  `attainable` is what the answers are worth if every copy is up to date
    and no page is missing.
    """

    price: Floats
    fetches: Floats
    edits: Floats
    deaths: Floats
    missing: Floats
    attainable: float


def curve(pages: Pages, span: TimeSpan) -> BudgetCurve:
    """Of pages with the beliefs that Worth reads."""
    s = page_state_of(pages, span.now, YEAR)
    stakes, births = stakes_of(s, pages, span), births_of(s, pages, span)
    worth = np.stack([_worth(stakes, age) for age in _AGES.tolist()], 1)
    prices = _prices(worth, births)
    points = np.array([_at_price(price, worth, stakes, births, span) for price in prices.tolist()])
    fetches = np.maximum.accumulate(points[:, 0])
    edits, deaths, missing = np.minimum.accumulate(points[:, 1:], axis=0).T  # a budget need not be spent
    held = float((s.shown - s.floor)[s.live].sum())
    missed = float(np.interp(pace_of(pages, len(pages)), fetches, missing))
    return BudgetCurve(prices, fetches, edits, deaths, missing, held + missed)


def _worth(stakes: Stakes, age: float) -> Floats:
    """Of a fetch at an age; a linking page counts as if it were of the same host."""
    ages = np.full(len(stakes.weight), age)
    seen = stakes.edit * refresh_index(ages, stakes.edits) + stakes.tells * refresh_index(ages, stakes.death)
    worth: Floats = seen + stakes.finds * ages * ages / 2.0
    return worth


def _prices(worth: Floats, births: Births) -> Floats:
    """Descending, first one at which nothing is fetched, at last 0."""
    top = 2.0 * max(worth.max(initial=0.0), (births.value * births.lives).max(initial=0.0), _TINY / _RANGE)
    return np.append(np.geomspace(top, top * _RANGE, _PRICES - 1), 0.0)


def _at_price(price: float, worth: Floats, stakes: Stakes, births: Births, span: TimeSpan) -> tuple[float, ...]:
    """Fetches, and the three losses."""
    interval = np.maximum(_intervals(price, worth), span.least)
    fetches = _fetches(interval, stakes.age, span.ahead)
    by_links = stakes.seen_by_links(fetches)
    # A page that is fetched regularly was seen τ/2 ago on average; one that many pages link to, 1/rate ago.
    seen = np.maximum(2.0 / np.maximum(by_links + 2.0 * fetches, _TINY), span.least)
    firsts, missing = _of_births(price, births, _wait(by_links, stakes, span), span)
    return (
        float(stakes.weight @ fetches) + firsts,
        float((stakes.weight * stakes.edit) @ _mean_over_time(stakes.edits, interval, stakes.age, span.ahead)),
        float((stakes.weight * stakes.lost) @ _mean_over_time(stakes.death, seen, stakes.age, span.ahead)),
        missing,
    )


def _of_births(price: float, births: Births, wait: float, span: TimeSpan) -> tuple[float, float]:
    """First fetches a second, and what is missed: of pages that are fetched once they are found, and of others."""
    is_taken, longest = births.value * births.lives > price, span.past + span.ahead / 2.0
    fetches = np.where(births.waited, 1.0 / span.ahead, births.a_second)
    missed = np.where(births.waited, ~is_taken, births.a_second * np.where(is_taken, wait, longest))
    return float(fetches[is_taken].sum()), float(births.value @ missed)


def _wait(by_links: Floats, stakes: Stakes, span: TimeSpan) -> float:
    """How long a page that is born stays unknown, if it is linked to as known pages are."""
    rate, most = by_links, span.past + span.ahead / 2.0
    wait = np.where(rate * most < _SMALL, most, -np.expm1(-rate * most) / np.maximum(rate, _TINY))
    needed = stakes.weight * stakes.needed
    return float(needed @ np.maximum(wait, span.least / 2.0)) / max(float(needed.sum()), _TINY)


def _intervals(price: float, worth: Floats) -> Floats:
    """After how long a fetch of each page is worth the price; inf if it never is."""
    if price <= 0.0:
        return np.where(worth[:, -1] > 0.0, 0.0, np.inf)
    rows, at = np.arange(len(worth)), (worth < price).sum(axis=1)
    right = np.minimum(at, len(_AGES) - 1)
    left = np.maximum(right - 1, 0)
    low, high = (np.log(np.maximum(worth[rows, each], _TINY)) for each in (left, right))
    part = np.divide(np.log(price) - low, high - low, out=np.ones(len(rows)), where=high - low > _SMALL)
    interval = _AGES[left] * (_AGES[right] / _AGES[left]) ** np.clip(part, 0.0, 1.0)
    return np.where(at < len(_AGES), interval, np.inf)


def _fetches(interval: Floats, age: Floats, ahead: float) -> Floats:
    """A second in the time ahead."""
    once = np.where(interval < age + ahead, 1.0 / ahead, 0.0)
    return np.where(interval <= age, 1.0 / np.maximum(interval, _TINY), once)


def _mean_over_time(rate: Floats, interval: Floats, age: Floats, ahead: float) -> Floats:
    """How far 1 − e^{−Δt} has come on average in the time ahead, with t the age of the copy."""

    def summed(ages: Floats) -> Floats:
        x = rate * ages
        return ages * np.where(x < _SMALL, x / 2.0, 1.0 + np.expm1(-x) / np.maximum(x, _TINY))

    short = np.minimum(interval, age + ahead)
    once = (summed(short) - summed(age) + summed(age + ahead - short)) / ahead
    mean: Floats = np.where(interval <= age, summed(short) / np.maximum(short, _TINY), once)
    return mean
