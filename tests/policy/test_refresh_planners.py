"""Planners find the best rates, numbers and slots of fetches: each against a solver that knows nothing of the trick."""

from itertools import product
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import gammainc, lambertw

from sought.policy.poisson_rates import poisson_rates
from sought.policy.solvers.allotment import allotted
from sought.policy.solvers.frequencies import clearing_price, optimal_frequencies
from sought.policy.solvers.harmonic import harmonic_rates

RATE, WEIGHT = np.array([0.1, 0.4, 1.0, 2.0, 9.0]), np.array([1.0, 3.0, 1.0, 0.5, 0.8])
SEEDS = range(3)
some_pages = st.lists(st.tuples(st.floats(1e-9, 1e3), st.floats(1e-6, 1e3)), min_size=1, max_size=30)


def drawn(seed, size):
    rng = np.random.default_rng(seed)
    return rng.lognormal(-1, 1.5, size), rng.lognormal(0, 1, size)


def freshness(rate, frequency):
    """Mean freshness with even intervals."""
    return frequency / rate * -np.expm1(-rate / frequency)


def best_split(cost, size, total, more=()):
    """The split of a total that SLSQP finds, over several starts."""
    tried = []
    for seed in range(4):
        start = np.random.default_rng(seed).dirichlet(np.ones(size)) * total * 0.98 + 1e-6
        budget = {"type": "eq", "fun": lambda x: x.sum() - total}
        bounds = [(1e-9, total)] * size
        options = {"ftol": 1e-14, "maxiter": 1000}
        tried.append(minimize(cost, start, bounds=bounds, constraints=[budget, *more], method="SLSQP", options=options))
    return min((t for t in tried if np.isfinite(t.fun)), key=lambda t: t.fun).x


@pytest.mark.parametrize("total", [0.3, 2.0, 20.0])
def test_frequencies_are_those_slsqp_finds(total):
    """Invariant 6: for five pages, those a general solver finds."""
    ours = optimal_frequencies(RATE, WEIGHT, total)
    theirs = best_split(lambda f: -np.sum(WEIGHT * freshness(RATE, f)), 5, total)
    np.testing.assert_allclose(ours, theirs, atol=2e-3 * total)
    got = ours > 0
    assert (
        np.sum((WEIGHT * freshness(RATE, np.maximum(ours, 1e-12)))[got])
        >= np.sum(WEIGHT * freshness(RATE, theirs)) - 1e-9
    )


@given(pages=some_pages, total=st.floats(1e-6, 1e3))
def test_frequencies_have_one_multiplier(pages, total):
    """Invariant 6: Σf = B; beyond rate · μ ≥ weight nothing; x = −1 − W₋₁(−(1 − μ·rate/weight)/e) for all others."""
    rate, weight = np.array(pages).T
    f = optimal_frequencies(rate, weight, total)
    assert f.sum() == pytest.approx(total, rel=1e-9)
    got = f > 0
    price = weight[got] / rate[got] * gammainc(2, rate[got] / f[got])  # 1 − (1+x)e^{−x}, to the last digit
    np.testing.assert_allclose(price, price[0], rtol=1e-8)
    assert (price[0] * rate[~got] >= weight[~got] * (1 - 1e-9)).all()
    share = price[0] * rate[got] / weight[got]
    exact = (share > 1e-6) & (share < 1 - 1e-6)  # SciPy's function loses its digits beyond
    x = -1 - lambertw(-(1 - share[exact]) / np.e, -1).real
    np.testing.assert_allclose(f[got][exact], rate[got][exact] / x, rtol=1e-6)


def test_frequencies_of_many_pages_need_no_more_than_few_passes():
    """A sample says where to look: a large table is solved as exactly, and independently of the order of its rows."""
    rate, weight = drawn(1, 300_000)
    f = optimal_frequencies(rate, weight, 4000.0)
    order = np.random.default_rng(2).permutation(len(rate))
    assert f.sum() == pytest.approx(4000.0, rel=1e-10)
    assert (optimal_frequencies(rate[order], weight[order], 4000.0) == f[order]).all()
    asked = []

    def taken(price, step):
        asked.append(step)
        return 1e6 / price

    assert clearing_price(taken, 1_000_000, 3.0) == pytest.approx(1e6 / 3, rel=1e-11)
    assert sum(1.0 / step for step in asked) < 10


def test_pages_that_cannot_gain_get_nothing():
    """Rate 0 or weight 0; no pages at all; no budget."""
    rate, weight = np.array([0.0, 1.0, 1.0]), np.array([1.0, 0.0, 1.0])
    np.testing.assert_allclose(optimal_frequencies(rate, weight, 2.0), [0.0, 0.0, 2.0])
    assert not optimal_frequencies(rate, weight, 0.0).any()
    assert not optimal_frequencies(rate * 0, weight, 2.0).any()
    assert len(optimal_frequencies(rate[:0], weight[:0], 2.0)) == 0
    assert not allotted(rate * 0, weight, 5, 3).any()
    assert not poisson_rates(rate * 0, weight, 2.0).any()
    assert not harmonic_rates(rate * 0, weight, rate > 5, 2.0).any()


