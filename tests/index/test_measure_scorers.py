"""Scorers say what their formulas say, and keep to the statistics they were given."""

import math
from collections import Counter as Bag

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.index import Entry
from sought.index.scorers import BM25, SCORERS, Inlinks, TfIdf, TfIdfPageRank
from sought.index.statistics import Census, Statistics
from sought.index.vectors import joined, no_vectors
from sought.web.errors import BadInput
from tests.testing.plain_measure import (
    WORDS,
    answered,
    bags,
    by_query,
    counted,
    counter_of,
    lists_of,
    measure_of,
    rows_of,
    scores_of,
    survey,
    wanted,
)

QUERIES = ["boat", "run boat", "lake city run", "京都", "état major", "boat boat", "haus", "nowhere"]
WORD = st.sampled_from(["boat", "running", "run", "lake", "lakes", "city", "東京都", "état-major", "Haus", "other"])
SOME = st.lists(WORD, max_size=8).map(" ".join)
ENTRY = st.builds(Entry, st.just(0), st.just("https://a.b/"), SOME, SOME, SOME, st.sampled_from(["en", "fr", "de", ""]))
PAGES = st.lists(ENTRY, min_size=1, max_size=8)
IMPORTANCE = st.lists(st.floats(0, 100), min_size=8, max_size=8).map(np.array)
ALL = [BM25(), TfIdf(), Inlinks(), TfIdfPageRank(), TfIdfPageRank(1, 0), TfIdfPageRank(0, 1)]


def measured(scorer, entries, importance=None, held=None):
    """Scores of pages, by the statistics of these pages; `held` are those that lists are filled with, if not all."""
    measure = measure_of(QUERIES, scorer)
    vectors = counted(entries, counter_of(measure, [entry.language for entry in entries]))
    survey(measure, vectors, importance)
    kept = vectors.some(0, len(vectors) if held is None else held)
    measure.fill([(rows_of(kept), rows_of(kept).astype(np.uint32), kept)])
    return measure, vectors, scores_of(measure.matches(rows_of(vectors), vectors))


def whole(entry):
    """The terms of all fields as one text."""
    return sum(bags(entry), Bag())


def tf_idf(entries, page, query):
    """sqrt(tf)·idf²/sqrt(length), summed over the terms of a query."""
    held = [whole(entry) for entry in entries]
    total = 0.0
    for term in wanted(query, entries[page].language):
        idf = 1 + math.log(len(entries) / (sum(term in bag for bag in held) + 1))
        total += math.sqrt(held[page][term]) * idf**2 / math.sqrt(held[page].total())
    return total


def scaled(values):
    """To [0, 1] among the results of a query; 1 if all are alike, and none at all if they are but for rounding."""
    low, high = min(values, default=0), max(values, default=0)
    if 0 < high - low < 1e-5 * high:
        return [None] * len(values)
    return [(value - low) / (high - low) if high > low else 1.0 for value in values]


@settings(deadline=None, max_examples=50)
@given(PAGES)
def test_tf_idf_is_lucenes(entries):
    """Over all fields as one text, with the statistics of all pages."""
    _, _, found = measured(TfIdf(), entries)
    expected = {(p, q): tf_idf(entries, p, QUERIES[q]) for p, q in answered(entries, QUERIES)}
    assert found == pytest.approx(expected, rel=1e-5)


def test_tf_idf_by_hand():
    """Two pages; "boat" is on both, "lake" on one: idf 1 + ln(2/3) and 1 + ln(2/2)."""
    entries = [Entry(0, "", "boat", "lake boat boat boat"), Entry(1, "", "", "boat")]
    _, _, found = measured(TfIdf(), entries)
    idf = (1 + math.log(2 / 3)) ** 2
    assert found[0, 0] == pytest.approx(2 * idf / math.sqrt(5), rel=1e-6)
    assert found[1, 0] == pytest.approx(idf, rel=1e-6)


@settings(deadline=None, max_examples=50)
@given(PAGES, IMPORTANCE, st.integers(0, 8))
def test_inlinks_count_from_one(entries, importance, known):
    """Whatever the text says, as long as it matches; a row that came after the statistics has no links yet."""
    _, _, found = measured(Inlinks(), entries, importance[:known])
    links = [*importance[:known], *[0.0] * 8]
    assert found == pytest.approx({(p, q): links[p] + 1 for p, q in answered(entries, QUERIES)}, rel=1e-6)


@settings(deadline=None, max_examples=50)
@given(
    PAGES, st.lists(st.integers(0, 50), min_size=8, max_size=8), st.sampled_from([(0.5, 0.5), (1, 3), (0, 1), (1, 0)])
)
def test_the_mix_is_scaled_query_by_query(entries, importance, mix):
    """a·TF-IDF + b·PageRank, each from 0 to 1 among the results; the last of a list is in it all the same."""
    _, _, found = measured(TfIdfPageRank(*mix), entries, np.array(importance, np.float64))
    pairs = sorted(answered(entries, QUERIES))
    assert sorted(found) == pairs
    for q, query in enumerate(QUERIES):
        pages = [p for p, asked in pairs if asked == q]
        text = scaled([tf_idf(entries, p, query) for p in pages])
        rank = scaled([importance[p] for p in pages])
        for p, t, r in zip(pages, text, rank, strict=True):
            if t is not None:
                assert found[p, q] == pytest.approx(max(mix[0] * t + mix[1] * r, 1e-6), rel=1e-2, abs=0.02)


