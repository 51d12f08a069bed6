"""X1: does it matter by which index pages are refreshed?

    P       gain found so far × age: Pandey & Olston 2005 (UserCentric)
    E       expected embarrassment: Wolf et al. 2002
    U       Olston & Pandey's, pages weighed by views: with known shape (OptimalFreshness) or learned (Longevity)
    W       Worth

All but Worth take new pages first.  To isolate the effect of the index, all are also compared on the pages that exist
all year, where nothing is born and nothing goes.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from sought.lab.replay.setting import Setting
from sought.lab.studies.bounds import lacks
from sought.lab.studies.refreshing.refresh import by
from sought.lab.studies.study import Claim, Statement, Study, StudyContext, Value, WorldResult
from sought.lab.studies.worth.arms import (
    ENDS,
    NEEDS,
    WORTH,
    ArmQuality,
    WorthArm,
    arms_table,
    at,
    best_published,
    budgets_in,
    measured,
)
from sought.lab.worlds.files import open_world
from sought.policy import UserCentric
from sought.policy.embarrassment_based import EmbarrassmentBased
from sought.policy.longevity import Longevity
from sought.policy.optimal_freshness import OptimalFreshness

BUDGETS, QUICK = (0.01, 0.02), (0.05,)
LESS, WORLDS = 0.1, 2  # of the loss, on so many worlds
LESS_LOST = Statement(f"on {WORLDS} worlds at least W loses {LESS:.0%} less than the best of P, E and U")
SETTINGS: Mapping[str, Setting] = {"all pages": Setting(), "fixed pages": Setting(pages="fixed")}
ARMS: Mapping[str, WorthArm] = {
    "P: UserCentric": WorthArm(by(UserCentric()), "pandey-olston-2005"),
    "E: EmbarrassmentBased": WorthArm(by(EmbarrassmentBased()), "pandey-olston-2005"),
    "U: OptimalFreshness, views": WorthArm(by(OptimalFreshness(weight="views")), "later"),
    "U: Longevity, views": WorthArm(by(Longevity(weight="views")), "later"),
    **ENDS,
}


def judge(folder: Path, context: StudyContext) -> WorldResult:
    world = open_world(folder)
    if lack := lacks(world):
        return WorldResult(lack=lack)
    budgets, numbers = QUICK if context.quick else BUDGETS, dict[str, Value]()
    results = {name: measured(folder, ARMS, budgets, setting, context) for name, setting in SETTINGS.items()}
    for name, mets in results.items():
        numbers |= {f"{name}, {b:.1%}: loss / that of the best other": ratio(mets, b) for b in budgets}
    tables = [arms_table(f"{world.name}: indices on {name}", mets) for name, mets in results.items()]
    return WorldResult((), numbers, tables, data=results["all pages"])


def ratio(results: Sequence[ArmQuality], budget: float) -> float:
    """Of the loss of Worth to that of the best other index; 1 where that loses nothing."""
    best = best_published(results, budget)
    return at(results, WORTH, budget).loss / best.loss if best.loss > 0.0 else 1.0


def _ratios(results: Sequence[ArmQuality]) -> str:
    budgets = budgets_in(results)
    return ", ".join(
        f"{b:.1%}: {ratio(results, b):.0%} of the loss of {best_published(results, b).name}" for b in budgets
    )


def across(results: Mapping[str, Sequence[ArmQuality]], context: StudyContext) -> WorldResult:
    return WorldResult(claims_of(results))


def claims_of(results: Mapping[str, Sequence[ArmQuality]]) -> list[Claim]:
    says = "; ".join(f"{world} {_ratios(mets)}" for world, mets in results.items())
    if len(results) < WORLDS:
        return [Claim(LESS_LOST, None, f"fewer than {WORLDS} worlds: {says}")]
    better = [w for w, mets in results.items() if all(ratio(mets, b) <= 1.0 - LESS for b in budgets_in(mets))]
    return [Claim(LESS_LOST, len(better) >= WORLDS, says)]


INDEX = Study(
    "worth-index",
    "",
    "By which index pages are refreshed (X1)",
    "Is quality × time a better currency than the gain of the moment?",
    f"two worlds or more; {NEEDS}",
    (LESS_LOST,),
    judge,
    across,
    settings={"budgets": list(BUDGETS)},
    aliases=("X1",),
)
