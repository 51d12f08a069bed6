"""Reading fast: the compiled way and the remembered way say what the plain rules say."""

import random
import string
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.index import lexicon
from sought.index.analysis import LANGUAGES as ALL
from sought.index.analysis import find_terms, piece_reader, reading, stem_words, terms, words
from sought.index.lexicon import Lexicon
from sought.index.pieces import MAX_WORD, PUNCTUATION
from sought.index.spots import INSIDE
from sought.index.spots import encode_terms as asked_for
from sought.index.tidy import tidy

LANGUAGES = ["en", "fr", "de", "tr", "el", "ja", ""]
SPACES = [chr(code) for code in range(0x110000) if chr(code).isspace()]
LETTERS = string.ascii_letters + string.digits
MIXED = st.lists(
    st.text(LETTERS, min_size=1, max_size=20)
    | st.sampled_from(["running", "Runners", "don't", "café", "ΑΣ", "Σ", "İ", "I\u0307", "東京都", "ｱ", "™", "e\u0301"])
    | st.sampled_from([*string.punctuation, *PUNCTUATION, *SPACES, " ", " ", " ", "\0", "\x7f", "\u200d", "\ud800"])
    | st.sampled_from(["\u2010", "\u2122", "\u3001", "\uffff", "\U0001f600", "\U00020000", "\u07ff", "\u0800"])
    | st.integers(MAX_WORD - 2, MAX_WORD + 2).map("x".__mul__)
    | st.characters(),
    max_size=40,
).map("".join)


def _plainly(text: str, language: str) -> list[str]:
    return " ".join(stem_words(words(text), language)).split()


@settings(deadline=None, max_examples=300)
@given(MIXED | st.text(), st.sampled_from(LANGUAGES))
def test_the_fast_way_reads_what_the_rules_say(text: str, language: str) -> None:
    """Whatever the mixture of words, marks, white space and scripts."""
    assert terms(text, language) == _plainly(text, language)


def test_every_character_is_read_by_the_rules() -> None:
    """Between letters, each joins, parts or disappears as the rules have it; white space ends at U+3000."""
    assert max(SPACES) == "\u3000"
    text = " ".join(f"ab{chr(code)}CD" for code in range(0x3100))
    assert terms(text, "") == _plainly(text, "")


@settings(deadline=None)
@given(MIXED)
def test_places_are_where_the_pieces_are(text: str) -> None:
    """Each piece, read alone, reads as its place in the whole says; in between there is nothing to read."""
    encode_terms, read, places = Lexicon(piece_reader("en")).placed(text)
    ends = [*places[:, 2].tolist(), len(read)][1:]
    gap = 0
    for (start, stop, at), end in zip(places.tolist(), ends, strict=True):
        assert read[at:end].decode() == reading(encode_terms[start:stop].decode(), "en")
        assert terms(encode_terms[gap:start].decode(), "en") == []
        gap = stop
    assert terms(encode_terms[gap:].decode(), "en") == []


@pytest.mark.slow
@settings(deadline=None)
@given(MIXED | st.text(), st.data(), st.sampled_from(ALL))
def test_spots_are_the_pieces_that_read_as_what_is_wanted(text: str, data: st.DataObject, language: str) -> None:
    """All of them in order, in any language; of a piece beyond ASCII it is said only that it has something."""
    known = sorted({*terms(text, language), "run", "東", "東京"})
    wanted = data.draw(st.lists(st.sampled_from(known), max_size=4, unique=True))
    encode_terms, read, places = Lexicon(piece_reader(language)).placed(text)
    expected = []
    for (start, stop, at), end in zip(places.tolist(), [*places[1:, 2].tolist(), len(read)], strict=False):
        shown = [number for number, term in enumerate(wanted) if term in read[at:end].decode().split()]
        expected += [[start, stop, shown[0] if encode_terms[start:stop].isascii() else INSIDE]] if shown else []
    assert find_terms(text, asked_for(wanted), language) == (encode_terms, expected)


@pytest.mark.parametrize("language", ALL)
def test_words_are_spotted_by_the_initial_of_their_term(language: str) -> None:
    """No stemmer changes it, but for the Dutch ge-."""
    spelled = " ".join([*_short_words(), "gewerkt", "gelopen", "afgemaakt", "geieaev", "dying", "skies", "ugly"])
    for word, term in zip(spelled.split(), terms(spelled, language), strict=True):
        assert find_terms(word, asked_for([term]), language)[1] == [[0, len(word), 0]], word


def _short_words() -> list[str]:
    dice = random.Random(5)
    return ["".join(dice.choices(string.ascii_lowercase, k=dice.randint(1, 8))) for _ in range(1000)]


@settings(deadline=None)
@given(MIXED)
def test_what_is_tidy_stays_and_what_is_not_is_made_so(text: str) -> None:
    """The quick look never lets pass what the slow way would change."""
    assert tidy(text) == " ".join(text.encode("utf-8", "replace").decode().replace("\0", " ").split())


def _small(monkeypatch: pytest.MonkeyPatch) -> Lexicon:
    monkeypatch.setattr(lexicon, "_MAX_PIECES", 50)
    monkeypatch.setattr(lexicon, "_MAX_LACKING", 7)
    return Lexicon(lambda pieces: [f"<{piece}>" * (1 + len(piece) % 3) for piece in pieces])


def test_a_full_lexicon_starts_afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many different words come, few are remembered, and each is read right, within a text and after."""
    small = _small(monkeypatch)
    many = [f"word{number}é{number * number}" if number % 5 == 0 else f"w{number}" for number in range(3000)]
    expected = " ".join(f"<{word}>" * (1 + len(word) % 3) for word in many)
    for _ in range(2):
        assert small.reading(" ".join(many)).strip() == expected
        assert small._count <= 50 + 7


def test_a_word_is_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is known is not learned again; neither are the words of a piece whose end shows that they are none."""
    asked: list[str] = []
    remembers = Lexicon(lambda pieces: [asked.append(piece) or piece for piece in pieces])  # type: ignore[func-returns-value]
    for _ in range(2):
        assert remembers.reading("One two ONE one-two-thrée one two") == "one two one one-two-thrée one two "
    assert sorted(asked) == ["one", "one-two-thrée", "two"]


def test_many_threads_may_read() -> None:
    """A search reads its query while a crawl reads its pages."""
    texts = [" ".join(f"w{thread}x{number % 500}" for number in range(2000)) for thread in range(4)]
    shared = Lexicon(lambda pieces: [piece.upper() for piece in pieces])
    wrong: list[str] = []

    def work(text: str) -> None:
        wrong.extend(text for _ in range(20) if shared.reading(text).strip() != text.upper())

    threads = [threading.Thread(target=work, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
