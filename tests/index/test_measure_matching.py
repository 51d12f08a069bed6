"""A page answers a query if it holds every term of it, as its language reads them."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sought.index import Entry, measure
from sought.index.analysis import stemming
from sought.index.measure import GainMeasure
from sought.index.vectors import Vocabulary
from tests.testing.plain_measure import WORDS, answered, counted, counter_of, measure_of, rows_of, scores_of, survey

LANGUAGES = ["en", "en-GB", "de", "fr", "ru", "ar", "ja", "zh", "nb", "tr", "el", "hu", ""]
WORD = st.sampled_from([word for words in WORDS.values() for word in words])
ODD = st.sampled_from(
    [
        "\0",
        "\ud800",
        "e\u0301te",
        "İ",
        "ΑΣ",
        "ας",
        "ﬁ",
        "™",
        "ไทย",
        "กำ",
        "서울",
        "\u0e49",
        "\U00020000東",
        "x" * 120,
        "-",
    ]
)
PART = WORD | WORD | ODD | st.characters() | st.sampled_from([" ", " ", " ", "\n", "\u3000"])
TEXT = st.lists(PART, max_size=10).map("".join) | st.lists(WORD, max_size=6).map(" ".join)
URL = st.sampled_from(["https://example.org/run/boat", "http://a.b/%D0%B3%D0%BE%D1%80%D0%BE%D0%B4?q=lake"]) | TEXT
ENTRY = st.builds(Entry, st.just(0), URL, TEXT, TEXT, TEXT, st.sampled_from(LANGUAGES))
QUERY = st.lists(WORD, min_size=1, max_size=2).map(" ".join) | TEXT | st.lists(PART, max_size=3).map('"'.join)


def parts(text):
    """Words and pieces of a text, which it is sure to answer, and whatever lies between."""
    return st.sampled_from(text.split() or [""]) | st.integers(0, 20).map(lambda at: text[at : at + 3])


@settings(deadline=None, max_examples=200)
@given(st.lists(ENTRY, min_size=1, max_size=4), st.data())
@example([Entry(0, "https://a.b/", "東京都", "état-major", language="fr")], None)
def test_a_page_matches_iff_it_holds_all_terms(entries, data):
    """For arbitrary texts in any languages at once, over title, body, anchors and address together."""
    text = " ".join(f"{entry.title} {entry.body} {entry.anchors}" for entry in entries)
    drawn = st.lists(QUERY | parts(text) | st.lists(parts(text), max_size=3).map(" ".join), max_size=8)
    queries = data.draw(drawn) if data else ["京都 état", "東 都", "major 京", "京東", "etat majors", "état-majors"]
    asking = measure_of(queries)
    vectors = counted(entries, counter_of(asking))
    expected = answered(entries, queries)
    assert scores_of(asking.matches(rows_of(vectors), vectors)).keys() == expected
    survey(asking, vectors)
    found = scores_of(asking.matches(rows_of(vectors), vectors))
    assert found.keys() == expected
    assert all(score > 0 for score in found.values())
    assert asking.fill([(rows_of(vectors), rows_of(vectors).astype("u4"), vectors)]) == len(expected)


def test_languages_read_queries_differently():
    """A query is looked up as the page's own language reads it, whatever other languages there are."""
    queries = ["running", "run"]
    entries = [Entry(0, "", text, language=each) for each in ("en", "de") for text in ("run", "running")]
    asking = measure_of(queries)
    vectors = counted(entries, counter_of(asking))
    found = scores_of(asking.matches(rows_of(vectors), vectors))
    assert found.keys() == {(0, 0), (0, 1), (1, 0), (1, 1), (2, 1), (3, 0)}


def test_terms_of_another_workload_do_no_harm():
    """Two workloads may share a vocabulary; what the later one brings is on pages that the earlier one looks up."""
    vocabulary = Vocabulary()
    early, late = (GainMeasure([query], np.ones(1), vocabulary) for query in ("boat", "lake city"))
    entries = [Entry(0, "", "boat lake city", language="en"), Entry(1, "", "lake city", language="en")]
    vectors = counted(entries[:1], counter_of(early, ["en"]))
    assert early.matches(rows_of(vectors), vectors).queries.tolist() == [0]
    vectors = counted(entries, counter_of(late, ["en"]))
    assert scores_of(early.matches(rows_of(vectors), vectors)).keys() == {(0, 0)}
    assert scores_of(late.matches(rows_of(vectors), vectors)).keys() == {(0, 0), (1, 0)}


def test_more_matches_than_there_is_room_for(monkeypatch):
    """Room is made, and nothing is lost or told twice, also when no page fits into what there was."""
    queries = [f"w{i}" for i in range(50)]
    entries = [Entry(i, "", " ".join(queries[: 50 if i in (3, 7) else i % 5])) for i in range(12)]
    for room in (1, 7, 50, 51, 1000):
        monkeypatch.setattr(measure, "_ROOM", room)
        asking = measure_of(queries)
        vectors = counted(entries, counter_of(asking))
        assert scores_of(asking.matches(rows_of(vectors), vectors)).keys() == answered(entries, queries)


def test_a_workload_without_queries():
    """Matches nothing."""
    asking = measure_of([])
    vectors = counted([Entry(0, "", "boat", language="en")], counter_of(asking))
    assert len(asking.matches(rows_of(vectors), vectors).scores) == 0
    assert asking.entry(rows_of(vectors), vectors).gain.tolist() == [0.0]


def test_every_language_has_a_file():
    """Those without a stemmer share one."""
    asking = measure_of(["boat"])
    entries = [Entry(0, "", "boat", language=each) for each in LANGUAGES]
    vectors = counted(entries, counter_of(asking))
    assert len(asking.filing.languages) == len({stemming(each) for each in LANGUAGES}) == len(LANGUAGES) - 3
    assert len(asking.matches(rows_of(vectors), vectors).scores) == len(LANGUAGES)
