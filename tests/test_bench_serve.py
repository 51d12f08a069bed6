"""The benchmark of the server searches real servers, with and without a real crawl."""

import pytest

from sought.bench.serve import SERVERS, run
from sought.bench.serve_crawl import Pages

PAGES = 200


def test_each_server_is_searched_alone_and_beside_a_crawl() -> None:
    """A row for each: how many searches, how soon, without an error, and how fast the crawl went meanwhile."""
    found = run(PAGES, 0.4, lambda _: None)
    assert (found["pages"], found["seconds"], found["cores"]) == (PAGES, 0.4, 2)
    rows = {(row["server"], row["crawl"], row["queries"]): row for row in found["rows"]}
    kinds = [(crawl, queries) for crawl in (False, True) for queries in ("asked again", "all different")]
    assert list(rows) == [(server, *kind) for server in SERVERS for kind in kinds]
    for (_, crawl, _), row in rows.items():
        assert (row["errors"], row["searches"] > 0) == (0, True), row
        assert 0 < row["p50_ms"] <= row["p99_ms"]
        assert row["searches_per_s"] > 0
        assert row["server_cpu_ms"] >= 0
        assert (row["fetches_per_s"] is None) != crawl
    assert len(found["sought_over_sqlite"]) == len(kinds)


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
