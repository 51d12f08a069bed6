"""Counting the terms that people ask for, while the index reads."""

import string
from collections import Counter as Bag

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.index import Entry, analysis, lexicon, vectors
from sought.index.analysis import MAX_TEXT, reading, terms
from sought.index.fields import texts
from sought.index.vectors import EMPTY, HEAD, Counter, Vocabulary, joined, no_vectors
from tests.testing.plain_measure import WORDS, bags, counted, counter_of, measure_of, told

LANGUAGES = ["en", "fr", "tr", "ja", ""]
HOSTILE = ["\0", "\ud800", "\u200d", "e\u0301", "İ", "ΑΣ", "™", "\u3000", "\U00020000\U00020001", "x" * 119, "x" * 120]
TEXT = st.lists(
    st.sampled_from([*WORDS["en"], *WORDS["fr"], *WORDS["ja"], "état-major的中心", *HOSTILE])
    | st.sampled_from([" ", " ", "-", "\n", "…"])
    | st.text(string.ascii_lowercase, max_size=2)
    | st.characters(),
    max_size=15,
).map("".join)
ENTRY = st.builds(
    Entry,
    st.just(0),
    st.sampled_from(["https://example.org/run/état", "http://[::1]/", "running"]) | TEXT,
    TEXT,
    TEXT,
    TEXT,
    st.sampled_from(LANGUAGES),
)


def check(entries, found, vocabulary):
    """Vectors tell of each page what its terms, counted plainly, tell; of terms that nobody asks for, nothing."""
    names = list(vocabulary.numbers)
    assert len(found) == len(entries)
    for i, entry in enumerate(entries):
        language, lengths, counts = told(found[i], names)
        plain = bags(entry)
        assert language == (entry.language or "xx").replace("ja", "xx")
        assert lengths == [bag.total() for bag in plain]
        assert counts == [Bag({t: min(n, 0xFFFF) for t, n in bag.items() if t in vocabulary.numbers}) for bag in plain]
        assert len(set(found[i][HEAD::3].tolist())) == len(found[i][HEAD::3])


@settings(deadline=None, max_examples=150)
@given(st.lists(ENTRY, max_size=4), st.sets(st.integers(0, 40)), st.lists(st.booleans(), min_size=4, max_size=4))
def test_vectors_are_plain_counts(entries, chosen, cuts):
    """Whatever the text, whoever is asked for, and wherever the batches are cut."""
    held = sorted({term for entry in entries for bag in bags(entry) for term in bag})
    vocabulary = Vocabulary(["nowhere", *(term for i, term in enumerate(held) if i in chosen)])
    counter, found, waiting = Counter(vocabulary), [], []
    for entry, cut in zip(entries, cuts, strict=False):
        waiting.append(entry)
        if cut:
            found.append(counted(waiting, counter))
            waiting = []
    found.append(counted(waiting, counter))
    check(entries, joined([each[i] for each in found for i in range(len(each))]), vocabulary)


def test_reading_is_what_the_index_reads():
    """What the counter hands to the index is what `reading` says, clipped where it clips."""
    counter = Counter(Vocabulary())
    for text in ("Running to the état-major 東京都", "é" * MAX_TEXT, "ab " * MAX_TEXT, "東京 " * MAX_TEXT):
        assert counter.read(text, "en") == reading(text, "en")


