"""Promises of the walks: they solve their equations, and say how exactly."""

import os
from collections.abc import Callable

import numpy as np
import pytest

from sought.graph import flow
from sought.graph.impact_walks import rw, rw_eg
from sought.graph.links import GraphLinks, LinkGraph, links_of
from sought.graph.walks import pagerank, pr, pr98
from sought.web.errors import BadInput

RNG = np.random.default_rng(5)
NODES = 50
IMPACT = np.where(np.arange(NODES) < 35, RNG.poisson(2.0, NODES), 0).astype(np.float64)


def some(nodes: int = NODES, linking: int = 35, count: int = 220, seed: int = 1) -> GraphLinks:
    """The first nodes link anywhere, the others are frontier."""
    rng = np.random.default_rng(seed)
    return links_of(rng.integers(0, linking, count), rng.integers(0, nodes, count), nodes)


def dense(links: GraphLinks) -> np.ndarray:
    a = np.zeros((links.nodes, links.nodes))
    a[np.repeat(links.sources, links.degrees), links.targets] = 1
    return a


def parts(links: GraphLinks, impact: np.ndarray, beta: float) -> tuple[np.ndarray, np.ndarray]:
    """M and M' with F and F' in them, as explicit matrices (§3.3, §3.4)."""
    a = dense(links)
    w = a.T @ a
    np.fill_diagonal(w, 0)
    shares = (impact + 0.001) / (impact + 0.001).max()
    both = []
    for m in (a, w):
        rows = m.sum(1)
        f = shares * (rows / max(rows.max(), 1)) ** beta
        both.append(f[:, None] * np.divide(m, rows[:, None], out=np.zeros_like(m), where=rows[:, None] > 0))
    return both[0], both[1]


def solved(matrix: np.ndarray, alpha: float) -> np.ndarray:
    n = len(matrix)
    return np.linalg.solve(np.eye(n) - alpha * matrix.T, np.full(n, (1 - alpha) / n))


def exact_pagerank(links: GraphLinks, alpha: float) -> np.ndarray:
    a = dense(links)
    a[a.sum(1) == 0] = 1
    return solved(a / a.sum(1, keepdims=True), alpha)


def test_pagerank_is_the_dense_solution():
    links = some()
    exact = exact_pagerank(links, 0.85)
    assert np.abs(pr(links, tolerance=1e-13) - exact).sum() < 1e-10
    assert pr(links).sum() == pytest.approx(1, abs=1e-12)
    exact = NODES * exact_pagerank(links, 0.9)
    assert np.abs(pr98(links, tolerance=1e-13) - exact).sum() < 1e-10
    assert pr98(links).sum() == pytest.approx(NODES)
    jumps = exact[np.setdiff1d(np.arange(NODES), links.sources)].sum() / NODES
    into = dense(links).T @ (exact / np.maximum(dense(links).sum(1), 1))
    assert exact == pytest.approx(0.1 + 0.9 * (into + jumps))  # IR(p) as printed, and the random jump


def test_pagerank_of_pairs():
    """Pairs count once, links to oneself do not."""
    once = pagerank(np.array([0, 1, 2]), np.array([1, 2, 0]), 4)
    again = pagerank(np.array([0, 1, 2, 0, 3]), np.array([1, 2, 0, 1, 3]), 4)
    assert (once == again).all()


@pytest.mark.parametrize("beta", [0.0, 1.0])
def test_rw_is_the_dense_inverse(beta):
    """Invariant 9."""
    links = some()
    exact = solved(parts(links, IMPACT, beta)[0], 0.85)
    assert np.abs(rw(links, IMPACT, beta=beta, tolerance=1e-13) - exact).sum() < 1e-10


