"""One library clusters the rows of a folder: how long, in how much memory, how well?

Run as a process of its own.  Both get the same rows of length 1, and both are judged by the same criterion: τ, the mean
cosine of a row with the centre of its cluster.
"""

import importlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.page_vectors import WORDS
from sought.beliefs.clusters.bisection import bisected
from sought.beliefs.clusters.partition import criterion
from sought.beliefs.clusters.vectors import FeatureRows, dense, sparse

_SEED = 0
_RUNS = 3  # the least counts: other work on the machine is not theirs


def measure(library: str, form: str, k: int, folder: Path) -> dict[str, Any]:
    """Seconds from rows of length 1 to labels, and the peak memory of the whole process, which includes the rows."""
    if library == "sought":
        bisected(np.eye(3), 2)  # machine code is made before the clock runs, as that of the others was
    vectors = _vectors(form, folder)
    times: list[tuple[float, float]] = []
    while len(times) < _RUNS:
        start, before = time.perf_counter(), time.process_time()
        labels = LIBRARIES[library](vectors, form, k)
        times.append((time.perf_counter() - start, time.process_time() - before))
    figures = dict(zip(("seconds", "cpu_seconds"), map(min, zip(*times, strict=True)), strict=True))
    figures |= {"peak_mb": _peak_mb(), "clusters": len(np.unique(labels))}
    return figures | {"tau": criterion(vectors, labels) / max(1, len(vectors))}


def _vectors(form: str, folder: Path) -> FeatureRows:
    if form == "dense":
        return dense(np.load(folder / "features.npy"))
    values, columns, bounds = (np.load(folder / f"{part}.npy") for part in ("values", "columns", "bounds"))
    return sparse(values, columns, bounds, WORDS)


def _peak_mb() -> float:
    """Of this process alone: `ru_maxrss` begins with what its parent held."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6


def _sought(vectors: FeatureRows, form: str, k: int) -> Any:
    return bisected(vectors, k, _SEED).labels


def _sklearn(vectors: FeatureRows, form: str, k: int) -> Any:
    return sklearn_clusters(vectors, k, _SEED).labels_


def sklearn_clusters(vectors: FeatureRows, k: int, seed: int) -> Any:
    """With its defaults: one try for each split, of the cluster whose squared distances are largest in sum."""
    cluster: Any = importlib.import_module("sklearn.cluster")
    shape = len(vectors), vectors.width
    if not len(vectors.columns):
        rows: Any = vectors.values.reshape(shape)
    else:
        matrices: Any = importlib.import_module("scipy.sparse")
        rows = matrices.csr_matrix((vectors.values, vectors.columns, vectors.bounds.astype(np.int32)), shape)
    return cluster.BisectingKMeans(k, random_state=seed).fit(rows)


LIBRARIES: dict[str, Callable[[FeatureRows, str, int], Any]] = {"sought": _sought, "sklearn": _sklearn}

if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))))