def mean_freshness(change, fetches):
    """Of a horizon in which a page changes so often, if it begins fresh."""
    return (fetches + 1) / change * -np.expm1(-change / (fetches + 1))


@pytest.mark.parametrize("seed", range(8))
def test_greedy_is_as_good_as_trying_everything(seed):
    """Invariant 7: four pages, six crawls, all ways to share them out."""
    rate, weight = drawn(seed, 4)
    count = allotted(rate, weight, 6, 6)
    assert count.sum() == 6
    every = [np.array(c) for c in product(range(7), repeat=4) if sum(c) == 6]
    best = max(np.sum(weight * mean_freshness(6 * rate, c)) for c in every)
    assert np.sum(weight * mean_freshness(6 * rate, count)) == pytest.approx(best, rel=1e-13)


@given(pages=some_pages, slots=st.integers(1, 40), share=st.floats(0, 1.2))
def test_no_fetch_could_be_better_given_to_another(pages, slots, share):
    """The largest gain that was refused is not above the least that was granted; no page has more than its slots."""
    rate, weight = np.array(pages).T
    total = int(share * slots * len(rate))
    count = allotted(rate, weight, total, slots)
    assert count.sum() == min(total, slots * len(rate))
    assert (count >= 0).all()
    assert (count <= slots).all()

    def gain(fetches):
        """As a sum of terms of one sign where rates are low, for differences of freshness have lost their digits."""
        x, y = rate * slots / (fetches + 1), rate * slots / (fetches + 2)
        stale = [sum((-1) ** (k + 1) * z**k / factorial(k + 1) for k in range(1, 25)) for z in (x, y)]
        return weight * np.where(
            x < 1,
            stale[0] - stale[1],
            mean_freshness(rate * slots, fetches + 1) - mean_freshness(rate * slots, fetches),
        )

    granted, refused = gain(np.maximum(count - 1, 0))[count > 0], gain(count)[count < slots]
    if len(granted) and len(refused):
        assert granted.min() >= refused.max() * (1 - 1e-6) - 1e-13 * weight.max()


def test_equal_pages_differ_by_one_fetch_and_keys_decide():
    """What does not divide goes to the lowest keys, wherever they stand; linear gains are filled page by page."""
    key = np.array([7, 3, 9, 1, 5], np.uint64)
    same = np.ones(5)
    assert allotted(0.1 * same, same, 12, 10, key).tolist() == [2, 3, 2, 3, 2]
    assert allotted(0.1 * same, same, 12, 10).tolist() == [3, 3, 2, 2, 2]
    assert allotted(1e9 * same, same, 12, 10, key).sum() == 12  # every gain is the same to the last bit