@pytest.mark.parametrize("beta", [0.0, 1.0])
@pytest.mark.parametrize("omega", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_rw_eg_is_the_explicit_matrix(omega, beta):
    """Invariant 10: two sparse products are AᵀA without its diagonal."""
    links = some()
    along, beside = parts(links, IMPACT, beta)
    exact = solved(omega * along + (1 - omega) * beside, 0.85)
    assert np.abs(rw_eg(links, IMPACT, omega, beta=beta, tolerance=1e-13) - exact).sum() < 1e-10


def test_impact_may_be_counts():
    """Whole numbers, and every other number of a longer array, will do."""
    links = some()
    for walk in (rw, lambda a, i: rw_eg(a, i, 0.5)):
        wanted = walk(links, IMPACT)
        assert (walk(links, IMPACT.astype(np.int32)) == wanted).all()
        assert (walk(links, np.repeat(IMPACT, 2)[::2]) == wanted).all()
    assert (rw_eg(links, IMPACT, 0, beta=1, epsilon=1) == rw_eg(links, IMPACT, 0.0, beta=1.0, epsilon=1.0)).all()


def test_neighbours_are_the_sums_of_the_virtual_edges():
    """Σ_k w_ik, which each page's share is divided by."""
    links = some()
    w = dense(links).T @ dense(links)
    np.fill_diagonal(w, 0)
    assert (links.neighbours == w.sum(1)).all()


def test_rw_eg_without_virtual_edges_is_rw():
    links = some()
    assert (rw_eg(links, IMPACT, 1.0) == rw(links, IMPACT)).all()


def test_weights_of_virtual_edges():
    """w(5,7) = 1 and w(5,6) = 3, as in Fig. 2 of seed 002.

    The figure's links are not in the specification; this graph has the weights it names.
    """
    links = links_of(np.array([1, 1, 2, 2, 3, 3, 4, 4]), np.array([5, 6, 5, 6, 5, 6, 5, 7]), 8)
    alpha, base = 0.85, 0.15 / 8
    found = rw_eg(links, np.ones(8), omega=0.0, alpha=alpha, tolerance=1e-14)
    # 6 and 7 have no other neighbour than 5 and send it all they have; 5 sends three quarters to 6 and one to 7.
    five = base * (1 + 2 * alpha) / (1 - alpha**2)
    assert found[[5, 6, 7]] == pytest.approx([five, base + alpha * 0.75 * five, base + alpha * 0.25 * five])
    assert found[:5] == pytest.approx(base)


def test_rw_without_preference_is_pagerank():
    """F ≡ 1 and no page without links."""
    rng = np.random.default_rng(8)
    links = links_of(
        np.r_[np.arange(30), rng.integers(0, 30, 60)], np.r_[(np.arange(30) + 1) % 30, rng.integers(0, 30, 60)], 30
    )
    assert rw(links, np.ones(30), tolerance=1e-13) == pytest.approx(pr(links, tolerance=1e-13), abs=1e-12)


@pytest.mark.parametrize(
    "walk",
    [pr, pr98, lambda a, **k: rw(a, IMPACT, **k), lambda a, **k: rw_eg(a, IMPACT, 0.3, **k)],
    ids=["pr", "pr98", "rw", "rw_eg"],
)
def test_a_warm_start_leads_to_the_same_place(walk):
    """From an earlier graph's vector (shorter, too), from nonsense, and from the solution itself."""
    links, cold = some(), walk(some(), tolerance=1e-13)
    earlier = links_of(np.arange(20), np.arange(1, 21), 30)
    for start in (pr(earlier), np.arange(NODES) / 7.0, cold):
        assert np.abs(walk(links, start=start, tolerance=1e-13) - cold).sum() < 1e-11
    assert walk(links, start=cold, tolerance=1e-6, rounds=1) == pytest.approx(cold, abs=1e-12)


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-6, 1e-8])
def test_tolerance_bounds_the_error(tolerance):
    """Not the last step but the distance to the solution, in L1; for pr98 for each node."""
    for seed in range(5):
        links = some(400, 250, 900, seed)
        impact = np.random.default_rng(seed).pareto(1.0, 400)
        for walk in (
            pr, lambda a, **k: pr98(a, **k) / 400, lambda a, **k: rw(a, np.ones(400), **k),
            lambda a, i=impact, **k: rw(a, i, **k), lambda a, **k: rw_eg(a, np.ones(400), 0.5, **k),
        ):  # fmt: skip
            assert (
                np.abs(walk(links, tolerance=tolerance) - walk(links, tolerance=1e-13, rounds=500)).sum() <= tolerance
            )


def test_large_graphs_do_not_depend_on_cores(monkeypatch):
    """The same bits with one thread and with four, and the same solution as power iteration's."""
    nodes = 40_000
    links = some(nodes, 30_000, 400_000)
    impact = np.random.default_rng(2).pareto(1.5, nodes)
    assert len(flow.blocks_of(links.inward.bounds)) > 1
    found = []
    for cores in (1, 4):
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        found.append((pr(links), rw_eg(links, impact, 0.4)))
    assert (found[0][0] == found[1][0]).all()
    assert (found[0][1] == found[1][1]).all()
    rank, out = np.full(nodes, 1 / nodes), np.zeros(nodes)
    out[links.sources] = links.degrees
    of = np.repeat(links.sources, links.degrees)
    for _ in range(150):
        flow_in = np.bincount(links.targets, rank[of] / out[of], minlength=nodes)
        rank = 0.85 * flow_in + (0.15 + 0.85 * rank[out == 0].sum()) / nodes
    assert np.abs(found[0][0] - rank).sum() < 1e-9


