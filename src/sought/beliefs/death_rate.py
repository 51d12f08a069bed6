"""How often do pages go, how many only move, and how far can a link be trusted?  By the pages found gone."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Belief, Learner
from sought.beliefs.by_host import hosts_in, spread
from sought.beliefs.folder import Folder
from sought.beliefs.rate_history import YEAR, gaps, refetches
from sought.record.fetches import MOVED, PAGE, Fetches
from sought.web.expression import brief
from sought.web.pages import Floats, Pages, Rows

WEEK = 7 * 86400.0
TOGETHER = 8 * WEEK  # pages of one directory that are found gone within this time went together


class Deaths(NamedTuple):
    """Pages found gone or moved, in order of time: when, when each was last seen, and whether it moved."""

    row: Rows
    time: Floats
    seen: Floats
    moved: NDArray[np.bool_]

    def since(self, time: float) -> "Deaths":
        return self.select(np.flatnonzero(self.time > time))

    def select(self, which: Rows) -> "Deaths":
        return Deaths(self.row[which], self.time[which], self.seen[which], self.moved[which])


class DeathLog:
    """All deaths; a page that stays gone counts once."""

    def __init__(self) -> None:
        none = np.zeros(0)
        self._batches = [Deaths(np.zeros(0, np.int64), none, none, np.zeros(0, np.bool_))]

    def learn(self, fetches: Fetches) -> None:
        died = np.flatnonzero((fetches.fate != PAGE) & fetches.changed & np.isfinite(fetches.gap))
        if len(died):
            time, moved = fetches.time[died], fetches.fate[died] == MOVED
            self._batches.append(Deaths(fetches.row[died], time, time - fetches.seen_gap[died], moved))

    def all(self) -> Deaths:
        """All deaths in order of time."""
        if len(self._batches) > 1:
            joined = Deaths(*map(np.concatenate, zip(*self._batches, strict=True)))
            self._batches = [joined.select(np.lexsort((joined.row, joined.time)))]
        return self._batches[0]


def first_of_their_kind(deaths: Deaths, folder: Floats) -> NDArray[np.bool_]:
    """Whether no other page of the directory had been found gone shortly before; `folder` is that of each death."""
    order = np.lexsort((deaths.time, folder))
    same = np.diff(folder[order], prepend=np.nan) == 0
    near = np.diff(deaths.time[order], prepend=-np.inf) < TOGETHER
    first = np.empty(len(order), np.bool_)
    first[order] = ~(same & near)
    return first


_SEEN = 0.99  # of the time since a fetch: a link seen right after the fetch does not count
_PRIOR_COUNT = 10.0 * YEAR  # prior watch time of a host, with the death rate of all hosts


@brief
@dataclass(frozen=True)
class DeathRate:
    """The rate at which a page goes, for good or elsewhere, per second; by host, shrunk to the rate of all hosts.

    A page lived from its discovery until it was last seen, by its own fetch or by a link to it on a page fetched later.
    Pages of a directory that go within eight weeks of each other went together and count once; what one says about the
    others is GoneBySigns.  Before anything is known a page lives for two years.
    """

    goes_by_demand: ClassVar[bool] = False

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        return (Folder(),)

    def learner(self) -> Learner:
        return _Rates()


@brief
@dataclass(frozen=True)
class MoveShare:
    """Of the pages of a host that went, the share that redirects elsewhere; shrunk to that of all hosts."""

    goes_by_demand: ClassVar[bool] = False

    def learner(self) -> Learner:
        return _Moves()


class _Rates:
    """Computes the column from all deaths and the table."""

    def __init__(self) -> None:
        self.deaths = DeathLog()
        self.by_host = np.zeros(0)
        self.host: Any = np.zeros(0, np.uint32)

    def learn(self, fetches: Fetches) -> None:
        self.deaths.learn(fetches)

    def column(self, pages: Pages) -> Floats:
        deaths, hosts = self.deaths.all(), hosts_in(pages)
        first = deaths.row[first_of_their_kind(deaths, pages.belief(Folder())[deaths.row])]
        died = np.bincount(pages.host[first], minlength=hosts)
        watched = np.bincount(pages.host, watched_for(pages), hosts)
        of_all = (died.sum() + 0.5) / (watched.sum() + YEAR)
        self.by_host, self.host = (died + of_all * _PRIOR_COUNT) / (watched + _PRIOR_COUNT), pages.host
        return spread(self.by_host, pages.host)

    def terms(self, row: int) -> dict[str, Any]:
        return {"lives_for_years": 1.0 / float(self.by_host[self.host[row]]) / YEAR}


class _Moves:
    def __init__(self) -> None:
        self.deaths = DeathLog()

    def learn(self, fetches: Fetches) -> None:
        self.deaths.learn(fetches)

    def column(self, pages: Pages) -> Floats:
        deaths, hosts = self.deaths.all(), hosts_in(pages)
        died = np.bincount(pages.host[deaths.row], minlength=hosts)
        moved = np.bincount(pages.host[deaths.row], deaths.moved, hosts)
        of_all = (moved.sum() + 1.0) / (died.sum() + 2.0)
        return spread((moved + 5.0 * of_all) / (died + 5.0), pages.host)


@brief
@dataclass(frozen=True)
class LinkDoubt:
    """How unreliable a link is as a sign that a page of the host is there: 0 reliable, 1 worthless.

    The number of pages that were found gone although a link to them had been seen since their last fetch, over the
    number expected if links meant nothing.  The prior trusts links: a tenth of a page in one.
    """

    goes_by_demand: ClassVar[bool] = False

    def learner(self) -> Learner:
        return _Doubts()


class _Doubts:
    """Fetches wait until the next column, which has the hosts of rows; then they are summed by host."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Rows, Floats, NDArray[np.bool_], NDArray[np.bool_]]] = []
        self.sums = np.zeros((4, 0))  # seconds and deaths of pages not seen linked, then of those seen linked

    def learn(self, fetches: Fetches) -> None:
        which = refetches(fetches) & ~fetches.doubted & (fetches.changed | (fetches.fate == PAGE))
        if which.any():
            linked = fetches.seen_gap[which] < _SEEN * fetches.gap[which]
            self.waiting.append((fetches.row[which], gaps(fetches, which), fetches.fate[which] != PAGE, linked))

    def column(self, pages: Pages) -> Floats:
        hosts = hosts_in(pages)
        self.sums = np.pad(self.sums, ((0, 0), (0, hosts - self.sums.shape[1])))
        for rows, gap, gone, linked in self.waiting:
            at, host = 2 * linked.astype(np.int64), pages.host[rows]  # one by one: rounding does not depend on batches
            np.add.at(self.sums, (at, host), gap)
            np.add.at(self.sums, (at + 1, host), gone)
        self.waiting.clear()
        time, died, time_linked, died_linked = self.sums
        rate = (died + 0.5) / (time + YEAR)
        return spread(np.minimum((died_linked + 0.1) / (rate * time_linked + 1.0), 1.0), pages.host)


def watched_for(pages: Pages) -> Floats:
    """How long each page is known to have lived; 0 if it was never fetched."""
    seen = np.maximum(pages.last_fetch, pages.linked)
    return np.where(pages.is_new, 0.0, np.maximum(seen - pages.found, 0.0))
