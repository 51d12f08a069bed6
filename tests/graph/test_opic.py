"""Promises of OPIC: no cash is lost, and history tends to what the walk would give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.graph.links import links_of
from sought.graph.opic import OpicCash

VISITS = st.lists(st.tuples(st.integers(0, 8), st.lists(st.integers(0, 8), max_size=5), st.integers(0, 3)), max_size=30)


@settings(deadline=None)
@given(VISITS)
def test_cash_is_never_lost(visits):
    """Whatever is visited and whenever nodes are added: cash sums to 1, importance too, and new nodes begin with 0."""
    opic = OpicCash()
    opic.grow(9)
    for node, targets, more in visits:
        before = opic.cash[node]
        opic.visit(np.array([node]), np.array([0, len(targets)]), np.array(targets, np.uint32))
        assert opic.cash.sum() == pytest.approx(1, abs=1e-12)
        if targets and node not in targets:
            assert opic.cash[node] == 0
            assert opic.cash[targets[0]] >= before / len(targets) - 1e-15
        opic.grow(opic.nodes + more)
        assert opic.cash[opic.nodes - more :].tolist() == [0.0] * more
    assert opic.importance().sum() == pytest.approx(1)
    assert (opic.importance() >= -1e-15).all()


def test_round_robin_tends_to_the_walk():
    """On a strongly connected graph history becomes the stationary distribution; without links one jumps anywhere."""
    n, rng = 12, np.random.default_rng(4)
    of, to = np.r_[np.arange(n), rng.integers(0, n, 30)], np.r_[(np.arange(n) + 1) % n, rng.integers(0, n, 30)]
    keep = of != 7  # it has no links
    links = links_of(of[keep], to[keep], n)
    walk = np.zeros((n, n))
    walk[np.repeat(links.sources, links.degrees), links.targets] = 1
    walk[7] = 1
    walk /= walk.sum(1, keepdims=True)
    exact = np.linalg.lstsq(np.vstack((walk.T - np.eye(n), np.ones(n))), np.r_[np.zeros(n), 1], rcond=None)[0]
    opic, sizes = OpicCash(), np.zeros(n, np.int64)
    opic.grow(n)
    sizes[links.sources] = links.degrees
    order, bounds = np.arange(n), np.r_[0, np.cumsum(sizes)]
    errors = []
    for _ in range(3):
        for _ in range(300):
            opic.visit(order, bounds, links.targets)
        errors.append(np.abs(opic.importance() - exact).sum())
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 2e-3


def test_nothing_and_one():
    opic = OpicCash()
    assert opic.importance().tolist() == []
    opic.grow(1)
    opic.visit(np.array([0]), np.array([0, 0]), np.zeros(0, np.uint32))
    assert opic.cash.tolist() == [1.0]
    assert opic.importance().tolist() == [1.0]
    with pytest.raises(ValueError, match="beyond"):
        opic.visit(np.array([1]), np.array([0, 0]), np.zeros(0, np.uint32))
