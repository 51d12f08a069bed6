"""Estimates in hindsight: as if every page had been fetched in every unit.

Pandey and Olston (User-Centric Web Crawling, WWW 2005, §6.2) estimate parameters over the same weeks by which policies
are then judged.  That is in-sample: no crawler can know it.  With `half`, estimates are made over the first half of a
world and judged by the second.  Beliefs that the crawl supplies are not affected.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Belief, Learner, Supplied
from sought.lab.judge.judge import Judge
from sought.lab.replay.setting import Setting, begin_of, moments_of
from sought.lab.worlds.world import NOTHING, Numbers, World
from sought.record.fetches import GONE, MOVED, PAGE, Fetches
from sought.record.observations import DRIFTED, PROFILE
from sought.web.errors import BadInput
from sought.web.pages import Pages
from sought.web.policy import Policy, beliefs_of, is_oracle, own_beliefs
from sought.web.sketch import SKETCH_SIZE

Floats = NDArray[np.float64]
Rows = Callable[[NDArray[np.uint64]], Numbers]
Column = Callable[[NDArray[np.uint64]], Floats]


def hindsight_columns(policy: Policy, judge: Judge, setting: Setting, rows: Rows) -> dict[Belief, Column]:
    """The columns of a policy's estimators for a whole replay; `rows` gives the page of each key."""
    wanted = [belief for belief in beliefs_of(policy) if learns_from_fetches(belief)]
    if not wanted:
        return {}
    columns = learned_columns(wanted, judge.world, watched(judge, full_fetch_times(judge.world, setting)))
    return {belief: partial(_by_key, column, rows) for belief, column in columns.items()}


def learned_columns(beliefs: Sequence[Belief], world: World, fetches: Sequence[Fetches]) -> dict[Belief, Floats]:
    """The estimates for every page of a world after these fetches."""
    learners = {belief: _learner(belief) for belief in beliefs}
    for each in fetches:
        for learner in learners.values():
            learner.learn(each)
    pages = pages_after(world, fetches)
    return {belief: learner.column(pages) for belief, learner in learners.items()}


def learns_from_fetches(belief: Belief) -> bool:
    """Whether a belief is learned from the log of fetches."""
    return not isinstance(belief, Supplied) and not is_oracle(belief)


def full_fetch_times(world: World, setting: Setting) -> Floats:
    """When everything is fetched: at the start and in all units of the replay, or (`half`) in those before it."""
    if setting.history == "half":
        count = round((begin_of(world, setting) - world.start) / world.unit)
        return world.start + world.unit * np.arange(count + 1, dtype=np.float64)
    return np.concatenate([[world.start], moments_of(world, setting)])


def _learner(belief: Belief) -> Learner:
    assert not isinstance(belief, Supplied)
    if other := own_beliefs(belief):
        raise BadInput(
            f"{belief!r} cannot be estimated in hindsight: it reads {other[0]!r}, which only a crawl can supply"
        )
    return belief.learner()


def _by_key(column: Floats, rows: Rows, keys: NDArray[np.uint64]) -> Floats:
    """0 for those that are no page of the world."""
    places = rows(keys)
    return np.where(places == NOTHING, 0.0, column[places])


_kept: list[tuple[Judge, tuple[float, ...], list[Fetches]]] = []  # the last one: many policies need the same


def watched(judge: Judge, times: Floats) -> list[Fetches]:
    """A log in which all existing pages are fetched at each of these times; rows are pages of the world.

    The gain of a fetch is measured as if it were the only one since the time before, by the known part of demand.
    """
    wanted = tuple(times.tolist())
    if not (_kept and _kept[0][0] is judge and _kept[0][1] == wanted):
        _kept[:] = [(judge, wanted, list(_fetches(judge, times)))]
    return _kept[0][2]


def _fetches(judge: Judge, times: Floats) -> Iterator[Fetches]:
    world, evaluator = judge.world, judge.evaluator()
    before, since = np.full(len(world.urls), NOTHING), -np.inf
    profiles = _Profiles(world)
    for time in times.tolist():
        live = world.live(time)
        pages = np.flatnonzero(live != before)
        numbers, matches = pages.astype(np.uint32), judge.matches(pages, live[pages])
        evaluator.set_lives(numbers, matches)
        evaluator.set_weights(judge.demand.weights("known", time))
        gain = np.zeros(len(live))
        gain[pages] = evaluator.gains(numbers)
        gain[before == NOTHING] = np.nan
        evaluator.set_copies(numbers, matches)
        row = np.flatnonzero(live != NOTHING)
        changed, difference = _changes(world, before[row], live[row])
        gap = np.where(before[row] == NOTHING, np.inf, time - since)
        base_gap, drift = profiles.compared(row, live[row], time)
        yield Fetches.from_columns(
            row,
            np.full(len(row), time),
            gap,
            changed,
            gain=gain[row],
            difference=difference,
            base_gap=base_gap,
            drift=drift,
            fate=_fates(world, live[row]),
        )
        before, since = live, time


