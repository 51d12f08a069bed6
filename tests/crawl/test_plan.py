"""Choosing rows, spending a budget, waiting for hosts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.crawl.budget import Budget
from sought.crawl.plan import Limits, choose, turn_within_host
from sought.crawl.rhythm import LIVE, Rhythm
from sought.policy import BreadthFirst, RoundRobin, Split
from sought.policy.ranking import best
from sought.record.table import State, Table

NONE = np.zeros(0, np.int64)


def make_table(hosts, key=None):
    n = len(hosts)
    table = Table()
    table.append(
        {
            "key": np.arange(1, n + 1, dtype=np.uint64) if key is None else key,
            "host": np.array(hosts, np.uint32),
            "via": np.zeros(n, np.uint32),
            "depth": np.zeros(n, np.uint16),
            "source": np.zeros(n, np.uint8),
            "found": np.zeros(n),
        }
    )
    return table


@given(
    hosts=st.lists(st.integers(0, 5), min_size=1, max_size=80), count=st.integers(1, 40), per_host=st.integers(1, 10)
)
def test_the_ranking_is_walked_with_hosts_skipped(hosts, count, per_host):
    """The same rows as walking the ranking row by row and skipping a host that has had its turns."""
    table = make_table(hosts)
    chosen = choose(BreadthFirst(), table, table.pages(), 0.0, Limits(count, per_host, 0.0), NONE)[0].tolist()
    taken: dict[int, int] = {}
    expected: list[int] = []
    for row, host in enumerate(hosts):
        if len(expected) < count and taken.get(host, 0) < per_host:
            taken[host] = taken.get(host, 0) + 1
            expected.append(row)
    assert chosen == expected


values = st.one_of(st.floats(-1e6, 1e6), st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 1.0]))


@given(st.lists(values, max_size=100), st.integers(0, 120), st.randoms(use_true_random=False))
def test_best_is_the_top_of_a_sort(values, count, random):
    """The largest values in order, ties by key."""
    key = random.sample(range(2**62), len(values))
    expected = sorted(range(len(values)), key=lambda row: (-values[row], key[row]))[:count]
    assert best(np.array(values, float), np.array(key, np.uint64), count).tolist() == expected


SHAPES = {
    "distinct": lambda rng, n: rng.random(n),
    "descending": lambda rng, n: -np.arange(n, dtype=float),
    "all equal": lambda rng, n: np.zeros(n),
    "few values": lambda rng, n: rng.integers(0, 5, n).astype(float),
    "most are the largest": lambda rng, n: np.where(rng.random(n) < 0.001, rng.random(n), 1.0),
    "most are the smallest": lambda rng, n: np.where(rng.random(n) < 0.001, rng.random(n), -np.inf),
    "most are in the middle": lambda rng, n: np.where(rng.random(n) < 0.01, rng.normal(size=n), 0.0),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_best_of_many(shape):
    """Also where only a part is sorted, and however many are equal at the place of the cut."""
    rng, size = np.random.default_rng(0), 50_000
    values, key = SHAPES[shape](rng, size), rng.permutation(size).astype(np.uint64)
    expected = np.lexsort((key, -values))
    for count in (1, 2, 49, 1000, 4095, 25_000, size - 300, size - 1):
        assert best(values, key, count).tolist() == expected[:count].tolist()


@pytest.mark.parametrize(
    "policy", [RoundRobin(), Split(), Split(share=1.0), Split(new=RoundRobin(), known=RoundRobin())]
)
def test_equals_are_chosen_by_hash(policy):
    """Neither the order of rows nor that of URLs decides between pages that a policy cannot tell apart."""
    key = np.random.default_rng(0).permutation(500).astype(np.uint64)
    table = make_table([0] * 500, key)
    table["last_fetch"][:] = 1.0
    rows, _ = choose(policy, table, table.pages(), 50.0, Limits(100, 1000, 0.0), NONE)
    assert rows.tolist() == np.argsort(key)[:100].tolist()


def test_a_value_that_is_no_number_is_not_chosen():
    """A policy at fault fetches less, and does not stop the crawl."""

    def half(pages, now):
        return np.where(np.arange(len(pages)) % 2, np.nan, 1.0)

    table = make_table([0] * 6)
    for policy in (half, Split(new=half, known=half)):
        rows, _ = choose(policy, table, table.pages(), 50.0, Limits(100, 1000, 0.0), NONE)
        assert rows.tolist() == [0, 2, 4]


@given(st.lists(st.integers(0, 4), max_size=50))
def test_turns_count_earlier_rows_of_the_same_host(hosts):
    """turn[i] is how many rows of the same host stand before row i."""
    turns = turn_within_host(np.array(hosts, np.uint32)).tolist()
    assert turns == [hosts[:i].count(h) for i, h in enumerate(hosts)]


def test_what_is_not_eligible_is_not_chosen():
    """Dead rows, rows that must wait, copies that are young enough and rows in flight are left out."""
    table = make_table([0, 1, 2, 3, 4])
    table["state"][0] = State.DEAD
    table["not_before"][1] = 100.0
    table["last_fetch"][2] = 40.0
    rows, _ = choose(Split(), table, table.pages(), 50.0, Limits(10, 10, 20.0), np.array([3]))
    assert rows.tolist() == [4]
    assert choose(RoundRobin(), table, table.pages(), 60.0, Limits(10, 10, 20.0), NONE)[0].tolist() == [2]


def test_a_number_of_fetches_is_exact():
    """After the last fetch no other may start, ever."""
    budget = Budget(fetches=3)
    for _ in range(3):
        assert budget.ready_at(0.0) == 0.0
        budget.charge(0.0)
    assert budget.ready_at(1e12) == float("inf")
    assert budget.left(0.0) == 0


@given(
    per=st.integers(1, 50),
    spent=st.integers(0, 60),
    waits=st.lists(st.floats(0.0, 4000.0), min_size=1, max_size=200),
)
def test_a_rate_is_never_exceeded_in_any_period(per, spent, waits):
    """However requests come, an hour holds at most its number, what was spent before a restart included."""
    budget = Budget(per=per, seconds=3600.0, spent=spent, period_start=0.0)
    now, started = 0.0, {0: spent}
    for wait in waits:
        now += wait
        if budget.ready_at(now) <= now:
            budget.charge(now)
            hour = int(now // 3600)
            started[hour] = started.get(hour, 0) + 1
    assert all(n <= max(per, spent if hour == 0 else 0) for hour, n in started.items())


def test_a_rate_is_paced():
    """A day's fetches are not spent in its first minute."""
    budget = Budget(per=1440, seconds=86400.0)
    now, started = 0.0, 0
    while now < 3600:
        if budget.ready_at(now) <= now:
            budget.charge(now)
            started += 1
        now += 1.0
    assert 55 <= started <= 65


