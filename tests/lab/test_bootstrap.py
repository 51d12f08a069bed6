"""The 0.632+ bootstrap and what it tunes."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.lab.judge.bootstrap import err632plus, lost, lost_by_chance, split65, taken, tune, tune_fitted
from sought.web.errors import BadInput

IMPACT = np.array([8.0, 0.0, 4.0, 0.0, 2.0, 0.0, 1.0, 1.0, 0.0, 0.0])


def test_loss_by_hand():
    """Of ten pages the best two hold 12."""
    assert lost(IMPACT, IMPACT, 0.2) == 0.0
    assert lost(-IMPACT, IMPACT, 0.2) == 1.0
    assert lost(np.arange(10.0), IMPACT, 0.2) == 1.0
    assert lost(-np.arange(10.0), IMPACT, 0.2) == pytest.approx(1.0 - 8.0 / 12.0)
    assert lost(np.array([0, 1, math.nan, 2, 0, 0, 0, 0, 0, 0.0]), IMPACT, 1.0) == 0.0


def test_equal_values_count_in_the_mean_of_all_orders():
    """One place for two equal pages of impact 4 and 2: 3."""
    values = np.array([9.0, 0, 5.0, 0, 5.0, 0, 0, 0, 0, 0])
    assert lost(values, IMPACT, 0.2) == pytest.approx(1.0 - (8.0 + 3.0) / 12.0)


def test_chance():
    """A random order takes 2/10 of all impact, 3.2 of 12; so it does in a simulation."""
    assert lost_by_chance(IMPACT, 0.2) == pytest.approx(1.0 - 3.2 / 12.0)
    dice = np.random.default_rng(0)
    losses = [lost(dice.random(10), IMPACT, 0.2) for _ in range(4000)]
    assert np.mean(losses) == pytest.approx(1.0 - 3.2 / 12.0, abs=4.0 * float(np.std(losses)) / math.sqrt(4000))


def test_no_impact_is_no_loss():
    assert lost(np.arange(4.0), np.zeros(4), 0.5) == 0.0
    assert lost_by_chance(np.zeros(4), 0.5) == 0.0


def test_how_many_are_taken():
    """One page at least."""
    assert [taken(10, 0.2), taken(10, 0.01), taken(1, 1.0), taken(3, 1.0)] == [2, 1, 1, 3]


def test_err632plus_by_hand():
    """err .2, outside .5, chance .8: R = .5, w = .632/.816, and so on at the ends."""
    weight = 0.632 / (1.0 - 0.368 * 0.5)
    assert err632plus(0.2, [0.4, 0.6], 0.8) == pytest.approx((1 - weight) * 0.2 + weight * 0.5)
    assert err632plus(0.2, [0.2], 0.8) == pytest.approx(0.2)
    assert err632plus(0.2, [0.8], 0.8) == pytest.approx(0.8)  # R = 1: all is overfitted


def test_the_rate_of_overfitting_is_clipped():
    """Above 1 and below 0; and chance that is as good as the fit gives R = 0, the plain .632."""
    assert err632plus(0.2, [0.9], 0.8) == pytest.approx(0.9)
    assert err632plus(0.2, [0.1], 0.8) == pytest.approx(0.368 * 0.2 + 0.632 * 0.1)
    assert err632plus(0.3, [0.5], 0.3) == pytest.approx(0.368 * 0.3 + 0.632 * 0.5)
    assert err632plus(0.0, [0.4], 0.0) == pytest.approx(0.632 * 0.4)
    assert err632plus(0.3, [], 0.9) == pytest.approx(0.3)


@given(st.floats(0, 1), st.lists(st.floats(0, 1), max_size=5), st.floats(0, 1))
def test_it_lies_between_the_two_losses(on_all, outside, chance):
    """A weighted mean."""
    mean = float(np.mean(outside)) if outside else on_all
    found = err632plus(on_all, outside, chance)
    assert min(on_all, mean) - 1e-12 <= found <= max(on_all, mean) + 1e-12


def skewed(pages=400):
    dice = np.random.default_rng(4)
    return np.floor(dice.pareto(1.2, pages)), dice.normal(size=pages)


def test_it_finds_the_mixture_that_ranks_best():
    """Two hints of impact, of which the mixture in the middle is the better one; the samples are the same each time."""
    impact, noise = skewed()
    good, bad = np.log1p(impact) + noise, np.log1p(impact) - noise

    def mixed(omega):
        return omega * good + (1.0 - omega) * bad

    grid = [i / 10 for i in range(11)]
    found = tune(grid, mixed, impact, 0.1)
    assert found.best == 0.5
    assert [row.candidate for row in found.table] == grid
    assert found.table[5].error == pytest.approx(0.0, abs=1e-9)
    assert tune(grid, mixed, impact, 0.1) == found
    assert tune(grid, mixed, impact, 0.1, seed=1) != found


def test_among_equals_the_larger_omega():
    """The cheaper walk."""
    impact, _ = skewed(100)
    assert tune([0.0, 0.5, 1.0], lambda _: impact, impact, 0.1).best == 1.0
    assert tune([0.0, 0.5, 1.0], lambda omega: impact * (omega < 0.9), impact, 0.1).best == 0.5


def test_rankings_that_say_nothing_lose_what_chance_does():
    impact, _ = skewed(100)
    row = tune([None], lambda _: np.zeros(100), impact, 0.1).table[0]
    assert row.on_all == row.no_information


def test_what_learns_by_heart_is_seen_through():
    """A model that knows the pages it was fitted on and nothing of others looks perfect, and is not chosen."""
    impact, noise = skewed()
    fitted = []

    def fit(model, rows):
        fitted.append(rows)
        if model == "by heart":
            values = np.full(len(impact), impact[rows].mean())
            values[rows] = impact[rows]
            return values
        return np.log1p(impact) + noise

    found = tune_fitted(["by heart", "rule"], fit, impact, 0.1, samples=20)
    by_heart, rule = found.table
    assert found.best == "rule"
    assert by_heart.on_all == 0.0 < rule.on_all
    assert by_heart.error > rule.error
    assert by_heart.out_of_bag == pytest.approx(by_heart.no_information, abs=0.1)
    assert len(fitted) == 2 * 21  # on all pages, and in each sample
    assert all(len(rows) == len(impact) for rows in fitted)
    assert all(np.array_equal(a, b) for a, b in zip(fitted[::2], fitted[1::2], strict=True))
    drawn = [len(np.unique(rows)) / len(impact) for rows in fitted[2::2]]
    assert np.mean(drawn) == pytest.approx(1.0 - 1.0 / math.e, abs=0.02)


def test_samples_that_leave_out_no_impact_do_not_count():
    """One page holds all: outside of the samples that hold it there is nothing to rank."""
    impact = np.zeros(30)
    impact[7] = 5.0
    worst = tune([1.0], lambda _: -impact, impact, 0.1).table[0]
    assert worst.out_of_bag == 1.0
    assert tune([1.0], lambda _: impact, np.zeros(30), 0.1).table[0].error == 0.0


def test_split():
    """65 of 100 to tune on, the others to test on; by the seed."""
    training, test = split65(100, seed=3)
    assert (len(training), len(test)) == (65, 35)
    assert np.array_equal(np.sort(np.concatenate([training, test])), np.arange(100))
    assert np.array_equal(training, split65(100, seed=3)[0])
    assert not np.array_equal(training, split65(100, seed=4)[0])
    assert [len(side) for side in split65(0)] == [0, 0]


def test_bad_input():
    with pytest.raises(BadInput, match="candidate"):
        tune([], lambda _: IMPACT, IMPACT, 0.1)
    with pytest.raises(BadInput, match="cut"):
        tune([1], lambda _: IMPACT, IMPACT, 0.0)
    with pytest.raises(BadInput, match="share of pages"):
        split65(10, training=1.5)
