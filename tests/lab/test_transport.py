"""The transport bound: exact for its surrogate, and never below what anyone earns there."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from sought.lab.judge.transport import (
    Jobs,
    _allowed,
    additivity,
    greedy_future,
    jobs_of,
    losses,
    solve,
    transport_bound,
)
from sought.lab.worlds.world import NOTHING
from tests.testing.brute_force import best
from tests.testing.tiny_worlds import START, UNIT, additive, judged, moments_of, nothing_of, world_of

UNITS = 6
optimize: Any = import_module("scipy.optimize")  # it does not say what it exports


@st.composite
def jobs_lists(draw):
    spans = st.tuples(st.integers(0, UNITS - 1), st.integers(1, UNITS), st.sampled_from([0.1, 0.5, 1.0, 1.3, 9.0]))
    rows = [(a, min(UNITS, a + d), loss) for a, d, loss in draw(st.lists(spans, max_size=14))]
    first, stop = (np.array([row[i] for row in rows], np.int64) for i in (0, 1))
    return Jobs(np.arange(len(rows)), first, stop, np.array([row[2] for row in rows], np.float64))


def programme(jobs, units, budget):
    """The same as a linear programme: its optimum, and whether its solution is whole."""
    sizes = jobs.stop - jobs.first
    job = np.repeat(np.arange(len(jobs)), sizes)
    slot = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes - jobs.first, sizes)
    at = np.arange(len(job))
    rows, columns = np.concatenate([job, len(jobs) + slot]), np.concatenate([at, at])
    limits = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(jobs) + units, len(job)))
    values = jobs.loss[job] * (jobs.stop[job] - slot)
    room = np.concatenate([np.ones(len(jobs)), np.full(units, budget)])
    found = optimize.linprog(-values, A_ub=limits, b_ub=room, method="highs")
    return -found.fun, np.abs(found.x - np.round(found.x)).max()


@settings(deadline=None, max_examples=200)
@given(jobs_lists(), st.integers(0, 4))
def test_the_schedule_is_the_linear_programmes(jobs, budget):
    """It keeps to the rules, earns as much as the programme's optimum, and its prices prove that."""
    slots, prices = solve(jobs, UNITS, budget)
    done = slots != NOTHING
    assert np.all((jobs.first <= slots) & (slots < jobs.stop) | ~done)
    assert np.bincount(slots[done], minlength=UNITS).max(initial=0) <= budget
    assert np.all(prices >= 0)
    assert _allowed(jobs, prices, budget) == pytest.approx(jobs.earned(slots), rel=1e-9, abs=1e-12)
    if len(jobs):
        assert jobs.earned(slots) == pytest.approx(programme(jobs, UNITS, budget)[0], rel=1e-9, abs=1e-9)


def test_a_larger_programme():
    """Hundreds of jobs, many of the same interval; HiGHS finds the same optimum, and it is whole."""
    rng = np.random.default_rng(4)
    first = rng.choice([0, 3, 3, 3, 7, 12], 600)
    stop = np.minimum(20, first + rng.geometric(0.15, 600))
    jobs = Jobs(np.arange(600), first, stop, rng.lognormal(0, 2, 600))
    slots, prices = solve(jobs, 20, 9)
    optimum, fraction = programme(jobs, 20, 9)
    assert jobs.earned(slots) == pytest.approx(optimum, rel=1e-9)
    assert _allowed(jobs, prices, 9) == pytest.approx(optimum, rel=1e-9)
    assert fraction < 1e-6
    assert jobs.earned(slots) < jobs.possible


def test_fetching_the_largest_loss_first_is_not_best():
    """Two that last should be fetched before one that ends: 9·3 + 8·2 rather than 10·1 + 9·2 + 8·1."""
    jobs = Jobs(np.arange(3), np.zeros(3, np.int64), np.array([1, 3, 3]), np.array([10.0, 9.0, 8.0]))
    slots, _ = solve(jobs, 3, 1)
    assert slots.tolist() == [NOTHING, 0, 1]
    assert jobs.earned(slots) == pytest.approx(43.0)


HISTORY = {"a": [0, 2, 4], "b": [0], "c": [1, 2], "d": [3], "e": [0, 1, 2, 3]}
WORTH = {("a", 0): 4, ("a", 2): 4, ("a", 4): 4, ("b", 0): 3, ("c", 1): 1, ("c", 2): 1, ("d", 3): 6} | {
    ("e", unit): 2 for unit in range(4)
}