def test_a_crawl_does_not_begin_with_what_it_has_not_missed():
    """At a high rate, too, the first seconds hold little more than they should."""
    budget = Budget(per=36_000, seconds=3600.0)
    started = 0
    for tick in range(1, 1001):
        while budget.ready_at(tick / 100.0) <= tick / 100.0:
            budget.charge(tick / 100.0)
            started += 1
    assert 100 <= started <= 170


@pytest.mark.parametrize(("took", "lasts"), [(0.0, 1.0), (0.05, 1.0), (0.5, 5.0), (2.0, 20.0), (29.0, 30.0)])
def test_a_plan_that_is_quickly_made_is_soon_made_anew(took, lasts):
    """Live, planning takes a tenth of the time at most, or comes every 30 s; a replay keeps to its rhythm."""
    assert LIVE.plan_lasts(took) == pytest.approx(lasts)
    assert Rhythm(plan=3600.0).plan_lasts(took) == 3600.0


def test_a_pause_is_not_caught_up():
    """After an hour of rest it goes on at its rate, but for the few that any crawl begins with."""
    budget = Budget(per=36_000, seconds=3600.0)
    budget.charge(7200.0)
    budget.forget_missed()
    started = 0
    while budget.ready_at(10_000.0) <= 10_000.0:
        budget.charge(10_000.0)
        started += 1
    assert 1 <= started <= 70


def test_a_split_of_very_many_equals(monkeypatch):
    """More pages that are alike than are ranked one by one: all have a place, those of lowest hash the first ones."""
    monkeypatch.setattr("sought.policy.split._EXACT", 20)
    key = np.random.default_rng(0).permutation(100).astype(np.uint64)
    table = make_table([0] * 100, key)
    table["last_fetch"][:] = 1.0
    assert np.isfinite(Split()(table.pages(), 50.0)).all()
    rows, _ = choose(Split(), table, table.pages(), 50.0, Limits(100, 1000, 0.0), NONE)
    assert rows.tolist() == np.argsort(key).tolist()
