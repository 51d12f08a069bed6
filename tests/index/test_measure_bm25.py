"""The scores by which fetches are measured are those by which people's searches are answered."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.world import default_world, read_world
from sought.index import Entry, Index
from sought.index.analysis import LANGUAGES
from sought.index.engine import MAX_LIMIT
from sought.index.matching import length_class
from sought.index.query import MAX_TERMS
from sought.index.scorers import length_classes
from sought.web.digest import digest
from tests.testing.plain_measure import WORDS, counter_of, measure_of, rows_of, scores_of, survey

TOLERANCE = 1e-5
FEW = 20_000  # bytes of a body, lest most of the time goes into snippets


def served(index: Index, query: str) -> dict[int, float]:
    """The score of every page that the search index gives for a query."""
    answer = index.search(query, MAX_LIMIT)
    assert answer.total <= MAX_LIMIT
    return {} if answer.relaxed else {hit.row: hit.score for hit in answer.hits}


def compare(entries: Sequence[Entry], queries: Sequence[str]) -> int:
    """Index the pages and measure them; all scores must agree.  Returns how many there are."""
    measure = measure_of(queries)
    counter = counter_of(measure, [entry.language for entry in entries])
    with tempfile.TemporaryDirectory() as folder:
        index = Index.open(Path(folder), writable=True)
        index.update(entries, counter)
        index.commit()
        vectors = counter.take()
        survey(measure, vectors)
        measured = scores_of(measure.matches(rows_of(vectors), vectors))
        found = {(row, q): score for q, query in enumerate(queries) for row, score in served(index, query).items()}
        index.close()
    assert measured.keys() == found.keys()
    for pair, score in found.items():
        assert measured[pair] == pytest.approx(score, rel=TOLERANCE), (pair, queries[pair[1]])
    return len(found)


def page(rng: np.random.Generator, row: int) -> Entry:
    """Words of one language and some of others; a few pages are long, some have no title, anchors are rare."""
    language = str(rng.choice(list(WORDS)))
    pool = [*WORDS[language] * 3, *WORDS[str(rng.choice(list(WORDS)))], f"only{row}"]

    def some(count: int) -> str:
        return " ".join(rng.choice(pool, count))

    body = int(rng.choice([0, 5, 30, 39, 40, 41, 100, 300, 300, 1000, 4000 if row % 10 == 0 else 60]))
    return Entry(
        row,
        f"https://example.org/{'-'.join(rng.choice(pool, 2))}/{row}",
        some(int(rng.integers(0, 5))),
        some(body),
        some(int(rng.integers(0, 60))) if row % 3 == 0 else "",
        language,
    )


def asking(rng: np.random.Generator, entries: Sequence[Entry]) -> list[str]:
    """Single words, pairs and threes of a language, words twice, and long queries drawn from what a page holds."""
    queries = [word for words in WORDS.values() for word in words]
    for _ in range(60):
        pool = WORDS[str(rng.choice(list(WORDS)))]
        queries.append(" ".join(rng.choice(pool, int(rng.integers(2, 4)))))
    for length in (4, 8, 16, MAX_TERMS):
        entry = entries[int(rng.integers(len(entries)))]
        words = list(dict.fromkeys(f"{entry.title} {entry.body} {entry.anchors}".split()))
        queries.append(" ".join(words[:length]))
    return [*queries, "boat boat run boat", "nowhere to be found", "", "?!"]


@pytest.mark.parametrize("seed", [1, 2])
def test_scores_equal_those_of_the_index(seed):
    """Same pages, same scores: eight languages at once, all fields, lengths from nothing to thousands of words."""
    rng = np.random.default_rng(seed)
    entries = [page(rng, row) for row in range(110)]
    assert compare(entries, asking(rng, entries)) > 1000


WORD = st.sampled_from([word for words in WORDS.values() for word in words] + ["boat"] * 20)
SOME = st.lists(WORD, max_size=6).map(" ".join)
PAGES = st.lists(st.tuples(SOME, SOME, SOME, st.sampled_from(list(WORDS))), min_size=1, max_size=6)


@settings(deadline=None, max_examples=25)
@given(PAGES, st.lists(SOME, max_size=6))
def test_scores_of_few_pages_equal_those_of_the_index(pages, queries):
    """Where everything is extreme: terms on all pages or on one, fields that no page has, one page alone."""
    entries = [Entry(row, "https://a.b/", *rest) for row, rest in enumerate(pages)]
    compare(entries, ["boat", *queries])


def test_terms_that_all_pages_hold():
    """Their weight is small and made in 32 bits, in which most of it is rounding."""
    entries = [
        Entry(row, f"https://a.b/{row}", "boat", "boat run " * (row % 7 + 1), language="en") for row in range(900)
    ]
    assert compare(entries, ["boat", "run", "boat run"]) == 2700


def test_queries_of_many_terms():
    """Up to the limit all terms count, and beyond it none of the rest."""
    words = [f"word{i}" for i in range(MAX_TERMS + 8)]
    entries = [Entry(row, "https://a.b/", body=" ".join(words[: 2 * row])) for row in range(MAX_TERMS // 2 + 5)]
    queries = [" ".join(words[:count]) for count in range(1, MAX_TERMS + 9)]
    assert compare(entries, queries) == sum(
        min(MAX_TERMS, len(query.split())) <= 2 * row for query in queries for row in range(len(entries))
    )


def test_length_classes_are_those_of_the_index():
    """Every length is in the class of the largest length that is not larger; the first ones are exact."""
    least = length_classes()
    assert least[:43].tolist() == [*range(41), 42, 44]
    assert least[-1] == 2_013_265_944  # what tantivy's table ends with
    lengths = [
        *range(3000),
        *(int(each) + step for each in least for step in (-1, 0, 1) if each + step >= 0),
        2**32 - 1,
    ]
    assert [length_class(length) for length in lengths] == (np.searchsorted(least, lengths, "right") - 1).tolist()


@pytest.mark.slow
def test_real_pages():
    """Pages of a recorded site and what people asked of it."""
    if "SOUGHT_WORLDS" not in os.environ:
        pytest.skip("SOUGHT_WORLDS does not name the folder of the worlds")
    world = read_world(default_world(), 300)
    entries = []
    for row, response in enumerate(world.last):
        document = digest(response)
        body = (document.main or document.text)[:FEW]
        entries.append(Entry(row, response.url, document.title, body, "", document.language))
    assert {entry.language for entry in entries} <= {*LANGUAGES, "en-US", ""}
    assert compare(entries, [query for query in world.queries if '"' not in query][:300]) > 1000
