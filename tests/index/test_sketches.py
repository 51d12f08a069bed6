"""Impacts of uncrawled pages: by scalar scores, exactly by distributions, and by draws."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.index.sketch_expected import expected_impact
from sought.index.sketches import Sketches, impact_by_page, scalar_impact, scalar_ranks, top_k
from sought.lab.studies.pandey_olston_2008.sampled_impact import sampled_impact
from sought.web.errors import BadInput


def sketches_of(crawled, candidates, width, weights=None):
    """From lists of (score, tie) of crawled results, and lists of (row, tie) of candidates, one for each query."""
    queries = len(crawled)
    scores, ties = np.zeros((queries, width), np.float32), np.zeros((queries, width), np.uint32)
    for q, results in enumerate(crawled):
        for i, (score, tie) in enumerate(sorted(results, reverse=True)[:width]):
            scores[q, i], ties[q, i] = score, tie
    pairs = [pair for each in candidates for pair in each]
    return Sketches(
        np.ones(queries) if weights is None else np.asarray(weights, float),
        scores,
        ties,
        np.cumsum([0, *map(len, candidates)]),
        np.array([row for row, _ in pairs], np.int64),
        np.array([tie for _, tie in pairs], np.uint32),
    )


def values_of(crawled, scored, value):
    """V(rank) of each candidate (score, tie), by sorting: score 0 is no result; of equals, the one listed first is."""
    ranked = [(-score, -tie, -1, 0) for score, tie in crawled if score]
    ranked += [(-score, -tie, 0, i) for i, (score, tie) in enumerate(scored) if score]
    found = np.zeros(len(scored))
    for place, (_, _, kind, i) in enumerate(sorted(ranked)):
        if kind == 0 and place < len(value):
            found[i] = value[place]
    return found


def enumerated(crawled, candidates, quantiles, value):
    """The mean of V(rank) over all outcomes; `candidates` are (leaf, tie)."""
    outcomes = list(product(*(quantiles[leaf] for leaf, _ in candidates)))
    ties = [tie for _, tie in candidates]
    return sum(values_of(crawled, list(zip(scores, ties, strict=True)), value) for scores in outcomes) / len(outcomes)


SCORES = st.integers(0, 5).map(float)
TIES = st.integers(0, 3)
CRAWLED = st.lists(st.tuples(SCORES, TIES), max_size=5)


@st.composite
def small(draw):
    """A few queries with few candidates over few leaves, with many equal scores, ties and atoms."""
    quantiles = np.array(draw(st.lists(st.lists(SCORES, min_size=3, max_size=3), min_size=1, max_size=3)), np.float32)
    candidates = st.lists(st.tuples(st.integers(0, len(quantiles) - 1), TIES), max_size=5)
    queries = draw(st.lists(st.tuples(CRAWLED, candidates), max_size=3))
    value = sorted(draw(st.lists(st.integers(0, 8).map(float), min_size=1, max_size=4)), reverse=True)
    return quantiles, queries, np.array(value)


def batch(queries, width):
    sketches = sketches_of([c for c, _ in queries], [list(enumerate(t for _, t in each)) for _, each in queries], width)
    return sketches, np.array([leaf for _, each in queries for leaf, _ in each], np.int32)


@settings(deadline=None)
@given(small())
def test_expected_is_the_mean_over_all_outcomes(case):
    """The Poisson binomial recursion equals enumeration, whatever is equal, whatever V is."""
    quantiles, queries, value = case
    sketches, leaves = batch(queries, 5)
    expected = [enumerated(crawled, each, quantiles, value) for crawled, each in queries]
    found = expected_impact(sketches, leaves, quantiles, value)
    np.testing.assert_allclose(found, np.concatenate([np.zeros(0), *expected]), atol=1e-9)


@settings(deadline=None)
@given(st.lists(st.tuples(CRAWLED, st.lists(st.tuples(SCORES, TIES), max_size=8)), max_size=4), st.integers(1, 5))
def test_scalar_ranks_are_those_of_sorting(queries, k):
    """A candidate is in the top k of crawled and uncrawled pages or it is not, and its rank is known."""
    sketches = sketches_of([c for c, _ in queries], [list(enumerate(t for _, t in each)) for _, each in queries], 5)
    scores = np.array([score for _, each in queries for score, _ in each], np.float32)
    expected = [values_of(crawled, each, np.arange(1, k + 1)) for crawled, each in queries]
    ranks = scalar_ranks(sketches, scores, k)
    np.testing.assert_array_equal(ranks, np.concatenate([np.zeros(0), *expected]))
    np.testing.assert_array_equal(scalar_impact(sketches, scores, k), ranks > 0)


@settings(deadline=None)
@given(small())
def test_scalars_are_distributions_of_one_score(case):
    """If every leaf has one score only, the expected impact is that of the scalars."""
    quantiles, queries, value = case
    sketches, leaves = batch(queries, 5)
    scores = quantiles[:, 0]
    flat = np.repeat(scores[:, None], 3, axis=1)
    expected = expected_impact(sketches, leaves, flat, np.ones(len(value)))
    np.testing.assert_allclose(scalar_impact(sketches, scores[leaves], len(value)), expected, atol=1e-12)


def random_case(seed, queries=6, candidates=40, leaves=7, nodes=32, k=10, steps=None):
    """Sketches of the size they have in practice; with `steps`, scores come from so many values only."""
    dice = np.random.default_rng([0x5EED, seed])
    sizes = dice.integers(0, candidates, queries)

    def scores(*shape):
        drawn = dice.gamma(2.0, 1.0, shape)
        return np.round(drawn * steps / 4) / steps if steps else drawn

    quantiles = np.sort(scores(leaves, nodes) * dice.uniform(0.3, 2, (leaves, 1)), axis=1).astype(np.float32)
    crawled = -np.sort(-scores(queries, k), axis=1).astype(np.float32)
    crawled[dice.random(queries) < 0.3, k // 2 :] = 0
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    # Equal ties of crawled pages, so that they are in order whatever scores are equal.
    sketches = Sketches(
        dice.uniform(0.5, 3, queries),
        crawled,
        np.full(crawled.shape, 1 << 31, np.uint32),
        bounds,
        dice.integers(0, 30, bounds[-1]),
        dice.integers(0, 1 << 32, bounds[-1], dtype=np.uint32),
    )
    return sketches, dice.integers(0, leaves, bounds[-1]).astype(np.int32), quantiles


@pytest.mark.parametrize("steps", [None, 4])
def test_draws_agree_with_the_exact(steps):
    """Monte Carlo is within three standard errors, as often as it must be, and unbiased; errors are told rightly."""
    value, apart, told = np.linspace(1, 0.1, 10), [], []
    for seed in range(12):
        sketches, leaves, quantiles = random_case(seed, steps=steps)
        exact = expected_impact(sketches, leaves, quantiles, value)
        weights = sketches.pair_weights
        squares = expected_impact(sketches, leaves, quantiles, value**2) * weights
        error = np.sqrt(np.maximum(squares - exact**2, 0) / 1000)
        found = sampled_impact(sketches, leaves, quantiles, value)
        sure = error < 1e-3 * weights  # too rare for the normal distribution
        assert np.abs(found.impact - exact)[sure].max(initial=0) < 0.01
        apart.append((found.impact - exact)[~sure] / error[~sure])
        told.append(found.error[~sure] / error[~sure])
    errors = np.concatenate(apart)
    assert len(errors) > 500
    assert np.mean(np.abs(errors) > 3) < 0.01
    assert np.abs(errors).max() < 5
    assert abs(np.mean(np.concatenate(told)) - 1) < 0.05


def test_draws_are_the_same_again():
    """The same seed, the same bits; another seed, others."""
    sketches, leaves, quantiles = random_case(3)
    first, again, other = (sampled_impact(sketches, leaves, quantiles, top_k(), 50, seed) for seed in (1, 1, 2))
    assert first.impact.tobytes() == again.impact.tobytes() != other.impact.tobytes()


def test_each_rank_is_taken_once():
    """Σ P(p, q, r) over pages is 1 for each r, if there are as many candidates and no score is 0."""
    dice = np.random.default_rng(0)
    quantiles = dice.integers(1, 9, (5, 32)).astype(np.float32)
    leaves = dice.integers(0, 5, 30).astype(np.int32)
    sketches = sketches_of([[]], [list(enumerate(range(30)))], 10)
    for rank in range(10):
        assert expected_impact(sketches, leaves, quantiles, np.eye(10)[rank]).sum() == pytest.approx(1, abs=1e-9)


def test_many_candidates_stay_exact():
    """Hundreds of candidates of one leaf, of which any is above with chance ½ or more: no instability."""
    leaves = np.zeros(300, np.int32)
    quantiles = np.arange(1, 33, dtype=np.float32)[None]
    sketches = sketches_of([[]], [[(i, 1000 - i) for i in range(300)]], 300)
    found = [expected_impact(sketches, leaves, quantiles, np.eye(300)[rank]) for rank in (0, 149, 299)]
    assert [each.sum() for each in found] == pytest.approx([1, 1, 1], abs=1e-9)
    assert all((each >= 0).all() for each in found)
    assert (np.diff(found[0]) <= 1e-15).all()  # larger ties have the better chance


def test_impacts_of_pages():
    """Sums by row, with the weights of queries; pages without impact are not named."""
    sketches = sketches_of([[(3.0, 1)], []], [[(7, 5), (2, 4)], [(7, 5)]], 2, weights=[2.0, 5.0])
    impact = scalar_impact(sketches, np.array([4, 1, 1], np.float32), 2)
    assert impact.tolist() == [2, 0, 5]
    rows, sums = impact_by_page(sketches.rows, impact)
    assert (rows.tolist(), sums.tolist()) == ([7], [7])


def test_the_example_of_the_paper():
    """Figure 3: P_3 has a rank from 3 to 5."""
    sketches = sketches_of([[(9.0, 1), (8.0, 1), (2.0, 1)]], [[(0, 1), (1, 1), (2, 1)]], 8)
    quantiles = np.array([[5, 6], [3, 7], [3.5, 5.5]], np.float32)
    chances = [
        expected_impact(sketches, np.arange(3, dtype=np.int32), quantiles, np.eye(8)[rank])[2] for rank in range(8)
    ]
    assert [rank + 1 for rank, chance in enumerate(chances) if chance] == [3, 4, 5]
    assert sum(chances) == pytest.approx(1)


def test_columns_may_be_parts_of_others():
    """A table of crawled results may be wider than what is seen, with anything as the tie of no result."""
    sketches, leaves, quantiles = random_case(1)
    wide = np.zeros((len(sketches), 20), np.float32)
    wide[:, :10] = sketches.crawled
    ties = np.full(wide.shape, 7, np.uint32)
    ties[:, :10] = sketches.crawled_ties
    ties[:, 10:] += np.arange(10, dtype=np.uint32)
    for crawled, of_crawled in ((wide, ties), (wide[:, :10], ties[:, :10])):
        same = replace(sketches, crawled=crawled, crawled_ties=of_crawled)
        value = np.ones(20)[::2]
        expected = expected_impact(sketches, leaves, quantiles, top_k())
        np.testing.assert_array_equal(expected_impact(same, leaves, quantiles, value), expected)
        np.testing.assert_array_equal(
            scalar_ranks(same, quantiles.mean(axis=1)[leaves]), scalar_ranks(sketches, quantiles.mean(axis=1)[leaves])
        )
        assert len(sampled_impact(same, leaves, quantiles, value, 2).impact) == len(leaves)


def test_nothing_is_nothing():
    """No queries, or none with candidates."""
    for crawled in ([], [[], [(1.0, 1)]]):
        sketches = sketches_of(crawled, [[] for _ in crawled], 10)
        none = np.zeros(0, np.int32)
        assert len(scalar_impact(sketches, none.astype(np.float32))) == 0
        assert len(expected_impact(sketches, none, np.zeros((0, 32), np.float32), top_k())) == 0
        assert len(sampled_impact(sketches, none, np.zeros((0, 32), np.float32), top_k()).impact) == 0


def test_what_does_not_fit_is_told():
    """Compiled code looks at no bounds, so Python does."""
    sketches = sketches_of([[(3.0, 1)]], [[(7, 5)]], 4)
    leaf, score, ones = np.zeros(1, np.int32), np.ones(1, np.float32), np.ones((1, 1), np.float32)
    with pytest.raises(ValueError, match="4 crawled results are known, of which 10"):
        scalar_impact(sketches, score)
    with pytest.raises(ValueError, match="the best first"):
        replace(sketches, crawled=sketches.crawled[:, ::-1])
    with pytest.raises(ValueError, match="a row for each query"):
        replace(sketches, weights=np.ones(2))
    with pytest.raises(ValueError, match="from 0 to the number of candidates"):
        replace(sketches, bounds=sketches.bounds + 1)
    with pytest.raises(ValueError, match="do not fit together"):
        replace(sketches, ties=sketches.ties[:0])
    with pytest.raises(ValueError, match="one item for each candidate"):
        scalar_impact(sketches, np.ones(2, np.float32), 4)
    with pytest.raises(ValueError, match="finite and not negative"):
        scalar_impact(sketches, np.array([np.nan], np.float32), 4)
    with pytest.raises(ValueError, match="quantiles must be finite"):
        expected_impact(sketches, leaf, -ones, top_k(4))
    with pytest.raises(IndexError, match="a leaf that is none of 1"):
        expected_impact(sketches, leaf + 1, ones, top_k(4))
    with pytest.raises(BadInput, match="draws must be at least 2"):
        sampled_impact(sketches, leaf, ones, top_k(4), draws=1)
    with pytest.raises(BadInput, match="k must be at least 1"):
        scalar_impact(sketches, score, 0)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 100))
def test_more_is_seen_of_deeper_lists(seed):
    """Expected impact grows with k, and is never above the weight of the query."""
    sketches, leaves, quantiles = random_case(seed, queries=2)
    impacts = [expected_impact(sketches, leaves, quantiles, top_k(k)) for k in (1, 3, 10)]
    assert (np.diff(impacts, axis=0) >= -1e-12).all()
    assert (impacts[-1] <= sketches.pair_weights + 1e-12).all()
