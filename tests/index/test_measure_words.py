"""A workload of single words, and how well a query could be answered."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.index import Entry
from sought.index.filing import normal, single_words
from sought.index.ideal import ideal_scores
from sought.index.scorers import BM25, Inlinks, TfIdf, TfIdfPageRank
from tests.testing.plain_measure import counted, counter_of, measure_of, rows_of, survey

QUERY = st.lists(st.sampled_from(["boat", "Boat", "lake", "東京都", "état-major", "site:a.b", '"', "?"]), max_size=4)
WORKLOAD = st.lists(st.tuples(QUERY.map(" ".join), st.floats(0, 10)), max_size=8)


def test_a_word_weighs_as_much_as_the_queries_that_hold_it():
    """A word that comes twice in a query counts once, and case does not matter."""
    words, weights = single_words(["new york", "New boat new", "york 東京都"], np.array([0.5, 0.3, 0.2]))
    by_word = dict(zip(words, weights.tolist(), strict=True))
    total = 0.5 * 2 + 0.3 * 2 + 0.2 * 3
    expected = {"new": 0.8, "york": 0.7, "boat": 0.3, "東京": 0.2, "京都": 0.2}
    assert by_word == pytest.approx({word: weight / total for word, weight in expected.items()})


@given(WORKLOAD)
def test_weights_sum_to_1(workload):
    """Unless there are none; words come once, and each is a query of its own."""
    queries, weights = [query for query, _ in workload], np.array([weight for _, weight in workload], np.float64)
    words, found = single_words(queries, weights)
    assert len(words) == len(set(words)) == len(found)
    assert set(words) == {word for form in normal(queries) for word in form.split()}
    assert normal(words) == words
    whole = {word: sum(w for q, w in workload if word in normal([q])[0].split()) for word in words}
    assert found.sum() == pytest.approx(1.0 if any(whole.values()) else 0.0)
    assert (found * sum(whole.values())).tolist() == pytest.approx(list(whole.values()))


def test_no_queries_no_words():
    """Also when all that is asked for is confined to sites."""
    for queries in ([], ["?", "boat site:a.b"]):
        words, weights = single_words(queries, np.ones(len(queries)))
        assert (words, weights.tolist()) == ([], [])


QUERIES = ["running boats", "lake", "nowhere", "", "boat lake running cities", "lakes site:a.b"]
LONG = Entry(0, "https://a.b/x", "Boats", "boat lake " * 30, "running lakes", "en")
SHORT = Entry(0, "https://a.b/y", "Lake", "running", "", "en")
OTHER = Entry(0, "https://a.b/z", "lac", "rouge", "", "fr")


def ideal_of(scorer, entries, importance=None):
    measure = measure_of(QUERIES, scorer)
    vectors = counted(entries, counter_of(measure))
    survey(measure, vectors, importance)
    measure.fill([(rows_of(vectors), rows_of(vectors).astype(np.uint32), vectors)])
    return measure, ideal_scores(measure)


def score_of(measure, query, entry):
    vectors = counted([entry], counter_of(measure))
    found = measure.matches(rows_of(vectors), vectors)
    return found.scores[found.queries == query][0]


def made(measure, words, language):
    """A real page with these words for its title, three times each in its body, and as long as pages are."""
    _, body, anchors, address = (measure.statistics.lengths // measure.statistics.pages).tolist()
    count = len(words.split())
    texts = f"{words} " * 3 + "x " * (body - 3 * count), f"{words} " + "x " * (anchors - count)
    return Entry(0, "https://" + "/".join("xyz"[:address]), words, *texts, language)


@pytest.mark.parametrize("scorer", [BM25(), TfIdf()], ids=repr)
@pytest.mark.parametrize("before", [[], [OTHER]], ids=["", "met first"])
@pytest.mark.parametrize("after", [[], [OTHER]], ids=["", "met last"])
def test_a_page_made_for_a_query_is_scored_like_any_other(scorer, before, after):
    """In the language that most pages are in, whichever was met first and however languages are numbered."""
    measure, ideal = ideal_of(scorer, [*before, LONG, LONG, SHORT, LONG, *after])
    assert (measure.statistics.lengths // measure.statistics.pages).tolist()[2:] == [1, 3]
    for query, words in ((1, "lake"), (2, "nowhere")):
        assert ideal[query] == pytest.approx(score_of(measure, query, made(measure, words, "en")))
    assert (ideal[[0, 4]] > ideal[1]).all()
    assert ideal[[3, 5]].tolist() == [0, 0]


def test_words_are_made_as_the_language_of_most_pages_reads_them():
    """A French reading of "running boats" would be of words that are on no page, and seem worth more than it is."""
    measure, ideal = ideal_of(BM25(), [LONG, LONG, SHORT, OTHER])
    alone, expected = ideal_of(BM25(), [LONG, LONG, SHORT, Entry(0, OTHER.url, "lac", "rouge", "", "en")])
    assert len(measure.filing.languages) == 2 > len(alone.filing.languages)
    assert ideal.tolist() == pytest.approx(expected.tolist())


def test_nobody_links_to_a_page_that_is_not_there():
    """It has not the importance of whatever page has its number."""
    _, ideal = ideal_of(Inlinks(), [LONG, SHORT], np.array([5.0, 7.0]))
    assert ideal.tolist() == [1, 1, 1, 0, 1, 0]
    _, ideal = ideal_of(TfIdfPageRank(0, 1), [LONG, SHORT], np.array([5.0, 7.0]))
    assert ideal[1] == pytest.approx(1e-6)


def test_without_pages_words_are_read_as_in_no_language():
    """All lengths are average then, and a page made for a query of more words scores more."""
    one, two = ideal_scores(measure_of(["boat", "boat lake"])).tolist()
    assert two == pytest.approx(2 * one)
    assert one > 0.0
