"""Clusters of hundreds of thousands of pages, by Sought and by scikit-learn."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cluster_peers import LIBRARIES
from benchmarks.page_vectors import feature_table, word_rows
from sought.web.errors import BadInput, SoughtError

_LONGEST = 1800


def run(pages: int = 300_000, k: int = 100, report: Callable[[int], None] = lambda _: None) -> dict[str, Any]:
    """Each library in a process of its own, on the same rows: 68 features of a page, or TF-IDF of its words.

    `tau` is the mean cosine of a page with the centre of its cluster.  `ratio` is how many times as long scikit-learn's
    BisectingKMeans takes, `ratio_tau` how many times as large Sought's τ is.  Sought works on one core, scikit-learn on
    all there are: `cpu_seconds` is the work of both.
    """
    if k > pages:
        raise BadInput(f"-k: {pages:,} pages make at most {pages:,} clusters, not {k:,}")
    result: dict[str, Any] = {"pages": pages, "k": k}
    done = 0
    with tempfile.TemporaryDirectory(prefix="sought-bench-") as folder:
        _make(Path(folder), pages)
        for form in ("dense", "sparse"):
            found: dict[str, Any] = {}
            for library in LIBRARIES:
                found[library] = _figures(library, form, k, folder)
                report(done := done + 1)
            found["ratio"] = found["sklearn"]["seconds"] / found["sought"]["seconds"]
            found["ratio_tau"] = found["sought"]["tau"] / found["sklearn"]["tau"]
            result[form] = found
    return result


def _make(folder: Path, pages: int) -> None:
    values, columns, bounds = word_rows(pages)
    parts: dict[str, Any] = {"features": feature_table(pages), "values": values, "columns": columns, "bounds": bounds}
    for name, part in parts.items():
        np.save(folder / f"{name}.npy", part)


def _figures(library: str, form: str, k: int, folder: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.cluster_peers", library, form, str(k), folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise SoughtError(f"{library} failed: {said[-1] if said else done.returncode}")
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures
