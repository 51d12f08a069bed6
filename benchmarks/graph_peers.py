"""One library works out one walk on the links of a folder: how long, in how much memory, how exactly?

Run as a process of its own.  All stop by the same rule, at a step of (1 − alpha)/alpha times the error asked for; that
bounds the error of power iteration.  (RW-EG: a step counts in proportion to what a page passes on; for scipy too.)
igraph has no such setting: it always goes to the end.  scikit-network's power iteration has another model of pages
without links: its power series is what the others compute, with as many terms as the error takes on the graph of 50
million links.
"""

import importlib
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars

from sought.graph.impact_walks import rw_eg
from sought.graph.links import GraphLinks, links_of
from sought.graph.walks import pr

ALPHA, OMEGA, ERROR, EXACT = 0.85, 0.5, 1e-6, 1e-12
_TERMS = 55
_STEP = ERROR * (1 - ALPHA) / ALPHA
_RUNS, _PATIENCE = 3, 4.0  # the least of three runs counts, or of as many as begin within so many seconds


def measure(library: str, walk: str, folder: Path) -> dict[str, Any]:
    """Seconds from the library's own form of a graph, `build_seconds` to get there, peak memory of it all."""
    build, solve = WALKS[walk][library]
    if library.startswith("sought"):
        _warm()
    given = [np.load(folder / f"{part}.npy") for part in ("sources", "targets", "impact")]
    start = time.perf_counter()
    graph = build(*given)
    built = time.perf_counter() - start
    del given
    times: list[tuple[float, float]] = []
    while len(times) < _RUNS and sum(seconds for seconds, _ in times) < _PATIENCE:
        start, before = time.perf_counter(), time.process_time()
        found = solve(graph)
        times.append((time.perf_counter() - start, time.process_time() - before))
    figures = dict(zip(("seconds", "cpu_seconds"), map(min, zip(*times, strict=True)), strict=True))
    figures |= {"build_seconds": built, "peak_mb": _peak_mb()}
    return figures | {"error": float(np.abs(np.asarray(found) - _reference(library, walk, graph, folder)).sum())}


def _reference(library: str, walk: str, graph: Any, folder: Path) -> Any:
    """The solution to twelve digits: of the whole graph it is worked out once, by Sought, which comes first."""
    file = folder / f"{walk}.npy"
    if not library.startswith("sought"):
        return np.load(file)
    found = (
        pr(graph, ALPHA, tolerance=EXACT)
        if walk == "pagerank"
        else rw_eg(graph[0], graph[1], OMEGA, ALPHA, tolerance=EXACT)
    )
    if library == "sought":
        np.save(file, found)
    return found


