"""X7: which pages does a page resemble: all, those of its host, or those of its cluster?

Each prior of the change rate is judged by the first 24 looks at a page (as in rates.py), and by what a refresh rule
makes of it in the first half of the year.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from sought.beliefs.bayes_rate import BayesRate
from sought.beliefs.clusters.clustering import Cluster
from sought.lab.replay.observers import Forecasts, fetches_in_rotation, forecasts_of, pages_of
from sought.lab.studies.bounds import lacks
from sought.lab.studies.grid import QUALITY, Grid
from sought.lab.studies.refreshing.rates import FEWEST, clusters_of
from sought.lab.studies.refreshing.refresh import by
from sought.lab.studies.study import Claim, ResultTable, Statement, Study, StudyContext, Value, WorldResult, plain
from sought.lab.studies.worth.arms import NEEDS
from sought.lab.worlds.files import open_world
from sought.lab.worlds.world import World
from sought.policy.optimal_freshness import OptimalFreshness

PRIORS: Mapping[str, BayesRate] = {
    "none": BayesRate("same"),
    "host": BayesRate("host"),
    "cluster": BayesRate("cluster"),
}
CLUSTER = "cluster"
LOOKS = 24
EVERY, QUICK = (1, 5, 20), (1,)  # units between two looks
BUDGET = 0.05
EVEN = 0.001  # of quality
FORETELLS = Statement(
    f"of the first {LOOKS} looks at a page the cluster's prior foretells more (log-likelihood) than the host's and "
    "than that of all pages"
)
AS_GOOD = Statement(f"at {BUDGET:.0%} quality in the first half is at most {EVEN} below that by another prior")

ForecastsByInterval = Mapping[int, Mapping[str, Forecasts]]  # by units between two looks, and prior


def judge(folder: Path, context: StudyContext) -> WorldResult:
    world = open_world(folder)
    if lack := lacks(world):
        return WorldResult(lack=lack)
    intervals = [every for every in (QUICK if context.quick else EVERY) if every * 2 <= world.units]
    priors = forecasts(world, intervals) if intervals else {}
    if not priors or min(len(each[CLUSTER]) for each in priors.values()) < FEWEST:
        return WorldResult(lack=f"fewer than {FEWEST} looks at pages")
    return result_of(world.name, priors, early(folder, context))


def forecasts(world: World, intervals: Sequence[int]) -> dict[int, dict[str, Forecasts]]:
    """Of the first looks at each page."""
    pages, forecasts = pages_of(world, {Cluster(): clusters_of(world)}), {}
    for every in intervals:
        each = forecasts_of(PRIORS, list(fetches_in_rotation(world, every)), pages)
        forecasts[every] = {name: made.some(made.before < LOOKS) for name, made in each.items()}
    return forecasts


def early(folder: Path, context: StudyContext) -> dict[str, float]:
    """Mean quality in the first half of the units, by prior."""
    arms = {name: by(OptimalFreshness(rate, "views")) for name, rate in PRIORS.items()}
    replayed = Grid(arms, (BUDGET,)).replay(folder, context)
    series = {name: replayed[name].series(QUALITY) for name in arms}
    return {name: float(np.mean(values[: max(1, len(values) // 2)])) for name, values in series.items()}


def result_of(world: str, forecasts: ForecastsByInterval, quality: Mapping[str, float]) -> WorldResult:
    numbers: dict[str, Value] = {
        f"prior {name}, every {every}: log-likelihood of the first {LOOKS}": plain(made.likelihood)
        for every, each in forecasts.items()
        for name, made in each.items()
    }
    numbers |= {f"prior {name}: quality in the first half": value for name, value in quality.items()}
    rows: list[list[Value]] = [
        [name, every, len(made), *(plain(one) for one in (made.likelihood, made.brier, made.slope, quality[name]))]
        for every, each in forecasts.items()
        for name, made in each.items()
    ]
    columns = ["prior", "units between looks", "looks", "log-likelihood", "Brier", "slope", "quality in the first half"]
    return WorldResult(claims_of(forecasts, quality), numbers, [ResultTable(f"{world}: priors", columns, rows)])


def claims_of(forecasts: ForecastsByInterval, quality: Mapping[str, float]) -> list[Claim]:
    claims = []
    for every, each in forecasts.items():
        others = {name: made.likelihood for name, made in each.items() if name != CLUSTER}
        best, ours = max(others, key=others.__getitem__), each[CLUSTER].likelihood
        says = f"{ours:.4f}, {best} {others[best]:.4f}"
        claims.append(Claim(FORETELLS, ours > others[best], says, f"seen every {every} units"))
    rest = {name: value for name, value in quality.items() if name != CLUSTER}
    best = max(rest, key=rest.__getitem__)
    says = f"{quality[CLUSTER]:.4f}, {best} {rest[best]:.4f}"
    return [*claims, Claim(AS_GOOD, quality[CLUSTER] >= rest[best] - EVEN, says)]


CLUSTERS = Study(
    "worth-clusters",
    "",
    "Priors of change rates: none, host, cluster (X7)",
    "Do pages of a cluster change alike, so that a page can be judged by the others?",
    f"{NEEDS}, {FEWEST} looks at pages",
    (FORETELLS, AS_GOOD),
    judge,
    settings={"every": list(EVERY), "looks": LOOKS, "budget": BUDGET},
    aliases=("X7",),
)
