"""Which pages are probably gone, judged by other pages that were fetched?"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Belief, Learner
from sought.beliefs.by_host import hosts_in, spread
from sought.beliefs.death_rate import TOGETHER, DeathLog, Deaths
from sought.beliefs.folder import Folder
from sought.record.fetches import PAGE, Fetches
from sought.web.expression import brief
from sought.web.pages import Floats, Links, Pages, Rows

_PRIOR_COUNT = 2.0  # siblings whose fate is taken to be known already


@brief
@dataclass(frozen=True)
class GoneBySigns:
    """The probability that a page has gone, or moved, by signs of it; 0 without signs.

    *Links*: if a link to the page has vanished from a page fetched again, and the page has not been seen since, it is
    the share of such pages on its host that were then found gone.  *Neighbours*: pages of one directory, and pages that
    link to each other, go together.  A page that is found gone at t and was last seen at s went in between.  For a
    sibling last seen at c < t, the share of s … t after c is the chance that it could have gone with it, and the pages
    of the directory seen since show how many did.
    """

    goes_by_demand: ClassVar[bool] = False

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        return (Folder(),)

    def learner(self) -> Learner:
        return _Signs()


class _Signs:
    def __init__(self) -> None:
        self.deaths = DeathLog()
        self.waiting: list[tuple[Rows, NDArray[np.bool_]]] = []  # doubted pages that were fetched, and whether gone
        self.doubted, self.gone = np.zeros(0), np.zeros(0)
        self.by_links: Floats = np.zeros(0)
        self.by_neighbours: Floats = np.zeros(0)

    def learn(self, fetches: Fetches) -> None:
        self.deaths.learn(fetches)
        doubted = fetches.doubted & np.isfinite(fetches.gap) & (fetches.changed | (fetches.fate == PAGE))
        if doubted.any():
            self.waiting.append((fetches.row[doubted], fetches.fate[doubted] != PAGE))

    def column(self, pages: Pages) -> Floats:
        self._settle(pages)
        seen = np.maximum(pages.last_fetch, pages.linked)
        known = pages.live & ~pages.is_new
        of_all = (self.gone.sum() + 1.0) / (self.doubted.sum() + 2.0)
        by_host = (self.gone + 5.0 * of_all) / (self.doubted + 5.0)
        self.by_links = np.where(known & (pages.unlinked > seen), spread(by_host, pages.host), 0.0)
        self.by_neighbours = np.where(known, gone_with_others(self.deaths.all(), pages, seen), 0.0)
        return np.where(self.by_links > 0.0, self.by_links, self.by_neighbours)

    def terms(self, row: int) -> dict[str, Any]:
        chances = {"links_vanished": self.by_links[row], "went_with_others": self.by_neighbours[row]}
        return {name: float(chance) for name, chance in chances.items() if chance > 0.0}

    def _settle(self, pages: Pages) -> None:
        hosts = hosts_in(pages)
        self.doubted, self.gone = (np.pad(each, (0, hosts - len(each))) for each in (self.doubted, self.gone))
        for rows, gone in self.waiting:
            self.doubted += np.bincount(pages.host[rows], minlength=hosts)
            self.gone += np.bincount(pages.host[rows], gone, hosts)
        self.waiting.clear()


def gone_with_others(deaths: Deaths, pages: Pages, seen: Floats) -> Floats:
    """The probability that each page went together with others that were recently found gone."""
    recent = deaths.since(float(pages.last_fetch.max(initial=-np.inf)) - TOGETHER)
    if not len(recent.row):
        return np.zeros(len(pages))
    apart = (1.0 - of_siblings(recent, pages, seen)) * (1.0 - of_linked(recent, pages, seen))
    return 1.0 - apart


def overlap(deaths: Deaths, which: Rows, seen: Floats) -> Floats:
    """The share of the time in which a page went (deaths[which]) that lies after `seen`."""
    time, since = deaths.time[which], deaths.seen[which]
    return np.clip((time - np.maximum(since, seen)) / np.maximum(time - since, 1.0), 0.0, 1.0)


def of_siblings(recent: Deaths, pages: Pages, seen: Floats) -> Floats:
    """By pages of the same directory: if d went and n were seen to stay, the chance is (d − 1 + 2r)/(d − 1 + n + 2).

    The first page found gone shows that something happened, and those seen from then on how much; r is the share over
    all directories.
    """
    folder = pages.belief(Folder())
    names, group = np.unique(folder[recent.row], return_inverse=True)
    first, last = np.zeros(len(names), np.int64), np.zeros(len(names), np.int64)
    last[group] = np.arange(len(group))  # deaths are in the order of time
    first[group[::-1]] = np.arange(len(group))[::-1]
    at = np.minimum(np.searchsorted(names, folder), len(names) - 1)
    was_there = (names[at] == folder) & (pages.found < recent.time[last[at]])
    rows = np.flatnonzero(was_there & pages.live & ~pages.is_new)
    at = at[rows]
    share = overlap(recent, last[at], seen[rows])
    lived = np.bincount(at, (1.0 - share) * (seen[rows] > recent.time[first[at]]), len(names))
    more = np.bincount(group, minlength=len(names)) - 1.0
    of_all = (0.5 + more.sum()) / (3.0 + more.sum() + lived.sum())
    chance = (more + _PRIOR_COUNT * of_all) / (more + lived + _PRIOR_COUNT)
    shares = np.zeros(len(pages))
    shares[rows] = chance[at] * share
    return shares


def of_linked(recent: Deaths, pages: Pages, seen: Floats) -> Floats:
    """By pages it links to, or that link to it: if d of n such neighbours of known fate went, (d + 1)/(n + 10)."""
    shares = np.zeros(len(pages))
    if pages.links is None:
        return shares
    which, rows = neighbours(recent.row, pages.links, len(pages))
    share = overlap(recent, which, seen[rows])
    is_dead = np.zeros(len(pages), np.bool_)
    is_dead[recent.row] = True
    alive = pages.live[rows] & ~is_dead[rows]
    died, lived = np.count_nonzero(is_dead[rows]), np.sum(1.0 - share[alive])
    np.maximum.at(shares, rows[alive], (died + 1.0) / (died + lived + 10.0) * share[alive])
    return shares


def neighbours(rows: Rows, links: Links, size: int) -> tuple[Rows, Rows]:
    """Pairs of an index into `rows` and a row that this one links to, or that links to it."""
    place = np.full(size, -1)
    place[rows] = np.arange(len(rows))
    out = np.flatnonzero(place[links.sources] >= 0)
    starts, sizes = links.bounds[out], links.bounds[out + 1] - links.bounds[out]
    at = np.repeat(starts - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    into = np.flatnonzero(place[links.targets] >= 0)
    sources = links.sources[np.searchsorted(links.bounds, into, "right") - 1]
    which = np.concatenate([np.repeat(place[links.sources[out]], sizes), place[links.targets[into]]])
    return which, np.concatenate([links.targets[at], sources]).astype(np.int64)
