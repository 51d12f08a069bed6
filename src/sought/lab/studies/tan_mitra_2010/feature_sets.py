"""E004-4 and E004-7: by which features should pages be clustered?

Q. Tan, P. Mitra, Clustering-Based Incremental Web Crawling, TOIS 2010, Figures 4 and 7.
"""

from collections.abc import Mapping, Sequence
from typing import get_args

from sought.beliefs.clusters.feature_names import Features
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
    FRESH,
    LITTLE,
    MEASURES,
    MUCH,
    NEEDS,
    PRECISE,
    RATIO,
    SOME,
    TWICE,
    CycleWorld,
    Series,
    differ,
    effect,
    mean,
    parts_of,
    told,
)
from sought.policy.cluster_sampling import ClusterSampling
from sought.web.policy import Policy

SHARES, QUICK = (LITTLE, SOME, MUCH), (LITTLE, MUCH)
SETS: tuple[Features, ...] = get_args(Features)
WEEKS = 2
SLACK = 0.005  # of a change ratio
ALIKE = 0.1  # of the mean, by which sets may differ if much can be fetched
WITH: Features = "all"
WITHOUT: Features = "static+dynamic"

Found = Mapping[float, Mapping[str, Series]]


def arms(ground: CycleWorld, sets: Sequence[Features] = SETS) -> dict[str, Policy]:
    return {name: ClusterSampling(k=ground.clusters, features=name, cycle=ground.cycle) for name in sets}


def run_sets(bench: StudyContext) -> Finding:
    shares = QUICK if bench.quick else SHARES

    def of(ground: CycleWorld) -> WorldResult:
        return sets_judged(ground.world.name, {share: ground.series(arms(ground), share, bench) for share in shares})

    parts = parts_of(bench, WEEKS, of)
    return finding("E004-4", bench, parts, shares=list(shares), weeks=WEEKS, slack=SLACK)


def sets_judged(world: str, found: Found) -> WorldResult:
    ratios = {share: {name: mean(series[RATIO]) for name, series in by_set.items()} for share, by_set in found.items()}
    little, much = ratios[min(ratios)], ratios[max(ratios)]
    best = max(little.values())
    spread = (max(much.values()) - min(much.values())) / (sum(much.values()) / len(much))
    both = {name: little[name] for name in (WITHOUT, WITH)}
    claims = [
        Claim("with little, addresses alone are worst", little["url"] <= min(little.values()) + SLACK, told(little)),
        Claim(
            "with little, static and dynamic features together, or all, are best",
            max(both.values()) >= best - SLACK,
            told(little),
        ),
        Claim(
            "with little, dynamic features beat static ones",
            little["dynamic"] > little["static"],
            f"{little['dynamic']:.4f} and {little['static']:.4f}",
        ),
        Claim(f"with much, all differ by at most {ALIKE:.0%} of the mean", spread <= ALIKE, f"{spread:.1%}"),
    ]
    holds, because = verdict(claims)
    numbers: dict[str, Value] = {
        f"{name} at {share:.0%}": plain(value) for share, each in ratios.items() for name, value in each.items()
    }
    twice = {share: mean(by_set["dynamic"][TWICE]) for share, by_set in found.items()}
    numbers |= {f"pages seen twice at {share:.0%}": plain(value) for share, value in twice.items()}
    rows: list[list[Value]] = [[name, *(ratios[share][name] for share in ratios)] for name in little]
    seen = ", ".join(f"{value:.0%}" for value in twice.values())
    note = f"By dynamic features {seen} of the pages had been seen twice, mean over cycles; others have none."
    columns = ["features", *(f"{share:.0%} a cycle" for share in ratios)]
    table = ResultTable(f"{world}: mean change ratio", columns, rows, note)
    title = f"{world}: change ratio by features"
    series = {name: ([100 * share for share in ratios], [each[name] for each in ratios.values()]) for name in little}
    figure = Figure(title, lines(series, "fetches a cycle, % of pages", "mean change ratio", f"{title} (E004-4)"))
    return WorldResult(world, holds, because, numbers, [claimed(world, claims), table], [figure])


def run_ranking(bench: StudyContext) -> Finding:
    def of(ground: CycleWorld) -> WorldResult:
        found = ground.series(arms(ground, (WITHOUT, WITH)), LITTLE, bench)
        return ranking_judged(ground.world.name, found[WITH], found[WITHOUT])

    parts = parts_of(bench, WEEKS, of)
    return finding("E004-7", bench, parts, shares=[LITTLE], weeks=WEEKS)


def ranking_judged(world: str, having: Series, lacking: Series) -> WorldResult:
    """`having` is with ranking features."""
    claims = [
        Claim(f"{name} is alike", not differ(having[name], lacking[name]), _compared(name, having, lacking))
        for name in (RATIO, FRESH)
    ]
    if alike := verdict(claims)[0] and not differ(having[PRECISE], lacking[PRECISE]):
        because = f"{PRECISE} differs by less than its error ({_compared(PRECISE, having, lacking)})"
    else:
        more = mean(having[PRECISE]) > mean(lacking[PRECISE])
        claims.append(Claim(f"{PRECISE} is higher with ranking features", more, _compared(PRECISE, having, lacking)))
        because = verdict(claims)[1]
    holds = None if alike else verdict(claims)[0]
    names = [measure.name for measure in MEASURES]
    rows: list[list[Value]] = [
        [name, mean(having[name]), mean(lacking[name]), *map(plain, _tests(name, having, lacking))] for name in names
    ]
    numbers: dict[str, Value] = {
        f"{row[0]} {what}": row[i] for row in rows for i, what in ((1, "with"), (2, "without"))
    }
    table = ResultTable(
        f"{world}: with and without ranking features", ["measure", "with", "without", "t", "effect"], rows
    )
    title = f"{world}: with and without ranking features"
    cycles = list(range(1, len(having[PRECISE]) + 1))
    series = {"with": (cycles, having[PRECISE].tolist()), "without": (cycles, lacking[PRECISE].tolist())}
    figure = Figure(title, lines(series, "cycle", PRECISE, f"{title} (E004-7)"))
    return WorldResult(world, holds, because, numbers, [claimed(world, claims), table], [figure])


def _tests(name: str, a: Series, b: Series) -> tuple[float, float]:
    return t_statistic(a[name], b[name]), effect(a[name], b[name])


def _compared(name: str, a: Series, b: Series) -> str:
    t, d = _tests(name, a, b)
    return f"{mean(a[name]):.4f} and {mean(b[name]):.4f}, t {t:.2f}, effect {d:.2f}"


FEATURE_SETS = Study(
    "E004-4",
    "004",
    "Feature sets and resources (Figure 4)",
    "By which features should pages be clustered, if few or many can be fetched?",
    f"with {LITTLE:.0%} a cycle addresses alone have the least change ratio, static and dynamic features together (or "
    f"all) the largest, each to within {SLACK}, and dynamic ones more than static ones; with {MUCH:.0%} all are within "
    f"{ALIKE:.0%} of their mean",
    NEEDS,
    run_sets,
)
RANKING_FEATURES = Study(
    "E004-7",
    "004",
    "Ranking features (Figure 7)",
    "Do searchers gain if pages are clustered by their ranks, too?",
    f"with {LITTLE:.0%} a cycle, by all features and by all but ranking: {RATIO} and {FRESH} do not differ (two-sample "
    f"|t| up to 1.96), {PRECISE} is higher with them; if that does not differ either, it cannot be judged",
    NEEDS,
    run_ranking,
)
