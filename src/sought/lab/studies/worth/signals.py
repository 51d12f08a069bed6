"""X5: do sitemaps and dates help Worth, and is it unharmed by false ones?

Sitemaps are read once a day whatever the policy, and each reading is a fetch of the budget.  Hosts that lie say that
every page has changed just now; in a world of one host all lie, or none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sought.lab.judge.statistics import Interval
from sought.lab.replay.setting import Setting, pages_at_start
from sought.lab.replay.signals import Signals
from sought.lab.studies.bounds import lacks
from sought.lab.studies.grid import Grid
from sought.lab.studies.over_budgets import downloads_for, is_bound
from sought.lab.studies.refreshing.refresh import LARGE, ONE, ROUND_ROBIN, by
from sought.lab.studies.study import Claim, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.lab.studies.worth.arms import ENDS, NEEDS, WORTH, interval
from sought.lab.worlds.files import open_world
from sought.policy.noisy_signals import NoisySignals
from sought.policy.optimal_freshness import OptimalFreshness
from sought.web.policy import Policy

BUDGETS, QUICK = (0.005, 0.01, 0.02, 0.05), (0.05,)
UNHARMED = Statement(
    "with sitemaps and dates that are true, noisy, or of hosts that lie, Worth is not clearly (95 % interval) below "
    "itself without any"
)
NONE = "none"
HONEST: Mapping[str, Signals] = {
    NONE: Signals(),
    "true": Signals(sitemap=True, dates=True),
    "noisy": Signals(sitemap=True, dates=True, recall=0.8, noise=0.01),
}
LIARS: Mapping[str, Signals] = {
    f"{share:.0%} of hosts lie": Signals(sitemap=True, dates=True, recall=0.8, noise=0.01, liars=share)
    for share in (0.2, 0.5, 1.0)
}
POLICIES: Mapping[str, Policy] = {
    WORTH: ENDS[WORTH].policy,
    ROUND_ROBIN: ENDS[ROUND_ROBIN].policy,
    "OptimalFreshness, views": by(OptimalFreshness(weight="views")),
    "NoisySignals, views": by(NoisySignals()),
}
QUICK_POLICIES, QUICK_SIGNALS = (WORTH, ROUND_ROBIN), (NONE, "noisy", "100% of hosts lie")


@dataclass(frozen=True)
class SignalResult:
    """What a policy reaches with signals; `gain` is by how much that is more than without."""

    name: str
    signals: str
    budget: float
    quality: float
    gain: Interval


def judge(folder: Path, context: StudyContext) -> WorldResult:
    world = open_world(folder)
    if lack := lacks(world):
        return WorldResult(lack=lack)
    hosts = len(world.sites[0])
    liars = {name: each for name, each in LIARS.items() if hosts > 1 or each.liars == 1.0}
    budgets = QUICK if context.quick else ONE if pages_at_start(world) > LARGE else BUDGETS
    signals = {name: each for name, each in {**HONEST, **liars}.items() if not context.quick or name in QUICK_SIGNALS}
    results = measured(folder, signals, budgets, context)
    numbers: dict[str, Value] = {
        f"{each.name}, {each.signals} at {each.budget:.1%}: quality above that without signals": each.gain.mean
        for each in results
    }
    return WorldResult(claims_of(results), numbers, [_table(world.name, results)])


def measured(
    folder: Path, signals: Mapping[str, Signals], budgets: Sequence[float], context: StudyContext
) -> list[SignalResult]:
    """`signals` has none among them."""
    arms = {name: policy for name, policy in POLICIES.items() if not context.quick or name in QUICK_POLICIES}
    settings = {name: Setting(signals=each) for name, each in signals.items()}
    replayed = Grid(arms, budgets, list(settings.values())).replay(folder, context)
    results = []
    for signal, setting in settings.items():
        for name in arms:
            for budget in budgets:
                cell = replayed[name, budget, setting]
                gain = replayed.difference(cell, replayed[name, budget, settings[NONE]])
                results.append(SignalResult(name, signal, budget, cell.mean(), gain))
    return results


def claims_of(results: Sequence[SignalResult]) -> list[Claim]:
    return [
        Claim(UNHARMED, each.gain.high >= 0.0, interval(each.gain), f"{each.budget:.1%}, {each.signals}")
        for each in results
        if each.name == WORTH and each.signals != NONE
    ]


def budget_for_the_same(each: SignalResult, results: Sequence[SignalResult]) -> str:
    """How much the same policy needs with these signals, to reach what it does without at this budget."""
    same = [
        (other.budget, other.quality) for other in results if (other.name, other.signals) == (each.name, each.signals)
    ]
    without = next(o.quality for o in results if (o.name, o.signals, o.budget) == (each.name, NONE, each.budget))
    budgets, qualities = zip(*same, strict=True)
    needed = downloads_for(budgets, qualities, without)
    sign = "≤ " if is_bound(budgets, qualities, without) else ""
    return "more" if np.isnan(needed) else f"{sign}{needed:.2%}"


def _table(world: str, results: Sequence[SignalResult]) -> ResultTable:
    rows: list[list[Value]] = [
        [each.name, each.signals, each.budget, each.quality, *each.gain[:3], budget_for_the_same(each, results)]
        for each in sorted(results, key=lambda each: (each.budget, each.signals, -each.quality))
    ]
    columns = ["arm", "signals", "budget", "quality", "above that without", "low", "high", "budget for the same"]
    note = (
        "A sitemap a day is paid for.  Low and high: 95 % interval, paired.  Budget for the same: what the quality "
        "without signals costs with them."
    )
    return ResultTable(f"{world}: what signals change", columns, rows, note)


SIGNALS = Study(
    "worth-signals",
    "",
    "Worth where servers announce changes, or lie (X5)",
    "Do signals help, and do liars not hurt?",
    NEEDS,
    (UNHARMED,),
    judge,
    settings={"budgets": list(BUDGETS), "signals": [repr(each) for each in HONEST.values()]},
    aliases=("X5",),
)
