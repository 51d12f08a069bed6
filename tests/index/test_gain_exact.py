"""Gain, measured exactly: what a change of one page's score does to what attention finds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.index.exact import Exact
from sought.index.visibility import Visibility

VISIBILITY = Visibility()
SEEN = VISIBILITY.table(500)


class Reference:
    """Lists of (score, tie), sorted when asked."""

    def __init__(self, queries):
        self.lists: list[set[tuple[float, int]]] = [set() for _ in range(queries)]

    def shift(self, query, before, after, tie):
        """Ranks and gain by the definition: every other page is what its copy says, this one what it has become."""
        old = sorted(self.lists[query], reverse=True)
        self.lists[query] -= {(before, tie)}
        self.lists[query] |= {(after, tie)} if after else set()
        new = sorted(self.lists[query], reverse=True)
        was = sum(SEEN[r] * (after if (s, t) == (before, tie) else s) for r, (s, t) in enumerate(old, 1))
        now = sum(SEEN[r] * s for r, (s, _) in enumerate(new, 1))
        rank = [ranked.index((s, tie)) + 1 if s else 0 for ranked, s in ((old, before), (new, after))]
        return *rank, now - was


def columns(queries, before, after, ties):
    return (
        np.array(queries, np.uint32),
        np.array(before, np.float32),
        np.array(after, np.float32),
        np.array(ties, np.uint32),
    )


def opened(scores, queries=1):
    """Lists whose query 0 has these scores, with ties 0, 1, …"""
    lists = Exact().open(queries, VISIBILITY)
    count = len(scores)
    lists.fill(np.zeros(count, np.uint32), np.array(scores, np.float32), np.arange(count, dtype=np.uint32))
    return lists


C = VISIBILITY.scale


@pytest.mark.parametrize(
    ("scores", "before", "after", "tie", "ranks", "gain"),
    [
        pytest.param([], 0, 2, 9, (0, 1), C * 2, id="first fetch into an empty list"),
        pytest.param([4, 1], 0, 2, 9, (0, 2), C * (2**-1.5 * 2 - (2**-1.5 - 3**-1.5) * 1), id="entry"),
        pytest.param([4, 2, 1], 2, 0, 1, (2, 0), C * (2**-1.5 - 3**-1.5) * 1, id="exit"),
        pytest.param([4], 4, 0, 0, (1, 0), 0, id="exit of the last"),
        pytest.param([4, 2, 1], 1, 3, 2, (3, 2), C * (2**-1.5 - 3**-1.5) * (3 - 2), id="up"),
        pytest.param([4, 2, 1], 4, 1.5, 0, (1, 2), C * (1 - 2**-1.5) * (2 - 1.5), id="down"),
        pytest.param([4, 2, 1], 2, 3, 1, (2, 2), 0, id="better at the same rank"),
        pytest.param([4, 2, 1], 2, 2, 1, (2, 2), 0, id="unchanged"),
        pytest.param([4, 2, 1], 0, 0, 7, (0, 0), 0, id="never there"),
        pytest.param([2, 2, 2], 2, 1, 2, (1, 3), C * (1 - 3**-1.5) * (2 - 1), id="down from the front of a tie"),
        pytest.param([2, 2, 2], 2, 1, 0, (3, 3), 0, id="down from the end of a tie"),
    ],
)
def test_every_kind_of_shift_by_hand(scores, before, after, tie, ranks, gain):
    """Ranks and gain of single shifts, worked out by hand."""
    lists = opened(scores)
    shifts = lists.shift(*columns([0], [before], [after], [tie]))
    assert (shifts.rank_before[0], shifts.rank_after[0]) == ranks
    assert shifts.gain[0] == pytest.approx(gain, abs=1e-15)
    assert lists.counts.tolist() == [len(scores) + (after > 0) - (before > 0)]


levels = st.sampled_from([0.0, 0.0, 0.25, 0.5, 0.5, 1.0, 1.5, 3.0])
moves = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 7), levels), max_size=60)


@settings(deadline=None)
@given(moves, st.integers(1, 7))
def test_gain_is_the_difference_it_makes(moves, batch):
    """Any sequence, in any batches: ranks, gains and lists are those of brute force, and no gain is negative."""
    reference, lists = Reference(3), Exact().open(3, VISIBILITY)
    held: dict[tuple[int, int], float] = {}
    shifts = []
    for query, page, score in moves:
        shifts.append((query, held.get((query, page), 0.0), score, page))
        held[query, page] = score
    for start in range(0, len(shifts), batch):
        some = shifts[start : start + batch]
        measured = lists.shift(*columns(*zip(*some, strict=True)))
        for i, shift in enumerate(some):
            before, after, gain = reference.shift(*shift)
            assert (measured.rank_before[i], measured.rank_after[i]) == (before, after)
            assert abs(measured.gain[i] - gain) < 1e-12
            assert measured.gain[i] >= 0
    for query in range(3):
        assert lists.scores(query).tolist() == sorted((s for s, _ in reference.lists[query]), reverse=True)
    assert lists.counts.tolist() == [len(each) for each in reference.lists]
    assert lists.best.tolist() == [max(each)[0] if each else 0 for each in reference.lists]


def test_lists_grow_and_shrink():
    """Thousands of random shifts over a few long lists agree with brute force, and memory follows what is held."""
    rng = np.random.default_rng(2)
    reference, lists = Reference(4), Exact().open(4, VISIBILITY)
    held: dict[int, float] = {}
    for _ in range(12):
        chosen = np.unique(rng.integers(0, 4 * 100, 150))
        before = [held.get(int(i), 0.0) for i in chosen]
        after = (np.ceil(rng.exponential(size=len(chosen)) * 8) * (rng.random(len(chosen)) < 0.8)).tolist()
        held |= zip(chosen.tolist(), after, strict=True)
        shifts = columns(chosen % 4, before, after, chosen)
        measured = lists.shift(*shifts)
        for i, shift in enumerate(zip(*(column.tolist() for column in shifts), strict=True)):
            expected = reference.shift(*shift)
            assert (measured.rank_before[i], measured.rank_after[i]) == expected[:2]
            assert abs(measured.gain[i] - expected[2]) < 1e-12
    for query in range(4):
        assert lists.scores(query).tolist() == sorted((s for s, _ in reference.lists[query]), reverse=True)
    assert lists.nbytes < 40 * int(lists.counts.sum()) + 1000


@settings(deadline=None)
@given(st.lists(st.floats(0.125, 8, width=32), max_size=40), st.floats(0.125, 8, width=32))
def test_entry_foretells_the_gain(scores, score):
    """What `entry` says is what a shift from nothing then measures, and asking changes nothing."""
    lists = opened(scores)
    foretold = lists.entry(np.zeros(1, np.uint32), np.array([score], np.float32))
    assert lists.counts.tolist() == [len(scores)]
    shifts = lists.shift(*columns([0], [0], [score], [99]))
    assert foretold[0] == pytest.approx(shifts.gain[0], rel=1e-12)
    assert foretold[0] > 0


def test_fill_is_the_same_as_shifting_in():
    """Long and short lists, in any order; results with score 0 are none."""
    rng = np.random.default_rng(3)
    queries = np.concatenate([np.zeros(300), np.full(5, 2), rng.integers(0, 4, 50)]).astype(np.uint32)
    scores = np.ceil(rng.exponential(size=len(queries)) * 5).astype(np.float32)
    scores[::7] = 0
    ties = rng.permutation(len(queries)).astype(np.uint32)
    filled, shifted = Exact().open(5, VISIBILITY), Exact().open(5, VISIBILITY)
    filled.fill(queries, scores, ties)
    shifted.shift(queries, np.zeros_like(scores), scores, ties)
    for query in range(5):
        assert filled.scores(query).tolist() == shifted.scores(query).tolist()
    assert filled.counts.sum() == np.count_nonzero(scores)
    filled.fill(queries[:0], scores[:0], ties[:0])
    assert filled.counts.tolist() == [0] * 5


def test_what_cannot_be_is_refused():
    """A page that is not in its list, a query that is not there, scores that are no scores."""
    lists = opened([3, 1])
    with pytest.raises(ValueError, match="no result with score 2"):
        lists.shift(*columns([0], [2], [1], [0]))
    with pytest.raises(IndexError):
        lists.shift(*columns([1], [0], [1], [0]))
    with pytest.raises(IndexError):
        lists.entry(np.array([1], np.uint32), np.ones(1, np.float32))
    for score in (-1, np.nan, np.inf):
        with pytest.raises(ValueError, match="finite"):
            lists.shift(*columns([0], [0], [score], [0]))
    with pytest.raises(ValueError, match="lengths"):
        lists.shift(*columns([0], [0, 0], [1, 1], [0]))
    assert repr(Exact()) == "Exact()"


@settings(deadline=None)
@given(st.lists(st.floats(0.0625, 1024, width=32), max_size=50))
def test_what_a_list_is_worth(scores):
    """Σ I(rank)·score; and it is what all pages gained by entering, in whatever order."""
    lists = opened(scores)
    expected = sum(VISIBILITY.scale * r**-1.5 * s for r, s in enumerate(sorted(scores, reverse=True), 1))
    assert lists.attention().tolist() == [pytest.approx(expected, rel=1e-9)]
    empty = Exact().open(1, VISIBILITY)
    zeros, count = np.zeros(len(scores), np.uint32), len(scores)
    gain = empty.shift(
        zeros, np.zeros(count, np.float32), np.array(scores, np.float32), np.arange(count, dtype=np.uint32)
    )
    assert gain.gain.sum() == pytest.approx(expected, rel=1e-9)