def _fates(world: World, versions: Numbers) -> NDArray[np.uint8]:
    """The fate of each page, by its status."""
    status = world.versions.status[versions]
    return np.select([status // 100 == 3, np.isin(status, (404, 410))], [MOVED, GONE], PAGE).astype(np.uint8)


def _changes(world: World, old: Numbers, new: Numbers) -> tuple[NDArray[np.bool_], Floats]:
    """Whether readers see a change, and how large it is."""
    v, first = world.versions, old == NOTHING
    changed = first | (v.content[old] != v.content[new]) | (v.status[old] != v.status[new])
    both = ~first & (v.status[old] // 100 == 2) & (v.status[new] // 100 == 2)
    difference = changed.astype(np.float64)
    some = np.flatnonzero(changed & both)
    difference[some] = differences(world, old[some], new[some])
    return changed, difference


def differences(world: World, old: Numbers, new: Numbers) -> Floats:
    """The share of shingles by which two versions differ, estimated from their sketches."""
    sketches = world.sketches
    empty = [np.diff(sketches.bounds)[versions] == 0 for versions in (old, new)]
    differences = np.where(empty[0] & empty[1], 0.0, 1.0)
    some = np.flatnonzero(~empty[0] & ~empty[1])
    a, b = (sketches.data[sketches.bounds[v[some]][:, None] + np.arange(SKETCH_SIZE)] for v in (old, new))
    differences[some] = np.mean(a != b, axis=1)
    return differences


class _Profiles:
    """For each page the version that later ones are compared with, its time, and the number of comparisons."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.base, self.time = np.full(len(world.urls), NOTHING), np.zeros(len(world.urls))
        self.points = np.full(len(world.urls), PROFILE)

    def compared(self, row: Numbers, versions: Numbers, time: float) -> tuple[Floats, Floats]:
        """`base_gap` and `drift` of Fetches; only pages that are there are compared."""
        gap, drift = np.full(len(row), np.nan), np.full(len(row), np.nan)
        there = self.world.is_page[versions]
        fresh = there & (self.points[row] >= PROFILE)
        old = np.flatnonzero(there & ~fresh)
        gap[old] = time - self.time[row[old]]
        drift[old] = differences(self.world, self.base[row[old]], versions[old])
        self.points[row[old]] = np.where(drift[old] < DRIFTED, self.points[row[old]] + 1, PROFILE)
        begun = row[fresh]
        self.base[begun], self.time[begun], self.points[begun] = versions[fresh], time, 0
        return gap, drift


def pages_after(world: World, fetches: Sequence[Fetches]) -> Pages:
    """The pages of a world as a table, after these fetches; a page that was not there has never been fetched."""
    count = len(world.urls)
    last_fetch, last_change = np.full(count, -np.inf), np.full(count, -np.inf)
    seen, changes = np.zeros(count, np.uint16), np.zeros(count, np.uint16)
    first_seen = np.full(count, fetches[0].time[0] if len(fetches[0]) else world.start)
    live, never = np.zeros(count, np.bool_), np.full(count, -np.inf)
    for each in fetches:
        again = each.row[each.changed & np.isfinite(each.gap)]
        new = each.row[np.isinf(each.gap)]
        first_seen[new] = each.time[np.isinf(each.gap)]
        last_fetch[each.row], last_change[again] = each.time, each.time[0] if len(each) else 0.0
        live[each.row] = each.fate == PAGE
        seen[each.row] += 1
        changes[again] += 1
    nothing = np.zeros(count, np.uint16)
    return Pages(
        key=world.keys,
        host=world.sites[1].astype(np.uint32),
        depth=nothing,
        found=first_seen,
        last_fetch=last_fetch,
        last_change=last_change,
        fetches=seen,
        changes=changes,
        inlinks=nothing.astype(np.uint32),
        signal=never,
        live=live,
        linked=never,
        unlinked=never,
    )
