"""Fetches are put into slots of time as well as can be: against HiGHS, and against all ways there are."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog  # type: ignore[attr-defined]  # SciPy does not say that it exports it

from sought.lab.replay.known_changes import allotted_by_table, chosen_slots, plan_by_chances, solved
from sought.lab.replay.slot_schedule import plan, scheduled, scheduled_at, topped_up
from sought.web.errors import BadInput

SEEDS = range(3)


def slots_by_linear_programme(page, time, slots, capacity, power):
    """The least cost of sending fetches to slots, by HiGHS; slot k is at time k + ½."""
    cost = np.abs(np.arange(slots) + 0.5 - time[:, None]) ** power
    once = np.kron(np.eye(len(page)), np.ones(slots))
    room = np.kron(np.ones(len(page)), np.eye(slots))
    return linprog(cost.ravel(), room, np.full(slots, capacity), once, np.ones(len(page))).fun


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("power", [1, 2])
def test_sorted_fetches_are_the_best_transport(seed, power):
    """Invariant 8: as many fetches as there is room for, filled in by ideal time, cost what HiGHS finds."""
    slots, capacity = 8, 4
    rng = np.random.default_rng(seed)
    page, time = np.arange(slots * capacity), rng.uniform(0, slots, slots * capacity)
    ours, slot = scheduled_at(page, time, slots, capacity)
    cost = np.sum(np.abs(slot + 0.5 - time[ours]) ** power)
    assert cost == pytest.approx(slots_by_linear_programme(page, time, slots, capacity, power), rel=1e-9)


@given(counts=st.lists(st.integers(0, 12), min_size=1, max_size=40), spare=st.integers(0, 3))
def test_every_fetch_has_a_slot_and_no_page_two_in_one(counts, spare):
    """All fetches of a plan are made, none twice in a slot, none beyond its capacity; slots are used evenly."""
    count, slots = np.array(counts), 12
    capacity = -(-count.sum() // slots) + spare
    page, slot = scheduled(count, slots, capacity)
    assert np.bincount(page, minlength=len(count)).tolist() == counts
    assert len(set(zip(page.tolist(), slot.tolist(), strict=True))) == len(page)
    load = np.bincount(slot, minlength=slots)
    assert load.max() <= capacity
    assert np.ptp(load) <= 1
    assert (np.diff(slot) >= 0).all()


def test_a_schedule_keeps_near_ideal_times():
    """A page fetched in every second slot is: no two in a row, none forgotten for long."""
    page, slot = scheduled(np.array([12, 12, 24, 6, 6, 12]), 24, 3)
    assert set(np.diff(np.sort(slot[page == 0]))) <= {1, 2, 3}
    assert slot[page == 2].tolist() == list(range(24))


def test_a_plan_that_does_not_fit_is_refused():
    """More fetches than room, or more of a page than slots."""
    with pytest.raises(BadInput, match="do not fit"):
        scheduled(np.array([3, 3]), 3, 1)
    with pytest.raises(BadInput, match="4 of one page"):
        scheduled(np.array([4]), 3, 5)


def test_a_plan_spends_what_there_is():
    """Pages without gain have what is left in turn; no page twice in a slot, and never more fetches than pages."""
    rate, weight = np.array([0.5, 0.2, 0.0, 0.0, 0.3]), np.array([1.0, 1.0, 1.0, 1.0, 0.0])
    page, slot = plan(rate, weight, 3, 6)
    assert np.bincount(slot).tolist() == [3] * 6
    assert np.bincount(page).tolist() == [6, 6, 2, 2, 2]
    assert len(plan(rate, weight, 50, 6)[0]) == 30
    assert topped_up(np.array([1, 0, 3]), 8, 3).tolist() == [3, 2, 3]


def slots_stale(chance, fetched):
    """How many slots a page is stale for, step by step."""
    fresh, total = 1.0, 0.0
    for slot, p in enumerate(chance):
        fresh = 1.0 if slot in fetched else fresh * (1.0 - p)
        total += 1.0 - fresh
    return total


@pytest.mark.parametrize("seed", SEEDS)
def test_dynamic_programming_finds_the_best_slots(seed):
    """Every number of fetches in seven slots: as good as the best of all ways to choose them, and convex."""
    rng = np.random.default_rng(seed)
    chance = np.where(rng.random(7) < 0.3, 0.0, rng.random(7))
    tables, choice = solved(np.stack([np.ones(7), chance]))  # beside another page
    for x in range(8):
        best = min(slots_stale(chance, c) for c in combinations(range(7), x))
        assert tables[1, x] == pytest.approx(best, abs=1e-12)
        if x <= np.count_nonzero(chance):  # with more than that there is nothing to choose
            page, times = chosen_slots(choice, np.array([2, x]))
            mine = times[page == 1].tolist()
            assert mine == sorted(set(mine))
            assert len(mine) == x
            assert slots_stale(chance, mine) == pytest.approx(best, abs=1e-12)
    assert (np.diff(tables, 2) >= -1e-12).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_tables_of_staleness_are_shared_out_at_best(seed):
    """Three pages, five fetches, by table: as good as the best of all ways to share them out."""
    rng = np.random.default_rng(seed)
    chance, weight = rng.random((3, 5)) ** 3, rng.random(3)
    table, _ = solved(chance)
    count = allotted_by_table(table, weight, 5)
    every = [c for c in product(range(6), repeat=3) if sum(c) == 5]
    best = min(np.sum(weight * table[np.arange(3), list(c)]) for c in every)
    assert np.sum(weight * table[np.arange(3), count]) == pytest.approx(best, abs=1e-12)


def test_a_plan_by_chances_follows_changes():
    """A page that changes for certain in slots 1 and 4 is fetched then; what is left over goes round."""
    certain = np.zeros((2, 6))
    certain[0, [1, 4]] = 1.0
    certain[1, [0, 2]] = 1.0
    table, choice = solved(certain)
    assert table[:, :4].tolist() == [[5, 2, 0, 0], [6, 2, 0, 0]]
    assert chosen_slots(choice, np.array([2, 1]))[1].tolist() == [1, 4, 2]
    page, slot = plan_by_chances(certain, np.ones(2), 1)
    assert slot.tolist() == list(range(6))
    assert page[[0, 1, 2, 4]].tolist() == [1, 0, 1, 0]
    each_its_slot = np.eye(6)[::-1]
    assert plan_by_chances(each_its_slot, np.ones(6), 1)[0].tolist() == [5, 4, 3, 2, 1, 0]


def test_pages_that_are_due_at_once_wait_in_order_of_weight():
    """None is fetched before it changes; the lightest comes last; one fetch does for two changes it waits for."""
    burst = np.zeros((4, 5))
    burst[:3, 1] = 1.0
    page, slot = plan_by_chances(burst, np.array([1.0, 3.0, 2.0, 0.0]), 1)
    assert slot.tolist() == list(range(5))
    assert page[1:4].tolist() == [1, 2, 0]
    again = np.array([[0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    page, _ = plan_by_chances(again, np.array([1.0, 9.0]), 1)
    assert page[1:3].tolist() == [1, 0]


@given(st.integers(0, 99), st.integers(1, 12), st.integers(1, 9), st.integers(0, 14))
def test_a_plan_by_chances_fills_every_slot(seed, pages, slots, per_slot):
    """As many as there is room for, no page twice in a slot; none is left stale that there was room to fetch."""
    rng = np.random.default_rng(seed)
    chance = (rng.random((pages, slots)) < 0.4).astype(np.float64)
    page, slot = plan_by_chances(chance, rng.random(pages), per_slot)
    assert np.bincount(slot, minlength=slots).tolist() == [min(per_slot, pages)] * slots
    assert len(set(zip(page.tolist(), slot.tolist(), strict=True))) == len(page)
    if per_slot >= chance.sum(axis=0).max():
        assert all(slots_stale(chance[i], set(slot[page == i].tolist())) == 0.0 for i in range(pages))
