"""Snippets: the few words that show why a page was found."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.index.analysis import terms
from sought.index.snippet import WIDTH, SnippetTerms, snippet

FILL = "lorem ipsum dolor " * 40


def _shown(body: str, asked: str, language: str) -> tuple[str, list[str]]:
    text, highlights = snippet(body, SnippetTerms(terms(asked, language)), language)
    return text, [text[start:end] for start, end in highlights]


@pytest.mark.parametrize(
    ("body", "asked", "language", "expected"),
    [
        ("He runs; running Runners RAN overruns.", "run", "en", ["runs", "running"]),
        ("A state-of-the-art thing, art.", "art", "en", ["art", "art"]),
        ("Les étudiants à Zürich", "zurich etudiant", "fr", ["étudiants", "Zürich"]),
        ("これは東京大学のページ", "東京大学", "ja", ["東京大学"]),
        ("買うiPhone手机吧", "iphone 手机", "zh", ["iPhone手机"]),
        ("서울에서 만나요", "서울", "ko", ["서울"]),
        ("nothing here", "else", "en", []),
        ("", "else", "en", []),
    ],
)
def test_words_asked_for_are_highlighted(body: str, asked: str, language: str, expected: list[str]) -> None:
    """Whatever form of a word matches is marked, the word and no more, in any script."""
    asked_only = {"ja": "東京 京大 大学", "ko": "서울", "zh": "iphone 手机"}.get(language)
    wanted = asked_only.split() if asked_only else terms(asked, language)
    text, highlights = snippet(body, SnippetTerms(wanted), language)
    assert text == body
    assert [text[start:end] for start, end in highlights] == expected


def test_the_part_with_most_of_the_terms_is_shown() -> None:
    """One place with both words is better than an earlier one with one."""
    text, shown = _shown(f"red {FILL} red apple {FILL} apple", "red apple", "en")
    assert shown == ["red", "apple"]
    assert text.startswith("… ")
    assert text.endswith(" …")


def test_a_page_found_by_its_title_shows_its_beginning() -> None:
    """No word to show: the first words are."""
    text, shown = _shown(f"Beginning {FILL}", "title", "en")
    assert text.startswith("Beginning lorem")
    assert shown == []


@settings(deadline=None)
@given(
    st.text(max_size=600)
    | st.lists(st.sampled_from(["東京", "Running", "x" * 300, "İ", "cat.", "-", "日本語"])).map(" ".join),
    st.sampled_from(["run cat", "東京", "i", "İ", ".", "x"]),
    st.sampled_from(["en", "ja", "tr", ""]),
)
def test_highlights_are_parts_of_the_snippet(body: str, asked: str, language: str) -> None:
    """Highlights lie within the snippet, in order, apart; the snippet is a bounded piece of the body."""
    text, highlights = snippet(body, SnippetTerms(terms(asked, language)), language)
    assert len(text) <= WIDTH + 4
    assert text.removeprefix("… ").removesuffix(" …") in body
    edges = [edge for span in highlights for edge in span]
    assert edges == sorted(set(edges))
    assert all(0 <= edge <= len(text) for edge in edges)


@pytest.mark.parametrize("distance", [0, 3_900, 3_990, 4_000, 4_010, 8_000, 11_990, 12_010, 17_000])
@pytest.mark.parametrize("fill", ["lorem ", "ipsüm ", "dolor – "])
def test_words_are_found_wherever_they_stand(distance: int, fill: str) -> None:
    """Far from the beginning, and across the seams between the parts that are read one after the other."""
    before = (fill * (distance // len(fill) + 1))[:distance].rpartition(" ")[0]
    text, shown = _shown(f"Apple {before} red APPLES, redder {fill * 99}", "red apple", "en")
    assert shown == (["Apple", "red", "APPLES"] if distance == 0 else ["red", "APPLES"])
    assert "red APPLES, redder" in text
