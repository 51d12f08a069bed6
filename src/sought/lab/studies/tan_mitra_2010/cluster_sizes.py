"""Are clusters of more even size than sites?

Q. Tan, P. Mitra, Clustering-Based Incremental Web Crawling, TOIS 2010, Figure 2 and Table II: of a mean of 2,847
pages most clusters have 1,000 to 3,000; many sites have fewer than 2,000, and some far more.
"""

import numpy as np

from sought.beliefs.clusters.bisection import bisected
from sought.lab.replay.watched_crawl import watched
from sought.lab.studies.figures import line_figure
from sought.lab.studies.study import Claim, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.lab.studies.tan_mitra_2010.cycles import MANY_HOSTS, NEEDS, PAPER, CycleWorld, Floats, judging

NAME = f"{PAPER}-figure-2"
WEEKS = 2
CLUSTERS = 100
PAGES_EACH = 10  # of a cluster on average, at the least
LOW, HIGH = 1000 / 2847, 3000 / 2847  # of the mean: most clusters of the paper are between


MORE_EVEN = Statement("sizes of clusters vary less than those of sites (deviation over mean)")
MORE_NEAR_MEAN = Statement(
    f"more clusters than sites have {LOW:.2f} to {HIGH:.2f} times the mean", "most of 1,000 to 3,000, the mean is 2,847"
)


def _look(ground: CycleWorld, context: StudyContext) -> WorldResult:
    if ground.hosts < MANY_HOSTS:
        hosts = "one host" if ground.hosts == 1 else f"{ground.hosts} hosts"
        return WorldResult(lack=f"{hosts}, fewer than {MANY_HOSTS}")
    context.report(f"clustering {ground.world.name}", 0, 1)
    seen = watched(ground.world, ground.plain, 1, ("static+dynamic",))
    k = min(CLUSTERS, len(seen.page) // PAGES_EACH)
    clusters = bisected(seen.features["static+dynamic"], k).sizes.astype(np.float64)
    sites = np.unique(seen.host, return_counts=True)[1].astype(np.float64)
    context.report(f"clustering {ground.world.name}", 1, 1)
    return judged(ground.world.name, clusters, sites)


def unevenness(sizes: Floats) -> float:
    """Standard deviation over mean."""
    return float(sizes.std() / sizes.mean())


def near_mean(sizes: Floats) -> float:
    """The share of groups that are between LOW and HIGH times the mean."""
    relative = sizes / sizes.mean()
    return float(((relative >= LOW) & (relative <= HIGH)).mean())


def judged(world: str, clusters: Floats, sites: Floats) -> WorldResult:
    spread, near = f"{unevenness(clusters):.2f} and {unevenness(sites):.2f}", (near_mean(clusters), near_mean(sites))
    claims = [
        Claim(MORE_EVEN, unevenness(clusters) < unevenness(sites), f"{spread} of the mean"),
        Claim(MORE_NEAR_MEAN, near[0] > near[1], f"{near[0]:.0%} and {near[1]:.0%}"),
    ]
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
    figure = line_figure(NAME, title, series, "groups by size, % of all", "size, times the mean")
    return WorldResult(claims, numbers, [ResultTable(title, columns, rows)], [figure])


CLUSTER_SIZES = Study(
    NAME,
    PAPER,
    "Figure 2, Table II: sizes of clusters and of sites",
    "Are clusters of more even size than sites?",
    f"{NEEDS}, on at least {MANY_HOSTS} hosts",
    (MORE_EVEN, MORE_NEAR_MEAN),
    judging(WEEKS, _look),
    settings={"clusters": CLUSTERS},
    aliases=(f"{PAPER}-table-2", "E004-2"),
)
