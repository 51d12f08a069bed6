"""Floors: what every policy has to be better than."""

import numpy as np
import pytest

from sought.crawl.plan import Limits, choose
from sought.lab.replay.samples import NOW, rearranged, sample_pages, table_of
from sought.policy import Never, Random, RoundRobin, Split, parse_policy
from sought.web.errors import BadInput
from sought.web.mixing import bits_of, fractions, mixed, salt
from sought.web.pages import NEVER

NONE = np.zeros(0, np.int64)


def chosen(policy, pages, count):
    return choose(policy, table_of(pages, 1), pages, NOW, Limits(count, 10**9, 0.0), NONE)[0]


def test_never_fetches_nothing():
    """Whatever is eligible, and as the side of a Split it leaves all to the other."""
    pages = sample_pages(1, 300)
    assert (Never()(pages, NOW) == NEVER).all()
    assert len(chosen(Never(), pages, 300)) == 0
    alone, beside = (chosen(policy, pages, 50).tolist() for policy in (RoundRobin(), Split(Never(), RoundRobin())))
    assert beside == alone


def test_random_takes_all_pages_alike():
    """New and known, on any row: with a tenth to spend, each page is chosen a tenth of the times, to within 6 sigma."""
    pages, times = sample_pages(1, 200), 3000
    counts = np.zeros(200)
    for time in range(times):
        counts[np.argsort(Random()(pages, NOW + 60.0 * time))[-20:]] += 1
    assert abs(counts - times / 10).max() < 6 * np.sqrt(times * 0.1 * 0.9)


def test_random_orders_have_nothing_in_common():
    """Another time or another seed: an order that says nothing about the first, nor about rows or keys."""
    pages = sample_pages(1, 20_000)
    orders = [Random(seed)(pages, now) for seed in (0, 1, 2) for now in (NOW, NOW + 1e-6, NOW + 1.0, NOW + 604800.0)]
    orders += [np.arange(20_000.0), pages.key.astype(float)]
    apart = np.corrcoef(orders) - np.eye(len(orders))
    assert abs(apart).max() < 6 / np.sqrt(20_000)


def test_random_is_the_same_again():
    """It belongs to the URL: with the same seed and time, in any table."""
    pages, order = sample_pages(1, 500), np.random.default_rng(0).permutation(500)
    first = Random(3)(pages, NOW)
    assert (first == Random(3)(pages, NOW)).all()
    assert (first[order][:40] == Random(3)(rearranged(pages, order[:40]), NOW)).all()
    assert len(np.unique(first)) == 500
    assert first.min() >= 0.0
    assert first.max() < 1.0


def test_random_works_in_pieces():
    """Rows beyond the first piece are ranked alike."""
    pages = sample_pages(1, 300_000)
    expected = fractions(mixed(pages.key ^ salt(0, NOW)))
    assert (Random()(pages, NOW) == expected).all()


@pytest.mark.parametrize("text", ["Random(seed='a')", "Random(seed=1.5)", "Random(seed=True)"])
def test_a_seed_is_a_whole_number(text):
    """Nothing else makes an order that can be had again from what is printed."""
    with pytest.raises(BadInput, match="whole number"):
        parse_policy(text)
    assert parse_policy("Random(seed=-5)") == Random(-5)
    assert parse_policy("Never") == Never()


def test_mixing_is_splitmix64():
    """The first numbers of the published generator, seeds 0 and 1234567; distinct stays distinct."""
    step = 0x9E3779B97F4A7C15
    states = np.array([[(seed + i * step) % 2**64 for i in range(3)] for seed in (0, 1234567)], np.uint64)
    assert [hex(n) for n in mixed(states[0]).tolist()] == [
        "0xe220a8397b1dcdaf",
        "0x6e789e6aa1b965f4",
        "0x6c45d188009454f",
    ]
    assert mixed(states[1]).tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert len(np.unique(mixed(np.arange(100_000, dtype=np.uint64)))) == 100_000


def test_salts_differ():
    """By number, by order, by kind; but 0.0 is -0.0."""
    salts = [salt(), salt(0), salt(1), salt(1.0), salt(0, 1), salt(1, 0), salt(0, 0), salt(-1)]
    assert len({int(each[0]) for each in salts}) == len(salts)
    assert bits_of(np.array([0.0])) == bits_of(np.array([-0.0]))
    assert salt(0.0) == salt(-0.0)
