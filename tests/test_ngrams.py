"""Matching pages that were never fetched, by the n-grams of addresses and anchors: as sets of tuples would say."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.index import ngrams, postings
from sought.index.ngrams import ADDRESS, ANCHOR, HOST, PATH, Grams, MatchIndex
from sought.web.errors import BadInput

WORDS = ["new", "york", "boat", "Boats", "the", "of", "İstanbul", "ΣΑΣ", "हिन्दी", "東京", "x86", "naïve"]
SEPARATORS = [" ", "-", "/", "_", "\0", "—", "%20", ".", "\ud800", "😀", " ", "·"]
PHRASE = st.lists(st.sampled_from(WORDS + SEPARATORS), max_size=12).map("".join)
SPACED = st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)
ANY = PHRASE | SPACED | st.text(max_size=12)
HOSTS = st.sampled_from(["boat.example", "new-york.example", "york.new", "x86.东京"])
URLS = st.builds("https://{}/{}".format, HOSTS, SPACED.map(lambda text: text.replace(" ", "-")) | ANY)


def words(text):
    """By the definition: runs of letters, marks and numbers in lower case, without stop words."""
    out = "".join(c if unicodedata.category(c)[0] in "LMN" else " " for c in text.lower()).split(" ")
    return [word for word in out if word and word not in ngrams._STOP_WORDS]


def tuples(text, g):
    found = words(text)
    return {tuple(found[i : i + n]) for n in range(1, g + 1) for i in range(len(found) - n + 1)}


class Plain:
    """The same, with sets."""

    def __init__(self, queries, g, rho):
        self.queries, self.g, self.rho = [tuples(query, g) for query in queries], g, rho
        self.rows = {}

    def add(self, rows, texts):
        for row, text in zip(rows, texts, strict=True):
            self.rows.setdefault(row, set()).update(tuples(text, self.g))

    def overlap(self, row, query):
        asked = self.queries[query]
        return len(asked & self.rows.get(row, set())) / max(len(asked), 1)

    def matches(self, query):
        return [row for row in sorted(self.rows) if self.queries[query] and self.overlap(row, query) >= self.rho]


def index_of(queries, batches, g=3, rho=1.0):
    index = MatchIndex(Grams(queries, g, rho))
    for rows, texts, field in batches:
        index.add(np.array(rows, np.int64), texts, field)
    return index


def found(index, query):
    bounds, rows = index.matches(np.array([query]))
    assert bounds.tolist() == [0, len(rows)]
    return rows.tolist()


def answers(query, *strings, rho=1.0):
    """Whether a page with these strings matches."""
    return found(index_of([query], [([7] * len(strings), strings, ANCHOR)], rho=rho), 0) == [7]


BATCH = st.lists(st.tuples(st.integers(0, 5), URLS | ANY), max_size=8)


@settings(deadline=None, max_examples=300)
@given(
    queries=st.lists(SPACED | ANY, max_size=6),
    batches=st.lists(BATCH, max_size=4),
    g=st.integers(1, 4),
    rho=st.sampled_from([1.0, 0.7, 0.5, 1 / 3, 0.01]),
    room=st.sampled_from([1, 5, 4096]),
)
def test_matches_are_those_of_sets(queries, batches, g, rho, room):
    """Whatever the texts hold and however they come, asked in between or not, with little room or much."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngrams, "_ROOM", room)
        patch.setattr(postings, "_PATIENCE", room)
        index, plain = MatchIndex(Grams(queries, g, rho)), Plain(queries, g, rho)
        asked = np.arange(len(queries))[::-1]
        for batch in batches:
            rows, texts = [row for row, _ in batch], [text for _, text in batch]
            index.add(np.array(rows, np.int64), texts, ADDRESS)
            plain.add(rows, texts)
            bounds, matched = index.matches(asked)
            assert [part.tolist() for part in np.split(matched, bounds[1:-1])][: len(asked)] == [
                plain.matches(query) for query in asked.tolist()
            ]
        pairs = [(row, query) for row in range(7) for query in range(len(queries))]
        of_rows, of_queries = np.array(pairs, np.int64).reshape(-1, 2).T
        assert index.overlap(of_rows, of_queries).tolist() == [np.float32(plain.overlap(*pair)) for pair in pairs]
        for row, query in pairs:
            held = {" ".join(gram) for gram in plain.queries[query] & plain.rows.get(row, set())}
            assert sorted(index.why(row, query)) == sorted(held)


def test_short_queries_must_stand_in_one_string():
    """g = 3, rho = 1: the phrase of up to three words, in its order and in one string, is what matches."""
    assert answers("new york", "the new york times")
    assert answers("New York", "https://example.org/new-york/")
    assert not answers("new york", "york new")
    assert not answers("new york", "new", "york")
    assert not answers("new york", "new big york")
    assert answers("new york boats", "cheap new york boats here")
    assert not answers("new york boats", "new york", "york boats", "new", "boats")


def test_longer_queries_may_be_pieced_together():
    """Four words have two n-grams of three, which need not come from the same string."""
    assert answers("old new york boats", "old new york", "new york boats")
    assert not answers("old new york boats", "old new york", "york boats")
    assert not answers("old new york boats", "old new", "new york boats")


