"""Reading text: pages and queries become the same terms."""

import unicodedata
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import tantivy
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.index.analysis import MAX_TEXT, _marks, clip, reading, required_terms, stemming, terms, words
from sought.index.engine import Index
from sought.index.entry import Entry
from sought.index.pieces import MAX_WORD

LANGUAGES = ["", "ja", "ar", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it"]
LANGUAGES += ["nl", "no", "pt", "ro", "ru", "sv", "ta", "tr"]
NATURAL = st.text(st.sampled_from("aeilnrstd AEÉéçñüßøåΣσςлжибаסלقال東京都大学はひカナ한국어ไทย.,-'"), max_size=60)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("To be, or not to be!", "en", "to be or not to be"),
        ("Running runners' state-of-the-art", "en", "run runner state of the art"),
        ("Running runners", "", "running runners"),
        ("Les études", "fr", "le etud"),
        ("Les etudes", "fr", "le etud"),
        ("ZÜRICH Zürich zu\u0308rich Straße", "xx", "zurich zurich zurich strasse"),
        ("東京都", "ja", "東 東京 京 京都 都"),
        ("iPhone手机15", "zh", "iphone 手 手机 机 15"),
        ("서울에서", "ko", "서 서울 울 울에 에 에서 서"),
        ("ภาษา", "th", "ภ ภา า าษ ษ ษา า"),
        ("ＰＣ ｶﾞ ﬁn x²", "xx", "pc ガ fin x2"),
        ("soft\u00adhyphen İstanbul", "xx", "softhyphen istanbul"),
        ("a\0b\ud800c _x_", "xx", "a b c x"),
        ("हिन्दी", "hi", "हिनदी"),
    ],
)
def test_text_is_read_as_documented(text: str, language: str, expected: str) -> None:
    """Each rule of the scheme, by example."""
    assert reading(text, language).split() == expected.split()


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", "en"),
        ("en-GB", "en"),
        ("EN_us", "en"),
        ("nb", "no"),
        ("nn-NO", "no"),
        ("ja", "xx"),
        ("", "xx"),
        ("eng", "xx"),
    ],
)
def test_a_language_names_its_stemmer(language: str, expected: str) -> None:
    """Regions and spellings do not matter; a language without a stemmer is `xx`."""
    assert stemming(language) == expected


@settings(deadline=None)
@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_is_cut_like_any_other_text(text: str) -> None:
    """The fast way for ASCII finds the words tantivy's own tokeniser finds."""
    simple = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.lowercase()).build()
    assert words(text) == simple.analyze(text)
    assert words(f"é {text} é") == ["é", *simple.analyze(text), "é"]


@settings(deadline=None)
@given(st.text(), st.sampled_from(LANGUAGES))
def test_any_text_can_be_read(text: str, language: str) -> None:
    """No text breaks the reader, and no term could break the index: none is long, none holds white space."""
    for term in terms(text, language):
        assert len(term.encode()) <= MAX_WORD * 4
        assert term == "".join(term.split())


@settings(deadline=None)
@given(NATURAL, NATURAL, st.sampled_from(LANGUAGES))
def test_texts_are_read_word_by_word(before: str, after: str, language: str) -> None:
    """The terms of two texts are those of one and then of the other: no word's reading depends on its neighbours."""
    assert terms(f"{before} {after}", language) == terms(before, language) + terms(after, language)


@settings(deadline=None)
@given(st.text("東京都大", min_size=1), st.data())
def test_any_part_of_a_run_is_found_in_it(run: str, data: st.DataObject) -> None:
    """In scripts without spaces the reading of a part stands in the reading of the whole, without a gap."""
    start = data.draw(st.integers(0, len(run) - 1))
    part = run[start : data.draw(st.integers(start + 1, len(run)))]
    assert f" {reading(part, 'ja').strip()} " in f" {reading(run, 'ja').strip()} "


@settings(deadline=None)
@given(st.text("東京都大 ab"), st.text("東京都大 ab"))
def test_required_terms_mean_the_same_as_all_terms(query: str, page: str) -> None:
    """Leaving out what pairs imply changes no answer."""
    held, asked = set(terms(page, "ja")), terms(query, "ja")
    assert (set(required_terms(asked)) <= held) == (set(asked) <= held)
    assert len(required_terms(asked)) == len(set(required_terms(asked)))


def test_over_long_words_are_dropped() -> None:
    """A blob of letters is no word; a hex digest is."""
    digest = "0123456789abcdef" * 4
    assert terms(f"a {'x' * 500} {digest} {'é' * 500} b", "en") == ["a", digest, "b"]


def test_piled_up_marks_cost_linear_time() -> None:
    """Hundreds of thousands of accents on one letter would keep a quadratic normaliser busy for minutes."""
    assert terms("a" + "\u0300\u0316\uff9e" * 150_000, "fr") == ["a"]


def test_every_character_that_could_pile_up_is_watched() -> None:
    """Whatever decomposes into leading marks is squeezed before normalising, in this version of Unicode."""
    crowded, _ = _marks()
    for code in range(0x110000):
        if unicodedata.combining(unicodedata.normalize("NFKD", chr(code))[0]):
            assert crowded.fullmatch(chr(code) * 5), hex(code)


@settings(deadline=None)
@given(st.text(), st.integers(0, 50))
def test_clipping_keeps_whole_characters(text: str, limit: int) -> None:
    """A clipped text is a beginning of the text that fits."""
    cut = clip(text, limit)
    assert len(cut.encode("utf-8", "replace")) <= max(limit, 0)
    assert text.encode("utf-8", "replace").decode().startswith(cut.encode("utf-8", "replace").decode())


def test_only_the_beginning_of_a_huge_text_is_read() -> None:
    """A text beyond the bound is searchable up to it."""
    assert terms("word " * MAX_TEXT + "tail", "en") == ["word"] * (MAX_TEXT // 5) + ["w"]


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(NATURAL | st.text(max_size=40), st.sampled_from(LANGUAGES)), min_size=10, max_size=30))
def test_the_index_holds_exactly_the_terms(texts: list[tuple[str, str]]) -> None:
    """What tantivy indexed is what `terms` says, no term more or less."""
    with TemporaryDirectory() as folder:
        index = Index.open(Path(folder), writable=True)
        index.update([Entry(row, "", "", text, "", language) for row, (text, language) in enumerate(texts)])
        index.commit()
        index.close()
        held = tantivy.Index.open(folder).searcher().terms_with_prefix("body", "")
    assert {term for term, _ in held} == {term for text, language in texts for term in terms(text, language)}
