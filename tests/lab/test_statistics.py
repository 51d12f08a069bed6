"""Statistics: intervals of differences between runs, in cases whose answer is known."""

from math import sqrt
from statistics import fmean, variance

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.lab.judge.statistics import Interval, Scored, difference, interval_of, t_statistic
from sought.lab.measures import Quality
from tests.testing.small_world import empty, run_of, small_judge, synced

DICE = np.random.default_rng(1)


def scored(qualities, queries=30):
    """Units of these qualities, whatever the queries."""
    ideal = np.random.default_rng(2).uniform(0.5, 2, (len(qualities), queries))
    weights = np.random.default_rng(3).uniform(0, 1, (len(qualities), queries))
    return Scored(np.asarray(qualities)[:, None] * ideal, ideal, weights)


def width(interval):
    return interval.high - interval.low


def test_the_mean_is_that_of_the_measure():
    """As it was measured, not as it was drawn; and it lies within."""
    judge = small_judge()
    run = run_of(judge, [[1], [2, 8], [0], [1, 3], [6], [7]], synced(judge.world))
    other = run_of(judge, [[1], [], [3], [], [0], []], empty(judge.world))
    for when in ("after", "before"):
        found = difference(Scored.of(run, when), Scored.of(other, when), draws=500)
        assert found.mean == pytest.approx((Quality(when)(run) - Quality(when)(other)).mean(), abs=1e-6)
        assert found.low < found.mean < found.high
        assert found.draws == 500


def test_a_run_does_not_differ_from_itself():
    assert difference(scored(DICE.uniform(0, 1, 9)), scored([0.5] * 9), draws=50).low != 0
    same = scored(DICE.uniform(0, 1, 9))
    assert difference(same, same, draws=50) == Interval(0, 0, 0, 50)


def test_where_queries_are_alike_only_units_are_drawn():
    """Then the interval is that of the differences by unit."""
    a, b = DICE.uniform(0, 1, 21), DICE.uniform(0, 1, 21)
    found = difference(scored(a), scored(b), draws=300, block=3, seed=5)
    assert found == pytest.approx(interval_of(a - b, draws=300, block=3, seed=5))


def test_where_units_are_alike_only_queries_are_drawn():
    """The interval of a mean over n queries is ±1.96·sd/√n."""
    values = DICE.uniform(0, 1, 400)
    found, ideal = np.tile(values, (5, 1)), np.ones((5, 400))
    interval = difference(Scored(found, ideal, ideal), Scored(0 * found, ideal, ideal), draws=4000)
    assert interval.mean == pytest.approx(values.mean())
    assert width(interval) == pytest.approx(2 * 1.96 * values.std() / 20, rel=0.08)
    # More units with the same queries do not make it narrower: queries are drawn once for all units.
    found, ideal = np.tile(found, (8, 1)), np.tile(ideal, (8, 1))
    more = difference(Scored(found, ideal, ideal), Scored(0 * found, ideal, ideal), draws=4000)
    assert width(more) == pytest.approx(width(interval), rel=0.08)


def test_units_that_are_alike_by_chance_only():
    """The interval of a mean over n units is ±1.96·sd/√n when blocks are single units."""
    values = DICE.normal(0, 1, 300)
    interval = interval_of(values, draws=4000, block=1)
    assert width(interval) == pytest.approx(2 * 1.96 * values.std() / np.sqrt(300), rel=0.08)


def test_blocks_see_that_units_go_together():
    """Runs of eight equal units are eight times fewer independent ones."""
    values = np.repeat(DICE.normal(0, 1, 60), 8)
    single, blocks = (interval_of(values, draws=2000, block=block) for block in (1, 16))
    assert 2 < width(blocks) / width(single) < 3.2  # √8 = 2.8, a little less since blocks end somewhere


def test_every_unit_is_drawn():
    """Blocks go round the end: the first and the last unit count as often as others."""
    for unit in range(10):
        seen = interval_of(np.eye(10)[unit], draws=1000, block=4)
        assert seen.mean == pytest.approx(0.1)
        assert seen.high == pytest.approx(0.3, abs=0.101)


def test_what_both_runs_share_cancels_out():
    """Hard weeks are hard for both: only the difference varies."""
    hard = DICE.uniform(0.2, 0.8, 40)
    better = difference(scored(hard + 0.01), scored(hard), draws=300)
    assert better.low == pytest.approx(0.01)
    assert better.high == pytest.approx(0.01)
    assert width(interval_of(hard)) > 0.05


@settings(deadline=None)
@given(st.integers(1, 12), st.integers(1, 20), st.floats(-1, 1))
def test_what_does_not_vary_has_no_width(units, block, value):
    """Whatever the block, also if it is longer than the run."""
    assert interval_of(np.full(units, value), draws=20, block=block) == pytest.approx((value, value, value, 20))


def test_units_of_which_nothing_is_known_are_left_out():
    values = np.array([1.0, np.nan, 3.0, np.nan])
    found = interval_of(values, draws=200, block=1)
    assert found.mean == 2
    assert 1 <= found.low <= found.high <= 3
    assert np.isnan(interval_of(np.full(3, np.nan))[:3]).all()
    assert np.isnan(interval_of(np.zeros(0))[:3]).all()
    assert np.isnan(difference(scored([]), scored([]))[:3]).all()


def test_the_same_seed_gives_the_same_interval():
    a, b = scored(DICE.uniform(0, 1, 12)), scored(DICE.uniform(0, 1, 12))
    assert difference(a, b, draws=200, seed=1) == difference(a, b, draws=200, seed=1)
    assert difference(a, b, draws=200, seed=1) != difference(a, b, draws=200, seed=2)


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(ValueError, match="paired"):
        difference(scored([0.5]), scored([0.5, 0.6]))
    with pytest.raises(ValueError, match="draws"):
        interval_of(np.ones(3), draws=0)
    with pytest.raises(ValueError, match="blocks"):
        interval_of(np.ones(3), block=0)


def test_queries_nobody_asks_change_nothing():
    """Nor is their number seen in the draws."""
    a, b = scored(DICE.uniform(0, 1, 8)), scored(DICE.uniform(0, 1, 8))

    def padded(each):
        more = np.ones((8, 7))
        return Scored(*map(np.hstack, ((each.attained, more), (each.ideal, more), (each.weights, 0 * more))))

    assert difference(padded(a), padded(b), draws=100) == pytest.approx(difference(a, b, draws=100))


floats = st.lists(st.floats(-10, 10).map(lambda x: round(x, 3)), min_size=2, max_size=9).map(np.array)


@given(floats, floats)
def test_t_is_that_of_two_samples(a, b):
    """The gap over its error, without the assumption that both vary alike (B. L. Welch, 1947)."""
    error = sqrt(variance(a) / len(a) + variance(b) / len(b))
    if error > 1e-6:
        assert t_statistic(a, b) == pytest.approx((fmean(a) - fmean(b)) / error, rel=1e-6, abs=1e-9)


def test_t_where_nothing_varies():
    ones, twos = np.ones(3), np.full(3, 2.0)
    assert t_statistic(ones, ones) == 0
    assert t_statistic(twos, ones) == np.inf
    assert t_statistic(ones, twos) == -np.inf
    assert np.isnan(t_statistic(ones[:1], twos))
    gappy, whole, other = np.array([1.0, np.nan, 3.0]), np.array([1.0, 3.0]), np.array([0.0, 2.0])
    assert t_statistic(gappy, other) == t_statistic(whole, other)
