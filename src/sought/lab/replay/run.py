"""A replay as the judge sees it: the fetches, and the copies in the repository that follow from them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.index.quality import Matches
from sought.lab.judge.judge import Judge
from sought.lab.worlds.demand import Part
from sought.lab.worlds.world import NOTHING, Numbers, World

Floats = NDArray[np.float64]
Change = Callable[[NDArray[np.uint32], Matches], None]


class Measured(NamedTuple):
    """What the crawl recorded of its fetches, one item of each column a fetch.

    `expected` is the gain that the policy expected, `chance` the probability with which it chose the page, `gain` what
    was measured, by the demand that the crawl knew; NaN where there is none.  `first`: the page had
    never been observed before.
    """

    expected: Floats
    chance: Floats
    gain: Floats
    first: NDArray[np.bool_]


@dataclass(frozen=True)
class FetchLog:
    """Fetches in the order in which they were made, one item of each column a fetch; all were charged.

    `page` and `version` are of the world; NOTHING where it has no such page (a sitemap, an address that leads nowhere).
    `measured` is None where no crawl made the fetches.
    """

    unit: NDArray[np.int32]
    time: Floats
    page: Numbers
    version: Numbers
    url: list[str]
    measured: Measured | None = None

    def __len__(self) -> int:
        return len(self.unit)

    def of(self, unit: int) -> slice:
        """The fetches of a unit; units ascend."""
        first, stop = np.searchsorted(self.unit, (unit, unit + 1))
        return slice(int(first), int(stop))


@dataclass(frozen=True)
class Dropped:
    """Pages dropped from a repository of limited size: the unit, the fetch of the log before which, and the page."""

    unit: Numbers
    before: Numbers
    page: Numbers

    def gone(self, unit: int, last: Numbers) -> Numbers:
        """The pages that left in a unit for good; `last` has for each page its last fetch, -1 if there was none."""
        here = self.unit == unit
        pages = self.page[here]
        gone: Numbers = pages[last[pages] < self.before[here]]
        return gone


def dropped_of(dropped: Sequence[tuple[int, int, int]] = ()) -> Dropped:
    """One of (unit, fetch, page) each."""
    columns: Numbers = np.array(dropped, np.int64).reshape(-1, 3)
    return Dropped(*columns.T)


class Moment(NamedTuple):
    """One unit: the Web has moved on to `time`, then the fetches `log[fetched]` are made.

    `live`, `before` and `after` have the version of every page on the Web, in the repository before these fetches, and
    after them.  In the repository it is the one that was last observed, be it a page or not; NOTHING if none ever was.
    An answer that is an error tells nothing, and the copy stays.  A page that had to leave is NOTHING again.
    """

    unit: int
    time: float
    live: Numbers
    before: Numbers
    after: Numbers
    fetched: slice


@dataclass(frozen=True)
class Run:
    """`moments` are the times at which the fetches of each unit begin; `copies` what the repository began with."""

    judge: Judge
    log: FetchLog
    moments: Floats
    copies: Numbers
    dropped: Dropped = field(default_factory=dropped_of)

    @property
    def world(self) -> World:
        return self.judge.world

    def walk(self) -> Iterator[Moment]:
        """Unit after unit."""
        after = self.copies
        for unit, time in enumerate(self.moments.tolist()):
            before, fetched = after, self.log.of(unit)
            after = before.copy()
            pages, versions = self.log.page[fetched], self.log.version[fetched]
            held = (pages != NOTHING) & ((versions == NOTHING) | self.world.is_observation[versions])
            after[pages[held]] = versions[held]  # the last of several counts
            last = np.full(len(after), NOTHING)
            last[pages[held]] = np.arange(fetched.start, fetched.stop)[held]
            after[self.dropped.gone(unit, last)] = NOTHING
            yield Moment(unit, time, self.world.live(time), before, after, fetched)

    def searchable(self, versions: Numbers) -> Numbers:
        """The same, with NOTHING in place of versions that cannot be found: redirects, pages gone or not yet born."""
        is_page = np.where(versions == NOTHING, False, self.world.is_page[versions])
        return np.where(is_page, versions, NOTHING)

    @cached_property
    def answers(self) -> "RunAnswers":
        return RunAnswers.of(self)

    def weights(self, part: Part) -> Floats:
        """f_q of every query in every unit, of the part of demand that is known, or judged by."""
        return np.array([self.judge.demand.weights(part, time) for time in self.moments.tolist()])


@dataclass(frozen=True)
class RunAnswers:
    """Visible score of every unit (first axis) and query: before and after the unit's fetches, and the ideal."""

    before: NDArray[np.float32]
    after: NDArray[np.float32]
    ideal: NDArray[np.float32]

    @staticmethod
    def of(run: Run) -> "RunAnswers":
        shape = len(run.moments), len(run.judge.demand)
        before, after, ideal = (np.zeros(shape, np.float32) for _ in range(3))
        evaluator = run.judge.evaluator()
        copies = live = np.full(len(run.world.urls), NOTHING)
        for moment in run.walk():
            now = run.searchable(moment.live)
            _set(evaluator.set_lives, run.judge, live, now)
            live = now
            for rows, state in ((before, moment.before), (after, moment.after)):
                held = run.searchable(state)
                _set(evaluator.set_copies, run.judge, copies, held)
                copies = held
                reached, could = evaluator.by_query()
                rows[moment.unit], ideal[moment.unit] = reached, could
        return RunAnswers(before, after, ideal)


def _set(change: Change, judge: Judge, old: Numbers, new: Numbers) -> None:
    pages = np.flatnonzero(old != new)
    change(pages.astype(np.uint32), judge.matches(pages, new[pages]))


# ---- Runs without a policy: the repository has given states.


def run_of_states(judge: Judge, moments: Floats, states: Sequence[Numbers], copies: Numbers | None = None) -> Run:
    """A run whose repository has these states after the fetches of each unit, however many fetches that takes."""
    urls, rows = judge.world.urls, []
    held = start = np.full(len(urls), NOTHING) if copies is None else copies
    for unit, state in enumerate(states):
        pages = np.flatnonzero(state != held)
        rows.append((np.full(len(pages), unit), np.full(len(pages), moments[unit]), pages, state[pages]))
        held = state
    none = (np.zeros(0, np.int64),) * 4
    units, times, pages, versions = (np.concatenate(column) for column in zip(none, *rows, strict=True))
    log = FetchLog(units.astype(np.int32), times.astype(np.float64), pages, versions, [urls[p] for p in pages.tolist()])
    return Run(judge, log, moments, start)
