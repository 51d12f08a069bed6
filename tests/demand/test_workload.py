"""The workload: weights that add up, a split that never moves, and no look into the future."""

from datetime import UTC, date, datetime
from math import log as ln

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.demand import DAY, WEEK, QueryLog, Search, Selection, Tally, workload
from sought.demand.workload import is_held_out, query_key
from sought.web.errors import BadInput

NOW = datetime(2023, 11, 14, 12, tzinfo=UTC).timestamp()
TODAY = date(2023, 11, 14)


def lower(texts):
    return [text.lower() for text in texts]


@pytest.fixture
def log(tmp_path):
    return QueryLog(tmp_path / "queries", keep=1e12)


def add(log, *rows):
    with log.writing() as staging:
        for number, row in enumerate(rows, 1):
            staging.add(Search(row.query, row.time, row.shown, number) if isinstance(row, Search) else row)


def rates(found):
    return dict(zip(found.texts, found.rate.tolist(), strict=True))


def test_an_empty_log_is_an_empty_workload(log):
    """No queries, no weights, nothing left out."""
    found = workload(log, NOW, lower)
    assert found.texts == ()
    assert len(found.keys) == len(found.weights) == len(found.held_out) == len(found.rate) == 0
    assert found.left_out == {"unreadable": 0, "head": 0, "tail": 0, "too-many": 0}


def test_searches_in_the_window_count_by_the_week(log):
    """Four searches in four weeks are one a week; older ones are none."""
    add(log, *(Search("comet", NOW - days * DAY) for days in (0, 1, 14, 27.9, 28.1, 90)))
    assert rates(workload(log, NOW, lower)) == {"comet": 1.0}
    assert rates(workload(log, NOW, lower, Selection(window=WEEK))) == {"comet": 2.0}


def test_searches_fade_with_a_half_life(log):
    """A search counts ln 2/h at once and half of that after h."""
    add(log, Search("new", NOW), Search("old", NOW - 2 * WEEK), Search("older", NOW - 4 * WEEK))
    found = rates(workload(log, NOW, lower, Selection(window=1.0, half_life=2 * WEEK)))
    assert found == pytest.approx({"new": ln(2) / 2, "old": ln(2) / 4, "older": ln(2) / 8})


def test_a_steady_stream_fades_to_its_rate(log):
    """Decay and window agree where nothing changes: 70 a week are 70 a week."""
    add(log, *(Search("comet", NOW - tenth * DAY / 10) for tenth in range(6000)))
    for selection in (Selection(), Selection(half_life=4 * WEEK), Selection(half_life=WEEK)):
        assert rates(workload(log, NOW, lower, selection))["comet"] == pytest.approx(70, rel=0.01)


def test_the_tally_in_force_counts(log):
    """Of one query the newest tally that has begun, as it is; with searches it adds up."""
    add(
        log,
        Tally("comet", 3, date(2022, 1, 3)),
        Tally("comet", 5, date(2023, 1, 2)),
        Tally("comet", 7, date(2023, 11, 15)),
        Tally("gone", 3, date(2022, 1, 3)),
        Tally("gone", 0, date(2023, 1, 2)),
        Tally("clicked", 4, date(2022, 1, 3), "https://example.org/a", 1),
        Tally("clicked", 4, date(2022, 1, 3), "https://example.org/b", 1),
        Search("comet", NOW - DAY),
    )
    assert rates(workload(log, NOW, lower)) == {"comet": 5.25, "clicked": 4.0}
    assert rates(workload(log, NOW - 365 * DAY, lower)) == {"comet": 3.0, "clicked": 4.0, "gone": 3.0}
    assert rates(workload(log, NOW + DAY / 2, lower))["comet"] == 7.25


def test_spellings_are_one_query(log):
    """Queries with one normal form are one; the most frequent spelling stands for it, then the first by letter."""
    add(log, Tally("Comet", 2, TODAY), Tally("comet", 3, TODAY), Tally("b A", 1, TODAY), Tally("B a", 1, TODAY))
    found = workload(log, NOW, lower)
    assert rates(found) == {"comet": 5.0, "B a": 2.0}
    assert found.keys.tolist() == sorted([query_key("comet"), query_key("b a")])


def test_what_nobody_can_answer_is_left_out_and_counted(log):
    """An empty normal form: the text says nothing to the index."""
    add(log, Tally("!!!", 9, TODAY), Tally("???", 9, TODAY), Tally("comet", 1, TODAY))
    found = workload(log, NOW, lambda texts: [text if text.isalpha() else "" for text in texts])
    assert found.texts == ("comet",)
    assert found.left_out["unreadable"] == 2


def test_normal_forms_are_asked_in_batches_and_once_for_each_text(log):
    """The analyser sees every distinct text once."""
    seen = []

    def normal(texts):
        seen.append(list(texts))
        return lower(texts)

    add(log, *(Search(f"query {number % 50}", NOW - number) for number in range(200)))
    workload(log, NOW, normal)
    assert len(seen) == 1
    assert sorted(seen[0]) == sorted({f"query {number}" for number in range(50)})


