"""Promises of clustering by repeated bisection (seed 004), and of what is made of clusters."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sought.beliefs.clusters import bisection
from sought.beliefs.clusters.bisection import bisected
from sought.beliefs.clusters.folds import fold_scores, knee
from sought.beliefs.clusters.partition import anchor_distances, assigned, criterion
from sought.beliefs.clusters.scaling import Kind, Scaling, changes, fit_scaling
from sought.beliefs.clusters.vectors import dense, sparse
from sought.web.errors import BadInput

PICKS = ("gain", "size")


def planted(rows=600, groups=6, width=12, noise=0.05, seed=3):
    """Groups around axes of their own, and which row is of which."""
    random = np.random.default_rng(seed)
    group = random.integers(groups, size=rows)
    return np.abs(np.eye(groups, width)[group] + noise * random.standard_normal((rows, width))), group


def as_sparse(table):
    """The same rows, without their zeros."""
    held = table != 0
    bounds = np.concatenate(([0], np.cumsum(held.sum(1))))
    return sparse(table[held], np.nonzero(held)[1], bounds, table.shape[1])


def units(table):
    given = np.asarray(table, np.float64)
    length = np.linalg.norm(given, axis=1, keepdims=True)
    return given / np.where(length > 0, length, 1)


def plain_tau(table, labels):
    """τ as eq. 8 has it: the sum of all cosines with the centre of the cluster."""
    rows, total = units(table), 0.0
    for label in np.unique(labels):
        centre = rows[labels == label].sum(0)
        length = np.linalg.norm(centre)
        total += (rows[labels == label] @ centre / length).sum() if length > 1e-12 else 0.0
    return total


def same(one, other):
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in vars(one))


small = st.tuples(st.integers(2, 8), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.float32, shape, elements=st.integers(0, 5).map(float))
)


@given(small, st.integers(1, 8), st.sampled_from(PICKS))
def test_a_partition_whose_criterion_never_falls(table, k, pick):
    """Invariant 13; every row is in one cluster, none is empty, and τ is that of the labels."""
    found = bisected(table, k, pick=pick)
    assert 1 <= len(found) <= k
    assert (np.diff(found.history) >= 0).all()
    assert (np.bincount(found.labels, minlength=len(found)) == found.sizes).all()
    assert (found.sizes > 0).all()
    assert found.sizes.sum() == len(table)
    assert found.history[-1] == pytest.approx(plain_tau(table, found.labels), abs=1e-5)
    assert criterion(table, found.labels) == pytest.approx(plain_tau(table, found.labels), abs=1e-5)


@pytest.mark.parametrize("pick", PICKS)
def test_the_criterion_never_falls_over_many_clusters(pick):
    """Invariant 13 at size, beyond the sample on which splits are tried."""
    table = np.random.default_rng(5).random((6000, 20))
    found = bisected(table, 60, pick=pick)
    assert len(found) == 60
    assert (np.diff(found.history) > 0).all()
    assert found.history[-1] == pytest.approx(criterion(table, found.labels))


@given(small)
def test_two_halves_are_a_local_optimum(table):
    """No row can go to the other side and raise τ, and no split of all there are is better than it may be.

    The best of all splits is an upper bound, and one cluster a lower one.
    """
    found = bisected(table, 2)
    if len(found) < 2:
        return
    reached = plain_tau(table, found.labels)
    for row in np.flatnonzero(np.asarray(table).any(1)):
        moved = found.labels.copy()
        moved[row] = 1 - moved[row]
        assert plain_tau(table, moved) <= reached + 1e-5
    best = max(plain_tau(table, np.array(labels)) for labels in product((0, 1), repeat=len(table)))
    assert plain_tau(table, np.zeros(len(table))) - 1e-6 <= reached <= best + 1e-6


def test_halves_are_mostly_the_best_there_are():
    """Five tries find the best of all splits of eight rows nearly always."""
    random = np.random.default_rng(9)
    hits = 0
    for _ in range(40):
        table = random.random((8, 3))
        best = max(plain_tau(table, np.array(labels)) for labels in product((0, 1), repeat=8))
        hits += plain_tau(table, bisected(table, 2).labels) >= best - 1e-6
    assert hits >= 34


@pytest.mark.parametrize("pick", PICKS)
def test_planted_clusters_are_found(pick):
    table, group = planted()
    found = bisected(table, 6, pick=pick)
    pairs = {(a, b) for a, b in zip(found.labels.tolist(), group.tolist(), strict=True)}
    assert len(pairs) == 6
    labels, cosine = assigned(table, found.centroids)
    assert (labels == found.labels).all()
    assert cosine.min() > 0.9


@given(small, st.integers(1, 6))
def test_dense_and_sparse_rows_are_clustered_alike(table, k):
    one, other = bisected(table, k), bisected(as_sparse(table), k)
    assert (one.labels == other.labels).all()
    assert np.allclose(one.centroids, other.centroids, atol=1e-6)
    assert np.allclose(one.history, other.history, atol=1e-6)


def test_many_dense_and_sparse_rows_are_clustered_alike():
    random = np.random.default_rng(2)
    table = random.random((6000, 30)) * (random.random((6000, 30)) < 0.3)
    one, other = bisected(table, 20), bisected(as_sparse(table), 20)
    assert (one.labels == other.labels).all()
    nearest = assigned(table, one.centroids), assigned(as_sparse(table), one.centroids)
    assert (nearest[0][0] == nearest[1][0]).all()
    assert np.allclose(nearest[0][1], nearest[1][1], atol=1e-6)


def test_same_rows_same_bits():
    """Again, and from a copy in another layout; another seed is another clustering."""
    table = np.random.default_rng(4).random((5000, 10)).astype(np.float32)
    found = bisected(table, 30, seed=7)
    assert same(found, bisected(np.asfortranarray(table), 30, seed=7))
    assert not same(found, bisected(table, 30, seed=8))


@pytest.mark.parametrize("pick", PICKS)
def test_fewer_clusters_are_in_more(pick):
    """Splits are nested: what clustering into k gives can be read off a clustering into more."""
    table, _ = planted(900, noise=0.3)
    most = bisected(table, 40, pick=pick)
    for k in (1, 2, 7, 25):
        fewer, cut = bisected(table, k, pick=pick), most.at(k)
        assert (fewer.labels == cut.labels).all()
        assert (fewer.sizes == cut.sizes).all()
        assert (fewer.history == cut.history).all()
        assert np.allclose(fewer.centroids, cut.centroids, atol=1e-6)
    assert most.at(100) is most


def test_rows_of_zeros_go_with_the_larger_half():
    """In every split; they have no direction, and no cosine."""
    table, _ = planted(300)
    table[::10] = 0.0
    found = bisected(table, 6)
    assert set(found.labels[::10]) == {0}
    assert len(set(found.labels)) == 6
    first = found.at(2)
    assert np.bincount(first.labels[table.any(1)])[0] >= np.bincount(first.labels[table.any(1)])[1]
    labels, cosine = assigned(table, found.centroids)
    assert set(labels[::10]) == {0}
    assert not cosine[::10].any()


@pytest.mark.parametrize(
    ("rows", "distinct"),
    [
        (np.zeros((5, 3)), 1),
        (np.ones((5, 3)), 1),
        (np.outer([1, 2, 3, 0.1, 1e9], [0.3, 0.7, 0.1]), 1),
        (np.zeros((0, 3)), 1),
        (np.ones((1, 3)), 1),
        (np.repeat(np.eye(3), 4, 0), 3),
        (np.vstack([np.ones((5000, 2)), [[1, 0]], np.zeros((3, 2))]), 2),
    ],
)
@pytest.mark.parametrize("pick", PICKS)
def test_alike_rows_are_not_split(rows, distinct, pick):
    """There are no more clusters than directions, be one of them that of a single row beyond the sample."""
    found = bisected(rows, 10, pick=pick)
    assert len(found) == distinct
    assert found.sizes.sum() == len(rows)
    assert found.history.shape == (distinct,)
    for direction in np.unique(found.labels):
        own = rows[found.labels == direction]
        own = units(own[own.any(1)])
        assert np.abs(own - own[:1]).max(initial=0) < 1e-6


def test_trying_on_a_sample_costs_little(monkeypatch):
    """τ is within a hundredth of what tries on all rows would have found."""
    table = planted(12_000, groups=10, width=15, noise=0.3)[0]
    sampled = bisected(table, 20).history[-1]
    monkeypatch.setattr(bisection, "_SAMPLE", 10**9)
    assert sampled > 0.99 * bisected(table, 20).history[-1]


@given(small, arrays(np.float32, (3, 4), elements=st.integers(0, 5).map(float)))
def test_the_nearest_centroid_is_nearest(table, centres):
    centres = centres[:, : table.shape[1]]
    labels, cosine = assigned(table, centres)
    every = units(table) @ units(centres).T
    assert np.allclose(cosine, every.max(1), atol=1e-5)
    assert np.allclose(every[np.arange(len(table)), labels], every.max(1), atol=1e-5)


def test_bad_rows_are_refused():
    """Compiled loops trust what they are given."""
    for bad in (np.full((2, 2), np.nan), np.ones(3), np.array([[np.inf, 1.0]])):
        with pytest.raises(BadInput):
            bisected(bad, 2)
    for values, columns, bounds in (
        ([1.0], [5], [0, 1]),
        ([1.0], [-1], [0, 1]),
        ([1.0], [0], [0, 2]),
        ([1.0, 1.0], [0, 1], [0, 2, 1]),
        ([1.0], [0, 1], [0, 1]),
        ([], [], []),
    ):
        with pytest.raises(BadInput):
            sparse(values, columns, bounds, 5)
    with pytest.raises(BadInput, match="k is"):
        bisected(np.eye(2), 0)
    with pytest.raises(BadInput, match="pick"):
        bisected(np.eye(2), 2, pick="best")  # type: ignore[arg-type]  # what is tested
    with pytest.raises(BadInput, match="centroids"):
        assigned(np.eye(2), np.eye(3))
    with pytest.raises(BadInput, match="labels"):
        criterion(np.eye(2), [0, -1])
    with pytest.raises(BadInput, match="cluster"):
        bisected(np.eye(2), 2).at(0)


def test_rows_are_taken_in_any_order():
    table = np.random.default_rng(1).random((5, 3))
    for rows in (dense(table), as_sparse(table)):
        taken = rows.taken(np.array([4, 0, 0]))
        assert np.allclose(taken.values.reshape(3, 3), units(table)[[4, 0, 0]], atol=1e-6)
    assert len(dense(table).taken(np.zeros(0, np.int64))) == 0


def test_scores_rise_steeply_up_to_the_planted_number():
    """E004-1 in small: pages left out come closer to a centre until there is one for each group, then hardly."""
    table, _ = planted(800, groups=10, width=16, noise=0.04)
    ks = (2, 5, 10, 20, 40)
    scores = fold_scores(table, ks, folds=5)
    assert (scores == fold_scores(table, ks, folds=5)).all()
    assert (scores[:3] > [0, scores[0] * 1.1, scores[1] * 1.1]).all()
    assert knee(ks, scores) == 10


def test_a_score_is_that_of_pages_left_out():
    """Against clusters made for each number and fold anew."""
    table, _ = planted(200, noise=0.4)
    fold = np.random.default_rng(6).permutation(200) % 4
    ks, expected = (3, 8), []
    for k in ks:
        tests = [assigned(table[fold == i], bisected(table[fold != i], k, 6).centroids)[1] for i in range(4)]
        expected.append(np.mean([cosine.mean() for cosine in tests]))
    assert np.allclose(fold_scores(table, ks, folds=4, seed=6), expected, atol=1e-6)
    assert np.allclose(fold_scores(as_sparse(table), ks, folds=4, seed=6), expected, atol=1e-6)


def test_the_knee():
    assert knee((5, 10, 25), (0.5, 0.6, 0.601)) == 10
    assert knee((25, 5, 10), (0.601, 0.5, 0.6)) == 10
    assert knee((5, 10, 25), (0.5, 0.6, 0.7)) == 25
    assert knee((5, 10, 25), (0.5, 0.6, 0.7), share=0.5) == 5
    assert knee((5, 10, 25), (0.1, 0.105, 0.1055)) == 10, "a share of the score, not of 1"
    for bad in (((), ()), ((5, 10), (1.0,))):
        with pytest.raises(BadInput):
            knee(*bad)
    with pytest.raises(BadInput, match="folds"):
        fold_scores(np.eye(3), (2,), folds=10)


def test_distances_from_the_largest_clusters():
    """0 for an anchor itself, else the place among the others by nearness, over the number of clusters."""
    angles = np.radians([0, 10, 40, 90])
    centres = np.stack([np.cos(angles), np.sin(angles)], 1) * [[1], [3], [0.5], [2]]
    table = anchor_distances(centres, [5, 1, 9, 5], anchors=3)
    assert (table * 4).T.tolist() == [[2, 1, 0, 3], [0, 1, 2, 3], [3, 2, 1, 0]]
    assert not anchor_distances(centres, [5, 1, 9, 5], anchors=6)[:, 4:].any()
    with pytest.raises(BadInput, match="sizes"):
        anchor_distances(centres, [1, 2])


KINDS: tuple[Kind, ...] = ("count", "plain", "change", "plain")


def test_features_on_one_scale():
    """Counts by their logarithm, all between what was seen least and most; changes as they are."""
    seen = np.array([[0, 2.0, 0.5, 7], [np.e**2 - 1, 4.0, -0.5, 7], [np.e - 1, np.nan, 9.0, 7]])
    scaling = fit_scaling(seen, KINDS)
    assert np.allclose(scaling(seen), np.array([[0, 0, 0.5, 0], [1, 1, -0.5, 0], [0.5, 0, 1, 0]]))
    new = np.array([[1e9, 0.0, -3.0, 8], [-5, 3.0, np.nan, 6], [np.inf, -np.inf, np.inf, 0]])
    expected = np.array([[1, 0, -1, 0], [0, 0.5, 0, 0], [0, 0, 0, 0]])
    assert np.allclose(scaling(new), expected)
    assert eval(repr(scaling)) == scaling


@given(arrays(np.float64, (6, 4), elements=st.floats(-1e12, 1e12)), arrays(np.float64, (2, 4)))
def test_scaled_features_are_bounded(seen, new):
    """Whatever is fitted, and whatever comes later."""
    scaling = fit_scaling(seen, KINDS)
    for table in (scaling(seen), scaling(new)):
        assert np.isfinite(table).all()
        assert np.abs(table).max() <= 1
        assert table[:, [0, 1, 3]].min() >= 0


def test_scaling_of_no_rows():
    scaling = fit_scaling(np.zeros((0, 4)), KINDS)
    assert not scaling(np.ones((2, 4)))[:, [0, 1, 3]].any()
    with pytest.raises(BadInput, match="rows × 4"):
        scaling(np.ones((2, 3)))
    with pytest.raises(BadInput, match="kind"):
        Scaling(("length",), (0.0,), (1.0,))  # type: ignore[arg-type]  # what is tested
    with pytest.raises(BadInput, match="each feature"):
        Scaling(("plain",), (0.0,), ())


def test_changes_are_shares_with_a_sign():
    assert changes([6, 2, 50, 0, 0.3], [4, 4, 0, 9, 0.1]).tolist() == pytest.approx([0.5, -0.5, 1, -1, 0.2])
