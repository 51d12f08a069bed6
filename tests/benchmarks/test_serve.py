"""The benchmark of the server: real servers, a real crawl, and pages that answer what is asked."""

import pytest

from benchmarks.serve import MEASURED, QUERIES, run
from benchmarks.serve_crawl import Pages
from sought.web.errors import BadInput

PAGES = 200


@pytest.mark.slow
def test_each_server_is_searched_alone_and_beside_a_crawl() -> None:
    """A row for each: how many searches, how soon, without an error, and how fast the crawl went meanwhile."""
    found = run(PAGES, 0.3, lambda _: None)
    assert (found["pages"], found["seconds"], found["cores"] <= 2) == (PAGES, 0.3, True)
    rows = {(row["server"], row["crawl"], row["queries"]): row for row in found["rows"]}
    assert list(rows) == [(*server, queries) for server in MEASURED for queries in QUERIES]
    for (_, crawl, _), row in rows.items():
        assert (row["errors"], row["searches"] > 0) == (0, True), row
        assert 0 < row["p50_ms"] <= row["p99_ms"]
        assert row["searches_per_s"] > 0
        assert row["server_cpu_ms"] >= 0
        assert ("fetches_per_s" in row) == crawl
    assert list(found["sought_over_sqlite"]) == [QUERIES[0], QUERIES[2]]


@pytest.mark.slow
def test_different_queries_are_different() -> None:
    """Pages that have too few for the time are refused, before anything is made."""
    with pytest.raises(BadInput, match="20 pages have too few queries"):
        run(20, 0.3, lambda _: None)


def test_every_query_has_an_answer() -> None:
    """Its words are on some page, in its title; no query comes twice."""
    pages = Pages(PAGES)
    titles = [set(text.title.split()) for text in pages.texts()]
    queries = pages.queries(500)
    assert len(set(queries)) == len(queries) == 500
    assert all(any(title >= set(query.split()) for title in titles) for query in queries)
    assert {len(query.split()) for query in queries} == {1, 2, 3}


@pytest.mark.parametrize("count", [PAGES, 1])
def test_the_same_pages_every_time(count: int) -> None:
    assert list(Pages(count).texts()) == list(Pages(count).texts())