def _peak_mb() -> float:
    """Of this process alone: `ru_maxrss` begins with what its parent held."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6


def _warm() -> None:
    """Machine code is made before the clock runs, as that of the others was."""
    links = links_of(np.array([0, 1]), np.array([1, 2]), 3)
    pr(links)
    rw_eg(links, np.ones(3), OMEGA)


def _own(sources: Any, targets: Any, impact: Any) -> GraphLinks:
    links = links_of(sources, targets, len(impact))
    assert links.inward  # part of our form: made once, whatever walks follow
    return links


def _own_impact(sources: Any, targets: Any, impact: Any) -> tuple[GraphLinks, Any]:
    links = _own(sources, targets, impact)
    assert len(links.neighbours)  # the same
    return links, impact


def _fifth(sources: Any, targets: Any, impact: Any) -> GraphLinks:
    """As a crawl sees it that has fetched a quarter of the pages that have links."""
    fetched = np.random.default_rng(1).random(len(impact)) < 0.25
    return _own(sources[fetched[sources]], targets[fetched[sources]], impact)


def _matrix(sources: Any, targets: Any, impact: Any) -> Any:
    """A as scipy keeps it."""
    sparse: Any = importlib.import_module("scipy.sparse")
    pairs = sources.astype(np.int32), targets.astype(np.int32)
    return sparse.coo_matrix((np.ones(len(sources)), pairs), (len(impact), len(impact))).tocsr()


def _scipy(sources: Any, targets: Any, impact: Any) -> Any:
    matrix = _matrix(sources, targets, impact)
    degrees = np.diff(matrix.indptr)
    matrix.data /= np.repeat(degrees, degrees)
    return matrix.T.tocsr(), degrees == 0


def _scipy_pagerank(graph: Any) -> Any:
    matrix, dangling = graph
    rank = np.full(len(dangling), 1 / len(dangling))
    while True:
        fresh = ALPHA * (matrix @ rank) + (ALPHA * rank[dangling].sum() + 1 - ALPHA) / len(dangling)
        step, rank = np.abs(fresh - rank).sum(), fresh
        if step < _STEP:
            return rank


def _scipy_both(sources: Any, targets: Any, impact: Any) -> Any:
    matrix = _matrix(sources, targets, impact)
    into = matrix.T.tocsr()
    return matrix, into, into @ (np.diff(matrix.indptr) - 1.0), (impact + 0.001) / (impact + 0.001).max()


def _scipy_rw_eg(graph: Any) -> Any:
    out, into, neighbours, shares = graph
    along = ALPHA * OMEGA * shares / np.maximum(np.diff(out.indptr), 1)
    beside = ALPHA * (1 - OMEGA) * np.divide(shares, neighbours, out=np.zeros(len(shares)), where=neighbours > 0)
    inlinks, rank = np.diff(into.indptr), np.full(len(shares), (1 - ALPHA) / len(shares))
    while True:
        sent = rank * beside
        fresh = into @ (out @ sent + rank * along) - inlinks * sent + (1 - ALPHA) / len(shares)
        step, rank = shares @ np.abs(fresh - rank), fresh
        if step < _STEP:
            return rank


def _sknetwork_pagerank(matrix: Any) -> Any:
    ranking = importlib.import_module("sknetwork.ranking")
    return ranking.PageRank(ALPHA, solver="RH", n_iter=_TERMS).fit_predict(matrix)


def _networkit(sources: Any, targets: Any, impact: Any) -> Any:
    networkit = importlib.import_module("networkit")
    pairs = sources.astype(np.int64), targets.astype(np.int64)  # it reads past the end of narrower ones
    return networkit.GraphFromCoo(pairs, n=len(impact), directed=True)


def _networkit_pagerank(graph: Any) -> Any:
    centrality = importlib.import_module("networkit.centrality")
    walk = centrality.PageRank(graph, ALPHA, _STEP, distributeSinks=centrality.SinkHandling.DistributeSinks)
    walk.norm = centrality.Norm.L1_NORM
    return walk.run().scores()


def _igraph(sources: Any, targets: Any, impact: Any) -> Any:
    """By way of a file: it takes an array apart number by number, for three times as long."""
    igraph = importlib.import_module("igraph")
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        polars.DataFrame((sources, targets)).write_csv(file.name, include_header=False, separator=" ")
        graph = igraph.Graph.Read_Edgelist(file.name, directed=True)
    graph.add_vertices(len(impact) - graph.vcount())
    return graph


WALKS: dict[str, dict[str, tuple[Callable[..., Any], Callable[[Any], Any]]]] = {
    "pagerank": {
        "sought": (_own, lambda links: pr(links, ALPHA, tolerance=ERROR)),
        "sought_frontier": (_fifth, lambda links: pr(links, ALPHA, tolerance=ERROR)),
        "scipy": (_scipy, _scipy_pagerank),
        "sknetwork": (_matrix, _sknetwork_pagerank),
        "networkit": (_networkit, _networkit_pagerank),
        "igraph": (_igraph, lambda graph: graph.pagerank(damping=ALPHA)),
    },
    "rw_eg": {
        "sought": (_own_impact, lambda graph: rw_eg(graph[0], graph[1], OMEGA, ALPHA, tolerance=ERROR)),
        "scipy": (_scipy_both, _scipy_rw_eg),
    },
}

if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(sys.argv[1], sys.argv[2], Path(sys.argv[3]))))
