"""What one page's copy would change: worked out beforehand, it is what happens when it does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.index.quality import Matches
from sought.index.visibility import Visibility
from sought.lab.judge.evaluator import Evaluator

PAGES, QUERIES = 7, 4
# Few levels, so that scores tie; few hashes, so that these tie as well.
scores = st.sampled_from([0.5, 1.0, 1.5, 7.0])
rows = st.dictionaries(st.integers(0, QUERIES - 1), scores)
webs = st.lists(rows, min_size=PAGES, max_size=PAGES)
hashes = st.lists(st.integers(0, 3), min_size=PAGES, max_size=PAGES).map(lambda h: np.array(h, np.uint32))
weights = st.lists(st.just(0.0) | st.floats(1e-6, 10), min_size=QUERIES, max_size=QUERIES).map(np.array)
ties = st.sampled_from(["hash", "mean"])
everything = np.arange(PAGES, dtype=np.uint32)


def columns(row):
    return np.array(list(row), np.uint32), np.array(list(row.values()), np.float32)


def matches(web):
    """One row a page, as columns."""
    pairs = [(p, q, s) for p, row in enumerate(web) for q, s in row.items()]
    pages, queries = (np.array([pair[i] for pair in pairs], np.uint32) for i in (0, 1))
    return Matches(pages, queries, np.array([pair[2] for pair in pairs], np.float32))


def evaluator_of(copies, live, f, hashes, tie, norm=False):
    evaluator = Evaluator(f, hashes, tie=tie, per_query_norm=norm)
    for page in range(PAGES):
        evaluator.set_copy(page, *columns(copies[page]))
        evaluator.set_live(page, *columns(live[page]))
    return evaluator


def tried(evaluator, copies, others):
    """Each change made, measured, and unmade."""
    before = evaluator.quality().numerator
    found = []
    for page in range(PAGES):
        evaluator.set_copy(page, *columns(others[page]))
        found.append(evaluator.quality().numerator - before)
        evaluator.set_copy(page, *columns(copies[page]))
    return found


@settings(deadline=None, max_examples=150)
@given(webs, webs, weights, hashes, ties, st.booleans())
def test_gains_are_what_fetching_brings(copies, live, f, hashes, tie, norm):
    """Pages that enter, leave, rise, fall or stay, alone or among equals."""
    evaluator = evaluator_of(copies, live, f, hashes, tie, norm)
    gains = evaluator.gains(everything)
    assert gains == pytest.approx(tried(evaluator, copies, live), abs=1e-9)


@settings(deadline=None, max_examples=150)
@given(webs, webs, webs, weights, hashes, ties)
def test_any_other_copy_can_be_asked_about(copies, live, others, f, hashes, tie):
    """Also one that is neither what is held nor what is live, pages in any order."""
    evaluator = evaluator_of(copies, live, f, hashes, tie)
    gains = evaluator.gains_of(everything[::-1].copy(), matches(others))
    assert gains[::-1] == pytest.approx(tried(evaluator, copies, others), abs=1e-9)


@settings(deadline=None)
@given(webs, webs, weights, hashes, ties)
def test_asking_changes_nothing(copies, live, f, hashes, tie):
    """Quality is the same to the last bit, and so are gains asked for again."""
    evaluator = evaluator_of(copies, live, f, hashes, tie)
    before = evaluator.quality()
    gains = evaluator.gains(everything)
    assert evaluator.quality() == before
    assert evaluator.gains(everything).tolist() == gains.tolist()


@settings(deadline=None)
@given(webs, webs, weights, hashes, ties)
def test_attention_adds_up_to_all_there_is(copies, live, f, hashes, tie):
    """Each page has its share of the denominator, and what is not live has none."""
    evaluator = evaluator_of(copies, live, f, hashes, tie)
    attention = evaluator.attention()
    lengths = [sum(query in row for row in live) for query in range(len(f))]
    there_is = sum(weight * Visibility().sums(length)[length] for weight, length in zip(f, lengths, strict=True))
    assert attention.sum() == pytest.approx(there_is, abs=1e-9)
    assert not attention[[not row for row in live]].any()


def test_a_small_example_by_hand():
    """Live pages score 4 and 2; only the second is held: the first is seen at rank 1, the second falls to rank 2."""
    evaluator = evaluator_of(
        [{}, {0: 2.0}, *[{}] * 5], [{0: 4.0}, {0: 2.0}, *[{}] * 5], np.ones(QUERIES), everything, "hash"
    )
    c = 0.3827934  # 1/ζ(3/2)
    assert evaluator.gains(everything[:2]) == pytest.approx([c * (4 - 2 + 2 * 2**-1.5), 0.0], rel=1e-6)


@pytest.mark.parametrize("tie", ["hash", "mean"])
def test_many_pages_after_many_changes(tie):
    """Long lists, whose slabs have moved; only some of the pages are asked about."""
    rng = np.random.default_rng(3)
    pages, queries = 300, 20

    def web():
        pairs = np.unique(rng.integers(0, pages * queries, 4000))
        found = Matches((pairs % pages).astype(np.uint32), (pairs // pages).astype(np.uint32), np.zeros(0, np.float32))
        return Matches(found.pages, found.queries, np.ceil(4 * rng.exponential(size=len(pairs))).astype(np.float32))

    evaluator = Evaluator(rng.random(queries), rng.integers(0, 2**32, pages, np.uint32), tie=tie)
    for _ in range(3):
        evaluator.set_copies(np.arange(pages, dtype=np.uint32), web())
        evaluator.set_lives(np.arange(pages, dtype=np.uint32), live := web())
        evaluator.quality()
    for page in rng.permutation(pages)[:40].tolist():
        gain, before = evaluator.gains(np.array([page], np.uint32))[0], evaluator.quality().numerator
        of = live.pages == page
        evaluator.set_copy(page, live.queries[of], live.scores[of])
        assert evaluator.quality().numerator - before == pytest.approx(gain, abs=1e-9)


def test_matches_of_other_pages_are_refused():
    """Silently left out they would look like pages that match nothing."""
    evaluator = Evaluator(np.ones(QUERIES), everything)
    with pytest.raises(ValueError, match="not asked about"):
        evaluator.gains_of(everything[:2], matches([{}, {}, {0: 1.0}]))
