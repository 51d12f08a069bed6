"""To how many clusters of words should a page's distances be measured?

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
from sought.lab.studies.figures import line_figure
from sought.lab.studies.study import Claim, ResultTable, Statement, Study, StudyContext, Value, WorldResult, plain
from sought.lab.studies.tan_mitra_2010.cycles import (
    CRITICAL,
    LITTLE,
    NEEDS,
    PAPER,
    RATIO,
    CycleWorld,
    Floats,
    judging,
    largest_first,
    mean,
)
from sought.policy.cluster_sampling import ClusterSampling

NAME = f"{PAPER}-figure-3"
DIMENSIONS, QUICK = (5, 10, 20, 30, 40, 50), (5, 10, 20)
PLATEAU = (10, 20, 30)
WEEKS = 4
SLACK = 0.001  # of a change ratio
LOWEST = Statement(f"with 5 distances the change ratio is lowest (by more than {SLACK})")
LEVEL = Statement(f"it does not differ between 10, 20 and 30 (two-sample |t| up to {CRITICAL})")


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


def _look(ground: CycleWorld, context: StudyContext) -> WorldResult:
    arms = {
        str(dims): WideSampling(k=ground.clusters, weighting="NAD", cycle=ground.cycle, dims=dims)
        for dims in (QUICK if context.quick else DIMENSIONS)
    }
    series_of = ground.series(arms, LITTLE, context)
    return judged(ground.world.name, {int(dims): series[RATIO] for dims, series in series_of.items()})


def judged(world: str, ratios: Mapping[int, Floats]) -> WorldResult:
    means = {str(dims): mean(values) for dims, values in ratios.items()}
    level = {(a, b): t_statistic(ratios[a], ratios[b]) for a, b in combinations([d for d in PLATEAU if d in ratios], 2)}
    steepest = max(level, key=lambda pair: abs(level[pair]))
    least = min(value for dims, value in means.items() if dims != "5")
    steep = f"t {level[steepest]:.2f} between {steepest[0]} and {steepest[1]}"
    claims = [
        Claim(LOWEST, means["5"] < least - SLACK, largest_first(means)),
        Claim(LEVEL, abs(level[steepest]) <= CRITICAL, steep),
    ]
    spread = max(means.values()) - min(means.values())
    numbers: dict[str, Value] = {f"change ratio with {dims}": plain(value) for dims, value in means.items()}
    numbers["largest less least"] = plain(spread)
    rows: list[list[Value]] = [[dims, plain(value)] for dims, value in means.items()]
    table = ResultTable(f"{world}: mean change ratio", ["distances to words", "change ratio"], rows)
    title = f"{world}: change ratio by distances to words"
    series = {"CLS-NAD": ([float(dims) for dims in means], list(means.values()))}
    figure = line_figure(NAME, title, series, "clusters of words", "mean change ratio")
    return WorldResult(claims, numbers, [table], [figure])


WORD_DIMENSIONS = Study(
    NAME,
    PAPER,
    "Figure 3: distances to clusters of words",
    "To how many clusters of words should a page's distances be measured?",
    NEEDS,
    (LOWEST, LEVEL),
    judging(WEEKS, _look),
    settings={"shares": [LITTLE], "weeks": WEEKS, "dimensions": list(DIMENSIONS)},
    quick_settings={"dimensions": list(QUICK)},
    aliases=("E004-3",),
)
