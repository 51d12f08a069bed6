"""Does any refresh rule, published or in use, beat round-robin?

All of them crawl in the same way: new pages first, in order of discovery, then known ones by the rule, which learns
from the crawl's own fetches.  Reported are the lead of each over round-robin and its share of the gap to the ceiling.
Servers announce no changes (in signals.py they do), so NoisySignals is the same as OptimalFreshness here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from sought.beliefs.bayes_rate import BayesRate
from sought.lab.measures import MEASURES
from sought.lab.replay.oracles import Ceiling, ClairvoyantNow
from sought.lab.replay.setting import Setting, pages_at_start
from sought.lab.studies.bounds import lacks
from sought.lab.studies.figures import bars, line_figure
from sought.lab.studies.grid import Grid, Replayed
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
from sought.policy import BreadthFirst, Never, Random, RoundRobin, Split, UserCentric
from sought.policy.cluster_sampling import ClusterSampling
from sought.policy.common_crawl import CommonCrawl
from sought.policy.directory_sampling import DirectorySampling
from sought.policy.embarrassment_based import EmbarrassmentBased
from sought.policy.frequency import Frequency
from sought.policy.lambda_crawl import LambdaCrawl
from sought.policy.link_sampling import LinkSampling
from sought.policy.longevity import Longevity
from sought.policy.mirror_sync import MirrorSync
from sought.policy.nutch import Nutch
from sought.policy.optimal_freshness import OptimalFreshness
from sought.policy.poisson_rates import PoissonRates
from sought.policy.site_sampling import SiteSampling
from sought.policy.staleness_based import StalenessBased
from sought.policy.storm_crawler import StormCrawler
from sought.web.policy import Policy

Kind = Literal["floor", "changes", "links", "demand", "bound"]

BUDGETS, FEW, ONE, QUICK = (0.005, 0.01, 0.02, 0.05, 0.1), (0.01, 0.05), (0.01,), (0.05,)
MANY, LARGE = 1500, 5000  # pages at the start, beyond which there are few budgets, or one: a cell takes a minute then
BELOW = 0.005  # of quality, that a rule may fall below round-robin
FAR = 0.2  # of the way to the ceiling
SMALL = 0.02  # the largest budget at which pages are seen too rarely to learn how often each changes
NAMES = ("quality", "quality_before", "freshness", "age", "freshness@10", "change_ratio")

BEATEN = Statement("at every budget a rule beats round-robin, with its 95 % interval above 0")
BY_DEMAND = Statement("at every budget the best rule by demand is better than the best by changes alone")
HARMLESS = Statement(f"rules that weigh pages by views fall at most {BELOW} below round-robin")
TOO_RARE = Statement(
    f"up to {SMALL:.0%} a unit no rule by changes alone comes {FAR:.0%} of the way from round-robin to the ceiling"
)


class RefreshArm(NamedTuple):
    """A policy; `kind` is the information it uses."""

    policy: Policy
    kind: Kind


def by(rule: Policy) -> Policy:
    """New pages first, then known ones by a rule."""
    return Split(BreadthFirst(), rule, 1.0)


SETTING = Setting()
FLOOR = by(RoundRobin())
ROUND_ROBIN, CEILING = "RoundRobin", "Ceiling"
# By the changes of pages alone, or by what people ask for as well.
CHANGES: Mapping[str, Policy] = {
    "StalenessBased": StalenessBased(),
    "OptimalFreshness": OptimalFreshness(),
    "Longevity, curve": Longevity(),
    "Longevity, bounds": Longevity("bounds"),
    "Nutch": Nutch(),
    "StormCrawler": StormCrawler(),
    "MirrorSync": MirrorSync(),
    "Frequency": Frequency(),
    "ClusterSampling": ClusterSampling(),
    "SiteSampling": SiteSampling(),
    "DirectorySampling": DirectorySampling(),
    "LinkSampling": LinkSampling(),
}
WEIGHED: Mapping[str, Policy] = {
    "OptimalFreshness, views": OptimalFreshness(weight="views"),
    "PoissonRates, views": PoissonRates(),
    "LambdaCrawl, views": LambdaCrawl(),
    "LambdaCrawl by cluster, views": LambdaCrawl(BayesRate("cluster")),
    "Longevity, views": Longevity(weight="views"),
}
DEMAND: Mapping[str, Policy] = {
    "UserCentric": UserCentric(),
    "EmbarrassmentBased": EmbarrassmentBased(),
    **WEIGHED,
}
ARMS: Mapping[str, RefreshArm] = {
    "Never": RefreshArm(Never(), "floor"),
    "Random": RefreshArm(Random(), "floor"),
    "RoundRobin(new=True)": RefreshArm(RoundRobin(new=True), "floor"),
    ROUND_ROBIN: RefreshArm(FLOOR, "floor"),
    **{name: RefreshArm(by(rule), "changes") for name, rule in CHANGES.items()},
    "CommonCrawl": RefreshArm(by(CommonCrawl()), "links"),
    **{name: RefreshArm(by(rule), "demand") for name, rule in DEMAND.items()},
    "ClairvoyantNow": RefreshArm(ClairvoyantNow(), "bound"),
    CEILING: RefreshArm(Ceiling(), "bound"),
}
QUICK_ARMS = ("Never", ROUND_ROBIN, "OptimalFreshness", "Frequency", "OptimalFreshness, views", CEILING)


@dataclass(frozen=True)
class ArmResult:
    """An arm at a budget; `difference` is its lead in quality over round-robin, with its 95 % interval."""

    name: str
    kind: Kind
    budget: float
    values: Mapping[str, float]
    share: float = 0.0
    difference: float = 0.0
    low: float = 0.0
    high: float = 0.0

    @property
    def quality(self) -> float:
        return self.values["quality"]

    @property
    def is_rule(self) -> bool:
        return self.kind not in ("floor", "bound")

    def summary(self) -> str:
        return f"{self.name} at {self.budget:.1%}: {self.difference:+.4f} [{self.low:+.4f}, {self.high:+.4f}]"


def replayed(
    folder: Path, arms: Mapping[str, RefreshArm], budgets: Sequence[float], setting: Setting, context: StudyContext
) -> Replayed:
    """Arms have round-robin and the ceiling among them."""
    policies = {name: arm.policy for name, arm in arms.items()}
    return Grid(policies, budgets, (setting,), [MEASURES[name] for name in NAMES]).replay(folder, context)


def reached(arms: Mapping[str, RefreshArm], replayed: Replayed) -> list[ArmResult]:
    """By budget, in the order of arms."""
    results = []
    for (name, budget, _), cell in replayed.cells.items():
        values = {each: cell.mean(MEASURES[each]) for each in NAMES}
        share = replayed.share_of_gap(name, ROUND_ROBIN, CEILING, budget)
        lead = replayed.lead(name, ROUND_ROBIN, budget)
        results.append(ArmResult(name, arms[name].kind, budget, values, share, *lead[:3]))
    return results


# ---- the study


def judge(folder: Path, context: StudyContext) -> WorldResult:
    world = open_world(folder)
    if lack := lacks(world):
        return WorldResult(lack=lack)
    budgets = QUICK if context.quick else _budgets_for(pages_at_start(world))
    arms = {name: ARMS[name] for name in QUICK_ARMS} if context.quick else ARMS
    results = reached(arms, replayed(folder, arms, budgets, SETTING, context))
    tables = [full_table(world.name, results)]
    return WorldResult(claims_of(results), numbers(results), tables, figures(world.name, results))


def _budgets_for(pages: int) -> tuple[float, ...]:
    return ONE if pages > LARGE else FEW if pages > MANY else BUDGETS


def claims_of(results: Sequence[ArmResult]) -> list[Claim]:
    """The claims at every budget."""
    best = [_best(results, budget) for budget in _budgets(results)]
    rivals = [(_best(results, budget, "demand"), _best(results, budget, "changes")) for budget in _budgets(results)]
    small = [each for each in results if each.kind == "changes" and each.budget <= SMALL]
    weighed = [each for each in results if each.name in WEIGHED]
    claims = [
        Claim(
            BEATEN,
            all(any(each.low > 0 for each in results if each.is_rule and each.budget == one.budget) for one in best),
            "; ".join(one.summary() for one in best),
        ),
        Claim(
            BY_DEMAND,
            all(demand.quality > changes.quality for demand, changes in rivals),
            "; ".join(f"{d.budget:.1%}: {d.name} {d.quality:.4f}, {c.name} {c.quality:.4f}" for d, c in rivals),
        ),
        Claim(
            HARMLESS,
            all(each.difference >= -BELOW for each in weighed),
            min(weighed, key=lambda each: each.difference).summary(),
        ),
    ]
    if small:
        most = max(small, key=lambda each: each.share)
        claims.append(Claim(TOO_RARE, most.share <= FAR, f"{most.name} at {most.budget:.1%}: {most.share:.0%}"))
    return claims


def _budgets(results: Sequence[ArmResult]) -> list[float]:
    return sorted({each.budget for each in results})


def _best(results: Sequence[ArmResult], budget: float, kind: Kind | None = None) -> ArmResult:
    """The rule of the highest quality."""
    rules = [each for each in results if each.budget == budget and each.is_rule and kind in (None, each.kind)]
    return max(rules, key=lambda each: each.quality)


def numbers(results: Sequence[ArmResult]) -> dict[str, Value]:
    numbers: dict[str, Value] = {}
    for budget in _budgets(results):
        rules = [each for each in results if each.budget == budget and each.is_rule]
        numbers[f"rules that beat round-robin at {budget:.1%}"] = sum(each.low > 0 for each in rules)
        numbers[f"rules that round-robin beats at {budget:.1%}"] = sum(each.high < 0 for each in rules)
        numbers[f"rules more than {BELOW} below it at {budget:.1%}"] = sum(each.difference < -BELOW for each in rules)
    return numbers | {f"{each.name} at {each.budget:.1%}, share of gap": plain(each.share) for each in results}


_COLUMNS = ["arm", "goes by", "budget", "quality", "share of gap", "to round-robin", "low", "high", *NAMES[1:]]


def full_table(world: str, results: Sequence[ArmResult], what: str = "all refresh rules") -> ResultTable:
    rows = [_row(each) for each in sorted(results, key=lambda each: (each.budget, -each.quality))]
    note = "Means over units.  Share of gap: from round-robin to the ceiling.  Low and high: 95 % interval, paired."
    return ResultTable(f"{world}: {what}", _COLUMNS, rows, note)


def _row(each: ArmResult) -> list[Value]:
    row: list[Value] = [each.name, each.kind, each.budget, each.quality, plain(each.share)]
    return [*row, each.difference, each.low, each.high, *(plain(each.values[name]) for name in NAMES[1:])]


def figures(world: str, results: Sequence[ArmResult]) -> list[Figure]:
    """All rules at the budget nearest to 1 %; and those of interest over all budgets."""
    budget = min(_budgets(results), key=lambda each: abs(each - 0.01))
    rules = sorted((r for r in results if r.budget == budget and r.is_rule), key=lambda each: -each.difference)
    title = f"{world}: quality above round-robin's at {budget:.1%} a unit"
    drawn = [Figure(title, bars({r.name: (r.difference, r.low, r.high) for r in rules}, title, f"{title} (refresh)"))]
    if len(_budgets(results)) > 1:
        best = [rule.name for rule in rules[:2]]
        names = dict.fromkeys(["Never", ROUND_ROBIN, *best, "OptimalFreshness", "Frequency", CEILING])
        title = f"{world}: quality by budget"
        series = {name: _curve([each for each in results if each.name == name]) for name in names}
        drawn.append(line_figure("refresh", title, series, "fetches a unit, % of pages", "mean quality"))
    return drawn


def _curve(results: Sequence[ArmResult]) -> tuple[list[float], list[float]]:
    ordered = sorted(results, key=lambda each: each.budget)
    return [100 * each.budget for each in ordered], [each.quality for each in ordered]


REFRESH = Study(
    "refresh",
    "",
    "All refresh rules",
    "Does any published rule beat round-robin, if it must learn from its own fetches; where, and by how much?",
    "a world with queries and at least two moments",
    (BEATEN, BY_DEMAND, HARMLESS, TOO_RARE),
    judge,
    settings={"budgets": list(BUDGETS), "setting": repr(SETTING)},
)
