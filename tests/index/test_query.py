"""Queries: every string is one, and which pages match can be told without tantivy."""

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.index.analysis import required_terms, terms
from sought.index.engine import Index
from sought.index.entry import Entry
from sought.index.query import MAX_TERMS, ParsedQuery, QueryTerms, parse, read

WORDS = ["run", "running", "runner", "études", "étude", "cat", "cats", "été", "caring", "care", "car"]
WORDS += ["東京", "京都", "東京都", "大学", "un", "une", "to", "be", "Zürich", "15"]
LANGUAGES = ["en", "fr", "da", "nl", "ja", ""]


def _entries() -> list[Entry]:
    chance = random.Random(7)

    def some(most: int) -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(0, most)))

    return [
        Entry(row, f"https://h{row % 5}.example.org/{some(1)}", some(2), some(6), some(2), chance.choice(LANGUAGES))
        for row in range(120)
    ]


ENTRIES = _entries()


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    index = Index.open(tmp_path_factory.mktemp("index"), writable=True)
    index.update(ENTRIES)
    index.commit()
    yield index
    index.close()


def _held(entry: Entry) -> set[str]:
    address = entry.url.removeprefix("https://")
    return {term for text in (entry.title, entry.body, entry.anchors, address) for term in terms(text, entry.language)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("to be", ParsedQuery("to be")),
        ('the "brown fox" jumps', ParsedQuery("the jumps", ("brown fox",))),
        ("“brown fox”", ParsedQuery("", ("brown fox",))),
        ('an "open quote', ParsedQuery("an open quote")),
        ("cats site:Example.ORG", ParsedQuery("cats", (), "example.org")),
        ("site:bücher.example", ParsedQuery("", (), "xn--bcher-kva.example")),
        ("site:", ParsedQuery("site:")),
        ("site:[ website:x", ParsedQuery("site:[ website:x")),
        ("a AND (b OR -c) d:* /e/ f^2~", ParsedQuery("a AND (b OR -c) d:* /e/ f^2~")),
    ],
)
def test_a_query_is_words_phrases_and_a_site(text: str, expected: ParsedQuery) -> None:
    """Quotes and `site:` mean something, all else is literal."""
    assert parse(text) == expected


def test_phrases_of_one_word_are_words() -> None:
    """Nothing stands next to a single word."""
    assert read(parse('"Cats" "to be" cats'), "en") == QueryTerms(("cat",), (("to", "be"),))


@settings(deadline=None)
@given(st.text(max_size=200) | st.lists(st.sampled_from(WORDS), max_size=200).map(" ".join).map('"{0}" {0}'.format))
def test_queries_are_bounded(text: str) -> None:
    """However much is asked, few terms are looked up."""
    reading = read(parse(text * 5), "en")
    assert len(reading.terms) + sum(map(len, reading.phrases)) <= MAX_TERMS
    assert all(len(phrase) > 1 for phrase in reading.phrases)


@settings(deadline=None)
@given(
    query=st.text() | st.text('ab"site: +-*^~[]{}()\\/:!&|東京.', max_size=30),
    limit=st.integers(),
    offset=st.integers(),
)
def test_every_string_is_a_query(index: Index, query: str, limit: int, offset: int) -> None:
    """No query is a syntax error, no limit a crash."""
    answer = index.search(query, limit, offset)
    assert answer.total >= len(answer.hits)


@settings(deadline=None)
@given(query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join))
def test_a_page_matches_if_it_holds_all_terms_as_its_language_reads_them(index: Index, query: str) -> None:
    """Which pages match is decided by `terms` alone; if none holds all, those with any are given, and it is said."""
    asked = {entry.row: set(required_terms(terms(query, entry.language))) for entry in ENTRIES}
    every = {entry.row for entry in ENTRIES if asked[entry.row] <= _held(entry)}
    some = {entry.row for entry in ENTRIES if asked[entry.row] & _held(entry)}
    answer = index.search(query, limit=1000)
    assert answer.relaxed == (not every and bool(some))
    assert {hit.row for hit in answer.hits} == (every or some)
    assert answer.total == len(answer.hits)


@settings(deadline=None)
@given(query=st.lists(st.sampled_from(WORDS), min_size=2, max_size=3).map(" ".join))
def test_a_phrase_matches_terms_in_their_order(index: Index, query: str) -> None:
    """Within title, body or anchors, without a gap."""
    phrase = f'"{query}"'
    every = set()
    for entry in ENTRIES:
        words = " ".join(terms(query, entry.language))
        texts = (" ".join(terms(text, entry.language)) for text in (entry.title, entry.body, entry.anchors))
        if any(f" {words} " in f" {text} " for text in texts):
            every.add(entry.row)
    answer = index.search(phrase, limit=1000)
    assert ({hit.row for hit in answer.hits} if not answer.relaxed else set()) == every


@pytest.mark.parametrize(
    ("site", "hosts"), [("h1.example.org", {1}), ("example.org", {0, 1, 2, 3, 4}), ("h9.example.org", set())]
)
def test_a_site_is_a_host_and_all_below_it(index: Index, site: str, hosts: set[int]) -> None:
    """`site:` restricts to a host or a domain, with other words or alone."""
    assert {hit.row % 5 for hit in index.search(f"site:{site}", limit=1000).hits} == hosts
    found = index.search(f"site:{site} cats", limit=1000)
    assert {hit.row for hit in found.hits} == {
        hit.row for hit in index.search("cats", limit=1000).hits if hit.row % 5 in hosts
    }


def test_pages_of_results_are_parts_of_one_ranking(index: Index) -> None:
    """Offset and limit cut the same list."""
    whole = [hit.row for hit in index.search("cats", limit=30).hits]
    parts = [hit.row for start in range(0, 30, 7) for hit in index.search("cats", limit=7, offset=start).hits]
    assert parts[: len(whole)] == whole