def test_a_share_of_the_n_grams_is_enough_with_a_lower_rho():
    """ "new york" has three: both words and the phrase."""
    assert answers("new york", "york", "new", rho=2 / 3)
    assert not answers("new york", "york", rho=2 / 3)
    assert answers("new york", "york", rho=1 / 3)
    assert not answers("new york", "york", rho=float(np.nextafter(1 / 3, 1)))


def test_stop_words_neither_count_nor_part():
    """A query of nothing else never matches; between other words they are as if they were not there."""
    for rho in (1.0, 0.1):
        assert not answers("of the", "of the", "the of", rho=rho)
        assert not answers("", "", "a", rho=rho)
        assert not answers(" - ", " - ", rho=rho)
    assert answers("bank of america", "bank-america.example")
    assert answers("bank america", "The Bank of America")


def test_an_n_gram_may_reach_from_host_to_path():
    """An address is one string; its parts are told apart only by `fractions`."""
    index = index_of(["example boats", "boats", "example", "https"], [([3], ["https://www.example/boats"], ADDRESS)])
    assert [found(index, query) for query in range(4)] == [[3]] * 4
    rows, queries = np.full(4, 3), np.arange(4)
    host, path, anchors = (index.fractions(rows, queries, field).tolist() for field in (HOST, PATH, ANCHOR))
    assert host == [np.float32(1 / 3), 0, 1, 0]
    assert path == [np.float32(1 / 3), 1, 0, 0]
    assert anchors == [0, 0, 0, 0]
    assert index.overlap(rows, queries).tolist() == [1, 1, 1, 1]


def test_fractions_by_field_and_length():
    """What a row has in its host, path or anchors, of all n-grams of a query or of those of one length."""
    batches = [([1, 1], ["new york", "york boats"], ANCHOR), ([1], ["boats"], PATH), ([2, 1], ["", "new"], HOST)]
    index = index_of(["new york boats"], batches)

    def share(field, length=0, row=1):
        return round(float(index.fractions(np.array([row]), np.array([0]), field, length)[0]) * 6, 4)

    assert [share(field) for field in (HOST, PATH, ANCHOR)] == [1, 1, 5]
    assert [share(ANCHOR, length) for length in (1, 2, 3)] == [6, 6, 0]
    assert share(ANCHOR, row=2) == 0
    assert index.why(1, 0)[0] in ("new york", "york boats")


def test_a_host_ends_where_the_address_says():
    """With a port, a query instead of a path, no scheme, or nothing but a host."""
    urls = ["http://boat.example:80/york", "http://boat?york", "boat/york", "http://boat", "http://new/http://boat/"]
    index = index_of(["boat", "york"], [(range(5), urls, ADDRESS)])
    rows = np.arange(5)
    assert index.fractions(rows, np.zeros(5, np.int64), HOST).tolist() == [1, 1, 1, 1, 0]
    assert index.fractions(rows, np.ones(5, np.int64), PATH).tolist() == [1, 1, 1, 0, 0]


def test_the_same_again_takes_no_room():
    """Pairs of row and n-gram are held once, in five bytes."""
    rows, texts = np.arange(1000), [f"boat {i}" for i in range(1000)]
    index = index_of(["boat"], [])
    for _ in range(50):
        index.add(rows, texts, ANCHOR)
        index.matches(np.array([0]))
    assert index.nbytes == 5 * 1000 + 16


def test_nothing_asked_nothing_given():
    """Empty workloads, empty batches and no queries are all the same."""
    index = index_of([], [([], [], ANCHOR), ([4], ["boat"], ANCHOR)])
    bounds, rows = index.matches(np.zeros(0, np.int64))
    assert (bounds.tolist(), rows.tolist()) == ([0], [])
    assert len(index.overlap(np.zeros(0, np.int64), np.zeros(0, np.int64))) == 0


@pytest.mark.parametrize(("g", "rho"), [(0, 1), (9, 1), (3, 0), (3, 1.1), (3, float("nan")), (True, 1)])
def test_bad_parameters_are_named(g, rho):
    """One line that says which."""
    with pytest.raises(BadInput, match=r"g is|rho is"):
        Grams(["boat"], g, rho)


def test_numbers_out_of_bounds_are_refused():
    """Compiled code would read what is not there."""
    index = index_of(["boat"], [([1], ["boat"], ANCHOR)])
    for call in (
        lambda: index.matches(np.array([1])),
        lambda: index.matches(np.array([-1])),
        lambda: index.overlap(np.array([1]), np.array([1])),
        lambda: index.add(np.array([-1]), ["boat"]),
        lambda: index.add(np.array([1 << 32]), ["boat"]),
    ):
        with pytest.raises(IndexError):
            call()
    for call in (
        lambda: index.add(np.array([1]), []),
        lambda: index.add(np.array([1]), ["boat"], 4),
        lambda: index.fractions(np.array([1]), np.array([0]), ADDRESS),
        lambda: index.overlap(np.array([1]), np.array([0, 0])),
    ):
        with pytest.raises(ValueError, match=r"rows|field"):
            call()
