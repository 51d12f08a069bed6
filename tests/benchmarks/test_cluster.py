"""Promises of the benchmark of clustering: it measures what it says, at any size."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.cluster_world import sklearn_partition
from benchmarks.page_vectors import FEATURES, WORDS, feature_table, word_rows
from sought.beliefs.clusters.vectors import sparse


def test_features_lie_between_0_and_1():
    table = feature_table(500)
    assert table.shape == (500, FEATURES)
    assert table.min() >= 0
    assert table.max() <= 1
    assert (table == feature_table(500)).all()


def test_pages_have_some_sixty_words():
    """Each once, the same each time."""
    values, columns, bounds = word_rows(500)
    again = word_rows(500)
    assert (values == again[0]).all()
    assert (columns == again[1]).all()
    assert (bounds == again[2]).all()
    assert len(bounds) == 501
    assert bounds[-1] == len(values) == len(columns)
    assert 45 < np.diff(bounds).mean() < 75
    assert 0 <= columns.min() <= columns.max() < WORDS
    pairs = np.repeat(np.arange(500), np.diff(bounds)) * WORDS + columns
    assert len(np.unique(pairs)) == len(pairs)


@pytest.mark.slow
def test_both_are_measured():
    """By one command: seconds, memory and τ of each, and how they compare."""
    done = CliRunner().invoke(app, ["cluster", "--pages", "500", "-k", "7", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["pages"], found["k"]) == (500, 7)
    for form in ("dense", "sparse"):
        for library in ("sought", "sklearn"):
            figures = found[form][library]
            assert figures["clusters"] == 7
            assert figures["seconds"] > 0
            assert figures["peak_mb"] > 10
            assert 0 < figures["tau"] < 1
        assert found[form]["ratio"] > 0
        assert 0.8 < found[form]["ratio_tau"] < 1.5


def test_clusters_of_scikit_learn_as_ours():
    """As many as were asked for, with their sizes and means, also of sparse rows."""
    rows = np.repeat(np.eye(3), 4, 0)
    for table in (rows, sparse(np.ones(12), np.repeat(np.arange(3), 4), np.arange(13), 3)):
        found = sklearn_partition(table, 3)
        assert sorted(found.sizes.tolist()) == [4, 4, 4]
        assert np.allclose(found.centroids[found.labels], rows)
