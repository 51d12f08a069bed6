"""How many clusters there are is found by what is left out (seed 004, Fig. 1)."""

import numpy as np
import pytest

from sought.beliefs.clusters.bisection import bisected
from sought.beliefs.clusters.partition import assigned
from sought.lab.studies.tan_mitra_2010.folds import fold_scores, knee
from sought.web.errors import BadInput
from tests.testing.planted_clusters import as_sparse, planted


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
