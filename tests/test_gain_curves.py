"""Gain, estimated from twenty bytes a query: how far from exact, and where exactly the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.index.curve import midpoint, printed
from sought.index.curves import Curves
from sought.index.exact import Exact
from sought.index.visibility import Visibility
from sought.web.errors import BadInput

VISIBILITY = Visibility()


def columns(queries, before, after, ties):
    return (
        np.array(queries, np.uint32),
        np.array(before, np.float32),
        np.array(after, np.float32),
        np.array(ties, np.uint32),
    )


def filled(kind, scores, queries=1):
    """Lists with as many scores for each query, and ties 0, 1, …"""
    lists = kind.open(queries, VISIBILITY)
    count = len(scores)
    owners = np.repeat(np.arange(queries, dtype=np.uint32), count // queries)
    lists.fill(owners, np.asarray(scores, np.float32), np.arange(count, dtype=np.uint32))
    return lists


def draw(rng, shape, count):
    if shape == "zipf":
        return (rng.pareto(1.2, count) + 1).astype(np.float32)
    if shape == "exponential":
        return (rng.exponential(size=count) + 1e-3).astype(np.float32)
    return (np.abs(rng.normal(5, 1, count)) + 1e-3).astype(np.float32)


def spearman(a, b):
    ranks = [np.argsort(np.argsort(column)) for column in (a, b)]
    return float(np.corrcoef(*ranks)[0, 1])


def mixed_shifts(rng, shape, scores, count):
    """Of pages chosen at random a quarter enters, a quarter leaves and half change; which are there beforehand."""
    chosen = rng.permutation(len(scores))[:count]
    before, after, kind = scores[chosen].copy(), draw(rng, shape, count), rng.integers(0, 4, count)
    before[kind == 0] = 0
    after[kind == 1] = 0
    there = np.ones(len(scores), np.bool_)
    there[chosen[kind == 0]] = False
    return chosen, before, after, there


def compared(shape, n, kind, seed=0):
    """Gains by Exact and by curves, of a fifth of the pages of many lists of about n results."""
    rng = np.random.default_rng(seed)
    queries = max(3, 40_000 // n)
    scores = draw(rng, shape, n * queries)
    chosen, before, after, there = mixed_shifts(rng, shape, scores, min(n * queries // 5, 5000))
    owners = np.repeat(np.arange(queries, dtype=np.uint32), n)
    ties = rng.integers(0, 2**32, n * queries, np.uint32)
    gains = []
    for each in (Exact(), kind):
        lists = each.open(queries, VISIBILITY)
        lists.fill(owners[there], scores[there], ties[there])
        gains.append(lists.shift(owners[chosen], before, after, ties[chosen]).gain)
    return gains


@settings(deadline=None)
@given(st.sets(st.floats(0.0625, 1024, width=32), min_size=1, max_size=300))
def test_rank_of_the_score_at_a_rank_is_that_rank(scores):
    """F(F⁻¹(r)) = r, at every whole rank of a list without ties; and F⁻¹ never rises."""
    count = len(scores)
    lists = filled(Curves(), sorted(scores))
    zeros, ranks = np.zeros(count, np.uint32), np.arange(1, count + 1, dtype=np.uint32)
    at = lists.scores(zeros, ranks)
    assert np.all(np.diff(at) <= 0)
    # F takes float32 scores: a rank is found as well as float32 tells it from its neighbours.
    slope = np.abs(np.gradient(np.log(at))) if count > 1 else np.ones(1)
    tellable = slope > 1e-4
    assert lists.ranks(zeros, at.astype(np.float32))[tellable] == pytest.approx(ranks[tellable], rel=1e-2)
    assert lists.ranks(zeros[:1], np.array([2000], np.float32))[0] == 1
    assert lists.ranks(zeros[:1], np.array([0.01], np.float32))[0] == count + 1


def test_knots_are_equally_spaced_on_a_log_scale():
    """Of a thousand results those at rank 1, 10, 100 and 1000 are remembered, whatever the order they come in."""
    rng = np.random.default_rng(1)
    lists = filled(Curves(), rng.permutation(np.arange(1, 1001)))
    assert lists.scores(np.zeros(4, np.uint32), np.array([1, 10, 100, 1000], np.uint32)).tolist() == [1000, 991, 901, 1]
    assert lists.counts.tolist() == [1000]
    assert lists.best.tolist() == [1000]
    assert lists.nbytes == 20


small_moves = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0.0, *np.geomspace(0.1, 9, 40)])), max_size=30)


@settings(deadline=None)
@given(small_moves)
def test_lists_of_four_are_exact(moves):
    """At most four results, no two alike: the same ranks and gains as Exact, through entries, exits and moves."""
    exact, curves = Exact().open(1, VISIBILITY), Curves().open(1, VISIBILITY)
    held = dict.fromkeys(range(4), 0.0)
    for page, score in moves:
        if score and score in held.values():
            continue
        shift = columns([0], [held[page]], [score], [page])
        held[page] = score
        a, b = exact.shift(*shift), curves.shift(*shift)
        assert (a.rank_before[0], a.rank_after[0]) == (b.rank_before[0], b.rank_after[0])
        assert b.gain[0] == pytest.approx(a.gain[0], rel=1e-12, abs=1e-12)
        assert exact.best.tolist() == curves.best.tolist()
        assert exact.counts.tolist() == curves.counts.tolist()


@pytest.mark.parametrize("n", [5, 8, 20, 100, 1000, 30_000, 100_000])
@pytest.mark.parametrize("slopes", [(0.3, 0.6, 1.0), (1, 1, 1), (2, 1, 0.5), (0.05, 0.1, 3), (0, 2, 0)])
def test_on_its_own_curve_it_is_exact(n, slopes):
    """Lists that are such curves: closed forms instead of sums over ranks cost less than 1/1000 of any gain."""
    rng = np.random.default_rng(n)
    ranks = np.array([1, max(2, round(n ** (1 / 3))), max(3, round(n ** (2 / 3))), n])
    knots = np.exp(-np.cumsum([0, *(np.diff(np.log(ranks)) * slopes)]))
    scores = np.exp(np.interp(np.log(np.arange(1, n + 1)), np.log(ranks), np.log(knots))).astype(np.float32)
    at = rng.integers(0, n, 30)
    after = (scores[at] * np.exp(rng.normal(size=30))).astype(np.float32)
    after[::3] = 0
    for i in range(30):
        shift = columns([0], [scores[at[i]] if i % 5 else 0], [after[i]], [n - 1 - at[i]])
        a, b = (filled(kind, scores[::-1].copy()).shift(*shift) for kind in (Exact(), Curves()))
        same = a.rank_before[0] == b.rank_before[0] and a.rank_after[0] == b.rank_after[0]
        if same and 0 not in slopes:  # float32 rounds: neighbours may change places, and all on a flat piece are equal
            assert b.gain[0] == pytest.approx(a.gain[0], rel=1e-3, abs=1e-7)
        assert b.gain[0] == pytest.approx(a.gain[0], rel=0.02, abs=1e-4)


# Three pieces are what the paper has; the top ranks of a list are where they err.  Measured on shifts of which a
# quarter are entries and a quarter exits: error of the sum of all gains, and Spearman's rho.
MEASURED = {
    ("zipf", 10): (0.05, 0.9),
}


@pytest.mark.parametrize("n", [10, 100, 1000, 10_000])
@pytest.mark.parametrize("shape", ["zipf", "exponential", "normal"])
def test_how_far_from_exact(shape, n):
    """placeholder"""
    exact, estimated = compared(shape, n, Curves())
    print(shape, n, estimated.sum() / exact.sum() - 1, spearman(exact, estimated))
