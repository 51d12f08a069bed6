"""PageRank and RW-EG on millions of links, by Sought and by libraries that are known for it."""

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.graph_peers import ALPHA, ERROR, OMEGA, WALKS
from benchmarks.web_graph import clicks_of, web_like
from sought.web.errors import BadInput, SoughtError

_LONGEST = 1800
_OWN = ("sought", "sought_frontier")
_MISSING = "not installed: pip install --group bench"


def run(
    nodes: int = 5_000_000, edges: int = 50_000_000, peers: bool = True, report: Callable[[int], None] = lambda _: None
) -> dict[str, Any]:
    """Each library in a process of its own, from the same pairs of pages to the same error.

    `seconds` is the walk itself from the library's own form of the graph (the least of up to three runs if they are
    short), `cpu_seconds` that of all cores, `build_seconds` the way there, `peak_mb` the most memory its process held:
    Python, the library, the pairs, both steps.  `error` is the L1 distance to a solution of twelve digits; igraph's
    cannot be set, so it does more than is asked.  `sought_frontier` is Sought where only a fifth of all pages has been
    crawled, as during a crawl.  No other library has RW-EG; scipy has the products it takes.
    """
    if edges > nodes * (nodes - 1):
        raise BadInput(
            f"--edges: {nodes:,} pages have at most {nodes * (nodes - 1):,} links between them, not {edges:,}"
        )
    with tempfile.TemporaryDirectory(prefix="sought-bench-") as folder:
        result: dict[str, Any] = {"nodes": nodes, "edges": _make(Path(folder), nodes, edges)}
        result["asked"] = {"error": ERROR, "alpha": ALPHA, "omega": OMEGA}
        done = 0
        for walk, libraries in WALKS.items():
            result[walk] = {}
            for library in libraries:
                if peers or library in _OWN:
                    result[walk][library] = _figures(library, walk, folder)
                report(done := done + 1)
    return result | _ratios(result) if peers else result


def _make(folder: Path, nodes: int, edges: int) -> int:
    sources, targets = web_like(nodes, edges)
    for name, values in (("sources", sources), ("targets", targets), ("impact", clicks_of(sources, nodes))):
        np.save(folder / f"{name}.npy", values)
    return len(sources)


def _figures(library: str, walk: str, folder: str) -> dict[str, Any] | str:
    if library not in _OWN and importlib.util.find_spec(library) is None:
        return _MISSING
    command = [sys.executable, "-m", "benchmarks.graph_peers", library, walk, folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST, check=False)
    if done.returncode:
        raise SoughtError(
            f"{library} failed: {done.stderr.strip().splitlines()[-1] if done.stderr else done.returncode}"
        )
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def _ratios(result: dict[str, Any]) -> dict[str, Any]:
    """How many times as long the fastest other library takes."""
    measured = {n: f for n, f in result["pagerank"].items() if n not in _OWN and isinstance(f, dict)}
    own, scipy = result["pagerank"]["sought"], result["rw_eg"]["scipy"]
    found: dict[str, Any] = {}
    if measured:
        found["fastest_peer"] = min(measured, key=lambda name: float(measured[name]["seconds"]))
        found["ratio"] = measured[found["fastest_peer"]]["seconds"] / own["seconds"]
        whole = min(f["seconds"] + f["build_seconds"] for f in measured.values())
        found["ratio_with_build"] = whole / (own["seconds"] + own["build_seconds"])
    if isinstance(scipy, dict):
        found["ratio_rw_eg"] = scipy["seconds"] / result["rw_eg"]["sought"]["seconds"]
    return found
