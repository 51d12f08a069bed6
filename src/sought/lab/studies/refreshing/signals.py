"""What are sitemaps and dates worth to a refresh rule that uses them, and to one that does not?

Sitemaps are read once a day whatever the rule, and each reading is a fetch of the budget.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from sought.beliefs.last_modified_rate import LastModifiedRate
from sought.lab.replay.oracles import Ceiling, ClairvoyantNow
from sought.lab.replay.setting import Setting, pages_at_start
from sought.lab.replay.signals import Signals
from sought.lab.studies.bounds import lacks
from sought.lab.studies.cells import judge_for
from sought.lab.studies.grid import Replayed
from sought.lab.studies.refreshing.refresh import (
    FLOOR,
    LARGE,
    ONE,
    ROUND_ROBIN,
    ArmResult,
    RefreshArm,
    by,
    full_table,
    reached,
    replayed,
)
from sought.lab.studies.study import Claim, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.lab.worlds.files import open_world
from sought.lab.worlds.world import NOTHING
from sought.policy import Never
from sought.policy.lambda_crawl import LambdaCrawl
from sought.policy.noisy_signals import NoisySignals
from sought.policy.optimal_freshness import OptimalFreshness

BUDGETS, QUICK = (0.01, 0.05), (0.05,)
SIGNALS = Signals(sitemap=True, recall=0.8, noise=0.01, dates=True)
SIGNALLED = Setting(signals=SIGNALS)
BY_DATES = LastModifiedRate()
BEATEN = Statement("NoisySignals beats round-robin at every budget, with its 95 % interval above 0")
HELPED = Statement("NoisySignals is better than OptimalFreshness, which it is without signals")
ABLE_ABOVE = Statement("the best rule that reads sitemaps or dates is better than the best of those that do not")

# Those that read sitemaps or dates, beside those that do not.
ABLE: Mapping[str, RefreshArm] = {
    "LambdaCrawl, views": RefreshArm(by(LambdaCrawl()), "demand"),
    "NoisySignals, views": RefreshArm(by(NoisySignals()), "demand"),
    "NoisySignals": RefreshArm(by(NoisySignals(weight="same")), "changes"),
    "OptimalFreshness by dates": RefreshArm(by(OptimalFreshness(BY_DATES)), "changes"),
    "OptimalFreshness by dates, views": RefreshArm(by(OptimalFreshness(BY_DATES, "views")), "demand"),
}
UNABLE: Mapping[str, RefreshArm] = {
    ROUND_ROBIN: RefreshArm(FLOOR, "floor"),
    "OptimalFreshness": RefreshArm(by(OptimalFreshness()), "changes"),
    "OptimalFreshness, views": RefreshArm(by(OptimalFreshness(weight="views")), "demand"),
}
BOUNDS: Mapping[str, RefreshArm] = {
    "Never": RefreshArm(Never(), "floor"),
    "ClairvoyantNow": RefreshArm(ClairvoyantNow(), "bound"),
    "Ceiling": RefreshArm(Ceiling(), "bound"),
}
ARMS = {**UNABLE, **ABLE, **BOUNDS}
QUICK_ARMS = (*UNABLE, "NoisySignals", "NoisySignals, views", "Ceiling")
BY_SITEMAPS = ("NoisySignals", "NoisySignals, views")  # whose value without sitemaps is that of OptimalFreshness
TWINS = {"NoisySignals": "OptimalFreshness", "NoisySignals, views": "OptimalFreshness, views"}


def judge(folder: Path, context: StudyContext) -> WorldResult:
    """The same rules without signals and with them; with them also the share of held pages that are gone."""
    world = open_world(folder)
    if lack := lacks(world):
        return WorldResult(lack=lack)
    budgets = QUICK if context.quick else ONE if pages_at_start(world) > LARGE else BUDGETS
    arms = {name: ARMS[name] for name in QUICK_ARMS} if context.quick else ARMS
    without, by_signals = (replayed(folder, arms, budgets, setting, context) for setting in (Setting(), SIGNALLED))
    silent, signalled = reached(arms, without), reached(arms, by_signals)
    tables = [
        full_table(world.name, signalled, "rules where servers announce changes"),
        _both(world.name, silent, signalled, ghosts(by_signals)),
    ]
    return WorldResult(claims_of(signalled), _numbers(silent, signalled), tables)


Ghosts = Mapping[tuple[str, float], float]  # by arm and budget


def ghosts(by_signals: Replayed) -> Ghosts:
    """The share of pages held at the end that are gone, with signals: sitemaps do not list them."""
    judge, shares = judge_for(open_world(by_signals.folder), SIGNALLED), {}
    world = judge.world
    for (name, budget, _), cell in by_signals.cells.items():
        run = cell.run(judge)
        held, fetched = run.copies.copy(), run.log.page != NOTHING
        held[run.log.page[fetched]] = run.log.version[fetched]
        live = world.live(float(run.moments[-1]))
        shown, there = (np.where(each == NOTHING, False, world.is_page[each]) for each in (held, live))
        shares[name, budget] = float(np.mean(~there[shown])) if shown.any() else 0.0
    return shares


def claims_of(arms: Sequence[ArmResult]) -> list[Claim]:
    results = {(each.name, each.budget): each for each in arms}
    budgets = sorted({each.budget for each in arms})
    by_sitemaps = [results[name, budget] for name in BY_SITEMAPS for budget in budgets]
    twins = [(results[name, budget], results[twin, budget]) for name, twin in TWINS.items() for budget in budgets]
    best = [(_best(results, ABLE, budget), _best(results, UNABLE, budget)) for budget in budgets]
    return [
        Claim(
            BEATEN,
            all(each.low > 0 for each in by_sitemaps),
            "; ".join(each.summary() for each in by_sitemaps),
        ),
        Claim(
            HELPED,
            all(able.quality > unable.quality for able, unable in twins),
            "; ".join(f"{a.name} at {a.budget:.1%}: {a.quality - u.quality:+.4f}" for a, u in twins),
        ),
        Claim(
            ABLE_ABOVE,
            all(able.quality > unable.quality for able, unable in best),
            "; ".join(f"{a.budget:.1%}: {a.name} {a.quality:.4f}, {u.name} {u.quality:.4f}" for a, u in best),
        ),
    ]


def _best(results: Mapping[tuple[str, float], ArmResult], names: Mapping[str, RefreshArm], budget: float) -> ArmResult:
    return max((results[name, budget] for name in names if (name, budget) in results), key=lambda each: each.quality)


def _numbers(without: Sequence[ArmResult], signalled: Sequence[ArmResult]) -> dict[str, Value]:
    return {
        f"{b.name} at {b.budget:.1%}, quality with signals less without": b.quality - a.quality
        for a, b in zip(without, signalled, strict=True)
    }


def _both(world: str, without: Sequence[ArmResult], signalled: Sequence[ArmResult], gone: Ghosts) -> ResultTable:
    rows: list[list[Value]] = [
        [b.name, b.budget, a.quality, b.quality, b.quality - a.quality, gone[b.name, b.budget]]
        for a, b in zip(without, signalled, strict=True)
    ]
    columns = ["arm", "budget", "quality without", "quality with", "difference", "held but gone"]
    note = "A sitemap a day is paid for.  Held but gone: with signals, of the pages held at the end."
    return ResultTable(f"{world}: what signals change", columns, rows, note)


REFRESH_SIGNALS = Study(
    "refresh-signals",
    "",
    "Refresh rules where servers announce changes",
    "What are sitemaps and dates worth to rules that can use them?",
    "a world with queries and at least two moments",
    (BEATEN, HELPED, ABLE_ABOVE),
    judge,
    settings={"budgets": list(BUDGETS), "signals": repr(SIGNALS)},
)
