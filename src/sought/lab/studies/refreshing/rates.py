"""Do pages change as often as estimators say?

An observer fetches a world's pages in rotation.  Before each look every estimator says with what chance the page has
changed since the last one, 1 − e^{−λ·gap}, by what was seen until then; each fetch then shows the truth.
"""

import asyncio
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.bayes_rate import BayesRate
from sought.beliefs.belief import Estimator
from sought.beliefs.clusters.clustering import Cluster
from sought.beliefs.interval_rate import IntervalRate
from sought.beliefs.last_modified_rate import LastModifiedRate
from sought.beliefs.moment_rate import MomentRate
from sought.beliefs.online_rate import OnlineRate
from sought.beliefs.regular_rate import RegularRate
from sought.crawl.cycle import beliefs_in
from sought.lab.replay.observers import LEAST, Everywhere, Forecasts, fetches_in_rotation, forecasts_of, pages_of
from sought.lab.replay.replay import Replay
from sought.lab.replay.setting import Setting
from sought.lab.studies.cells import judge_for
from sought.lab.studies.figures import line_figure
from sought.lab.studies.study import (
    Claim,
    Figure,
    ResultTable,
    Statement,
    Study,
    StudyContext,
    Value,
    WorldResult,
    plain,
)
from sought.lab.worlds.files import open_world
from sought.lab.worlds.world import World
from sought.policy.optimal_freshness import OptimalFreshness

EVERY, QUICK = (1, 5, 20), (1, 5)  # units between two looks at a page
FEWEST = 200  # forecasts
EVEN = 0.001  # of likelihood: as good
SLOPES, RATIOS = (0.5, 1.5), (0.67, 1.5)  # of what is well calibrated

ALIKE, BAYES, BY_CLUSTER, BY_DATES = "all alike", "Bayes, host", "Bayes, cluster", "last modified"
OF_PAGES: Mapping[str, Estimator] = {
    "regular": RegularRate(),
    "interval": IntervalRate(),
    "moment": MomentRate(),
    "online": OnlineRate(),
}
BITS: Mapping[str, Estimator] = {ALIKE: Everywhere(), **OF_PAGES, "Bayes, same": BayesRate("same"), BAYES: BayesRate()}
ESTIMATORS: Mapping[str, Estimator] = {**BITS, BY_CLUSTER: BayesRate("cluster"), BY_DATES: LastModifiedRate()}

BEST = Statement(f"seen rarely, Bayes with the host's prior foretells best by bits (log-likelihood, within {EVEN})")
ALONE_WORSE = Statement("seen rarely, each page by itself foretells worse than that all are alike")
OFTEN_BETTER = Statement("seen in every unit, Bayes foretells better than that all are alike")
CLUSTER_BETTER = Statement("seen rarely, the cluster's prior foretells better than the host's")
CALIBRATED = Statement(
    f"Bayes is calibrated: slope {SLOPES[0]} to {SLOPES[1]}, expected over found {RATIOS[0]} to {RATIOS[1]}"
)

Floats = NDArray[np.float64]
ForecastsByInterval = Mapping[int, Mapping[str, Forecasts]]  # by units between two looks, and estimator


def judge(folder: Path, context: StudyContext) -> WorldResult:
    world = open_world(folder)
    intervals = [every for every in (QUICK if context.quick else EVERY) if every * 2 <= world.units]
    if not intervals:
        return WorldResult(lack="it has too few moments")
    context.report(f"clusters of {world.name}", 0, 1)
    pages, forecasts = pages_of(world, {Cluster(): clusters_of(world)}), {}
    for done, every in enumerate(intervals):
        context.report(f"forecasts for {world.name}", done, len(intervals))
        forecasts[every] = forecasts_of(ESTIMATORS, list(fetches_in_rotation(world, every)), pages)
    context.report(f"forecasts for {world.name}", len(intervals), len(intervals))
    rarely = forecasts[max(intervals)][BAYES]
    if len(rarely) < FEWEST or not rarely.changed.any():
        return WorldResult(lack=f"fewer than {FEWEST} looks at pages, or no change")
    tables = [_table(world.name, forecasts), _reliability(world.name, forecasts[max(intervals)])]
    numbers = {**course_of(world), **_numbers(forecasts)}
    return WorldResult(claims_of(forecasts), numbers, tables, [_figure(world.name, forecasts[max(intervals)])])


def course_of(world: World) -> dict[str, Value]:
    """Whether pages change evenly and independently, as estimators assume.

    The share of pages that change in a unit, by half of the units; and of all changes that in the three busiest.
    """
    seen = [each.changed[np.isfinite(each.gap)] for each in fetches_in_rotation(world, 1)]
    middle = (len(seen) + 1) // 2
    first, second = (float(np.concatenate(each).mean()) for each in (seen[1:middle], seen[middle:]))
    changes = sorted(np.count_nonzero(each) for each in seen)
    return {
        "changes of a page and unit, first half": first,
        "second half": second,
        "share of changes in the three busiest units": sum(changes[-3:]) / max(sum(changes), 1),
    }


