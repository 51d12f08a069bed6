"""What is Worth compared with, and by how much is it better?  Shared by all experiments about it.

The best published arm is chosen afterwards, by the demand that judges: that favours it, not Worth.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from sought.lab.judge.statistics import Interval
from sought.lab.measures import Quality
from sought.lab.replay.oracles import Ceiling, ClairvoyantNow
from sought.lab.replay.setting import Setting
from sought.lab.studies.grid import NO_LEAD, QUALITY, Grid
from sought.lab.studies.refreshing.refresh import ROUND_ROBIN, by
from sought.lab.studies.study import ResultTable, StudyContext, Value, plain
from sought.policy import RoundRobin, SearchImpact, Split
from sought.policy.worth.worth import Worth
from sought.web.policy import Policy

# The key of the paper that a policy is of, or: later papers, what is in use, our own, and what is only there to measure
# by.
Family = Literal[
    "pandey-olston-2005",
    "cho-garcia-molina-page-1998",
    "tran-et-al-2015",
    "pandey-olston-2008",
    "tan-mitra-2010",
    "later",
    "practice",
    "own",
    "floor",
    "bound",
    "Worth",
]
NOT_PUBLISHED: tuple[Family, ...] = ("own", "floor", "bound", "Worth")
WORTH, CLAIRVOYANT, CEILING = "Worth", "ClairvoyantNow", "Ceiling"
NEEDS = "a world with queries and at least two moments"
BEFORE, KNOWN = Quality("before"), Quality(part="known")


class WorthArm(NamedTuple):
    policy: Policy
    family: Family


def impact_first(rule: Policy) -> Policy:
    """New pages first, by search impact, then known ones by a rule."""
    return Split(SearchImpact(), rule, 1.0)


ENDS: Mapping[str, WorthArm] = {
    ROUND_ROBIN: WorthArm(by(RoundRobin()), "floor"),
    CLAIRVOYANT: WorthArm(ClairvoyantNow(), "bound"),
    CEILING: WorthArm(Ceiling(), "bound"),
    WORTH: WorthArm(Worth(), "Worth"),
}


@dataclass(frozen=True)
class ArmQuality:
    """An arm at a budget: mean quality, the share of the gap from the floor to the ceiling that it closes.

    `near` is the same share to the clairvoyant who knows only what links have led to.  `lead` is by how much the
    quality of Worth is above it, with its 95 % interval.
    """

    name: str
    family: Family
    budget: float
    quality: float
    share: float = np.nan
    near: float = np.nan
    lead: Interval = NO_LEAD
    before: float = np.nan
    known: float = np.nan

    @property
    def is_published(self) -> bool:
        return self.family not in NOT_PUBLISHED

    @property
    def loss(self) -> float:
        return 1.0 - self.quality

    @property
    def is_clearly_above(self) -> bool:
        """Whether Worth is clearly below it."""
        return self.lead.high < 0.0

    def summary(self) -> str:
        return f"{self.name} {self.quality:.4f}, lead over it {interval(self.lead)}"


def interval(lead: Interval) -> str:
    return f"{lead.mean:+.4f} [{lead.low:+.4f}, {lead.high:+.4f}]"


def measured(
    folder: Path,
    arms: Mapping[str, WorthArm],
    budgets: Sequence[float],
    setting: Setting,
    context: StudyContext,
    floor: str = ROUND_ROBIN,
) -> list[ArmQuality]:
    """Worth, the floor and the bounds are among the arms; by budget, in the order of arms."""
    policies = {name: arm.policy for name, arm in arms.items()}
    replayed = Grid(policies, budgets, (setting,), (QUALITY, BEFORE, KNOWN)).replay(folder, context)
    results = []
    for budget in budgets:
        for name, arm in arms.items():
            share, near = (replayed.share_of_gap(name, floor, bound, budget) for bound in (CEILING, CLAIRVOYANT))
            lead, cell = replayed.lead(WORTH, name, budget), replayed[name, budget]
            before, known = cell.mean(BEFORE), cell.mean(KNOWN)
            results.append(ArmQuality(name, arm.family, budget, cell.mean(), share, near, lead, before, known))
    return results


def budgets_in(results: Sequence[ArmQuality]) -> list[float]:
    return sorted({each.budget for each in results})


def at(results: Sequence[ArmQuality], name: str, budget: float) -> ArmQuality:
    [one] = [each for each in results if (each.name, each.budget) == (name, budget)]
    return one


def best_published(results: Sequence[ArmQuality], budget: float) -> ArmQuality:
    """The one of the highest quality."""
    return max((each for each in results if each.is_published and each.budget == budget), key=lambda each: each.quality)


_COLUMNS = [
    *("arm", "family", "budget", "quality", "share of gap", "share of gap to clairvoyant"),
    *("lead of Worth", "low", "high", "quality before fetches", "quality by known demand"),
]


def arms_table(title: str, results: Sequence[ArmQuality]) -> ResultTable:
    rows = [_row(each) for each in sorted(results, key=lambda each: (each.budget, -each.quality))]
    note = "Means over units.  Gap: from the floor to the ceiling, or to who knows all that is linked.  Low and high: "
    return ResultTable(title, _COLUMNS, rows, f"{note}95 % interval of the lead, paired over queries and units.")


def _row(each: ArmQuality) -> list[Value]:
    numbers = (each.share, each.near, *each.lead[:3], each.before, each.known)
    return [each.name, each.family, each.budget, each.quality, *map(plain, numbers)]
