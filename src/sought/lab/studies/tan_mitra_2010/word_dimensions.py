"""E004-3: how many clusters of words should a page's distances be told to?

Q. Tan, P. Mitra, Clustering-Based Incremental Web Crawling, TOIS 2010, Figure 3: the change ratio by the number
of distances to word clusters, of content and of addresses alike.  A crawl has ten; here it is a choice.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from sought.beliefs.belief import Supplier
from sought.beliefs.clusters.clustering import Closeness, ClosenessSupplier, Cluster, ClusterSupplier
from sought.beliefs.cycle_change import CycleChange
from sought.beliefs.holdings import Holdings
from sought.lab.judge.statistics import t_statistic
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
    plain,
    verdict,
)
from sought.lab.studies.figures import lines
from sought.lab.studies.tan_mitra_2010.cycles import (
    CRITICAL,
    LITTLE,
    NEEDS,
    RATIO,
    CycleWorld,
    Floats,
    mean,
    parts_of,
    told,
)
from sought.policy.cluster_sampling import ClusterSampling

DIMENSIONS, QUICK = (5, 10, 20, 30, 40, 50), (5, 10, 20)
PLATEAU = (10, 20, 30)
WEEKS = 4
SLACK = 0.001  # of a change ratio


@dataclass(frozen=True)
class WideCluster(Cluster):
    """Clusters by features with so many distances to clusters of words, and as many of words of addresses."""

    dims: int = 10

    def supplier(self, holdings: Holdings) -> Supplier:
        return ClusterSupplier(self, holdings, self.dims)


@dataclass(frozen=True)
class WideCloseness(Closeness):
    dims: int = 10

    def supplier(self, holdings: Holdings) -> Supplier:
        return ClosenessSupplier(self, holdings, self.dims)


@dataclass(frozen=True)
class WideSampling(ClusterSampling):
    """ClusterSampling by these."""

    dims: int = 10

    @property
    def beliefs(self) -> tuple[Cluster, Closeness, CycleChange]:
        *_, change = super().beliefs
        clusters = self.k, self.features, self.dims
        return WideCluster(*clusters), WideCloseness(*clusters), change


def run(bench: StudyContext) -> Finding:
    dimensions = QUICK if bench.quick else DIMENSIONS

    def of(ground: CycleWorld) -> WorldResult:
        arms = {
            str(dims): WideSampling(k=ground.clusters, weighting="NAD", cycle=ground.cycle, dims=dims)
            for dims in dimensions
        }
        found = ground.series(arms, LITTLE, bench)
        return judged(ground.world.name, {int(dims): series[RATIO] for dims, series in found.items()})

    parts = parts_of(bench, WEEKS, of)
    return finding("E004-3", bench, parts, shares=[LITTLE], weeks=WEEKS, dimensions=list(dimensions))


def judged(world: str, found: Mapping[int, Floats]) -> WorldResult:
    means = {str(dims): mean(values) for dims, values in found.items()}
    level = {(a, b): t_statistic(found[a], found[b]) for a, b in combinations([d for d in PLATEAU if d in found], 2)}
    steepest = max(level, key=lambda pair: abs(level[pair]))
    least = min(value for dims, value in means.items() if dims != "5")
    claims = [
        Claim("with 5 distances the change ratio is lowest", means["5"] < least - SLACK, told(means)),
        Claim(
            "it does not differ between 10, 20 and 30",
            abs(level[steepest]) <= CRITICAL,
            f"t {level[steepest]:.2f} between {steepest[0]} and {steepest[1]}",
        ),
    ]
    holds, because = verdict(claims)
    spread = max(means.values()) - min(means.values())
    numbers: dict[str, Value] = {f"change ratio with {dims}": plain(value) for dims, value in means.items()}
    numbers["largest less least"] = plain(spread)
    rows: list[list[Value]] = [[dims, plain(value)] for dims, value in means.items()]
    table = ResultTable(f"{world}: mean change ratio", ["distances to words", "change ratio"], rows)
    title = f"{world}: change ratio by distances to words"
    series = {"CLS-NAD": ([float(dims) for dims in means], list(means.values()))}
    figure = Figure(title, lines(series, "clusters of words", "mean change ratio", f"{title} (E004-3)"))
    return WorldResult(world, holds, because, numbers, [claimed(world, claims), table], [figure])


WORD_DIMENSIONS = Study(
    "E004-3",
    "004",
    "Distances to clusters of words (Figure 3)",
    "How many clusters of words should a page's distances be told to?",
    f"with {LITTLE:.0%} a cycle of {WEEKS} weeks, NAD, confidence 80 %: 5 distances have the least change ratio (by "
    f"more than {SLACK}); 10, 20 and 30 do not differ (two-sample |t| up to {CRITICAL})",
    NEEDS,
    run,
)
