"""What fetches are worth: gains equal the change of quality's numerator, whatever becomes of pages."""

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.index import Entry, measure
from sought.index.curves import Curves
from sought.index.measure import REPORTED, GainMeasure
from sought.index.quality import Matches, quality
from sought.index.scorers import BM25, Inlinks, TfIdf
from sought.index.vectors import no_vectors
from sought.index.visibility import Visibility
from tests.testing.plain_measure import (
    by_query,
    counted,
    counter_of,
    lists_of,
    measure_of,
    one_by_one,
    rows_of,
    scores_of,
    survey,
)
from tests.testing.shifted_entries import ENTRY, IMPORTANCE, PAGES, QUERIES, SCORERS, TIES, WEIGHTS, Pages

SEEN = Visibility().table(PAGES)

BATCH = st.dictionaries(st.integers(0, PAGES - 1), st.none() | ENTRY | ENTRY, max_size=PAGES)


def steps(pages, batch):
    """Each page of a batch, by its place, with the matrix before and after it; those in another language come last."""
    rows, old, new = list(batch), pages.vectors(batch), pages.read(batch)
    found = pages.measure.matches(np.array(rows, np.int64), new)
    becomes, now = scores_of(found), pages.matrix()
    for i in sorted(range(len(rows)), key=lambda i: len(old[i]) and len(new[i]) and old[i][0] != new[i][0]):
        row, was = rows[i], now
        now = {pair: s for pair, s in now.items() if pair[0] != row}
        now |= {pair: s for pair, s in becomes.items() if pair[0] == row}
        yield i, row, was, now


def columns(matrix):
    pairs = np.array(list(matrix), np.uint32).reshape(-1, 2)
    return Matches(pairs[:, 0].copy(), pairs[:, 1].copy(), np.array(list(matrix.values()), np.float32))


def ranks(matrix, query):
    """Who is at which rank."""
    ranked = sorted(((s, TIES[p], p) for (p, q), s in matrix.items() if q == query), reverse=True)
    return {p: rank for rank, (_, _, p) in enumerate(ranked, 1)}


def worth(row, query, was, now):
    """The gain of one query by definition: both lists are judged by what pages are now."""
    old, new = ranks(was, query), ranks(now, query)
    live = {p: now.get((p, query), 0.0) for p in {*old, *new}}
    gain = sum(SEEN[rank] * live[p] for p, rank in new.items()) - sum(SEEN[rank] * live[p] for p, rank in old.items())
    return WEIGHTS[query] * gain, old.get(row, 0), new.get(row, 0)


def check(i, row, was, now, gains):
    """All that is said of page i of a batch."""
    numerators = [quality(columns(each), columns(now), WEIGHTS, TIES).numerator for each in (was, now)]
    assert gains.gain[i] == pytest.approx(numerators[1] - numerators[0], rel=1e-6, abs=1e-9)
    affected = [q for q in range(len(QUERIES)) if was.get((row, q)) != now.get((row, q))]
    assert gains.affected[i] == len(affected)
    assert gains.reported[i] == min(REPORTED, len(affected))
    gained = {q: worth(row, q, was, now) for q in affected}
    best = sorted((gain for gain, _, _ in gained.values()), reverse=True)[:REPORTED]
    told = gains.query[i, : gains.reported[i]].tolist()
    assert len(set(told)) == len(told)
    assert sorted(gains.query_gain[i, : gains.reported[i]].tolist(), reverse=True) == pytest.approx(
        best, rel=1e-5, abs=1e-6
    )
    for k, q in enumerate(told):
        gain, rank_before, rank_after = gained[q]
        assert gains.query_gain[i, k] == pytest.approx(gain, rel=1e-5, abs=1e-6)
        assert (gains.before[i, k], gains.after[i, k]) == (was.get((row, q), 0.0), now.get((row, q), 0.0))
        assert (gains.rank_before[i, k], gains.rank_after[i, k]) == (rank_before, rank_after)