def clusters_of(world: World) -> Floats:
    """The cluster of each page that a crawl holds at the start; -1 for others, and for those that come later."""
    policy, setting = OptimalFreshness(BayesRate("cluster")), Setting()
    with tempfile.TemporaryDirectory(prefix="sought-lab-") as folder:
        run = Replay(Path(folder), world, judge_for(world, setting).demand, policy, setting)
        try:
            asyncio.run(run.start())
            pages = beliefs_in(run.directory, policy).pages()
            key, cluster = pages.key.copy(), pages.belief(Cluster()).copy()
        finally:
            run.directory.abandon()
    order = np.argsort(key)
    at = np.searchsorted(key, world.keys, sorter=order).clip(max=len(order) - 1)
    return np.where(key[order[at]] == world.keys, cluster[order[at]], -1.0)


def claims_of(forecasts: ForecastsByInterval) -> list[Claim]:
    often, rarely = forecasts[min(forecasts)], forecasts[max(forecasts)]
    bayes, uniform, bits = rarely[BAYES], rarely[ALIKE], {name: rarely[name] for name in BITS}
    best = max(bits, key=lambda name: bits[name].likelihood)
    most = max((rarely[name].likelihood, name) for name in OF_PAGES)
    return [
        Claim(
            BEST,
            bayes.likelihood >= bits[best].likelihood - EVEN,
            f"{bayes.likelihood:.4f}, {best} {bits[best].likelihood:.4f}",
        ),
        Claim(
            ALONE_WORSE,
            most[0] < uniform.likelihood,
            f"{most[1]} {most[0]:.4f}, all alike {uniform.likelihood:.4f}",
        ),
        Claim(
            OFTEN_BETTER,
            often[BAYES].likelihood > often[ALIKE].likelihood,
            f"{often[BAYES].likelihood:.4f}, all alike {often[ALIKE].likelihood:.4f}",
        ),
        Claim(
            CLUSTER_BETTER,
            rarely[BY_CLUSTER].likelihood > bayes.likelihood,
            f"{rarely[BY_CLUSTER].likelihood:.4f}, {bayes.likelihood:.4f}",
        ),
        Claim(
            CALIBRATED,
            all(_is_calibrated(each[BAYES]) for each in forecasts.values()),
            "; ".join(f"every {e}: {each[BAYES].slope:.2f}, {each[BAYES].ratio:.2f}" for e, each in forecasts.items()),
        ),
    ]


def _is_calibrated(made: Forecasts) -> bool:
    return SLOPES[0] <= made.slope <= SLOPES[1] and RATIOS[0] <= made.ratio <= RATIOS[1]


def _numbers(forecasts: ForecastsByInterval) -> dict[str, Value]:
    return {
        f"{name}, every {every}: log-likelihood": plain(made.likelihood)
        for every, by_name in forecasts.items()
        for name, made in by_name.items()
    }


def _table(world: str, forecasts: ForecastsByInterval) -> ResultTable:
    columns = ["estimator", "units between looks", "forecasts", "log-likelihood", "of the first 3 of a page", "Brier"]
    rows: list[list[Value]] = []
    for every, by_name in forecasts.items():
        for name, made in by_name.items():
            first = made.some(made.before < 3)
            scores = [plain(each) for each in (made.likelihood, first.likelihood, made.brier, made.slope, made.ratio)]
            rows.append([name, every, len(made), *scores])
    note = f"Chances below {LEAST} or above {1 - LEAST} count as these in the log-likelihood."
    return ResultTable(f"{world}: forecasts of changes", [*columns, "slope", "expected over found"], rows, note)


def _reliability(world: str, by_name: Mapping[str, Forecasts]) -> ResultTable:
    rows: list[list[Value]] = [[name, *row] for name, made in by_name.items() for row in made.table()]
    return ResultTable(
        f"{world}: reliability where pages are seen rarely", ["estimator", "forecast", "observed", "forecasts"], rows
    )


def _figure(world: str, by_name: Mapping[str, Forecasts]) -> Figure:
    title = f"{world}: chances of a change, forecast and observed, where pages are seen rarely"
    series = {
        name: ([s for s, _, _ in made.table()], [c for _, c, _ in made.table()]) for name, made in by_name.items()
    }
    series["as it should be"] = ([0.0, 1.0], [0.0, 1.0])
    return line_figure("rates", title, series, "forecast chance of a change", "share that had changed")


RATES_STUDY = Study(
    "rates",
    "",
    "Calibration of change rates",
    "Do pages change as often as estimators say?",
    "a world of at least ten units",
    (BEST, ALONE_WORSE, OFTEN_BETTER, CLUSTER_BETTER, CALIBRATED),
    judge,
    settings={"every": list(EVERY)},
)
