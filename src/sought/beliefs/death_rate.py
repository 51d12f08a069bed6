"""Which pages went, when, and what does that say of others?"""

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
TOGETHER = 8 * WEEK  # pages of one directory that are found gone within it went together


class Deaths(NamedTuple):
    """Pages found gone or moved, in the order of time: when, when each was last seen alive, and whether it moved."""

    row: Rows
    time: Floats
    seen: Floats
    moved: NDArray[np.bool_]

    def since(self, time: float) -> "Deaths":
        return self.of(np.flatnonzero(self.time > time))

    def of(self, which: Rows) -> "Deaths":
        return Deaths(self.row[which], self.time[which], self.seen[which], self.moved[which])


class DeathLog:
    """All of them; a page that was gone before and still is counts once."""

    def __init__(self) -> None:
        none = np.zeros(0)
        self._found = [Deaths(np.zeros(0, np.int64), none, none, np.zeros(0, np.bool_))]

    def learn(self, fetches: Fetches) -> None:
        died = np.flatnonzero((fetches.fate != PAGE) & fetches.changed & np.isfinite(fetches.gap))
        if len(died):
            time, moved = fetches.time[died], fetches.fate[died] == MOVED
            self._found.append(Deaths(fetches.row[died], time, time - fetches.seen_gap[died], moved))

    def all(self) -> Deaths:
        """In the order of time, whatever they were learnt in."""
        if len(self._found) > 1:
            joined = Deaths(*map(np.concatenate, zip(*self._found, strict=True)))
            self._found = [joined.of(np.lexsort((joined.row, joined.time)))]
        return self._found[0]


def first_of_their_kind(deaths: Deaths, folder: Floats) -> NDArray[np.bool_]:
    """Whether no other page of the directory had been found gone shortly before; `folder` is that of each death."""
    order = np.lexsort((deaths.time, folder))
    same = np.diff(folder[order], prepend=np.nan) == 0
    near = np.diff(deaths.time[order], prepend=-np.inf) < TOGETHER
    first = np.empty(len(order), np.bool_)
    first[order] = ~(same & near)
    return first


# ---- How often do pages go, and how many of them have only moved?


_SEEN = 0.99  # of the time since a fetch: a link that was seen at once says nothing
_PRIOR_COUNT = 10.0 * YEAR  # a host is taken to have been watched for so long already, with the deaths of all others


@brief
@dataclass(frozen=True)
class DeathRate:
    """How many pages a second go, of one page: gone for good, or moved.  By host, shrunk to the rate of all hosts.

    A page was alive from when it was found until it was last seen, by its own fetch or by a link to it on a page
    fetched later; the time is that of all pages.  Pages of a directory that go within eight weeks of each other went
    together and count once: what one says of the others is told by GoneBySigns.  Before anything is known a page lives
    for two years.
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
    """Of the pages of a host that went, the share that redirect elsewhere, shrunk to that of all hosts."""

    goes_by_demand: ClassVar[bool] = False

    def learner(self) -> Learner:
        return _Moves()


class _Rates:
    """The column is worked out from all deaths and the table."""

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
    """How far a link to a page of a host is no sign that the page is there: 0 a sure one, 1 none.

    Of pages that had been seen linked since they were last fetched, those that were then found gone all the same,
    beside as many as would go if links said nothing.  Links are trusted to begin with: a tenth of a page in one.
    """

    goes_by_demand: ClassVar[bool] = False

    def learner(self) -> Learner:
        return _Doubts()


class _Doubts:
    """By row of what was fetched, until the next column says which host it is of; then sums by host."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Rows, Floats, NDArray[np.bool_], NDArray[np.bool_]]] = []
        self.sums = np.zeros((4, 0))  # seconds and deaths of pages that links did not tell of, and of those they did

    def learn(self, fetches: Fetches) -> None:
        which = refetches(fetches) & ~fetches.doubted & (fetches.changed | (fetches.fate == PAGE))
        if which.any():
            linked = fetches.seen_gap[which] < _SEEN * fetches.gap[which]
            self.waiting.append((fetches.row[which], gaps(fetches, which), fetches.fate[which] != PAGE, linked))

    def column(self, pages: Pages) -> Floats:
        hosts = hosts_in(pages)
        self.sums = np.pad(self.sums, ((0, 0), (0, hosts - self.sums.shape[1])))
        for rows, gap, gone, linked in self.waiting:
            at, host = 2 * linked.astype(np.int64), pages.host[rows]  # one by one: rounding does not tell of batches
            np.add.at(self.sums, (at, host), gap)
            np.add.at(self.sums, (at + 1, host), gone)
        self.waiting.clear()
        time, died, time_linked, died_linked = self.sums
        rate = (died + 0.5) / (time + YEAR)
        return spread(np.minimum((died_linked + 0.1) / (rate * time_linked + 1.0), 1.0), pages.host)


def watched_for(pages: Pages) -> Floats:
    """How long each page is known to have been there; 0 if it was never fetched."""
    seen = np.maximum(pages.last_fetch, pages.linked)
    return np.where(pages.is_new, 0.0, np.maximum(seen - pages.found, 0.0))
