"""How much could any schedule earn of the additive surrogate of quality?  A transport problem, solved exactly.

The loss ℓ of a version is taken by itself, on the day it appears, all other pages in step: the score with it,
less the score with the version before.  A job is a version in force in the units [first, stop).  Fetched in
unit t it earns ℓ·(stop - t).  Each job is done at most once, each unit has `budget` fetches.  The constraints are
totally unimodular, so the best whole schedule is the linear programme's optimum.  It bounds the surrogate, not quality
itself; `additivity` measures how far the two are apart.

A general solver takes many times as long (`python -m benchmarks parts`).  Here jobs are added one by one, each along
the best path of moves from unit to unit: R. K. Ahuja, T. L. Magnanti, J. B. Orlin, Network Flows, 1993, §9.7
(successive shortest paths).  The prices of units prove the result: see `Bound.gap`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.lab.judge.judge import Judge
from sought.lab.replay.oracles import Truth
from sought.lab.worlds.world import NOTHING, Numbers
from sought.web.compiled import Int, cached, compiled, readable

Floats = NDArray[np.float64]


def losses(judge: Judge, copies: Numbers | None = None, report: Callable[[int, int], None] = lambda *_: None) -> Floats:
    """The loss of every version, in units of the quality's numerator; 0 for those that end before the world's start.

    The versions in force at the start replace those that the repository has then: `copies`, or nothing.
    """
    world = judge.world
    v = world.versions
    none = np.full(len(world.urls), NOTHING)
    before = np.append(NOTHING, world.observed[:-1])
    before[world.firsts] = NOTHING
    at_start = world.live(world.start)
    there = at_start != NOTHING
    before[at_start[there]] = (none if copies is None else copies)[there]
    births = np.where(world.until > world.start, np.maximum(v.time, world.start), np.inf)
    losses, truth = np.zeros(len(v)), Truth(judge, none)
    times = np.unique(births[births <= world.end])
    for done, time in enumerate(times.tolist(), 1):
        truth.at(time)
        truth.copies[:] = truth.live
        born = np.flatnonzero(births == time)
        pages = v.page[born].astype(np.int64)
        losses[born] = -truth.evaluator.gains_of(v.page[born], judge.matches(pages, before[born]))
        report(done, len(times))
    return losses


@dataclass(frozen=True)
class Additivity:
    """For each unit: the sum of the losses of missing versions, the true loss, and the ideal."""

    singletons: Floats
    true: Floats
    ideal: Floats

    @property
    def errors(self) -> Floats:
        """|Σ singletons - true loss|, as a share of the ideal; 0 where that is 0."""
        return np.abs(self.singletons - self.true) / np.where(self.ideal > 0, self.ideal, 1.0)


def additivity(judge: Judge, loss: Floats, states: Iterable[tuple[float, Numbers]]) -> Additivity:
    """For a repository with these copies at these times."""
    truth, rows = Truth(judge, np.full(len(judge.world.urls), NOTHING)), []
    for time, copies in states:
        truth.at(time)
        truth.copies[:] = copies
        quality = truth.evaluator.quality()
        missed = truth.live[truth.live != truth.copies]
        rows.append((float(loss[missed].sum()), quality.denominator - quality.numerator, quality.denominator))
    return Additivity(*np.array(rows, np.float64).reshape(-1, 3).T)


# ---- The best schedule.


Report = Callable[[int, int], None]
_WHOLE, _REAL = readable(types.int64), readable(types.float64)


@dataclass(frozen=True)
class Jobs:
    """One item of each column a job."""

    version: Numbers
    first: Numbers
    stop: Numbers
    loss: Floats

    def __len__(self) -> int:
        return len(self.version)

    @property
    def possible(self) -> float:
        """What fetching everything at once would earn."""
        return float((self.loss * (self.stop - self.first)).sum())

    def earned(self, slots: Numbers) -> float:
        """What a schedule earns: `slots` has the unit of each job, NOTHING if it is not done."""
        done = slots != NOTHING
        return float((self.loss * (self.stop - slots))[done].sum())


@dataclass(frozen=True)
class Bound:
    """The best schedule of the surrogate: `fetches` are its rows (unit, page, version).

    `gap` is by how much the prices of units would allow to earn more, as a share: rounding only.  `additivity_error` is
    of a repository that is never refreshed, mean over units, as a share of the ideal.
    """

    earned: float
    possible: float
    gap: float
    fetches: Numbers
    additivity_error: float
    seconds: float

    @property
    def loss_share(self) -> float:
        return 1 - self.earned / self.possible if self.possible else 0.0


def jobs_of(judge: Judge, moments: Floats, loss: Floats) -> Jobs:
    """Versions with a loss that are in force at one of the moments at least."""
    world = judge.world
    first, stop = (np.searchsorted(moments, times, "left") for times in (world.versions.time, world.until))
    kept = np.flatnonzero((loss > 0) & (first < stop))
    return Jobs(kept, first[kept], stop[kept], loss[kept])


def transport_bound(judge: Judge, moments: Floats, budget: int, copies: Numbers) -> Bound:
    """The bound for a repository that begins with these copies, which are no jobs."""
    [bound] = transport_bounds(judge, moments, [budget], copies)
    return bound


def transport_bounds(
    judge: Judge,
    moments: Floats,
    budgets: Sequence[int],
    copies: Numbers,
    report: Report = lambda done, total: None,
    loss: Floats | None = None,
) -> list[Bound]:
    """The same for several budgets: losses, which take most of the time, and their error serve all of them."""
    loss = losses(judge, copies, report) if loss is None else loss
    errors = additivity(judge, loss, ((time, copies) for time in moments.tolist())).errors
    jobs = jobs_of(judge, moments, loss)
    return [
        _bound(judge, jobs, len(moments), budget, float(errors.mean()) if len(errors) else 0.0) for budget in budgets
    ]


def _bound(judge: Judge, jobs: Jobs, units: int, budget: int, error: float) -> Bound:
    began = perf_counter()
    slots, prices = solve(jobs, units, budget)
    earned, allowed = jobs.earned(slots), _allowed(jobs, prices, budget)
    done = slots != NOTHING
    fetches = np.stack([slots, judge.world.versions.page[jobs.version].astype(np.int64), jobs.version], axis=1)[done]
    return Bound(
        earned,
        jobs.possible,
        (allowed - earned) / allowed if allowed else 0.0,
        fetches[np.argsort(fetches[:, 0], kind="stable")],
        error,
        perf_counter() - began,
    )


def greedy_future(judge: Judge, moments: Floats, budget: int, copies: Numbers) -> float:
    """What a greedy schedule earns that fetches in each unit the jobs which earn most then."""
    jobs = jobs_of(judge, moments, losses(judge, copies))
    slots = np.full(len(jobs), NOTHING)
    for unit in range(len(moments)):
        open_ = np.flatnonzero((slots == NOTHING) & (jobs.first <= unit) & (unit < jobs.stop))
        worth = jobs.loss[open_] * (jobs.stop[open_] - unit)
        slots[open_[np.argsort(-worth, kind="stable")[:budget]]] = unit
    return jobs.earned(slots)


def solve(jobs: Jobs, units: int, budget: int) -> tuple[Numbers, Floats]:
    """The unit of each job in a best schedule, NOTHING if it is not done, and the prices of a fetch in each unit."""
    dear = float((jobs.loss * (jobs.stop - jobs.first)).max(initial=0.0))
    slots, prices = (
        np.full(len(jobs), NOTHING),
        np.full(units, dear),
    )  # above what any job earns, where there is no budget
    room = min(budget, len(jobs) + 1)
    if budget > 0 and len(jobs):
        order = np.argsort(-jobs.loss * (jobs.stop - jobs.first), kind="stable")  # so that few are moved later
        _schedule(order, jobs.first, jobs.stop, jobs.loss, room, slots, prices)
    return slots, prices


def _allowed(jobs: Jobs, prices: Floats, budget: int) -> float:
    """The dual value: earnings above the prices of units, and the prices of all fetches.  No schedule earns more."""
    total = budget * float(prices.sum())
    for i in range(len(jobs)):
        units = np.arange(jobs.first[i], jobs.stop[i])
        total += max(0.0, float((jobs.loss[i] * (jobs.stop[i] - units) - prices[units]).max()))
    return total


@compiled
def _leaving(
    unit: Int, held: Numbers, count: Int, first: Numbers, stop: Numbers, loss: Floats, worth: Floats, who: Numbers
) -> None:
    """The best job to leave a unit for each other unit, or (the last item) for good, and what that brings."""
    units = worth.size - 1
    for t in range(units + 1):
        worth[t], who[t] = -np.inf, -1
    for i in range(count):
        job = held[i]
        for t in range(first[job], stop[job]):
            brings = loss[job] * (unit - t)
            if t != unit and brings > worth[t]:
                worth[t], who[t] = brings, job
        if -loss[job] * (stop[job] - unit) > worth[units]:
            worth[units], who[units] = -loss[job] * (stop[job] - unit), job


@compiled
def _price(worth: Floats, counts: Numbers, room: Int, after: Numbers, gain: Floats, least: float) -> None:
    """The best way to make room in each unit: nothing to do, or which unit one of its jobs goes to (or leaves for)."""
    units = counts.size
    for s in range(units):
        is_free = counts[s] < room
        gain[s], after[s] = (0.0, -1) if is_free else (worth[s, units], units)
    changed, rounds = True, 0
    while changed and rounds <= units:
        changed, rounds = False, rounds + 1
        for s in range(units):
            for t in range(units):
                if worth[s, t] + gain[t] > gain[s] + least:
                    gain[s], after[s], changed = worth[s, t] + gain[t], t, True


@compiled
def _take_out(held: Numbers, count: Int, job: Int) -> None:
    for i in range(count):
        if held[i] == job:
            held[i] = held[count - 1]
            return


@cached(types.void(*[_WHOLE] * 3, _REAL, types.int64, types.int64[::1], types.float64[::1]))
def _schedule(
    order: Numbers, first: Numbers, stop: Numbers, loss: Floats, room: Int, slots: Numbers, prices: Floats
) -> None:
    """Add job after job; the schedule of those added so far is the best there is."""
    units = prices.size
    held, counts = np.full((units, room), -1), np.zeros(units, np.int64)
    worth, who = np.full((units, units + 1), -np.inf), np.full((units, units + 1), -1)
    gain, after = np.zeros(units), np.full(units, -1)
    least = 1e-13 * max(1e-300, np.max(loss)) * units
    for job in order:
        best, at = least, -1
        for t in range(first[job], stop[job]):
            value = loss[job] * (stop[job] - t) + gain[t]
            if value > best:
                best, at = value, t
        comes = job
        while at >= 0:
            goes_to = after[at]
            goes = who[at, goes_to] if goes_to >= 0 else -1
            if goes >= 0:
                _take_out(held[at], counts[at], goes)
                counts[at] -= 1
                slots[goes] = -1
            held[at, counts[at]] = comes
            counts[at] += 1
            slots[comes] = at
            _leaving(at, held[at], counts[at], first, stop, loss, worth[at], who[at])
            comes, at = goes, goes_to if goes >= 0 and goes_to < units else -1
        if best > least:
            _price(worth, counts, room, after, gain, least)
    prices[:] = -gain