def test_many_pages_are_allotted_by_the_same_threshold():
    """Large tables, with ties: the number is exact and so is the order of gains."""
    rate, weight = drawn(3, 100_000)
    rate[: len(rate) // 2], weight[: len(rate) // 2] = 0.3, 1.0
    count = allotted(rate, weight, 150_001, 50)
    assert count.sum() == 150_001
    assert np.ptp(count[: len(rate) // 2]) <= 1
    change = 50 * rate
    got, more = count > 0, count < 50
    granted = weight[got] * (mean_freshness(change, count) - mean_freshness(change, np.maximum(count - 1, 0)))[got]
    refused = weight[more] * (mean_freshness(change, count + 1) - mean_freshness(change, count))[more]
    assert granted.min() >= refused.max() - 1e-12


@pytest.mark.parametrize("floor", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("total", [0.5, 3.0, 30.0])
def test_poisson_rates_are_those_of_the_printed_algorithm(total, floor):
    """Azar et al.'s algorithm with a floor, page by page; and what SLSQP finds."""
    ours = poisson_rates(RATE, WEIGHT, total, floor)
    least = floor * total / 5
    worth = WEIGHT * RATE / (RATE + least) ** 2
    r, s, left, dropped = np.sum(np.sqrt(WEIGHT * RATE)), RATE.sum(), total, set()
    for p in np.argsort(worth):
        if worth[p] > (r / (left + s)) ** 2 * (1 + 1e-12):
            break
        r, s, left = r - np.sqrt(WEIGHT[p] * RATE[p]), s - RATE[p], left - least
        dropped.add(int(p))
    printed = [least if p in dropped else np.sqrt(WEIGHT[p] * RATE[p]) * (left + s) / r - RATE[p] for p in range(5)]
    np.testing.assert_allclose(ours, printed, atol=1e-12)
    assert ours.sum() == pytest.approx(total)
    floors = {"type": "ineq", "fun": lambda x: x - least}
    theirs = best_split(lambda f: -np.sum(WEIGHT * f / (f + RATE)), 5, total, [floors])
    np.testing.assert_allclose(ours, theirs, atol=3e-3 * total)


@given(pages=some_pages, total=st.floats(1e-6, 1e3), floor=st.floats(0, 1))
def test_poisson_rates_have_one_multiplier(pages, total, floor):
    """weight · rate/(ρ + rate)² is the same above the floor and not larger at it; rates sum to the budget."""
    rate, weight = np.array(pages).T
    rho = poisson_rates(rate, weight, total, floor)
    least = floor * total / len(rate)
    assert rho.sum() == pytest.approx(total, rel=1e-9)
    assert (rho >= least * (1 - 1e-12)).all()
    price = weight * rate / (rho + rate) ** 2
    above = rho > least * (1 + 1e-6) + 1e-9 * rate
    if above.any():
        np.testing.assert_allclose(price[above], price[above].max(), rtol=1e-6)
        assert (price[~above] <= price[above].max() * (1 + 1e-5)).all()


def harmonic_cost(rate, weight, announced, fetches):
    share = np.where(announced, fetches / rate, fetches / (fetches + rate))
    return -np.sum(weight * np.log(np.maximum(share, 1e-300)))


@pytest.mark.parametrize("announced", [[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [0, 1, 0, 1, 0]])
@pytest.mark.parametrize("total", [0.4, 3.0, 12.0])
def test_harmonic_rates_are_those_slsqp_finds(announced, total):
    """No observations, announcements only, and both with the budget split between them."""
    announced = np.array(announced, bool)
    ours = harmonic_rates(RATE, WEIGHT, announced, total)
    assert (ours > 0).all()  # nobody is given up
    assert ours.sum() == pytest.approx(total, rel=1e-9)
    certain = {"type": "ineq", "fun": lambda x: (RATE - x)[announced] if announced.any() else np.ones(1)}
    theirs = best_split(lambda f: harmonic_cost(RATE, WEIGHT, announced, f), 5, total, [certain])
    np.testing.assert_allclose(ours, theirs, atol=5e-3 * total)


def test_harmonic_rates_without_announcements_are_the_printed_formula():
    """ρ = (−Δ + √(Δ² + 4μΔ/λ))/2 with one λ for all."""
    rho = harmonic_rates(RATE, WEIGHT, np.zeros(5, bool), 2.0)
    price = WEIGHT * RATE / (rho * (rho + RATE))
    np.testing.assert_allclose(price, price[0], rtol=1e-9)
    np.testing.assert_allclose(rho, (-RATE + np.sqrt(RATE**2 + 4 * WEIGHT * RATE / price[0])) / 2, rtol=1e-9)


@given(pages=some_pages, total=st.floats(1e-3, 1e3))
def test_announced_changes_are_taken_as_in_the_printed_rounds(pages, total):
    """π = min(1, R·μ/(Δ·Σμ)), again for those below 1 with what is left, until no more reach 1."""
    rate, weight = np.array(pages).T
    chance, left, free = np.zeros(len(rate)), total, np.ones(len(rate), bool)
    while free.any():
        tried = left * weight / (rate * weight[free].sum())
        sure = free & (tried >= 1.0)
        if not sure.any():
            chance[free] = tried[free]
            break
        chance[sure], left, free = 1.0, left - rate[sure].sum(), free & ~sure
    ours = harmonic_rates(rate, weight, np.ones(len(rate), bool), total)
    np.testing.assert_allclose(ours / rate, chance, rtol=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_hosts_keep_to_their_caps(seed):
    """Solved at once by prices, as by the printed rounds: solve, fix hosts above their cap at it, solve the rest."""
    rate, weight = drawn(seed, 60)
    rng = np.random.default_rng(seed)
    host, announced = rng.integers(0, 6, 60).astype(np.uint32), rng.random(60) < 0.3
    total, cap = 6.0, 1.3
    ours = harmonic_rates(rate, weight, announced, total, host, cap)
    theirs, free, left = np.zeros(60), np.ones(60, bool), total
    while True:
        theirs[free] = harmonic_rates(rate[free], weight[free], announced[free], left)
        sums = np.bincount(host[free], theirs[free], 6)
        over = np.flatnonzero(sums > cap * (1 + 1e-9))
        if not len(over):
            break
        for h in over:
            rows = host == h
            theirs[rows] = harmonic_rates(rate[rows], weight[rows], announced[rows], cap)
            free, left = free & ~rows, left - cap
    assert (np.bincount(host, ours, 6) <= cap * (1 + 1e-9)).all()
    assert ours.sum() == pytest.approx(total, rel=1e-9)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_caps_below_the_budget_leave_some_of_it():
    """If all hosts are at their caps, nothing more is given; without caps nothing changes."""
    rate, weight = drawn(5, 30)
    host, none = np.arange(30, dtype=np.uint32) % 3, np.zeros(30, bool)
    capped = harmonic_rates(rate, weight, none, 10.0, host, 0.5)
    np.testing.assert_allclose(np.bincount(host, capped), 0.5, rtol=1e-9)
    assert (harmonic_rates(rate, weight, none, 10.0, host) == harmonic_rates(rate, weight, none, 10.0)).all()
    sure = harmonic_rates(rate, weight, ~none, 2 * rate.sum())
    np.testing.assert_allclose(sure, rate)  # every announced change, and no more
