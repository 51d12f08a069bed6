"""By which features should pages be clustered?

Q. Tan, P. Mitra, Clustering-Based Incremental Web Crawling, TOIS 2010, Figures 4 and 7.
"""

from collections.abc import Mapping, Sequence
from typing import get_args

from sought.beliefs.clusters.feature_names import Features
from sought.lab.judge.statistics import t_statistic
from sought.lab.studies.figures import line_figure
from sought.lab.studies.study import Claim, ResultTable, Statement, Study, StudyContext, Value, WorldResult, plain
from sought.lab.studies.tan_mitra_2010.cycles import (
    CRITICAL,
    FRESH,
    LITTLE,
    MEASURES,
    MUCH,
    NEEDS,
    PAPER,
    PRECISE,
    RATIO,
    SOME,
    TWICE,
    CycleWorld,
    Series,
    differ,
    effect,
    judging,
    largest_first,
    mean,
    over_cycles,
)
from sought.policy.cluster_sampling import ClusterSampling
from sought.web.policy import Policy

SETS_NAME, RANKING_NAME = f"{PAPER}-figure-4", f"{PAPER}-figure-7"
SHARES, QUICK = (LITTLE, SOME, MUCH), (LITTLE, MUCH)
SETS: tuple[Features, ...] = get_args(Features)
WEEKS = 2
SLACK = 0.005  # of a change ratio
ALIKE = 0.1  # of the mean, by which sets may differ if much can be fetched
WITH: Features = "all"
WITHOUT: Features = "static+dynamic"
URL_WORST, TOGETHER_BEST, DYNAMIC_BETTER, ALL_ALIKE = (
    Statement(f"with little, addresses alone are worst (to within {SLACK})"),
    Statement(f"with little, static and dynamic features together, or all, are best (to within {SLACK})"),
    Statement("with little, dynamic features beat static ones"),
    Statement(f"with much, all differ by at most {ALIKE:.0%} of the mean"),
)
IS_ALIKE = {name: Statement(f"{name} is alike (two-sample |t| up to {CRITICAL})") for name in (RATIO, FRESH)}
IS_HIGHER = Statement(f"{PRECISE} is higher with ranking features")

SeriesBySet = Mapping[float, Mapping[str, Series]]


def arms(ground: CycleWorld, sets: Sequence[Features] = SETS) -> dict[str, Policy]:
    return {name: ClusterSampling(k=ground.clusters, features=name, cycle=ground.cycle) for name in sets}


def _look_at_sets(ground: CycleWorld, context: StudyContext) -> WorldResult:
    shares = QUICK if context.quick else SHARES
    return sets_judged(ground.world.name, {share: ground.series(arms(ground), share, context) for share in shares})


def sets_judged(world: str, by_share: SeriesBySet) -> WorldResult:
    ratios = {
        share: {name: mean(series[RATIO]) for name, series in by_set.items()} for share, by_set in by_share.items()
    }
    little, much = ratios[min(ratios)], ratios[max(ratios)]
    best = max(little.values())
    spread = (max(much.values()) - min(much.values())) / (sum(much.values()) / len(much))
    both = {name: little[name] for name in (WITHOUT, WITH)}
    better = f"{little['dynamic']:.4f} and {little['static']:.4f}"
    claims = [
        Claim(URL_WORST, little["url"] <= min(little.values()) + SLACK, largest_first(little)),
        Claim(TOGETHER_BEST, max(both.values()) >= best - SLACK, largest_first(little)),
        Claim(DYNAMIC_BETTER, little["dynamic"] > little["static"], better),
        Claim(ALL_ALIKE, spread <= ALIKE, f"{spread:.1%}"),
    ]
    numbers: dict[str, Value] = {
        f"{name} at {share:.0%}": plain(value) for share, each in ratios.items() for name, value in each.items()
    }
    twice = {share: mean(by_set["dynamic"][TWICE]) for share, by_set in by_share.items()}
    numbers |= {f"pages seen twice at {share:.0%}": plain(value) for share, value in twice.items()}
    rows: list[list[Value]] = [[name, *(ratios[share][name] for share in ratios)] for name in little]
    seen = ", ".join(f"{value:.0%}" for value in twice.values())
    note = f"By dynamic features {seen} of the pages had been seen twice, mean over cycles; others have none."
    columns = ["features", *(f"{share:.0%} a cycle" for share in ratios)]
    table = ResultTable(f"{world}: mean change ratio", columns, rows, note)
    title = f"{world}: change ratio by features"
    series = {name: ([100 * share for share in ratios], [each[name] for each in ratios.values()]) for name in little}
    figure = line_figure(SETS_NAME, title, series, "fetches a cycle, % of pages", "mean change ratio")
    return WorldResult(claims, numbers, [table], [figure])


