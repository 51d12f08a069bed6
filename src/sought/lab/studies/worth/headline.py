"""Is Worth better than every published policy, on queries it has not seen?  The headline.

    warm      the repository is in step at the start, and the site lives on for a year
    cold      only the seeds are known
    frontier  half of the pages are crawled, and only the others may be fetched

Loss is 1 − quality.  The gap is that from round-robin (breadth first where only new pages count) to the ceiling, which
knows all pages, links or no links, and what each would gain now.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from sought.lab.measures.calibration import Which, calibrated
from sought.lab.replay.oracles import IdealRanking
from sought.lab.replay.setting import Setting, fetches_of, pages_at_start
from sought.lab.studies.bounds import lacks
from sought.lab.studies.figures import line_figure
from sought.lab.studies.grid import Grid
from sought.lab.studies.over_budgets import by_policy, shown
from sought.lab.studies.refreshing.refresh import LARGE, ROUND_ROBIN, by
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
from sought.lab.studies.worth.arms import (
    CEILING,
    CLAIRVOYANT,
    ENDS,
    NEEDS,
    WORTH,
    ArmQuality,
    WorthArm,
    arms_table,
    at,
    best_published,
    budgets_in,
    impact_first,
    measured,
)
from sought.lab.worlds.files import open_world
from sought.operate.calibration import Calibration
from sought.policy import (
    BreadthFirst,
    DemandFirst,
    Learned,
    Never,
    Opic,
    PageRank,
    Random,
    RandomWalk,
    RoundRobin,
    SearchImpact,
    Split,
    UserCentric,
)
from sought.policy.cluster_sampling import ClusterSampling
from sought.policy.lambda_crawl import LambdaCrawl
from sought.policy.longevity import Longevity
from sought.policy.nutch import Nutch
from sought.policy.optimal_freshness import OptimalFreshness
from sought.web.policy import Policy

AIMED = (0.01, 0.05)  # budgets at which the loss must be halved
RATIO, SHARE, EXCELLENT = 0.5, 0.5, 2 / 3  # of the loss of the best published; of the gap
LESS: Mapping[tuple[str, float], float] = {("ghdocs-2022", 0.01): 0.25}  # of the gap, where a year changes most pages
UNITS = 10  # of a frontier
BREADTH_FIRST = "BreadthFirst"
BETTER = Statement("warm, cold and at a frontier, at every budget: better than every published policy")
NOT_BELOW = Statement("not clearly (95 % interval) below round-robin, nor below any published policy")
HALF_THE_LOSS = Statement(
    f"warm at {' and '.join(f'{each:.0%}' for each in AIMED)} of the pages a week: at most {RATIO:.0%} of the loss of "
    "the best published"
)
HALF_THE_GAP = Statement(
    f"and at least {SHARE:.0%} of the gap from round-robin to the ceiling "
    f"({', '.join(f'{least:.0%} on {world} at {budget:.0%}' for (world, budget), least in LESS.items())})"
)

_BY_VIEWS: Mapping[str, Policy] = {
    "LambdaCrawl, views": LambdaCrawl(),
    "OptimalFreshness, views": OptimalFreshness(weight="views"),
    "Longevity, views": Longevity(weight="views"),
}
WARM: Mapping[str, WorthArm] = {
    "Never": WorthArm(Never(), "floor"),
    "UserCentric": WorthArm(by(UserCentric()), "pandey-olston-2005"),
    "UserCentric, impact first": WorthArm(impact_first(UserCentric()), "pandey-olston-2005"),
    **{name: WorthArm(by(rule), "later") for name, rule in _BY_VIEWS.items()},
    **{f"{name}, impact first": WorthArm(impact_first(rule), "later") for name, rule in _BY_VIEWS.items()},
    "ClusterSampling": WorthArm(by(ClusterSampling()), "tan-mitra-2010"),
    "Nutch": WorthArm(by(Nutch()), "practice"),
    "DemandFirst, RoundRobin": WorthArm(Split(DemandFirst(), RoundRobin(), 1.0), "own"),
    **ENDS,
}
_ORDERS: Mapping[str, WorthArm] = {
    BREADTH_FIRST: WorthArm(BreadthFirst(), "cho-garcia-molina-page-1998"),
    "PageRank": WorthArm(PageRank(), "cho-garcia-molina-page-1998"),
    "RandomWalk": WorthArm(RandomWalk(), "tran-et-al-2015"),
    "RandomWalk, omega 0.2": WorthArm(RandomWalk(omega=0.2), "tran-et-al-2015"),
    "Learned": WorthArm(Learned(), "tran-et-al-2015"),
    "SearchImpact": WorthArm(SearchImpact(), "pandey-olston-2008"),
    "Opic": WorthArm(Opic(), "later"),
}
COLD: Mapping[str, WorthArm] = {
    **{
        f"{name}, LambdaCrawl": WorthArm(Split(new, LambdaCrawl(), 1.0), family)
        for name, (new, family) in _ORDERS.items()
    },
    "SearchImpact, UserCentric": WorthArm(impact_first(UserCentric()), "pandey-olston-2008"),
    "DemandFirst, RoundRobin": WorthArm(Split(DemandFirst(), RoundRobin(), 1.0), "own"),
    **ENDS,
}
FRONTIER: Mapping[str, WorthArm] = {
    **_ORDERS,
    "SearchImpact, queries only": WorthArm(SearchImpact(by_queries=1.0), "pandey-olston-2008"),
    "DemandFirst": WorthArm(DemandFirst(), "own"),
    "Random": WorthArm(Random(), "floor"),
    "IdealRanking": WorthArm(IdealRanking(), "bound"),
    **{name: ENDS[name] for name in (CLAIRVOYANT, CEILING, WORTH)},
}


class Start(NamedTuple):
    """One of the three ways to begin; `few` are the budgets on large worlds, where a replay takes minutes."""

    setting: Setting
    arms: Mapping[str, WorthArm]
    floor: str
    budgets: tuple[float, ...]
    few: tuple[float, ...]


STARTS: Mapping[str, Start] = {
    "warm": Start(Setting(), WARM, ROUND_ROBIN, (0.0025, 0.005, 0.01, 0.02, 0.05), AIMED),
    "cold": Start(Setting("cold"), COLD, ROUND_ROBIN, (0.01, 0.02, 0.05), (0.02,)),
    "frontier": Start(Setting("frontier", units=UNITS), FRONTIER, BREADTH_FIRST, (0.01, 0.02, 0.05), (0.02,)),
}
QUICK = (0.05,)
_LEFT_OUT = (  # of large worlds: those that are nowhere far from another of their family
    *("UserCentric, impact first", "OptimalFreshness, views, impact first", "Longevity, views"),
    *("Longevity, views, impact first", "DemandFirst, RoundRobin", "RandomWalk, omega 0.2, LambdaCrawl"),
    *("Opic, LambdaCrawl", "SearchImpact, UserCentric", "RandomWalk, omega 0.2", "SearchImpact, queries only"),
    *("DemandFirst", "Random"),
)
_QUICK_ARMS = ("LambdaCrawl, views", "SearchImpact, LambdaCrawl", "SearchImpact", BREADTH_FIRST, *ENDS)


# ---- the study


def judge(folder: Path, context: StudyContext) -> WorldResult:
    world = open_world(folder)
    if lack := lacks(world):
        return WorldResult(lack=lack)
    pages, results, calibrations = pages_at_start(world), {}, list[list[Value]]()
    for name, (setting, arms, floor, budgets, few) in STARTS.items():
        is_large = pages > LARGE
        left_out = [
            each for each in arms if (context.quick and each not in _QUICK_ARMS) or (is_large and each in _LEFT_OUT)
        ]
        chosen = {each: arm for each, arm in arms.items() if each not in left_out}
        some = QUICK if context.quick else few if is_large else budgets
        results[name] = measured(folder, chosen, some, setting, context, floor)
        calibrations += _calibrations(name, folder, some, setting, context)
    return result_of(world.name, results, pages, calibrations)


def _calibrations(
    start: str, folder: Path, budgets: Sequence[float], setting: Setting, context: StudyContext
) -> list[list[Value]]:
    """What Worth expected of fetches, beside what the crawl measured."""
    replayed = Grid({WORTH: ENDS[WORTH].policy}, budgets, (setting,)).replay(folder, context)
    kinds: tuple[Which, ...] = ("new", "known") if start != "frontier" else ("new",)
    return [
        [start, budget, kind, *map(plain, calibrated(replayed[WORTH, budget].measured(), kind))]
        for budget in budgets
        for kind in kinds
    ]


def result_of(
    world: str, results: Mapping[str, Sequence[ArmQuality]], pages: int, calibrations: Sequence[list[Value]] = ()
) -> WorldResult:
    """Claims, numbers, tables and figures for each start."""
    claims = [claim for start, each in results.items() for claim in claims_of(world, start, each)]
    tables, numbers, drawn = [], dict[str, Value](), list[Figure]()
    for start, each in results.items():
        tables += [_summary(world, start, each), _over_budgets(world, start, each, pages)]
        tables.append(arms_table(f"{world}, {start}: all arms", each))
        numbers |= numbers_of(start, each)
        drawn += _figures(world, start, each)
    columns = ["start", "budget", "pages", *Calibration._fields]
    tables.append(ResultTable(f"{world}: what Worth expected, and what came", columns, list(calibrations)))
    return WorldResult(claims, numbers, tables, drawn)


def claims_of(world: str, start: str, results: Sequence[ArmQuality]) -> list[Claim]:
    """The aims, one by one, at each budget."""
    claims = []
    for budget in budgets_in(results):
        ours, best, where = at(results, WORTH, budget), best_published(results, budget), f"{start}, {budget:.2%}"
        rivals = [each for each in results if each.budget == budget and (each.is_published or each.name == ROUND_ROBIN)]
        above = [each.summary() for each in rivals if each.is_clearly_above]
        nearest = "; ".join(above) or min(rivals, key=lambda each: each.lead.low).summary()
        claims += [
            Claim(BETTER, ours.quality > best.quality, _both(ours, best), where),
            Claim(NOT_BELOW, not above, nearest, where),
        ]
        if start == "warm" and budget in AIMED:
            claims += _aims(world, where, ours, best)
    return claims


def _aims(world: str, where: str, ours: ArmQuality, best: ArmQuality) -> list[Claim]:
    least = LESS.get((world, ours.budget), SHARE)
    ratio = _ratio(ours, best)
    says = f"{ours.share:.0%}, {ours.near:.0%} of that to the clairvoyant, {best.name} {best.share:.0%}"
    return [
        Claim(HALF_THE_LOSS, ratio <= RATIO, f"{ratio:.0%}", where),
        Claim(HALF_THE_GAP, ours.share >= least, says, where),
    ]


def _both(ours: ArmQuality, best: ArmQuality) -> str:
    return f"{ours.quality:.4f}, {best.summary()}"


def _ratio(ours: ArmQuality, best: ArmQuality) -> float:
    """Of losses; where the best loses nothing, that is what there is to reach."""
    return ours.loss / best.loss if best.loss > 0.0 else float(ours.loss > 0.0)


def numbers_of(start: str, results: Sequence[ArmQuality]) -> dict[str, Value]:
    numbers: dict[str, Value] = {}
    for budget in budgets_in(results):
        ours, best, where = at(results, WORTH, budget), best_published(results, budget), f"{start}, {budget:.2%}"
        numbers |= {
            f"{where}: quality": ours.quality,
            f"{where}: share of gap": plain(ours.share),
            f"{where}: share of gap, best published": plain(best.share),
            f"{where}: loss / loss of the best published": _ratio(ours, best),
        }
    return numbers


_SUMMARY = [
    *("budget", "Worth", "best published", "its quality", "loss of Worth / its loss", "share of gap", "its share"),
    *("lead over it", "low", "high", "lead over the floor", "floor low", "floor high", "two thirds of the gap"),
]


def _summary(world: str, start: str, results: Sequence[ArmQuality]) -> ResultTable:
    rows: list[list[Value]] = []
    for budget in budgets_in(results):
        ours, best = at(results, WORTH, budget), best_published(results, budget)
        floor = at(results, STARTS[start].floor, budget)
        numbers = (_ratio(ours, best), ours.share, best.share, *best.lead[:3], *floor.lead[:3])
        reached = "yes" if ours.share >= EXCELLENT else "no"
        rows.append([budget, ours.quality, best.name, best.quality, *map(plain, numbers), reached])
    note = f"The floor is {STARTS[start].floor}; the gap goes from it to the ceiling.  Intervals of 95 %, paired."
    return ResultTable(f"{world}, {start}: Worth and the best published", _SUMMARY, rows, note)


def _over_budgets(world: str, start: str, results: Sequence[ArmQuality], pages: int) -> ResultTable:
    """Each arm's quality as a curve over fetches a unit."""
    curves = pl.DataFrame(
        [{"policy": e.name, "budget": float(fetches_of(e.budget, pages)), "value": e.quality} for e in results]
    )
    rows = [shown(row) for row in by_policy(curves).rows(named=True)]
    columns = ["arm", "area", "fetches for .90", "fetches for .95", "fetches for .99"]
    keys = ("policy", "area", "downloads 90", "downloads 95", "downloads 99")
    title = f"{world}, {start}: area under the curve, and fetches a unit that a quality takes"
    return ResultTable(title, columns, [[row[key] for key in keys] for row in rows])


def _figures(world: str, start: str, results: Sequence[ArmQuality]) -> list[Figure]:
    budgets = budgets_in(results)
    if len(budgets) < 2:
        return []
    best = [best_published(results, budget).name for budget in budgets]
    names = dict.fromkeys([STARTS[start].floor, *best, WORTH, CLAIRVOYANT, CEILING])
    across = [100 * budget for budget in budgets]
    series = {name: (across, [at(results, name, budget).quality for budget in budgets]) for name in names}
    title = f"{world}, {start}: quality by budget"
    return [line_figure("worth", title, series, "fetches a unit, % of pages", "mean quality")]


WORTH_STUDY = Study(
    "worth",
    "",
    "Worth against all that was published",
    "Is one ranking of new pages, stale pages and hubs better than every published policy, on queries it has not seen?",
    NEEDS,
    (BETTER, NOT_BELOW, HALF_THE_LOSS, HALF_THE_GAP),
    judge,
    settings={
        "budgets": {name: list(start.budgets) for name, start in STARTS.items()},
        "settings": [repr(start.setting) for start in STARTS.values()],
    },
)