@pytest.mark.slow
@pytest.mark.parametrize("scorer", SCORERS, ids=repr)
@settings(deadline=None, max_examples=50)
@given(frozen=st.lists(ENTRY, max_size=3), batches=st.lists(BATCH, max_size=5), room=st.sampled_from([1, 9, 4096]))
def test_gains_are_changes_of_quality(scorer, frozen, batches, room):
    """Pages enter, change, change their language, leave and come back, in any batches, with little room or much."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure, "_ROOM", room)
        pages = Pages(scorer, frozen)
        for batch in batches:
            pages.read(batch)  # languages are met
            expected = list(steps(pages, batch))
            gains = pages.shift(batch)
            for i, row, was, now in expected:
                check(i, row, was, now, gains)
        assert lists_of(pages.measure) == by_query(pages.matrix(), len(QUERIES))


@pytest.mark.parametrize("scorer", SCORERS, ids=repr)
@settings(deadline=None, max_examples=20)
@given(st.lists(ENTRY, min_size=1, max_size=PAGES), st.lists(ENTRY, min_size=1, max_size=3))
def test_entry_foretells_the_gain(scorer, held, fresh):
    """What a page would add is what it does add; and asking changes nothing."""
    pages = Pages(scorer, held)
    pages.shift(dict(enumerate(held[: PAGES - 1])))
    lists, row = lists_of(pages.measure), PAGES - 1
    vectors = pages.read(dict(enumerate(fresh)))
    foretold = pages.measure.entry(np.full(len(fresh), row), vectors).gain
    assert lists_of(pages.measure) == lists
    for i, entry in enumerate(fresh):
        assert pages.shift({row: entry}).gain[0] == pytest.approx(foretold[i], rel=1e-9)
        pages.shift({row: None})
        assert lists_of(pages.measure) == lists


@pytest.mark.parametrize("scorer", [BM25(), TfIdf(), Inlinks()], ids=repr)
@settings(deadline=None, max_examples=20)
@given(held=st.lists(ENTRY, max_size=PAGES), cut=st.integers(0, PAGES))
def test_filling_is_shifting_in_one_by_one(scorer, held, cut):
    """By new statistics, whatever was held before; pages may come in parts."""
    filled, shifted = Pages(scorer, []), Pages(scorer, [])
    filled.shift(dict(enumerate(held[:2])))
    for pages in (filled, shifted):
        vectors = pages.read(dict(enumerate(held)))
        survey(pages.measure, vectors, IMPORTANCE)
    rows, cut = rows_of(vectors), min(cut, len(held))
    parts = [(0, cut), (cut, cut), (cut, len(held))]
    count = filled.measure.fill((rows[a:b], TIES[a:b], vectors.some(a, b)) for a, b in parts)
    for row, vector in enumerate(one_by_one(vectors)):
        shifted.measure.shift(rows[row : row + 1], TIES[row : row + 1], no_vectors(1), vector)
    assert lists_of(filled.measure) == lists_of(shifted.measure)
    assert count == sum(map(len, lists_of(filled.measure)))
    filled.measure.fill([])
    assert lists_of(filled.measure) == [[]] * len(QUERIES)


def test_a_language_that_is_met_later_leaves_scores_as_they_were():
    """To the last bit, for pages are found in their lists by their scores."""
    words = ["boats", "lake", "hills", "road", "trees", "bird", "stones", "fish"]  # half of them read alike in all
    queries = [" ".join(words[i] for i in np.random.default_rng(seed).permutation(8)[:5]) for seed in range(30)]
    asking = measure_of(queries)
    counter = counter_of(asking)
    body = " ".join(word for i, word in enumerate(words) for _ in range(i + 1))
    entry = Entry(0, "", " ".join(words[::3]), body, " ".join(words[:5]), "en")
    page = counted([entry], counter)
    ties = np.zeros(1, np.uint32)
    asking.shift(rows_of(page), ties, no_vectors(1), page)
    for language in ("de", "fr", "", "sv"):
        counted([Entry(1, "", " ".join(words[:3]), language=language)], counter)
    gains = asking.shift(rows_of(page), ties, page, no_vectors(1))
    assert gains.affected.tolist() == [30]
    assert lists_of(asking) == [[]] * 30


def test_a_page_whose_score_stays_is_not_affected():
    """A language may read a query as other terms, or more of them; links count the same for both."""
    pages = Pages(Inlinks(), [])
    pages.shift({0: Entry(0, "", "boat lake boats lakes", language="")})
    assert {QUERIES[q] for _, q in pages.matrix()} == {"boat", "boats", "lake", "boat lake"}
    gains = pages.shift({0: Entry(0, "", "boat lake boats lakes", language="en")})
    assert {QUERIES[q] for _, q in pages.matrix()} == {"boat", "boats", "lake", "boat lake"}
    assert (gains.affected[0], gains.reported[0], gains.gain[0]) == (0, 0, 0.0)


def test_the_same_batch_again_is_worth_nothing():
    """Nothing has changed, nobody is affected."""
    pages = Pages(BM25(), [])
    batch = {row: Entry(0, "", "boat lake city", "running " * row, language="en") for row in range(PAGES)}
    assert pages.shift(batch).gain.min() > 0
    again = pages.shift(batch)
    assert (again.gain.tolist(), again.affected.tolist(), again.reported.tolist()) == ([0] * 6, [0] * 6, [0] * 6)


def test_ranks_are_those_of_the_lists():
    """Of every pair of page and query that matches."""
    pages = Pages(TfIdf(), [])
    pages.shift({row: Entry(0, "", "boat lake", "city boat " * row, language="en") for row in range(PAGES)})
    found, matrix = pages.matches(), pages.matrix()
    expected = [ranks(matrix, q)[p] for p, q in zip(found.pages.tolist(), found.queries.tolist(), strict=True)]
    assert pages.measure.ranks(found, TIES[found.pages]).tolist() == expected
    assert max(expected) == PAGES


@lru_cache
def many():
    return [Entry(0, "", "boat", "boat " * (i % 9) + "lake " * (i % 7), language="en") for i in range(200)]


@pytest.mark.parametrize("scorer", SCORERS, ids=repr)
def test_leaving_out_what_is_too_deep_changes_nothing_else(scorer):
    """An estimator that looks at the first results only is told of every shift that concerns these."""
    asking = GainMeasure(["boat", "lake", "boat lake"], np.ones(3), scorer=scorer, estimator=Curves(depth=20))
    vectors = counted(many(), counter_of(asking))
    rows, importance = rows_of(vectors), np.random.default_rng(3).permutation(200).astype(np.float64)
    survey(asking, vectors, importance)
    ties = np.zeros(200, np.uint32)
    told = []
    for floors in (True, False):
        asking.fill([(rows[:150], ties[:150], vectors.some(0, 150))])
        if not floors:
            asking.lists.floors[:] = 0
        told.append(asking.shift(rows[150:], ties[150:], no_vectors(50), vectors.some(150, 200)).gain)
    assert (told[0] > 0).any()
    best = asking.matches(rows, vectors)
    deep = {q: np.sort(best.scores[best.queries == q])[-20] for q in range(3)}
    top = {p for p, q, s in zip(best.pages, best.queries, best.scores, strict=True) if p >= 150 and s > deep[int(q)]}
    assert all(told[0][p - 150] > 0 for p in top)
