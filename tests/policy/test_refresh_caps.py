"""A host has a price at which its pages together take its cap."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.policy.solvers.harmonic import host_prices


def by_halving(take, host, cap):
    """Each host alone, its price narrowed down from all there are."""
    low, high = np.full(host.max() + 1, -300.0), np.full(host.max() + 1, 300.0)
    for _ in range(70):
        middle = (low + high) / 2
        over = np.bincount(host, take(np.exp(middle)[host], slice(None)), len(low)) > cap
        low, high = np.where(over, middle, low), np.where(over, high, middle)
    return np.where(low > -300, np.exp(high), 0.0)[host]


def taker(rate, weight, announced):
    """As in LambdaCrawl: in proportion to 1/price, and less than that where it is cheap."""

    def take(price, rows):
        worth = weight[rows] / price
        unseen = 2 * worth / (1 + np.sqrt(1 + 4 * worth / rate[rows]))
        return np.where(announced[rows], np.minimum(rate[rows], worth), unseen)

    return take


sizes = st.floats(1e-6, 1e3)
some_rows = st.lists(st.tuples(sizes, sizes, st.booleans(), st.integers(0, 5)), min_size=1, max_size=30)


@given(some_rows, st.floats(1e-4, 1e3))
def test_prices_as_by_halving(rows, cap):
    """The same rates, also where all announced changes are taken before the cap is reached, and at every kink."""
    rate, weight, announced, host = (np.array(column) for column in zip(*rows, strict=True))
    host = host.astype(np.uint32)
    take = taker(rate, weight, announced)
    ours, theirs = host_prices(take, host, cap), by_halving(take, host, cap)
    taken = take(np.maximum(ours, 1e-100), slice(None))
    np.testing.assert_allclose(taken, take(np.maximum(theirs, 1e-100), slice(None)), rtol=1e-9)
    priced = ours > 0
    np.testing.assert_allclose(np.bincount(host, taken)[host[priced]], cap, rtol=1e-9)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_few_rounds_settle_all_hosts(share):
    """Rows that have been asked, all in all, are as many as in 16 rounds at most: settled hosts are left alone."""
    rng = np.random.default_rng(3)
    size = 20_000
    host = rng.integers(0, 300, size).astype(np.uint32)
    plain = taker(rng.lognormal(-4, 2, size), rng.lognormal(0, 1.5, size), rng.random(size) < share)
    asked = []

    def take(price, rows):
        asked.append(len(price))
        return plain(price, rows)

    prices = host_prices(take, host, 3.0)
    assert sum(asked) < 16 * size
    taken = np.bincount(host, plain(np.maximum(prices, 1e-100), slice(None)))[host]
    np.testing.assert_allclose(taken[prices > 0], 3.0, rtol=1e-9)
    assert (taken[prices == 0] <= 3.0).all()
    assert (prices > 0).mean() > 0.9