def test_what_enters_later_stays_within_the_scale():
    """Better than all that the scale was made from, a page has its highest value; worse than all, its lowest."""
    entries = [Entry(i, "", "boat", "boat other " * i) for i in (3, 4, 1, 9)]
    _, _, found = measured(TfIdfPageRank(), entries, np.array([2.0, 3, 1, 9]), held=2)
    assert max(found.values()) <= 1.0
    assert found[2, 0] == pytest.approx(0.5)  # worth most by its text, least by its rank
    assert found[3, 0] == pytest.approx(0.5)


@pytest.mark.parametrize("scorer", ALL, ids=repr)
@settings(deadline=None, max_examples=20)
@given(entries=PAGES, others=st.lists(ENTRY, max_size=4), importance=IMPORTANCE)
def test_a_page_that_matches_never_scores_nothing(scorer, entries, others, importance):
    """By whichever statistics: of these pages, of others, or none at all."""
    measure = measure_of(QUERIES, scorer)
    counter = counter_of(measure, ["en", "fr", "de", ""])
    vectors, strange = counted(entries, counter), counted(others, counter)
    expected = answered(entries, QUERIES)
    for known in (no_vectors(0), strange, vectors):
        survey(measure, known, importance)
        for held in (no_vectors(0), strange, vectors):
            measure.fill([(rows_of(held), rows_of(held).astype(np.uint32), held)])
            found = scores_of(measure.matches(rows_of(vectors), vectors))
            assert found.keys() == expected
            assert all(0 < score < np.inf for score in found.values())


@pytest.mark.parametrize("scorer", ALL, ids=repr)
def test_scores_are_frozen(scorer):
    """Pages that come and go move nobody's score; statistics that are taken anew do, and lists are filled by them."""
    words = WORDS["en"]
    entries = [Entry(i, "", " ".join(words[: i % 3 + 1]), " ".join(words[: i % 7 + 1]), "", "en") for i in range(30)]
    measure = measure_of(["run", "boat running", "lake"], scorer)
    counter = counter_of(measure)
    vectors = counted(entries, counter)
    first, importance = vectors.some(0, 10), np.arange(30.0)
    survey(measure, first, importance[:10])
    ties = rows_of(vectors).astype(np.uint32)
    measure.fill([(rows_of(first), ties[:10], first)])
    before = scores_of(measure.matches(rows_of(first), first))
    measure.shift(rows_of(vectors)[10:], ties[10:], no_vectors(20), vectors.some(10, 30))
    assert scores_of(measure.matches(rows_of(first), first)) == before
    survey(measure, vectors, importance[::-1].copy())
    measure.fill([(rows_of(vectors), ties, vectors)])
    after = scores_of(measure.matches(rows_of(vectors), vectors))
    assert {pair: after[pair] for pair in before} != before
    assert lists_of(measure) == by_query(after, 3)


@settings(deadline=None, max_examples=50)
@given(PAGES, st.integers(0, 8))
def test_a_census_counts_pages(entries, cut):
    """How many there are, how long their fields are, and who holds each term, in each field and anywhere."""
    measure = measure_of(QUERIES)
    vectors = counted(entries, counter_of(measure, ["en", "fr", "de", ""]))
    census, cut = Census(len(measure.vocabulary)), min(cut, len(entries))
    for part in (vectors.some(0, cut), no_vectors(3), vectors.some(cut, len(vectors))):
        census.add(part)
    taken, held = census.statistics(), [bags(entry) for entry in entries]
    assert taken.pages == len(entries)
    assert taken.lengths.tolist() == [sum(bag[f].total() for bag in held) for f in range(4)]
    for term, number in measure.vocabulary.numbers.items():
        assert taken.frequency[number].tolist() == [
            *(sum(term in bag[f] for bag in held) for f in range(4)),
            sum(any(term in each for each in bag) for bag in held),
        ]


def test_terms_that_came_after_the_statistics_are_on_no_page():
    """And those that nobody knows any more are left out."""
    known = Statistics(3, frequency=np.arange(10).reshape(2, 5))
    assert known.of_terms(3).tolist() == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [0] * 5]
    assert known.of_terms(1).tolist() == [[0, 1, 2, 3, 4]]
    assert known.anywhere.tolist() == [4, 9]


def test_without_statistics_every_length_is_the_average():
    """The first pages of a crawl are scored on the scale of later ones, be they long or short."""
    measure = measure_of(["boat"])
    entries = [Entry(0, "", "", "boat " + "other " * count) for count in (0, 1000)]
    vectors = counted(entries, counter_of(measure))
    found = measure.matches(rows_of(vectors), vectors).scores
    assert found[0] == found[1] == pytest.approx(math.log(4))
    survey(measure, vectors)
    assert measure.scorer.lengths(measure.statistics)[2].tolist() == pytest.approx([1.2] * 256)


def test_what_cannot_be_is_refused():
    """Weights of a mix that say nothing, or are no numbers; parameters by which a match might score nothing."""
    for mix in ((-1, 2), (0, 0), (2, -1), (math.nan, 1), (1, math.inf)):
        with pytest.raises(BadInput, match="a and b"):
            TfIdfPageRank(*mix)
    for parameters in ((-1, 0.5), (math.inf, 0.5), (1.2, 1.5), (1.2, -0.1), (math.nan, 0.5)):
        with pytest.raises(BadInput, match="k1"):
            BM25(*parameters)
    assert [repr(scorer()) for scorer in SCORERS.values()] == [
        "BM25()",
        "TfIdf()",
        "Inlinks()",
        "TfIdfPageRank()",
    ]


def test_pages_that_are_not_searchable_match_nothing():
    """Before, between and after others."""
    measure = measure_of(["boat"])
    page = counted([Entry(0, "", "boat")], counter_of(measure))[0]
    vectors = joined([page[:0], page, page[:0], page, page[:0]])
    assert measure.matches(rows_of(vectors), vectors).pages.tolist() == [1, 3]
