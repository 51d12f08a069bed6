"""What is asked of a world, split for judging."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.lab.worlds.demand import SPLITS, demand_of
from sought.lab.worlds.world import WEEK, WorldDemand
from sought.web.errors import BadInput

START = 1000 * WEEK


def tallies(count=200, since=lambda i: START + (i % 5) * WEEK):
    texts = [f"word{i} thing" for i in range(count)]
    return WorldDemand(texts, 1000.0 / (1 + np.arange(count)), np.array([since(i) for i in range(count)], np.float64))


@pytest.mark.parametrize("split", SPLITS)
def test_nobody_knows_a_query_before_it_is_asked(split):
    """The weights of the known part are those of queries that have begun, and sum to 1."""
    demand = demand_of(tallies(), split, WEEK)
    begun = {text: float(since) for text, since in zip(tallies().query, tallies().since, strict=True)}
    for week in range(-1, 6):
        now = START + week * WEEK
        weights = demand.weights("known", now)
        assert all(begun[demand.texts[q]] <= now for q in np.flatnonzero(weights))
        assert weights.sum() == pytest.approx(1.0 if week >= 0 else 0.0)


def test_by_time_the_judge_is_a_unit_ahead():
    demand = demand_of(tallies(), "time", WEEK)
    for week in range(5):
        now = START + week * WEEK
        assert np.array_equal(demand.weights("judged", now), demand.weights("known", now + WEEK))


def test_by_thinning_both_parts_are_samples_of_the_same():
    """Independent, alike on the whole, the rare ones often in one part only; another seed is another sample."""
    demand = demand_of(tallies(2000, lambda _: START), "thinning", WEEK, searches=2000)
    known, judged = (demand.weights(part, START) for part in ("known", "judged"))
    assert not np.array_equal(known, judged)
    assert np.corrcoef(known, judged)[0, 1] > 0.9
    assert np.count_nonzero((known > 0) != (judged > 0)) > 100
    other = demand_of(tallies(2000, lambda _: START), "thinning", WEEK, seed=1, searches=2000)
    assert not np.array_equal(other.weights("known", START), known)
    again = demand_of(tallies(2000, lambda _: START), "thinning", WEEK, searches=2000)
    assert np.array_equal(again.weights("known", START), known)


def test_more_searches_tell_more():
    """With many searches the sample is the demand itself."""
    few, many = (demand_of(tallies(), "thinning", WEEK, searches=n).weights("known", START) for n in (100, 10_000_000))
    exact = demand_of(tallies(), "none", WEEK).weights("known", START)
    assert np.abs(many - exact).sum() < 0.05 < np.abs(few - exact).sum()


def test_by_string_no_query_is_in_both_parts():
    demand = demand_of(tallies(), "string", WEEK)
    known, judged = (demand.weights(part, START + 9 * WEEK) > 0 for part in ("known", "judged"))
    assert not np.any(known & judged)
    assert np.all(known | judged)
    assert 60 < known.sum() < 140


def test_spellings_are_one_query():
    """Equal normal forms are one query, whatever their case; what cannot be read is left out."""
    found = demand_of(
        WorldDemand(["Apple Pie", "apple pie", "…"], np.array([1.0, 2.0, 4.0]), np.zeros(3)), "none", WEEK
    )
    assert found.texts == ["Apple Pie"]
    assert found.weights("known", 1.0).tolist() == [1.0]


@given(st.integers(0, 199), st.integers(1, 5))
def test_what_comes_later_does_not_tell_on_what_is_now(removed, factor):
    """However later demand changes, what is known before stays the same, bit by bit."""
    all_of = tallies()
    if all_of.since[removed] == START:
        return
    count = all_of.count.copy()
    count[removed] *= 1 + factor
    texts = [f"other {i}" if i == removed else text for i, text in enumerate(all_of.query)]
    changed = demand_of(WorldDemand(texts, count, all_of.since), "thinning", WEEK, searches=5000)
    before = demand_of(all_of, "thinning", WEEK, searches=5000)
    then = all_of.since[removed] - 1
    a, b = (dict(zip(d.texts, d.weights("known", then).tolist(), strict=True)) for d in (before, changed))
    assert {k: v for k, v in a.items() if v} == {k: v for k, v in b.items() if v}


def test_a_split_nobody_knows():
    with pytest.raises(BadInput, match="time, thinning, string, none"):
        demand_of(tallies(), "half", WEEK)  # type: ignore[arg-type]  # on purpose


def test_nothing_asked():
    demand = demand_of(WorldDemand(), "thinning", WEEK)
    assert len(demand) == 0
    assert demand.weights("known", 0.0).tolist() == []


def test_a_later_line_takes_the_place_of_an_earlier_one():
    """Counts are rates from a day on, as in the query log."""
    rows = WorldDemand(["a", "b", "a", "a"], np.array([3.0, 1.0, 1.0, 0.0]), np.array([0.0, 0.0, WEEK, 2 * WEEK]))
    found = demand_of(rows, "none", WEEK)
    shares = [dict(zip(found.texts, found.weights("known", w * WEEK).tolist(), strict=True)) for w in range(3)]
    assert shares == [{"a": 0.75, "b": 0.25}, {"a": 0.5, "b": 0.5}, {"a": 0.0, "b": 1.0}]


def test_a_log_that_grows_is_thinned_to_the_same_size():
    """However few queries are asked on the first day of all, there are so many searches at the start."""
    grown = tallies(500, lambda i: START - i * WEEK)
    known = demand_of(grown, "thinning", WEEK, searches=1000, start=START).known
    assert 350 < known.sum() < 650
    silent = WorldDemand(["a b", "c d"], np.array([0.0, 3.0]), np.array([START, START + WEEK]))
    assert np.isfinite(demand_of(silent, "thinning", WEEK).weights("known", START + WEEK)).all()
