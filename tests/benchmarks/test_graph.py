"""Promises of the graph benchmark: it measures what it says, at any size."""

import numpy as np

from benchmarks import graph
from benchmarks.graph_peers import ERROR
from benchmarks.web_graph import clicks_of, web_like


def test_links_are_distinct_and_heavy_tailed():
    """Each pair once, the same each time, a fifth of pages without links, few pages with most in-links."""
    sources, targets = web_like(20_000, 200_000)
    again = web_like(20_000, 200_000)
    assert (sources == again[0]).all()
    assert (targets == again[1]).all()
    assert len(np.unique(sources.astype(np.int64) * 20_000 + targets)) == len(sources)
    assert (sources != targets).all()
    assert 0.15 < 1 - len(np.unique(sources)) / 20_000 < 0.25
    inlinks = np.sort(np.bincount(targets, minlength=20_000))
    assert inlinks[-1000:].sum() > 0.3 * inlinks.sum()


def test_few_pages_have_links_too():
    """However few: the hosts have all of them."""
    for nodes in (100, 101, 150, 400):
        sources, targets = web_like(nodes, 5 * nodes)
        assert max(sources.max(), targets.max()) < nodes
        assert len(sources) > nodes


def test_clicks_are_skewed():
    """Only fetched pages have any, few of them, and a hundredth of all pages has most."""
    sources, _ = web_like(50_000, 500_000)
    clicks = clicks_of(sources, 50_000)
    assert (clicks == clicks_of(sources, 50_000)).all()
    assert set(np.flatnonzero(clicks)) <= set(sources.tolist())
    assert 0.01 < (clicks > 0).mean() < 0.05
    assert np.sort(clicks)[-500:].sum() > 0.6 * clicks.sum()


def test_own_figures():
    """Sought alone: seconds, memory, and an error below the one asked for."""
    found = graph.run(2000, 20_000, peers=False)
    assert set(found["pagerank"]) == {"sought", "sought_frontier"}
    for figures in (*found["pagerank"].values(), found["rw_eg"]["sought"]):
        assert figures["error"] <= ERROR
        assert figures["seconds"] > 0
        assert figures["peak_mb"] > 10


def test_a_peer_that_is_missing_is_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "pip install" in graph._figures("networkit", "pagerank", "/nowhere")
