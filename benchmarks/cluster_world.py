"""Does a result of the laboratory depend on who makes the clusters?  One world, with Sought's and scikit-learn's."""

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from benchmarks.cluster_peers import sklearn_clusters
from sought.beliefs.clusters import bisection, clustering, collection
from sought.beliefs.clusters.partition import Partition, assigned
from sought.beliefs.clusters.vectors import FeatureRows, vectors_of
from sought.lab.measures import ChangeRatio, FreshnessAt, Measure, PrecisionAt
from sought.lab.replay.replay import replay
from sought.lab.replay.run import Run
from sought.lab.replay.setting import Setting, fetches_of, pages_at_start, seen_in
from sought.lab.replay.watched_crawl import watched
from sought.lab.studies.cells import judge_for
from sought.lab.studies.tan_mitra_2010.folds import knee
from sought.lab.worlds.files import open_world
from sought.lab.worlds.world import World
from sought.policy.cluster_sampling import ClusterSampling

KS, FOLDS = (5, 10, 25, 50, 100, 200), 3  # those of a quick run of tan-mitra-2010-figure-1

SHARE = 0.09  # of the pages are fetched in a cycle of two weeks
MEASURES: tuple[Measure, ...] = (ChangeRatio(), FreshnessAt(), PrecisionAt())
_FETCHES_A_CLUSTER = 10

Report = Callable[[int], None]


class Bisect(Protocol):
    """What `bisected` of Sought takes and gives."""

    def __call__(self, rows: Any, k: int, seed: int = 0) -> Partition: ...


def run(world: Path, seeds: int, report: Report = lambda _: None) -> dict[str, Any]:
    """`tau` of words left out by number of clusters (Figure 1), and means over cycles of `ClusterSampling` (Figure 6).

    scikit-learn runs on one thread, as the laboratory replays on every core at once.
    """
    result: dict[str, Any] = {"world": world.name, "folds": FOLDS, "seeds": seeds}
    done = 0
    threads: Any = importlib.import_module("threadpoolctl")
    with threads.threadpool_limits(1):
        for name, bisect in {"sought": bisection.bisected, "sklearn": sklearn_partition}.items():
            result[name] = {"words": _words(open_world(world), bisect)}
            report(done := done + 1)
            runs = []
            for seed in range(seeds):
                runs.append(_replayed(open_world(world), bisect, seed))
                report(done := done + 1)
            result[name] |= {measure: [each[measure] for each in runs] for measure in runs[0]}
    return result


def _setting(weeks: int) -> Setting:
    return Setting(pages="fixed", every=weeks, scorer="TfIdfPageRank(0.5, 0.5)")


def sklearn_partition(rows: Any, k: int, seed: int = 0) -> Partition:
    """As a partition that nothing is nested in."""
    vectors = vectors_of(rows)
    model = sklearn_clusters(vectors, min(k, len(vectors)), seed)
    labels = model.labels_.astype(np.int32)
    sizes = np.bincount(labels, minlength=len(model.cluster_centers_))
    centroids = model.cluster_centers_.astype(np.float32)
    return Partition(labels, centroids, sizes, np.zeros(len(sizes)), np.zeros(len(sizes), np.int32))


def _words(world: World, bisect: Bisect) -> dict[str, Any]:
    words = watched(world, _setting(4), 0, ()).words
    found: dict[str, Any] = {}
    for name, rows in words.items():
        scores = [float(np.mean([_left_out(rows, fold, k, bisect) for fold in range(FOLDS)])) for k in KS]
        found[name] = {"tau": dict(zip(map(str, KS), scores, strict=True)), "knee": knee(KS, scores)}
    return found


def _left_out(rows: FeatureRows, number: int, k: int, bisect: Bisect) -> float:
    fold = np.random.default_rng(0).permutation(len(rows)) % FOLDS
    clusters = bisect(rows.taken(np.flatnonzero(fold != number)), k)
    return float(assigned(rows.taken(np.flatnonzero(fold == number)), clusters.centroids)[1].mean(dtype=np.float64))


def _replayed(world: World, bisect: Bisect, seed: int) -> dict[str, float]:
    def seeded(rows: Any, k: int) -> Partition:
        return bisect(rows, k, seed)

    setting = _setting(2)
    world = seen_in(world, setting)
    judge = judge_for(world, setting)
    clusters = max(fetches_of(SHARE, pages_at_start(world)) // _FETCHES_A_CLUSTER, 2)
    policy = ClusterSampling(k=clusters, cycle=float(world.unit))
    with _clusters_by(seeded):
        done = replay(world, judge.demand, policy, SHARE, setting, judge, lambda _done, _total: None)
    found = Run(judge, done.log, done.moments, done.copies)
    return {measure.name: float(np.nanmean(measure(found))) for measure in MEASURES}


@contextmanager
def _clusters_by(bisect: Callable[[Any, int], Partition]) -> Iterator[None]:
    """The crawl has no setting for this, because nobody but this benchmark would use it."""
    modules: tuple[Any, ...] = (clustering, collection)
    try:
        for module in modules:
            module.bisected = bisect
        yield
    finally:
        for module in modules:
            module.bisected = bisection.bisected