def test_text_beyond_the_limit_does_not_count():
    """Neither as a term nor as length; a field has its own limit."""
    filler = "boat " * (MAX_TEXT // 5)
    entry = Entry(0, "https://a.b/", "run " * 1000, filler + " run late", filler + " run late", "en")
    found = counted([entry], Counter(Vocabulary(["run", "late", "boat"])))
    check([entry], found, Vocabulary(["run", "late", "boat"]))
    _, lengths, counts = told(found[0], ["run", "late", "boat"])
    assert lengths == [250, len(terms(filler, "en")), (1 << 16) // 5 + 1, 2]
    assert counts[1]["boat"] == 0xFFFF < MAX_TEXT // 5
    assert counts[1]["run"] == counts[2]["run"] == counts[1]["late"] == 0


@pytest.mark.parametrize(("count", "expected"), [(65534, 65534), (65535, 65535), (65536, 65535), (140_000, 65535)])
def test_counts_stop_where_sixteen_bits_do(count, expected):
    """The neighbour in the same number is not touched by it."""
    counter = Counter(Vocabulary(["a", "b"]))
    for text in ("a b b", "a " * count, "b " * count, "a"):
        counter.read(text, "xx")
    counter.end_page("xx")
    _, lengths, counts = told(counter.take()[0], ["a", "b"])
    assert lengths == [3, count, count, 1]
    assert counts == [Bag(a=1, b=2), Bag(a=expected), Bag(b=expected), Bag(a=1)]


def test_pieces_of_several_terms_count_each():
    """Runs without spaces, words joined by a hyphen beyond ASCII, and pieces with no term at all."""
    entry = Entry(0, "https://a.b/", "東京都東京", "état-major™ ® état", language="fr")
    vocabulary = Vocabulary(["東", "東京", "京都", "majortm", "major", "etat"])
    check([entry], counted([entry], Counter(vocabulary)), vocabulary)
    counts = told(counted([entry], Counter(vocabulary))[0], list(vocabulary.numbers))[2]
    assert counts[0] == Bag({"東": 2, "東京": 2, "京都": 1})


def many_words(rng):
    """Pages of words that hardly repeat, plain and not, and runs."""
    words = [f"w{i}" if i % 3 else f"é{i}-ü{i}" if i % 2 else f"東{chr(0x4E00 + i % 5000)}都{i}" for i in range(4000)]
    return [
        Entry(i, f"https://a.b/{i}", " ".join(rng.choice(words, 5)), " ".join(rng.choice(words, 300)), "", "en")
        for i in range(40)
    ]


@pytest.mark.parametrize("limits", [{}, {"_MAX_PIECES": 60, "_MAX_LACKING": 7}, {"_MAX_BYTES": 3000}])
@pytest.mark.parametrize("several", [1 << 20, 50])
def test_forgetting_changes_nothing(monkeypatch, limits, several):
    """A lexicon that overflows within texts, and a counter that starts afresh, count as those that remember all."""
    for name, value in limits.items():
        monkeypatch.setattr(lexicon, name, value)
    monkeypatch.setattr(vectors, "_MAX_SEVERAL", several)
    entries = many_words(np.random.default_rng(5))
    asked = sorted({term for entry in entries for bag in bags(entry) for term in bag})[::3]
    counter = Counter(Vocabulary(asked))
    found = [counted(entries[at : at + 7], counter) for at in range(0, len(entries), 7)]
    check(entries, joined([each[i] for each in found for i in range(len(each))]), Vocabulary(asked))


def test_memory_of_runs_is_bounded(monkeypatch):
    """However long the runs of a script without spaces are, what is kept of them beyond a batch stays small."""
    monkeypatch.setattr(vectors, "_MAX_SEVERAL", 1000)
    counter = Counter(Vocabulary(["東"]))
    for i in range(20):
        counted([Entry(0, "", "", "東" * (600 + i))], counter)
        assert len(counter._several) <= 1000


def test_languages_are_met_before_their_first_page():
    """And once only, unless the counter starts afresh; the terms that become known then are counted at once."""
    met = []
    vocabulary = Vocabulary()

    def meet(language):
        met.append(language)
        vocabulary.add([f"boat{language}"])

    counter = Counter(vocabulary, meet)
    found = counted([Entry(0, "", "boat5", language="en"), Entry(1, "", "boat8 boat5", language="fr")], counter)
    assert list(dict.fromkeys(met)) == [analysis.LANGUAGES.index(each) for each in ("en", "fr")]
    assert told(found[0], list(vocabulary.numbers))[2][0] == Bag(boat5=1)
    assert told(found[1], list(vocabulary.numbers))[2][0] == Bag([f"boat{met[-1]}", "boat5"])


def test_terms_that_come_later_are_counted_from_then_on():
    """A word that was read before anybody asked for it is not taken for one that nobody asks for."""
    measure = measure_of(["running"])
    counter = counter_of(measure)
    entries = [Entry(0, "", "Running lauf-é", language=each) for each in ("en", "de", "en")]
    found = [counted([entry], counter) for entry in entries]
    names = list(measure.vocabulary.numbers)
    assert names == ["run", "running"]
    assert [told(each[0], names)[2][0] for each in found] == [Bag(run=1), Bag(running=1), Bag(run=1)]
    measure.vocabulary.add(["lauf", "e"])
    for entry in entries:
        check([entry], counted([entry], counter), measure.vocabulary)


def test_no_pages_no_vectors():
    """Nothing read, nothing counted; pages that are not searchable have empty vectors."""
    counter = Counter(Vocabulary(["a"]))
    assert len(counter.take()) == len(joined([])) == 0
    assert no_vectors(3)[1].tolist() == []
    assert no_vectors(3).languages == joined([]).languages == []
    assert len(counted([Entry(0, "")], counter)[0]) == HEAD


@given(st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=6), st.data())
def test_vectors_end_to_end(parts, data):
    """Each is what it was, also in a run of them, and empty ones have no language."""
    whole = joined([np.array(part, np.uint32) for part in parts])
    first = data.draw(st.integers(0, len(parts)))
    stop = data.draw(st.integers(first, len(parts)))
    some = whole.some(first, stop)
    assert [some[i].tolist() for i in range(len(some))] == parts[first:stop]
    assert some.languages == sorted({part[0] for part in parts[first:stop] if part})
    assert joined([EMPTY, EMPTY]).bounds.tolist() == [0, 0, 0]


@given(st.lists(st.lists(st.text("abc", max_size=1), max_size=5), max_size=5))
def test_numbers_of_terms_never_change(batches):
    """They are given in order, and those that are new are told."""
    vocabulary, known = Vocabulary(), []
    for batch in batches:
        fresh = vocabulary.add(batch)
        assert fresh == [term for term in dict.fromkeys(batch) if term not in known]
        known += fresh
        assert list(vocabulary.numbers) == known
        assert list(vocabulary.numbers.values()) == list(range(len(known)))
    assert len(vocabulary) == len(known)


def test_an_entry_has_four_texts():
    """Which is what a page of a counter is made of."""
    assert len(texts(Entry(0, ""))) == vectors.FIELDS == 4