def test_losses_are_what_each_version_adds():
    """Each query has one page: then a version is worth its own queries, and new pages are worth as much as edits."""
    judge, scores = additive(HISTORY, WORTH, units=4)
    c = judge.visibility.scale / len(judge.demand)
    assert losses(judge) == pytest.approx(c * scores, rel=1e-6)


def test_what_the_repository_has_is_no_loss():
    """At the start; later versions are missed all the same."""
    judge, scores = additive(HISTORY, WORTH, units=4)
    world = judge.world
    held = world.at(START)
    expected = np.where(world.versions.time <= START, 0.0, scores)
    c = judge.visibility.scale / len(judge.demand)
    assert losses(judge, held) == pytest.approx(c * expected, rel=1e-6)


def test_additive_losses_have_no_additivity_error():
    """Nothing shares a query, and no version matches what an older one did."""
    judge, _ = additive(HISTORY, WORTH, units=4)
    copies = judge.world.at(START)
    found = additivity(judge, losses(judge, copies), ((t, copies) for t in moments_of(judge.world).tolist()))
    assert found.errors == pytest.approx(np.zeros(5), abs=1e-6)
    assert found.true[-1] > 0


def test_losses_that_share_a_query_do_not_add_up():
    """Two absent pages of equal worth: what each adds to the other is less than what both bring."""
    world = world_of({"a": [(0, "boat lake")], "b": [(0, "boat lake")]}, ["boat"], units=1)
    judge = judged(world)
    found = additivity(judge, losses(judge), ((t, nothing_of(world)) for t in moments_of(world).tolist()))
    assert found.true == pytest.approx(found.ideal)
    assert np.all(found.singletons < 0.99 * found.true)


@pytest.mark.parametrize("budget", [1, 2])
@pytest.mark.parametrize("warm", [True, False])
def test_the_bound_is_the_best_of_all_schedules(budget, warm):
    """Where losses add up and the Web is always worth the same, the surrogate is quality: so says brute force."""
    history = {"a": [0, 2], "b": [0, 1, 2, 3], "c": [0], "d": [0, 1]}
    worth = {(page, unit): value for (page, value) in zip("abcd", (5, 3, 2, 4), strict=True) for unit in history[page]}
    judge, scores = additive(history, worth, units=3)
    world, moments = judge.world, moments_of(judge.world)
    copies = world.at(START) if warm else nothing_of(world)
    bound = transport_bound(judge, moments, budget, copies)
    mean, _ = best(judge, moments, budget, copies, len(moments))
    per_unit = judge.visibility.scale / len(judge.demand) * scores[world.at(START)].sum()
    lost = (bound.possible - bound.earned) / len(moments) / per_unit
    assert 1 - lost == pytest.approx(mean, rel=1e-6)
    assert bound.additivity_error == pytest.approx(0.0, abs=1e-6)
    assert abs(bound.gap) < 1e-9
    assert 0 < greedy_future(judge, moments, budget, copies) <= bound.earned * (1 + 1e-9)


def test_fetches_of_the_bound_are_of_versions_in_force():
    """At most the budget in each unit, each version once."""
    judge, _ = additive(HISTORY, WORTH, units=4)
    world, moments = judge.world, moments_of(judge.world)
    bound = transport_bound(judge, moments, 1, nothing_of(world))
    assert np.bincount(bound.fetches[:, 0]).max() == 1
    assert len(set(bound.fetches[:, 2].tolist())) == len(bound.fetches) == len(moments)
    for unit, page, version in bound.fetches.tolist():
        assert world.version(page, moments[unit]) == version
    assert 0 < bound.loss_share < 1


def test_versions_nobody_could_fetch_are_no_jobs():
    """Gone again before the first moment, or worth nothing."""
    judge, _ = additive({"a": [0, 1], "b": [0]}, {("a", 0): 1, ("a", 1): 2, ("b", 0): 0}, units=2)
    loss = losses(judge)
    moments = START + UNIT * np.array([1.0, 2.0])
    jobs = jobs_of(judge, moments, loss)
    assert jobs.version.tolist() == [1]
    assert (jobs.first.tolist(), jobs.stop.tolist()) == ([0], [2])
    assert jobs.possible == pytest.approx(2 * loss[1])
