"""Promises of the link graph: what was put in is what is there, once each, however it came."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.graph.distance import distances, sources_of
from sought.graph.links import GraphLinks, LinkGraph, links_of

NODES = 12
ROWS = st.lists(st.tuples(st.integers(0, NODES - 1), st.lists(st.integers(0, NODES - 1), max_size=40)), max_size=12)


def put(graph: LinkGraph, rows: list[tuple[int, list[int]]]) -> None:
    bounds = np.cumsum([0, *(len(to) for _, to in rows)])
    graph.put(
        np.array([of for of, _ in rows], np.int64), bounds, np.array([t for _, to in rows for t in to], np.uint32)
    )


def pairs(links: GraphLinks) -> list[tuple[int, int]]:
    return list(zip(np.repeat(links.sources, links.degrees).tolist(), links.targets.tolist(), strict=True))


def expected(rows: list[tuple[int, list[int]]]) -> list[tuple[int, int]]:
    return sorted({(of, t) for of, to in dict(rows).items() for t in to if t != of})


@settings(deadline=None)
@given(st.lists(ROWS, max_size=6))
def test_grown_in_batches_is_built_at_once(batches):
    """The last links of each source are there, each once and without those to itself, whenever one looked."""
    graph, so_far = LinkGraph(), []
    graph.grow(NODES)
    for i, batch in enumerate(batches):
        put(graph, batch)
        so_far += batch
        if i % 2:
            assert pairs(graph.compact()) == expected(so_far)
        assert graph.edges == len(expected(so_far))
    found = pairs(graph.compact())
    assert found == expected(so_far)
    at_once = links_of(np.array([f for f, _ in found], np.int64), np.array([t for _, t in found], np.int64), NODES)
    assert pairs(at_once) == found


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)), max_size=200))
def test_pairs_in_any_order(given_pairs):
    """Pairs may repeat and come in any order; both directions and chosen in-links agree."""
    links = links_of(np.array([f for f, _ in given_pairs]), np.array([t for _, t in given_pairs]), NODES)
    wanted = sorted({(f, t) for f, t in given_pairs if f != t})
    assert pairs(links) == wanted
    bounds, sources = links.inward
    for node in range(NODES):
        into = [f for f, t in wanted if t == node]
        assert links.sources[sources[bounds[node] : bounds[node + 1]]].tolist() == into
    asked = np.array([7, 3, 11])
    at, found = sources_of(links, asked)
    for i, node in enumerate(asked):
        assert found[at[i] : at[i + 1]].tolist() == [f for f, t in wanted if t == node]


def test_large_batches_are_merged_and_cached():
    """Many links are merged as they come; the same value is given out until something changes."""
    graph, rng = LinkGraph(), np.random.default_rng(3)
    graph.grow(1000)
    for _ in range(12):
        bounds = np.arange(0, 200_001, 200)
        graph.put(np.arange(1000), bounds, rng.integers(0, 1000, 200_000).astype(np.uint32))
    links = graph.compact()
    assert graph.compact() is links
    assert graph.nbytes < 4 * 1.3 * links.edges + 40 * 1000
    graph.grow(1001)
    assert graph.compact().nodes == 1001
    graph.put(np.array([1000]), np.array([0, 1]), np.array([5], np.uint32))
    assert graph.compact().edges == links.edges + 1


def test_links_beyond_the_nodes_are_refused():
    graph = LinkGraph()
    graph.grow(3)
    with pytest.raises(ValueError, match="beyond"):
        put(graph, [(0, [3])])
    with pytest.raises(ValueError, match="beyond"):
        links_of(np.array([3]), np.array([0]), 3)


def test_nothing_at_all():
    """No nodes, and nodes without links, are graphs too."""
    assert LinkGraph().compact().edges == 0
    links = links_of(np.zeros(0, np.int64), np.zeros(0, np.int64), 2)
    assert links.edges == 0
    assert links.inward.bounds.tolist() == [0, 0, 0]
    assert distances(links, np.array([True, False]), 3).tolist() == [0, 3]
    assert sources_of(links, np.array([1]))[0].tolist() == [0, 0]


def test_distance_from_hot_pages():
    """distance(p) = 0 if hot, else 1 + the least of known parents; `most` beyond."""
    links = links_of(np.array([0, 1, 2, 3, 0, 5]), np.array([1, 2, 3, 4, 5, 3]), 7)
    hot = np.zeros(7, np.bool_)
    hot[0] = True
    assert distances(links, hot, 3).tolist() == [0, 1, 2, 2, 3, 1, 3]
    assert distances(links, hot, 9).tolist() == [0, 1, 2, 2, 3, 1, 9]
    assert distances(links, hot, 1).tolist() == [0, 1, 1, 1, 1, 1, 1]
