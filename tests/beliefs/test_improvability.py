"""Improvability by mean score, and impact by importance."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.beliefs.search_impact.importance_curve import ImportanceCurve, fit_importance_curve, rescale
from sought.beliefs.search_impact.needy import Improvability, fit_improvability
from sought.web.errors import BadInput


def test_it_finds_the_curve():
    """Queries that improve by Poisson(exp(a + b·x)) give a and b back."""
    dice = np.random.default_rng(5)
    x = dice.uniform(0.0, 4.0, 40_000)
    found = fit_improvability(x, dice.poisson(np.exp(1.0 - 0.8 * x)))
    assert (found.a, found.b) == pytest.approx((1.0, -0.8), abs=0.05)
    assert len(found.buckets.x) == 20
    assert found.buckets.queries.tolist() == [2000] * 20
    assert np.all(np.diff(found.buckets.x) > 0.0)
    assert found(found.buckets.x) == pytest.approx(found.buckets.improvement, rel=0.15, abs=0.02)


def test_it_solves_the_equations_of_the_likelihood():
    """Weighted by counts: Σ n·(y - ŷ) = 0 and Σ n·(y - ŷ)·x = 0, with unequal buckets and one that is all zero."""
    x = np.repeat([0.0, 1.0, 2.0, 5.0], [40, 30, 20, 10])
    improvement = np.where(x == 5.0, 0.0, np.arange(100) % 3 + (x == 0.0))
    found = fit_improvability(x, improvement, buckets=100)
    means = found.buckets
    assert means.x.tolist() == [0.0, 1.0, 2.0, 5.0]
    assert means.queries.tolist() == [40, 30, 20, 10]
    residual = means.queries * (means.improvement - np.exp(found.a + found.b * means.x))
    assert residual.sum() == pytest.approx(0.0, abs=1e-3)
    assert (residual * means.x).sum() == pytest.approx(0.0, abs=1e-3)


def test_two_buckets_are_met_exactly():
    """By hand: means 4 and 1 at x = 0 and 1 give a = log 4, b = -log 4."""
    found = fit_improvability([0.0, 0.0, 1.0, 1.0], [3.0, 5.0, 2.0, 0.0], buckets=2)
    assert (found.a, found.b) == pytest.approx((math.log(4.0), -math.log(4.0)), abs=1e-4)


def test_equal_scores_share_a_bucket():
    """So the order of queries does not matter."""
    x = np.array([0.0] * 90 + [1.0] * 10)
    improvement = np.arange(100.0)
    order = np.random.default_rng(0).permutation(100)
    found, other = fit_improvability(x, improvement), fit_improvability(x[order], improvement[order])
    assert found.buckets.queries.tolist() == [90, 10]
    assert found == other


def test_nothing_is_known():
    """No data: 1 for all, so that needy queries are the frequent ones."""
    for found in (fit_improvability([], []), fit_improvability([math.nan], [1.0]), Improvability()):
        assert found([0.0, 5.0, 1e9]).tolist() == [1.0, 1.0, 1.0]
        assert len(found.buckets.x) == 0


def test_nothing_to_tell_queries_apart():
    """Without improvement, with one bucket or one score all queries are equal, and none is hopeless."""
    assert fit_improvability(np.arange(50.0), np.zeros(50))([0.0, 49.0]) == pytest.approx([0.01, 0.01])
    for x, buckets in ((np.full(10, 3.0), 20), (np.arange(10.0), 1), (3.0 + 1e-15 * np.arange(10), 20)):
        found = fit_improvability(x, np.arange(10), buckets)
        assert found.b == 0.0
        assert found([0.0, 100.0]) == pytest.approx([4.5, 4.5])


def test_it_is_bounded():
    """Only the lowest scores improved: the slope is finite, the fit right, and no query beats the most improved one."""
    x = np.repeat(np.arange(10.0), 10)
    found = fit_improvability(x, np.where(x == 0.0, 6.0, 0.0))
    assert found([0.0, 9.0]) == pytest.approx([6.0, 0.0], abs=0.01)
    assert found([-1e6, -math.inf]).tolist() == pytest.approx([6.0, 6.0])
    assert found([1e9])[0] > 0.0


@given(st.lists(st.tuples(st.floats(0, 50, width=32), st.integers(0, 10)), max_size=80), st.integers(1, 25))
@settings(max_examples=60, deadline=None)
def test_any_queries_give_a_curve(rows, buckets):
    """Finite, positive, at most the most improved, and Σ of what is said equals Σ of what was seen."""
    x, improvement = np.array(rows, float).reshape(-1, 2).T
    found = fit_improvability(x, improvement, buckets)
    said = found(x)
    assert np.isfinite([found.a, found.b]).all()
    assert np.all(said > 0.0)
    if improvement.any():
        assert np.all(said <= improvement.max() * (1.0 + 1e-9))
        means = found.buckets
        told = means.queries @ np.exp(found.a + found.b * means.x)
        assert told == pytest.approx(improvement.sum(), rel=1e-3)


def test_misfits_are_said():
    with pytest.raises(BadInput, match="fit improvements"):
        fit_improvability([1.0], [1.0, 2.0])
    with pytest.raises(BadInput, match="at least 1"):
        fit_improvability([1.0], [1.0], 0)
    with pytest.raises(BadInput, match="fit impacts"):
        fit_importance_curve([1.0], [1.0, 2.0])


def test_the_parabola_is_found():
    """Exactly where there is no noise, and 0 where it is below."""
    x = np.linspace(-12.0, -4.0, 50)
    curve = fit_importance_curve(x, 5.0 + 2.0 * x + 0.2 * x**2)
    assert curve.coefficients == pytest.approx((5.0, 2.0, 0.2))
    assert curve(x) == pytest.approx(np.maximum(0.0, 5.0 + 2.0 * x + 0.2 * x**2))
    assert curve([-5.0])[0] == 0.0


def test_it_is_the_least_squares_of_numpy():
    """Noisy impacts, as they are."""
    dice = np.random.default_rng(7)
    x = dice.normal(-10.0, 2.0, 500)
    impact = dice.poisson(np.exp(0.3 * (x + 8.0))).astype(float)
    assert fit_importance_curve(x, impact).coefficients == pytest.approx(np.polyfit(x, impact, 2)[::-1], rel=1e-8)


def test_beyond_what_was_seen_it_goes_on_level():
    """The least important page is not better than the least important one that was crawled; importance 0 is one."""
    x = np.array([-3.0, -2.0, -1.0, 0.0])
    curve = fit_importance_curve(x, x**2)
    assert curve([-100.0, -math.inf, 0.0, 50.0]) == pytest.approx([9.0, 9.0, 0.0, 0.0], abs=1e-9)
    assert curve([math.nan]).tolist() == [0.0]


def test_few_points():
    """A line through two different x, the mean at one, 0 without any; an importance of 0 is left out."""
    assert fit_importance_curve([1.0, 3.0], [2.0, 6.0])([1.0, 2.0, 3.0]) == pytest.approx([2.0, 4.0, 6.0])
    assert fit_importance_curve([1.0, 1.0], [2.0, 6.0])([0.0, 1.0]) == pytest.approx([4.0, 4.0])
    assert fit_importance_curve([-math.inf, 1.0], [50.0, 6.0])([1.0]) == pytest.approx([6.0])
    assert fit_importance_curve([], []) == ImportanceCurve()
    assert ImportanceCurve()([-5.0, 5.0]).tolist() == [0.0, 0.0]


def test_rounding_does_not_bend_it():
    """Two importances, one of them in two roundings: as for two."""
    x = np.array([0.0, 0.0, 1.0, 1.0 + 1e-13])
    assert fit_importance_curve(x, [0.0, 2.0, 10.0, 0.0])([0.0, 0.5, 1.0]).max() < 10.0


@given(st.lists(st.tuples(st.floats(-50, 0), st.floats(0, 1e6)), max_size=40))
@settings(max_examples=100, deadline=None)
def test_any_pages_give_a_curve(rows):
    """Finite and never below 0; its mean over the pages is not less than theirs."""
    x, impact = np.array(rows, float).reshape(-1, 2).T
    said = fit_importance_curve(x, impact)(x)
    assert np.isfinite(said).all()
    assert np.all(said >= 0.0)
    if len(x):
        assert said.mean() >= impact.mean() * (1.0 - 1e-6) - 1e-6


def test_rescale():
    """The part that few sketches cover stands for the whole."""
    assert rescale(100.0, 25.0) == 4.0
    assert rescale(100.0, 0.0) == 1.0
    assert rescale(0.0, 0.0) == 1.0
    assert rescale(1.0, 1.0 + 1e-15) == 1.0
