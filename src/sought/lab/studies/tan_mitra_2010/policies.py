"""Do clusters find more changes than sites, directories, links, or what each page did before?

Q. Tan, P. Mitra, Clustering-Based Incremental Web Crawling, TOIS 2010, Figure 6.  Their text says both that all
policies of limited resources are very similar in MP@10 and that every difference is significant; what is asked of MP@10
here is the former.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple, get_args

import numpy as np

from sought.beliefs.cycle_change import Weighting
from sought.lab.judge.statistics import t_statistic
from sought.lab.measures.reading import ReadCopies
from sought.lab.replay.run import run_of_states
from sought.lab.replay.setting import moments_of
from sought.lab.studies.cells import judge_for
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
from sought.lab.studies.tan_mitra_2010.cycles import (
    AGAIN,
    CRITICAL,
    FRESH,
    LITTLE,
    MANY_HOSTS,
    MEASURES,
    MOST_CLUSTERS,
    NEEDS,
    PAPER,
    PRECISE,
    RATIO,
    CycleWorld,
    Series,
    effect,
    judging,
    largest_first,
    mean,
    over_cycles,
    paired,
)
from sought.lab.worlds.files import open_world
from sought.lab.worlds.world import World
from sought.policy import Random, RoundRobin
from sought.policy.cluster_sampling import ClusterSampling
from sought.policy.directory_sampling import DirectorySampling
from sought.policy.frequency import Frequency
from sought.policy.link_sampling import LinkSampling
from sought.policy.site_sampling import SiteSampling
from sought.web.policy import Policy

NAME = f"{PAPER}-figure-6"
WEEKS = 2
WEIGHTINGS: tuple[Weighting, ...] = get_args(Weighting)
CLUSTERS = tuple(f"CLS-{weighting}" for weighting in WEIGHTINGS)
MANY, CHANCE = f"CLS-GAD, {MOST_CLUSTERS} clusters", "CLS-GAD, random samples"
FEW = "CLS-NAD, content, 2 random samples"
ASIDE = (MANY, CHANCE, FEW)  # not asked to be better than anybody
RIVALS = ("SLS", "DB", "LB", "Freq", "RR", "Rand")
IDEAL = "Ideal"
SIMILAR = 0.02  # of MP@10
ABOVE = {
    name: Statement(
        f"in {name} each CLS is above each rival, t > {CRITICAL} ({LITTLE:.0%} in each cycle of {WEEKS} weeks)",
        f"t > {CRITICAL}",
    )
    for name in (RATIO, FRESH)
}
ALL_SIMILAR = Statement(
    f"{PRECISE} of all of them differs by at most {SIMILAR}", "very similar, and every difference significant"
)
IDEAL_BEST = Statement("Ideal is best in all")

SeriesByPolicy = Mapping[str, Series]


def arms(ground: CycleWorld) -> dict[str, Policy]:
    """Sites are no rivals where there is one."""
    cycle, k = ground.cycle, ground.clusters
    policies: dict[str, Policy] = {
        f"CLS-{weighting}": ClusterSampling(k=k, weighting=weighting, cycle=cycle) for weighting in WEIGHTINGS
    }
    if k < MOST_CLUSTERS:
        policies[MANY] = ClusterSampling(k=MOST_CLUSTERS, cycle=cycle)
    policies[CHANCE] = ClusterSampling(k=k, cycle=cycle, sample="random")
    policies[FEW] = ClusterSampling(k, "content", "NAD", cycle=cycle, delta=1.0, least=2, sample="random")
    if ground.hosts >= MANY_HOSTS:
        policies["SLS"] = SiteSampling(cycle=cycle)
    others = (DirectorySampling(cycle=cycle), LinkSampling(cycle=cycle), Frequency(), RoundRobin(), Random())
    return policies | dict(zip(RIVALS[1:], others, strict=True))


def _look(ground: CycleWorld, context: StudyContext) -> WorldResult:
    by_policy = ground.series(arms(ground), LITTLE, context) | {IDEAL: _ideal(ground)}
    return judged(ground.world.name, by_policy, tempo_of(ground.world))


def _ideal(ground: CycleWorld) -> Series:
    """Whatever is other than the copy, be it in its links alone, is fetched at once, and nothing else is."""
    judge = judge_for(open_world(ground.folder), ground.setting)
    moments = moments_of(judge.world, ground.setting)
    states = [judge.world.live(time) for time in moments.tolist()]
    run = run_of_states(judge, moments, states, judge.world.live(judge.world.start))
    return {measure.name: measure(run) for measure in MEASURES} | {AGAIN: np.full(len(moments), np.nan)}


class Tempo(NamedTuple):
    """How many pages change in a cycle; how many of those that change most, if so many are taken as can be fetched; and
    the share of copies that would differ under round-robin.
    """

    all: float
    fastest: float
    round_robin: float


def tempo_of(world: World) -> Tempo:
    """In hindsight: a policy that goes by the change of one cycle cannot exceed `fastest` for long."""
    shown, lag = ReadCopies(world).shown, min(round(1.0 / LITTLE), world.units)
    pages = np.flatnonzero(world.live(world.start) >= 0)
    states = np.array([shown[world.live(world.start + unit * world.unit)[pages]] for unit in range(world.units + 1)])
    often = np.sort((states[1:] != states[:-1]).mean(axis=0))[::-1]
    fastest = often[: max(1, round(LITTLE * len(pages)))]
    return Tempo(float(often.mean()), float(fastest.mean()), float((states[lag:] != states[:-lag]).mean()))


def judged(world: str, by_policy: SeriesByPolicy, tempo: Tempo | None = None) -> WorldResult:
    limited = {name: series for name, series in by_policy.items() if name != IDEAL}
    clusters, rivals = ([each for each in names if each in by_policy] for names in (CLUSTERS, RIVALS))
    above = [_above(by_policy, measure, clusters, rivals, tempo) for measure in (RATIO, FRESH)]
    precise = {name: mean(series[PRECISE]) for name, series in limited.items()}
    gap = max(precise.values()) - min(precise.values())
    claims = [*above, Claim(ALL_SIMILAR, gap <= SIMILAR, largest_first(precise)), _ideal_is_best(by_policy, limited)]
    names = (RATIO, FRESH, PRECISE, AGAIN)
    numbers: dict[str, Value] = {
        f"{name} {measure}": plain(mean(series[measure]))
        for measure, (name, series) in product(names, by_policy.items())
    }
    numbers |= {f"pages that change, {name}": value for name, value in (tempo._asdict() if tempo else {}).items()}
    tables = [_means(world, by_policy), _tests(world, by_policy, clusters, rivals)]
    return WorldResult(claims, numbers, tables, [_figure(world, by_policy, name) for name in (RATIO, FRESH)])


def _above(
    by_policy: SeriesByPolicy, measure: str, clusters: Sequence[str], rivals: Sequence[str], tempo: Tempo | None
) -> Claim:
    """By the pair that is nearest to failing, and how many do; and why that may be."""
    pairs = {(a, b): t_statistic(by_policy[a][measure], by_policy[b][measure]) for a, b in product(clusters, rivals)}
    worst = min(pairs, key=lambda pair: np.nan_to_num(pairs[pair], nan=-np.inf))
    won = sum(t > CRITICAL for t in pairs.values())
    ahead = sum(mean(by_policy[a][measure]) > mean(by_policy[b][measure]) for a, b in pairs)
    numbers = " and ".join(f"{name} {mean(by_policy[name][measure]):.4f}" for name in worst)
    text = f"ahead in {ahead} and significantly in {won} of {len(pairs)} pairs; least t {pairs[worst]:.2f}: {numbers}"
    if tempo:
        text += (
            f"; in a cycle {tempo.all:.1%} of the pages change, {tempo.fastest:.1%} of the {LITTLE:.0%} that change "
            f"most, and under round-robin {tempo.round_robin:.1%} of the copies would differ"
        )
    if "SLS" not in by_policy:
        text += "; sites are not compared: there are too few"
    return Claim(ABOVE[measure], won == len(pairs), text)


def _ideal_is_best(by_policy: SeriesByPolicy, limited: SeriesByPolicy) -> Claim:
    names = [measure.name for measure in MEASURES]
    best = {name: max(mean(series[name]) for series in limited.values()) for name in names}
    ideal = {name: mean(by_policy[IDEAL][name]) for name in names}
    text = "; ".join(f"{name} {ideal[name]:.4f} and {best[name]:.4f}" for name in names)
    return Claim(IDEAL_BEST, all(ideal[name] >= best[name] for name in names), text)


def _means(world: str, by_policy: SeriesByPolicy) -> ResultTable:
    names = [*(measure.name for measure in MEASURES), AGAIN]
    rows: list[list[Value]] = [
        [name, *(plain(mean(series[each])) for each in names)] for name, series in by_policy.items()
    ]
    note = "In the paper: CLS above all rivals in the first two, MP@10 much the same; figures only."
    return ResultTable(f"{world}: means over cycles", ["policy", *names], rows, note)


def _tests(world: str, by_policy: SeriesByPolicy, clusters: Sequence[str], rivals: Sequence[str]) -> ResultTable:
    rows: list[list[Value]] = []
    for measure, a, b in product(MEASURES, clusters, rivals):
        first, second = by_policy[a][measure.name], by_policy[b][measure.name]
        tests = t_statistic(first, second), effect(first, second), paired(first, second)
        rows.append([measure.name, a, b, plain(mean(first) - mean(second)), *map(plain, tests)])
    columns = ["measure", "policy", "rival", "difference", "t", "effect (Cohen's d)", "paired t"]
    return ResultTable(
        f"{world}: differences", columns, rows, "A cycle that is hard for one is hard for all: see paired t."
    )


def _figure(world: str, by_policy: SeriesByPolicy, measure: str) -> Figure:
    shown = {name: series[measure] for name, series in by_policy.items() if name not in ASIDE}
    return over_cycles(NAME, f"{world}: {measure} over time", shown, measure)


POLICIES_COMPARED = Study(
    NAME,
    PAPER,
    "Figure 6: all policies",
    f"Do clusters find more changes than their rivals ({', '.join(RIVALS)}; SLS takes at least {MANY_HOSTS} hosts)?",
    NEEDS,
    (*ABOVE.values(), ALL_SIMILAR, IDEAL_BEST),
    judging(WEEKS, _look),
    settings={"shares": [LITTLE], "weeks": WEEKS},
    aliases=("E004-6",),
)
