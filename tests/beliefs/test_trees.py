"""Trees that keep a distribution in each leaf, and the choice among them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeRegressor

from sought.beliefs.leaf_tree import DEPTHS, LEAVES, QUANTILES, fit_tree, fit_validated_tree
from sought.web.errors import BadInput

FEATURES = 3


def learnable(n, seed=0):
    dice = np.random.default_rng(seed)
    features = dice.normal(size=(n, FEATURES)).astype(np.float32)
    return features, np.exp(features[:, 0]) * (features[:, 1] > 0) + dice.gamma(1.0, 0.1, n)


def arrays(tree):
    return tree.feature, tree.threshold, tree.left, tree.right, tree.means, tree.quantiles


def test_it_predicts_what_scikit_learn_does():
    """The columns are read as scikit-learn reads its tree, for rows seen and unseen."""
    features, target = learnable(3000)
    unseen, _ = learnable(2000, seed=1)
    tree = fit_tree(features, target, min_leaf=20, max_depth=12)
    theirs = DecisionTreeRegressor(min_samples_leaf=20, max_depth=12, random_state=0).fit(features, target)
    for rows in (features, unseen):
        assert np.array_equal(tree.predict(rows), theirs.predict(rows).astype(np.float32))
    assert len(tree.means) == theirs.get_n_leaves() > 50
    assert np.array_equal(np.unique(tree.predict_leaf(features)), np.arange(len(tree.means)))


values = st.one_of(st.floats(-1e6, 1e6, width=32), st.sampled_from([0.0, 1.0, math.nan, math.inf, -math.inf, 3e38]))
weights = st.sampled_from([0.0, 1.0, 0.5, 1e-12, 7.0, math.nan, -1.0])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(values, values, values, weights), max_size=60), st.integers(1, 5))
def test_leaves_hold_their_distribution(rows, min_leaf):
    """Of any rows: quantiles ascend, lie within the leaf's targets, and their mean is the leaf's mean."""
    table = np.array(rows, float).reshape(-1, 4)
    features, target, weight = table[:, :2], np.where(table[:, 2] > 1e6, np.inf, np.abs(table[:, 2])), table[:, 3]
    tree = fit_tree(features, target, weight, min_leaf=min_leaf)
    leaf = tree.predict_leaf(features)
    assert np.isfinite(tree.quantiles).all()
    assert np.all(np.diff(tree.quantiles, axis=1) >= 0.0)
    np.testing.assert_allclose(tree.quantiles.mean(axis=1, dtype=float), tree.means, rtol=1e-6, atol=1e-6)
    counts = np.isfinite(target) & (weight > 0.0)
    for i in range(len(tree.means)) if counts.any() else ():
        own, mass = target[counts & (leaf == i)], weight[counts & (leaf == i)]
        assert len(own) >= min(min_leaf, np.count_nonzero(counts))
        np.testing.assert_allclose(tree.means[i], np.average(own, weights=mass), rtol=1e-6, atol=1e-6)
        assert tree.quantiles[i, 0] >= np.float32(own.min())
        assert tree.quantiles[i, -1] <= np.float32(own.max())


def test_quantiles_are_means_of_slices_of_equal_mass():
    """64 equally likely targets: each node is the mean of two; a weight counts like so many rows."""
    target = np.arange(64.0)[::-1]
    one_leaf = fit_tree(np.zeros((64, 1)), target)
    assert one_leaf.quantiles.shape == (1, QUANTILES)
    assert np.array_equal(one_leaf.quantiles[0], np.arange(64.0).reshape(32, 2).mean(axis=1).astype(np.float32))
    weighed = fit_tree(np.zeros((2, 1)), [5.0, 1.0], [1.0, 3.0])
    assert np.array_equal(weighed.quantiles[0], np.repeat([1.0, 5.0], [24, 8]).astype(np.float32))
    assert weighed.means.tolist() == [2.0]


def test_small_leaves_keep_their_digits_beside_large_ones():
    """A leaf of tiny targets is as exact as one of huge ones."""
    features = np.repeat([[0.0], [1.0]], 40, axis=0)
    tree = fit_tree(features, np.concatenate([np.full(40, 1e-9), np.full(40, 1e12)]))
    assert np.array_equal(tree.quantiles, np.repeat(tree.means[:, None], QUANTILES, axis=1))
    assert sorted(tree.means.tolist()) == [np.float32(1e-9), np.float32(1e12)]


def test_too_little_to_learn_from():
    """Fewer rows than a leaf must have give one leaf; no rows give 0 for everything."""
    features, target = learnable(19)
    few = fit_tree(features, target)
    assert len(few.means) == 1
    assert few.predict(features) == pytest.approx(np.full(19, target.mean()))
    for nothing in (
        fit_tree(np.zeros((0, FEATURES)), []),
        fit_tree(features, np.full(19, math.nan)),
        fit_tree(features, target, np.zeros(19)),
    ):
        assert not nothing.predict(features).any()
        assert not nothing.quantiles.any()
    assert len(few.predict(np.zeros((0, FEATURES)))) == 0


def test_features_that_are_no_numbers():
    """NaN is read as 0, in learning and in predicting; infinities are on their side of every threshold."""
    features, target = learnable(500)
    features[::7, 0] = math.nan
    features[::11, 1] = math.inf
    tree = fit_tree(features, target)
    plain = np.nan_to_num(features)
    assert np.array_equal(tree.predict(features), tree.predict(plain))
    assert all(np.array_equal(a, b) for a, b in zip(arrays(tree), arrays(fit_tree(plain, target)), strict=True))


def test_the_same_rows_give_the_same_tree():
    """Bit for bit, also where two features split equally well."""
    features, target = learnable(800)
    twice = np.hstack([features, features])
    first, second = fit_tree(twice, target), fit_tree(twice, target)
    assert all(np.array_equal(a, b) for a, b in zip(arrays(first), arrays(second), strict=True))


def test_what_does_not_fit_is_said():
    """One line that names the trouble."""
    features, target = learnable(30)
    tree = fit_tree(features, target)
    with pytest.raises(BadInput, match="29 targets"):
        fit_tree(features, target[:-1])
    with pytest.raises(BadInput, match="rows × 3"):
        tree.predict(features[:, :2])
    with pytest.raises(BadInput, match="min_leaf"):
        fit_tree(features, target, min_leaf=0)


def test_cross_validation_chooses_the_size():
    """Pure noise is left alone; structure without noise is followed; the same rows give the same choice."""
    dice = np.random.default_rng(3)
    features = dice.normal(size=(1200, FEATURES))
    noise = fit_validated_tree(features, dice.normal(size=1200))
    assert (noise.max_depth, noise.min_leaf) == (DEPTHS[0], LEAVES[0])
    steps = np.floor(features[:, 0] * 4) + np.floor(features[:, 1] * 4)
    fine = fit_validated_tree(features, steps)
    assert fine.max_depth > 4
    assert fine.min_leaf == 5
    assert fine.errors.min() == fine.errors[DEPTHS.index(fine.max_depth), LEAVES.index(fine.min_leaf)]
    again = fit_validated_tree(features, steps)
    assert all(np.array_equal(a, b) for a, b in zip(arrays(fine.tree), arrays(again.tree), strict=True))


@pytest.mark.parametrize("rows", [0, 1, 3, 9, 10, 30])
def test_cross_validation_of_few_rows(rows):
    """Never fails; too few rows, or a constant target, give the simplest tree."""
    features, target = learnable(rows)
    constant = fit_validated_tree(features, np.ones(rows))
    assert (constant.max_depth, constant.min_leaf) == (DEPTHS[0], LEAVES[0])
    found = fit_validated_tree(features, target)
    assert found.tree.predict(features).shape == (rows,)