def _look_at_ranking(ground: CycleWorld, context: StudyContext) -> WorldResult:
    series = ground.series(arms(ground, (WITHOUT, WITH)), LITTLE, context)
    return ranking_judged(ground.world.name, series[WITH], series[WITHOUT])


def ranking_judged(world: str, having: Series, lacking: Series) -> WorldResult:
    """`having` is with ranking features."""
    names = [measure.name for measure in MEASURES]
    rows: list[list[Value]] = [
        [name, mean(having[name]), mean(lacking[name]), *map(plain, _tests(name, having, lacking))] for name in names
    ]
    numbers: dict[str, Value] = {
        f"{row[0]} {what}": row[i] for row in rows for i, what in ((1, "with"), (2, "without"))
    }
    title = f"{world}: with and without ranking features"
    table = ResultTable(title, ["measure", "with", "without", "t", "effect"], rows)
    figure = over_cycles(RANKING_NAME, title, {"with": having[PRECISE], "without": lacking[PRECISE]}, PRECISE)
    return WorldResult(_ranking_claims(having, lacking), numbers, [table], [figure])


def _ranking_claims(having: Series, lacking: Series) -> list[Claim]:
    """Where nothing differs by more than its error nothing can be judged."""
    differing = {name: differ(having[name], lacking[name]) for name in (RATIO, FRESH, PRECISE)}
    compared = {name: _compared(name, having, lacking) for name in differing}
    if not any(differing.values()):
        less = "none differs by more than its error: "
        return [Claim(s, None, less + compared[n]) for n, s in {**IS_ALIKE, PRECISE: IS_HIGHER}.items()]
    similar = [Claim(statement, not differing[name], compared[name]) for name, statement in IS_ALIKE.items()]
    return [*similar, Claim(IS_HIGHER, mean(having[PRECISE]) > mean(lacking[PRECISE]), compared[PRECISE])]


def _tests(name: str, a: Series, b: Series) -> tuple[float, float]:
    return t_statistic(a[name], b[name]), effect(a[name], b[name])


def _compared(name: str, a: Series, b: Series) -> str:
    t, d = _tests(name, a, b)
    return f"{mean(a[name]):.4f} and {mean(b[name]):.4f}, t {t:.2f}, effect {d:.2f}"


FEATURE_SETS = Study(
    SETS_NAME,
    PAPER,
    "Figure 4: feature sets and resources",
    f"By which features should pages be clustered, if few or many can be fetched ({LITTLE:.0%} or {MUCH:.0%} a cycle)?",
    NEEDS,
    (URL_WORST, TOGETHER_BEST, DYNAMIC_BETTER, ALL_ALIKE),
    judging(WEEKS, _look_at_sets),
    settings={"shares": list(SHARES), "weeks": WEEKS, "slack": SLACK},
    quick_settings={"shares": list(QUICK)},
    aliases=("E004-4",),
)
RANKING_FEATURES = Study(
    RANKING_NAME,
    PAPER,
    "Figure 7: ranking features",
    f"Do searchers gain if pages are clustered by their ranks, too ({LITTLE:.0%} a cycle)?",
    NEEDS,
    (*IS_ALIKE.values(), IS_HIGHER),
    judging(WEEKS, _look_at_ranking),
    settings={"shares": [LITTLE], "weeks": WEEKS},
    aliases=("E004-7",),
)
