"""E004-2: are clusters of more even size than sites?

Q. Tan, P. Mitra, Clustering-Based Incremental Web Crawling, TOIS 2010, Figure 2 and Table II: of a mean of 2,847
pages most clusters have 1,000 to 3,000; many sites have fewer than 2,000, and some far more.
"""

import numpy as np

from sought.beliefs.clusters.bisection import bisected
from sought.lab.replay.watched_crawl import watched
from sought.lab.studies.adapter import (
    Claim,
    Figure,
    Finding,
    ResultTable,
    Study,
    StudyContext,
    Value,
    WorldResult,
    claimed,
    finding,
    verdict,
)
from sought.lab.studies.figures import lines
from sought.lab.studies.tan_mitra_2010.cycles import MANY_HOSTS, NEEDS, CycleWorld, Floats, parts_of

WEEKS = 2
CLUSTERS = 100
PAGES_EACH = 10  # of a cluster on average, at the least
LOW, HIGH = 1000 / 2847, 3000 / 2847  # of the mean: most clusters of the paper are between


def run(bench: StudyContext) -> Finding:
    def of(ground: CycleWorld) -> WorldResult:
        if ground.hosts < MANY_HOSTS:
            hosts = "one host" if ground.hosts == 1 else f"{ground.hosts} hosts"
            return WorldResult(ground.world.name, None, f"{hosts}, fewer than {MANY_HOSTS}")
        bench.report(f"clustering {ground.world.name}", 0, 1)
        seen = watched(ground.world, ground.plain, 1, ("static+dynamic",))
        k = min(CLUSTERS, len(seen.page) // PAGES_EACH)
        clusters = bisected(seen.features["static+dynamic"], k).sizes.astype(np.float64)
        sites = np.unique(seen.host, return_counts=True)[1].astype(np.float64)
        bench.report(f"clustering {ground.world.name}", 1, 1)
        return judged(ground.world.name, clusters, sites)

    parts = parts_of(bench, WEEKS, of)
    return finding("E004-2", bench, parts, clusters=CLUSTERS)


def unevenness(sizes: Floats) -> float:
    """Standard deviation over mean."""
    return float(sizes.std() / sizes.mean())


def near_mean(sizes: Floats) -> float:
    """The share of groups that are between LOW and HIGH times the mean."""
    relative = sizes / sizes.mean()
    return float(((relative >= LOW) & (relative <= HIGH)).mean())


def judged(world: str, clusters: Floats, sites: Floats) -> WorldResult:
    claims = [
        Claim(
            "sizes of clusters vary less than those of sites",
            unevenness(clusters) < unevenness(sites),
            f"{unevenness(clusters):.2f} and {unevenness(sites):.2f} of the mean",
        ),
        Claim(
            f"more clusters than sites have {LOW:.2f} to {HIGH:.2f} times the mean",
            near_mean(clusters) > near_mean(sites),
            f"{near_mean(clusters):.0%} and {near_mean(sites):.0%}",
        ),
    ]
    holds, because = verdict(claims)
    groups = {"clusters": clusters, "sites": sites}
    rows: list[list[Value]] = [
        [name, len(s), float(s.mean()), float(np.median(s)), float(s.max()), unevenness(s), near_mean(s)]
        for name, s in groups.items()
    ]
    columns = ["groups", "how many", "mean size", "median", "largest", "deviation / mean", "near the mean"]
    numbers: dict[str, Value] = {f"{row[0]}: {what}": row[at] for row in rows for at, what in enumerate(columns) if at}
    title = f"{world}: sizes of clusters and of sites"
    series = {
        name: (np.linspace(0, 100, len(s)).tolist(), (np.sort(s)[::-1] / s.mean()).tolist())
        for name, s in groups.items()
    }
    drawn = lines(series, "groups by size, % of all", "size, times the mean", f"{title} (E004-2)")
    table = ResultTable(title, columns, rows)
    return WorldResult(world, holds, because, numbers, [claimed(world, claims), table], [Figure(title, drawn)])


CLUSTER_SIZES = Study(
    "E004-2",
    "004",
    "Sizes of clusters and of sites (Figure 2, Table II)",
    "Are clusters of more even size than sites?",
    "sizes of clusters have a smaller deviation, over their mean, than those of sites; and a larger share of them is "
    f"{LOW:.2f} to {HIGH:.2f} times the mean",
    f"{NEEDS}, on at least {MANY_HOSTS} hosts",
    run,
)