def test_head_and_tail_are_pruned_by_coverage(log):
    """The heaviest that make up the first share of demand, and the lightest that make up the last."""
    add(log, *(Tally(name, count, TODAY) for name, count in zip("abcdef", (50, 20, 10, 10, 6, 4), strict=True)))
    for selection, texts, left_out in (
        (Selection(head=0.5), "bcdef", (1, 0, 0)),
        (Selection(head=0.69), "bcdef", (1, 0, 0)),
        (Selection(head=0.7), "cdef", (2, 0, 0)),
        (Selection(tail=0.1), "abcd", (0, 2, 0)),
        (Selection(tail=0.03), "abcdef", (0, 0, 0)),
        (Selection(head=0.5, tail=0.04, max_queries=2), "bc", (1, 1, 2)),
        (Selection(head=1.0, tail=1.0), "", (6, 0, 0)),
    ):
        found = workload(log, NOW, lower, selection)
        if selection.max_queries == 2:  # c and d weigh the same
            assert "b" in found.texts
            assert len(found.texts) == 2
        else:
            assert "".join(sorted(found.texts)) == texts, selection
        assert tuple(found.left_out[name] for name in ("head", "tail", "too-many")) == left_out
        assert found.weights.sum() == pytest.approx(1 if texts else 0)


def test_the_split_never_moves():
    """Golden values: a query is on its side for ever, on every machine and in every version."""
    golden = {
        "comet": 15807544836622489048,
        "comet tail": 12077282802300399204,
        "東 東京 京": 5578535196119144404,
        "": 13020603013274838756,
    }
    assert {text: query_key(text) for text in golden} == golden
    keys = np.array([query_key(f"query {number}") for number in range(64)], np.uint64)
    assert "".join("x" if held else "." for held in is_held_out(keys, 0.2)) == (
        "......x.x...........x.x.....................x......x.x.........."
    )


@given(st.lists(st.integers(0, 2**64 - 1), max_size=50), st.floats(0, 1), st.floats(0, 1))
def test_the_split_is_nested_and_exact(numbers, one, other):
    """Held out if key / 2**64 < share; a larger share only adds."""
    keys = np.array(numbers, np.uint64)
    small, large = sorted((one, other))
    assert not (is_held_out(keys, small) & ~is_held_out(keys, large)).any()
    ratio_numerator, ratio_denominator = one.as_integer_ratio()
    expected = [number * ratio_denominator < ratio_numerator * 2**64 for number in numbers]
    assert is_held_out(keys, one).tolist() == expected
    assert not is_held_out(keys, 0.0).any()
    assert is_held_out(keys, 1.0).all()


COUNTS = st.lists(st.floats(0.001, 1e6), min_size=1, max_size=30)


@settings(max_examples=25, deadline=None)
@given(COUNTS, st.floats(0, 1))
def test_weights_of_each_part_sum_to_one(tmp_path_factory, counts, share):
    """Training weights are 0 where a query is held out, and the other way round; keys ascend."""
    log = QueryLog(tmp_path_factory.mktemp("log") / "queries")
    add(log, *(Tally(f"query {number}", count, TODAY) for number, count in enumerate(counts)))
    found = workload(log, NOW, lower, Selection(held_out=share))
    for held_out in (False, True):
        weights = found.weights_of(held_out=held_out)
        part = found.held_out == held_out
        assert (weights[~part] == 0).all()
        assert weights.sum() == pytest.approx(1 if part.any() else 0)
        assert weights[part] * found.rate[part].sum() == pytest.approx(found.rate[part])
    assert (found.weights == found.weights_of(held_out=False)).all()
    assert (np.diff(found.keys.astype(object)) > 0).all()
    assert found.rate.sum() == pytest.approx(sum(counts))


def test_the_future_is_not_used(log, tmp_path):
    """What is asked after `now`, in searches or tallies, changes not a byte of the workload."""
    known: list = [Search(f"query {number % 7}", NOW - number * 3600) for number in range(500)]
    known += [Tally(f"tally {number}", number + 0.1, date(2023, 11, number + 1)) for number in range(14)]
    future: list = [Search(f"query {number}", NOW + 0.5 + number) for number in range(50)]
    future += [Tally(f"tally {number}", 99, date(2023, 11, 15)) for number in range(20)]
    add(log, *known)
    other = QueryLog(tmp_path / "other", keep=1e12)
    add(other, *known, *future)
    for selection in (Selection(held_out=0.3), Selection(half_life=WEEK, tail=0.1)):
        one, two = workload(log, NOW, lower, selection), workload(other, NOW, lower, selection)
        assert as_bytes(one) == as_bytes(two)


def as_bytes(found):
    arrays = (found.keys, found.weights, found.held_out, found.rate)
    return found.texts, found.left_out, *(array.tobytes() for array in arrays)


def test_the_same_log_gives_the_same_bytes(log, tmp_path):
    """However the rows lie in segments, and in whichever order they came."""
    rows = [Search(f"query {number % 300}", NOW - number * 211.7, (), number + 1) for number in range(5000)]
    other = QueryLog(tmp_path / "other", keep=1e12)
    for where, batches in ((log, [rows]), (other, [rows[3000:], rows[:3000], rows[:10]])):
        for batch in batches:
            with where.writing() as staging:
                for row in batch:
                    staging.add(row)
    selection = Selection(half_life=3 * DAY, held_out=0.2)
    assert as_bytes(workload(log, NOW, lower, selection)) == as_bytes(workload(other, NOW, lower, selection))


def test_a_selection_is_a_value(log):
    """Its repr is its line in a table; one that selects nothing is refused."""
    assert repr(Selection()) == (
        "Selection(window=2419200.0, half_life=0.0, held_out=0.0, head=0.0, tail=0.0, max_queries=1000000)"
    )
    with pytest.raises(BadInput, match="window"):
        workload(log, NOW, lower, Selection(window=0.0))
