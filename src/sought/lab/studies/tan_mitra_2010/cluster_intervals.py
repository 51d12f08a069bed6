"""Do pages of a cluster change equally often?

Q. Tan, P. Mitra, Clustering-Based Incremental Web Crawling, TOIS 2010, Figure 8: the coefficient of variation of
the mean change interval inside clusters.  How often a page was found changed is one of the features, so clusters are
made after the first half of the cycles, in which everything is fetched, and intervals are those of the second half;
those of the first half, which features have seen, are shown beside it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sought.beliefs.clusters.bisection import bisected
from sought.beliefs.clusters.feature_names import Features
from sought.lab.measures.reading import ReadCopies
from sought.lab.replay.watched_crawl import Watched, watched
from sought.lab.studies.figures import line_figure
from sought.lab.studies.study import Claim, ResultTable, Statement, Study, StudyContext, Value, WorldResult, plain
from sought.lab.studies.tan_mitra_2010.cycles import MANY_HOSTS, NEEDS, PAPER, CycleWorld, Floats, judging
from sought.lab.worlds.world import Numbers, World

NAME = f"{PAPER}-figure-8"
WEEKS = 4
KS, QUICK = (5, 10, 25, 50, 75, 100, 150, 200), (5, 10, 25)
FROM = 25  # clusters, from which on groupings are compared
SETS: tuple[Features, ...] = ("static", "dynamic", "all")
FREQUENCY, SITES = "Freq", "sites"
SLACK = 0.01
RISE = 0.02  # that a step may bring against the trend
FALLS = Statement(f"variation falls with the number of clusters (no step raises it by more than {RISE})")
BELOW = {
    (a, b): Statement(f"{a} is below {b} (mean from {FROM} clusters on, to within {SLACK})")
    for a, b in (("all", "dynamic"), ("dynamic", "static"), ("all", FREQUENCY))
}
BELOW_SITES = Statement(
    f"from {FROM} clusters on all is below sites, where there are {MANY_HOSTS} hosts", f"from about {FROM} clusters on"
)

Curves = Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class VariationCurve:
    """The variation inside groups, by how many there are; sites are as many as they are."""

    ks: Sequence[int]
    values: Curves
    sites: float | None = None

    def late(self, name: str) -> float:
        """The mean from `FROM` clusters on."""
        return float(np.mean([v for k, v in zip(self.ks, self.values[name], strict=True) if k >= FROM]))


def _look(ground: CycleWorld, context: StudyContext) -> WorldResult:
    name, cycles = ground.world.name, ground.world.units // 2
    seen = watched(ground.world, ground.plain, cycles, SETS, context.progress(f"watching {name}"))
    ks = [k for k in (QUICK if context.quick else KS) if 2 * k <= len(seen.page)]
    return judged(name, *curves_of(seen, ks, cycles, is_many=ground.hosts >= MANY_HOSTS))


def curves_of(seen: Watched, ks: Sequence[int], cycles: int, *, is_many: bool) -> tuple[VariationCurve, VariationCurve]:
    """Of the second half, and of the first."""
    trees = {name: bisected(table, max(ks)) for name, table in seen.features.items()}
    groups: dict[str, list[Numbers]] = {
        name: [tree.at(k).labels.astype(np.int64) for k in ks] for name, tree in trees.items()
    }
    order = np.lexsort((seen.world.keys[seen.page], seen.frequency))
    place = np.argsort(order)
    groups[FREQUENCY] = [place * k // len(order) for k in ks]
    curves = []
    for first, last in ((cycles, seen.world.units), (0, cycles)):
        intervals = intervals_of(seen.world, seen.page, first, last)
        values = {name: [variation(intervals, each) for each in some] for name, some in groups.items()}
        curves.append(VariationCurve(ks, values, variation(intervals, seen.host) if is_many else None))
    return curves[0], curves[1]


def intervals_of(world: World, pages: Numbers, first: int, last: int) -> Floats:
    """Cycles for each change that pages show between two, seen at every cycle; all of them if there is none."""
    shown = ReadCopies(world).shown
    states = [shown[world.live(world.start + unit * world.unit)[pages]] for unit in range(first, last + 1)]
    changes = sum((a != b).astype(np.float64) for a, b in pairwise(states))
    return np.asarray((last - first) / np.maximum(changes, 1.0))


def variation(intervals: Floats, groups: Numbers) -> float:
    """The mean over groups of two pages or more of deviation over mean."""
    _, group = np.unique(groups, return_inverse=True)
    sizes = np.bincount(group)
    means = np.bincount(group, intervals) / sizes
    deviations = np.sqrt(np.bincount(group, (intervals - means[group]) ** 2) / sizes)
    counted = sizes > 1
    return float((deviations[counted] / means[counted]).mean()) if counted.any() else float("nan")


def judged(world: str, later: VariationCurve, seen: VariationCurve) -> WorldResult:
    """By what came later."""
    late = {name: later.late(name) for name in later.values}
    numbers: dict[str, Value] = {f"{name}, mean from {FROM} clusters on": plain(value) for name, value in late.items()}
    numbers |= {f"{name}, the same in the first half": plain(seen.late(name)) for name in seen.values}
    numbers |= {SITES: later.sites}
    tables = [_table(world, "second half", later), _table(world, "first half", seen)]
    title = f"{world}: variation of change intervals inside groups"
    series = {name: ([float(k) for k in later.ks], list(values)) for name, values in later.values.items()}
    if later.sites is not None:
        series[SITES] = [float(later.ks[0]), float(later.ks[-1])], [later.sites, later.sites]
    figure = line_figure(NAME, title, series, "groups", "mean of deviation over mean")
    return WorldResult(_claims(later, late), numbers, tables, [figure])


def _claims(later: VariationCurve, late: Mapping[str, float]) -> list[Claim]:
    all_ = list(later.values["all"])
    rise = float(np.max(np.diff(all_)))
    trend = f"{all_[0]:.3f} to {all_[-1]:.3f}, largest rise of a step {max(rise, 0.0):.3f}"
    return [
        Claim(FALLS, all_[-1] < all_[0] and rise <= RISE, trend),
        *(
            Claim(statement, late[a] <= late[b] + SLACK, f"{late[a]:.3f} and {late[b]:.3f}")
            for (a, b), statement in BELOW.items()
        ),
        _below_sites(later, all_),
    ]


def _below_sites(later: VariationCurve, all_: Sequence[float]) -> Claim:
    if later.sites is None:
        return Claim(BELOW_SITES, None, "sites are not compared: there are too few")
    largest = max(v for k, v in zip(later.ks, all_, strict=True) if k >= FROM)
    return Claim(BELOW_SITES, largest < later.sites, f"at most {largest:.3f}, and {later.sites:.3f}")


def _table(world: str, when: str, curve: VariationCurve) -> ResultTable:
    rows: list[list[Value]] = [
        [k, *(plain(values[i]) for values in curve.values.values()), curve.sites] for i, k in enumerate(curve.ks)
    ]
    return ResultTable(f"{world}: variation of intervals of the {when}", ["groups", *curve.values, SITES], rows)


ALIKE_INTERVALS = Study(
    NAME,
    PAPER,
    "Figure 8: variation of change intervals inside clusters",
    "Do pages of a cluster change equally often, in cycles after clusters were made?",
    NEEDS,
    (FALLS, *BELOW.values(), BELOW_SITES),
    judging(WEEKS, _look),
    settings={"clusters": list(KS), "weeks": WEEKS},
    quick_settings={"clusters": list(QUICK)},
    aliases=("E004-8",),
)
