"""Matching pages that were never fetched, by the n-grams of addresses and anchors: as sets of tuples would say."""

import random
import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.index import ngrams, postings
from sought.index.ngrams import ADDRESS, ANCHOR, HOST, PATH, Grams, MatchIndex, gram_shares, most_matches
from sought.web.errors import BadInput

WORDS = ["new", "york", "boat", "Boats", "the", "of", "İstanbul", "ΣΑΣ", "हिन्दी", "東京", "x86", "naïve"]
FIELDS = [ADDRESS, HOST, PATH, ANCHOR]
SEPARATORS = [" ", "-", "/", "?", "#", ":", "://", "_", "\0", "—", "%20", ".", "\ud800", "😀", " ", "·"]
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


def parts(text, field):
    """Fields and what is in them; of an address, host and path."""
    if field != ADDRESS:
        return [(field, text)]
    rest = re.sub(r"\A(?:[^/?#:]|:(?!//))*://", "", text)
    host = re.split(r"[/?#]", rest, maxsplit=1)[0]
    return [(HOST, host), (PATH, rest[len(host) :])]


class Plain:
    """The same, with sets: in any field, and in each."""

    def __init__(self, queries, g, rho):
        self.queries, self.g, self.rho = [tuples(query, g) for query in queries], g, rho
        self.rows, self.fields = {}, {}

    def add(self, rows, texts, field=ADDRESS):
        for row, text in zip(rows, texts, strict=True):
            self.rows.setdefault(row, set()).update(tuples(text, self.g))
            for part, has in parts(text.lower(), field):
                self.fields.setdefault((row, part), set()).update(tuples(has, self.g))

    def overlap(self, row, query):
        asked = self.queries[query]
        return len(asked & self.rows.get(row, set())) / max(len(asked), 1)

    def shares(self, row, query):
        """Of words and of all n-grams, in host, path and anchors."""
        asked = self.queries[query]
        of_words = {gram for gram in asked if len(gram) == 1}
        held = [self.fields.get((row, field), set()) for field in (HOST, PATH, ANCHOR)]
        return [np.float32(len(of & has) / max(len(of), 1)) for has in held for of in (of_words, asked)]

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


def shares(index, row, query):
    """What one row has of a query's n-grams in host, path and anchors."""
    return gram_shares(index, np.array([row]), np.array([query]))[0, 1::2].tolist()


BATCH = st.tuples(st.sampled_from(FIELDS), st.lists(st.tuples(st.integers(0, 5), URLS | ANY), max_size=8))


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
        for field, batch in batches:
            rows, texts = [row for row, _ in batch], [text for _, text in batch]
            index.add(np.array(rows, np.int64), texts, field)
            plain.add(rows, texts, field)
            bounds, matched = index.matches(asked)
            assert [part.tolist() for part in np.split(matched, bounds[1:-1])][: len(asked)] == [
                plain.matches(query) for query in asked.tolist()
            ]
        by_row = [(row, query) for row in range(7) for query in range(len(queries))]
        by_query = sorted(by_row, key=lambda pair: pair[1])
        for pairs in (by_row, by_query, by_query[::-1]):
            of_rows, of_queries = np.array(pairs, np.int64).reshape(-1, 2).T
            assert gram_shares(index, of_rows, of_queries).tolist() == [plain.shares(*pair) for pair in pairs]
        for row, query in by_row:
            held = {" ".join(gram) for gram in plain.queries[query] & plain.rows.get(row, set())}
            assert sorted(index.why(row, query)) == sorted(held)


def test_shares_of_many_rows_are_those_of_sets():
    """In whatever order pairs come; rows that hold nothing have nothing."""
    rng = random.Random(4)
    queries = [" ".join(rng.choices("bcdefx", k=rng.randint(0, 4))) for _ in range(30)]
    index, plain, rows = MatchIndex(Grams(queries)), Plain(queries, 3, 1.0), np.arange(200)
    for field in (ADDRESS, ANCHOR):
        texts = [f"http://{'-'.join(rng.choices('bcdefx', k=3))}/{'-'.join(rng.choices('bcdefx', k=5))}" for _ in rows]
        index.add(rows, texts, field)
        plain.add(rows.tolist(), texts, field)
    some, asked = (np.array(rng.choices(range(most), k=500)) for most in (220, 30))
    for pairs in ((some, asked), (np.sort(some), np.sort(asked)), (some[np.argsort(asked)], np.sort(asked))):
        found = gram_shares(index, *pairs)
        assert found.tolist() == [plain.shares(*pair) for pair in zip(*(of.tolist() for of in pairs), strict=True)]
        assert (found > 0).any(axis=0).all()


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
    """An address is one string; its parts are told apart only where fields are."""
    index = index_of(["example boats", "boats", "example", "https"], [([3], ["https://www.example/boats"], ADDRESS)])
    assert [found(index, query) for query in range(4)] == [[3]] * 4
    third = np.float32(1 / 3)
    assert [shares(index, 3, query) for query in range(4)] == [[third, third, 0], [0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert index.why(3, 0) == ["example boats", "example", "boats"]


def test_shares_by_field():
    """What a row has in its host, path or anchors, of the words and of all n-grams of a query."""
    batches = [([1, 1], ["new york", "york boats"], ANCHOR), ([1], ["boats"], PATH), ([2, 1], ["", "new"], HOST)]
    index = index_of(["new york boats"], batches)
    words_and_all = np.array([1 / 3, 1 / 6, 1 / 3, 1 / 6, 1, 5 / 6], np.float32)
    assert gram_shares(index, np.array([1, 2]), np.array([0, 0])).tolist() == [words_and_all.tolist(), [0] * 6]
    assert index.why(1, 0)[0] in ("new york", "york boats")


def test_a_host_ends_where_the_address_says():
    """With a port, a query instead of a path, no scheme, or nothing but a host."""
    urls = ["http://boat.example:80/york", "http://boat?york", "boat/york", "http://boat", "http://new/http://boat/"]
    index = index_of(["boat", "york"], [(range(5), urls, ADDRESS)])
    assert [shares(index, row, 0) for row in range(5)] == [[1, 0, 0]] * 4 + [[0, 1, 0]]
    assert [shares(index, row, 1) for row in range(5)] == [[0, 1, 0]] * 3 + [[0, 0, 0]] * 2


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
    assert gram_shares(index, np.zeros(0, np.int64), np.zeros(0, np.int64)).shape == (0, 6)
    assert len(most_matches(index, np.zeros(0, np.int64))) == 0


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
        lambda: gram_shares(index, np.array([1]), np.array([1])),
        lambda: most_matches(index, np.array([-1])),
        lambda: index.add(np.array([-1]), ["boat"]),
        lambda: index.add(np.array([1 << 32]), ["boat"]),
    ):
        with pytest.raises(IndexError):
            call()
    for call in (
        lambda: index.add(np.array([1]), []),
        lambda: index.add(np.array([1]), ["boat"], 4),
        lambda: gram_shares(index, np.array([1]), np.array([0, 0])),
    ):
        with pytest.raises(ValueError, match=r"rows|field"):
            call()
