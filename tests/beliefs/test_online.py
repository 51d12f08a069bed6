"""A line learned in one pass."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.beliefs.online_linear import OnlineLinear
from sought.web.errors import BadInput

SCALES = np.array([2.0**-10, 1.0, 2.0**10, 2.0**17])


def linear(n=4000):
    dice = np.random.default_rng(1)
    features = dice.normal(size=(n, 4))
    return features, features @ [3.0, -2.0, 1.0, 0.0] + 7.0


def test_one_pass_finds_the_line():
    """Features of very different scales, a target in thousands: most of it is explained before it is seen."""
    features, target = linear()
    target = 1000.0 * target
    line = OnlineLinear(4)
    said = line.learn(features * SCALES, target)
    assert np.mean((said - target) ** 2) < 0.02 * target.var()
    assert line.weights[:-1] * SCALES == pytest.approx([3000.0, -2000.0, 1000.0, 0.0], abs=20.0)
    assert line.weights[-1] == pytest.approx(7000.0, abs=20.0)


def test_noise_is_averaged():
    """What noise in targets costs falls with the rows learned from (1/√n, not 1/n as least squares have it)."""

    def excess(rows, seed):
        features, target = linear(rows + 1000)
        noisy = target + 5.0 * np.random.default_rng(seed).normal(size=len(target))
        line = OnlineLinear(4)
        line.learn(features[:rows], noisy[:rows])
        return np.mean((line.predict(features[rows:]) - target[rows:]) ** 2) / 25.0

    few, many = (np.mean([excess(rows, seed) for seed in range(10)]) for rows in (2000, 32_000))
    assert many < 0.02
    assert many < 0.5 * few


@given(st.integers(-20, 20), st.integers(-20, 20))
@settings(max_examples=20, deadline=None)
def test_units_do_not_matter(feature, target):
    """Features and targets in other units give the same predictions in those units: exactly, by powers of two."""
    features, wanted = linear(200)
    plain, other = OnlineLinear(4), OnlineLinear(4)
    said = plain.learn(features, wanted)
    units = np.array([2.0**feature, 1.0, 2.0**-feature, 1.0])
    assert np.array_equal(other.learn(features * units, wanted * 2.0**target), said * 2.0**target)


@given(st.lists(st.integers(0, 300), max_size=6))
@settings(max_examples=30, deadline=None)
def test_batches_may_be_cut_anywhere(cuts):
    """Bit for bit."""
    features, target = linear(300)
    whole, parts = OnlineLinear(4), OnlineLinear(4)
    said = whole.learn(features, target)
    bounds = [0, *sorted(cuts), 300]
    pieces = [parts.learn(features[a:b], target[a:b]) for a, b in pairwise(bounds)]
    assert np.array_equal(np.concatenate(pieces), said)
    assert np.array_equal(parts.weights, whole.weights)
    one_by_one = np.concatenate([whole.predict(row[None]) for row in features])
    assert np.array_equal(one_by_one, whole.predict(features))


def test_the_first_steps_by_hand():
    """NAG, Algorithm 2 of Ross, Mineiro & Langford, on one feature and the constant.

    Row 1: x = 2, y = 4.  s = (2, 1), N = 2, t = 1, scale 4, error 2·(0 - 4)/4 = -2, gradients (-4, -2); each is its own
    root of squares, so w = ½·√½·4·(1/2, 1).
    """
    line = OnlineLinear(1)
    assert line.learn([[2.0]], [4.0]).tolist() == [0.0]
    step = 0.5 * math.sqrt(0.5) * 4.0
    assert line.weights == pytest.approx([step / 2.0, step])
    # Row 2: x = 4 is larger, so its weight halves; said = 4·w/2 + constant.
    said = 4.0 * step / 4.0 + step
    assert line.learn([[4.0]], [4.0]) == pytest.approx([said])
    error = 2.0 * (said - 4.0) / 4.0
    pace = 0.5 * math.sqrt(2.0 / 4.0) * 4.0
    first = step / 4.0 - pace * error * 4.0 / (4.0 * math.sqrt(16.0 + (4.0 * error) ** 2))
    second = step - pace * error / math.sqrt(4.0 + error**2)
    assert line.weights == pytest.approx([first, second])


hostile = st.one_of(
    st.floats(-10, 10), st.sampled_from([math.nan, math.inf, -math.inf, 1e308, -1e308, 1e-308, 3e38, 1e-45, 0.0])
)


@given(st.lists(st.tuples(hostile, hostile, hostile), max_size=40))
@settings(max_examples=100, deadline=None)
def test_it_stays_finite(rows):
    """Whatever comes."""
    table = np.array(rows, float).reshape(-1, 3)
    line = OnlineLinear(2)
    assert np.isfinite(line.learn(table[:, :2], table[:, 2])).all()
    assert np.isfinite(line.weights).all()
    assert np.isfinite(line.predict(table[:, :2])).all()


def test_nothing_is_learned_of_a_target_that_is_unknown():
    """And targets of 0 predict 0."""
    line = OnlineLinear(1)
    line.learn([[1.0], [2.0]], [math.nan, 0.0])
    assert not line.weights.any()
    assert not line.predict([[5.0]]).any()


def test_what_does_not_fit_is_said():
    """One line that names the trouble."""
    line = OnlineLinear(2)
    with pytest.raises(BadInput, match="rows × 2"):
        line.predict(np.zeros((3, 3)))
    with pytest.raises(BadInput, match="3 rows"):
        line.learn(np.zeros((3, 2)), np.zeros(2))
    with pytest.raises(BadInput, match="rate"):
        OnlineLinear(2, rate=0.0)