@pytest.mark.parametrize("nodes", [0, 1, 3])
def test_nodes_without_links(nodes):
    """A frontier of no links, one node, none."""
    links, nobody = links_of(np.zeros(0, np.int64), np.zeros(0, np.int64), nodes), np.zeros(nodes)
    assert pr(links) == pytest.approx(np.ones(nodes) / max(nodes, 1))
    assert pr98(links) == pytest.approx(np.ones(nodes))
    for found in (rw(links, nobody), rw_eg(links, nobody, 0.5), rw_eg(links, nobody, 1.0)):
        assert found == pytest.approx(np.full(nodes, 0.15) / max(nodes, 1))


A, B = range(13), range(13, 33)  # two clusters; all pages of each link to each other, but for the last of A


def two_clusters() -> dict[int, list[int]]:
    """Joined by one link (001, Fig. 5): from the gate of A, which links nowhere else, to the first page of B."""
    gate = A[-1]
    web = {page: [gate, *(a for a in A if a not in (page, gate))] for page in A[:-1]}
    return web | {gate: [B[0]]} | {page: [b for b in B if b != page] for page in B}


def crawled(web: dict[int, list[int]], score: Callable[[GraphLinks], np.ndarray]) -> list[int]:
    """The basic crawler (001, Fig. 1) from page 0: the best by what has been seen, of equals the first found."""
    graph, queue, visited = LinkGraph(), [0], list[int]()
    graph.grow(len(web))
    while queue:
        scores = score(graph.compact())
        page = max(queue, key=lambda url: scores[url])
        queue.remove(page)
        visited.append(page)
        graph.put(np.array([page]), np.array([0, len(web[page])]), np.array(web[page], np.uint32))
        queue += [url for url in web[page] if url not in queue and url not in visited]
    return visited


def test_backlinks_trap_a_crawl_where_pagerank_does_not():
    """001, Fig. 5: pages of the first cluster are hot only locally, those of the second are hot in all the web.

    By backlinks seen, all of the first cluster comes before any page of the second, though the link there is found at
    once.  By PageRank, the page at its other end comes next: it gets all that the gate has.
    """
    web = two_clusters()
    inlinks = np.bincount([url for urls in web.values() for url in urls], minlength=len(web))
    hot = {page for page in web if inlinks[page] > len(A)}
    assert hot == set(B)
    assert [(f, t) for f, urls in web.items() for t in urls if (f in A) != (t in A)] == [(A[-1], B[0])]
    backlink = crawled(web, lambda links: np.bincount(links.targets, minlength=links.nodes))
    pagerank_first = crawled(web, pr98)
    assert sorted(backlink) == sorted(pagerank_first) == sorted(web)
    assert backlink[1] == pagerank_first[1] == A[-1]  # both know of the second cluster from now on
    assert set(backlink[: len(A)]) == set(A)
    assert pagerank_first[2] == B[0]
    assert len(hot.intersection(pagerank_first[: len(A)])) > len(A) / 3


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: pr(some(), alpha=1.0), "alpha"),
        (lambda: pr(some(), tolerance=0), "tolerance"),
        (lambda: pr98(some(), rounds=0), "rounds"),
        (lambda: rw(some(), IMPACT[1:]), "impact"),
        (lambda: rw(some(), -IMPACT), "impact"),
        (lambda: rw(some(), np.where(IMPACT > 3, np.nan, IMPACT)), "impact"),
        (lambda: rw_eg(some(), np.where(IMPACT > 3, np.inf, IMPACT), 0.5), "impact"),
        (lambda: rw(some(), IMPACT, beta=-1), "beta"),
        (lambda: rw(some(), IMPACT, epsilon=0), "epsilon"),
        (lambda: rw_eg(some(), IMPACT, 1.1), "omega"),
    ],
)
def test_bad_parameters_are_named(call, named):
    with pytest.raises(BadInput, match=named):
        call()
