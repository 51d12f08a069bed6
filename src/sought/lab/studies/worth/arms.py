"""What is Worth compared with, and by how much is it better?  For all experiments about it.

Whoever is best among the published is chosen afterwards, by the demand that judges: that favours them, not Worth.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from sought.lab.judge.statistics import Interval, Scored, difference
from sought.lab.measures import Quality
from sought.lab.replay.oracles import Ceiling, ClairvoyantNow
from sought.lab.replay.run import run_of_states
from sought.lab.replay.setting import Setting
from sought.lab.studies.cells import Cell, judge_for, read_found, read_summary
from sought.lab.studies.experiment import grid, run_all, table
from sought.lab.studies.over_budgets import share_of_gap
from sought.lab.studies.refreshing.refresh import DRAWS, QUICK_DRAWS, ROUND_ROBIN, by
from sought.lab.studies.study import Claim, ResultTable, StudyContext, Value, WorldResult, claimed, plain, verdict
from sought.lab.worlds.files import open_world
from sought.policy import RoundRobin, SearchImpact, Split
from sought.policy.worth.worth import Worth
from sought.web.policy import Policy

# The paper that a policy is of, or: later papers, what is in use, our own, and what is only there to measure by.
Family = Literal["000", "001", "002", "003", "004", "later", "practice", "own", "floor", "bound", "Worth"]
NOT_PUBLISHED: tuple[Family, ...] = ("own", "floor", "bound", "Worth")
WORTH, CLAIRVOYANT, CEILING = "Worth", "ClairvoyantNow", "Ceiling"
ALL_WORLDS = "all worlds"
NEEDS = "a world with queries and at least two moments"
QUALITY, BEFORE, KNOWN = Quality(), Quality("before"), Quality(part="known")


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
class Met:
    """What an arm came to at a budget: mean quality, the share of the gap from the floor to the ceiling that it closes.

    `near` is the same share to the clairvoyant who knows only what links have led to.  `lead` is by how much the
    quality of Worth is above it, with its 95 % interval.
    """

    name: str
    family: Family
    budget: float
    quality: float
    share: float = np.nan
    near: float = np.nan
    lead: Interval = Interval(0.0, 0.0, 0.0, 0)  # noqa: RUF009  a value
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

    def told(self) -> str:
        return f"{self.name} {self.quality:.4f}, lead over it {interval(self.lead)}"


def interval(found: Interval) -> str:
    return f"{found.mean:+.4f} [{found.low:+.4f}, {found.high:+.4f}]"


class Pairs:
    """Compares cells that the same demand judges, unit by unit and query by query."""

    def __init__(self, like: Cell, folder: Path, bench: StudyContext) -> None:
        """All cells have the units and the demand of this one, which is on record."""
        moments = np.array(read_summary(like, bench.results)["moments"], np.float64)
        nothing = run_of_states(judge_for(open_world(folder), like.setting), moments, [])
        self.ideal, self.weights = nothing.answers.ideal, nothing.weights("judged")
        self.results, self.draws = bench.results, QUICK_DRAWS if bench.quick else DRAWS

    def lead(self, one: Cell, other: Cell, first: int = 0) -> Interval:
        """By how much the quality of one is above the other's, mean over units from the first on."""
        a, b = (
            Scored(read_found(cell, self.results)[first:], self.ideal[first:], self.weights[first:])
            for cell in (one, other)
        )
        return difference(a, b, self.draws)


def replayed(
    folder: Path, policies: Sequence[Policy], budgets: Sequence[float], setting: Setting, bench: StudyContext
) -> dict[tuple[Policy, float], Cell]:
    """Cells, all of them on record then."""
    cells = grid(policies, folder, budgets, (setting.seed,), setting)
    told = bench.progress(f"replaying {folder.name}, {setting.start}")
    run_all(cells, folder, [QUALITY, BEFORE, KNOWN], bench.results, bench.cores, told)
    return {(cell.policy, cell.budget): cell for cell in cells}


def measured(
    folder: Path,
    arms: Mapping[str, WorthArm],
    budgets: Sequence[float],
    setting: Setting,
    bench: StudyContext,
    floor: str = ROUND_ROBIN,
) -> list[Met]:
    """Worth, the floor and the bounds are among the arms; by budget, in the order of arms."""
    cells = replayed(folder, [arm.policy for arm in arms.values()], budgets, setting, bench)
    rows = table(list(cells.values()), [QUALITY, BEFORE, KNOWN], bench.results).rows(named=True)
    values = dict(zip(cells, rows, strict=True))
    pairs, found = Pairs(next(iter(cells.values())), folder, bench), []
    for budget in budgets:
        quality = {name: values[arm.policy, budget][QUALITY.name] for name, arm in arms.items()}
        ours = cells[arms[WORTH].policy, budget]
        for name, (policy, family) in arms.items():
            row, cell = values[policy, budget], cells[policy, budget]
            share, near = (share_of_gap(quality[name], quality[floor], quality[end]) for end in (CEILING, CLAIRVOYANT))
            lead = pairs.lead(ours, cell) if cell != ours else Interval(0.0, 0.0, 0.0, 0)
            found.append(Met(name, family, budget, quality[name], share, near, lead, row[BEFORE.name], row[KNOWN.name]))
    return found


def budgets_in(found: Sequence[Met]) -> list[float]:
    return sorted({each.budget for each in found})


def at(found: Sequence[Met], name: str, budget: float) -> Met:
    [one] = [each for each in found if (each.name, each.budget) == (name, budget)]
    return one


def best_published(found: Sequence[Met], budget: float) -> Met:
    """The one of the highest quality."""
    return max((each for each in found if each.is_published and each.budget == budget), key=lambda each: each.quality)


_COLUMNS = [
    *("arm", "family", "budget", "quality", "share of gap", "share of gap to clairvoyant"),
    *("lead of Worth", "low", "high", "quality before fetches", "quality by known demand"),
]


def arms_table(title: str, found: Sequence[Met]) -> ResultTable:
    rows = [_row(each) for each in sorted(found, key=lambda each: (each.budget, -each.quality))]
    note = "Means over units.  Gap: from the floor to the ceiling, or to who knows all that is linked.  Low and high: "
    return ResultTable(title, _COLUMNS, rows, f"{note}95 % interval of the lead, paired over queries and units.")


def _row(each: Met) -> list[Value]:
    numbers = (each.share, each.near, *each.lead[:3], each.before, each.known)
    return [each.name, each.family, each.budget, each.quality, *map(plain, numbers)]


def judged(
    world: str, claims: Sequence[Claim], numbers: Mapping[str, Value], tables: Sequence[ResultTable]
) -> WorldResult:
    """By what must hold of one world."""
    holds, because = verdict(claims)
    return WorldResult(world, holds, because, numbers, [claimed(world, claims), *tables])


def together(parts: Sequence[WorldResult], claims: Sequence[Claim]) -> list[WorldResult]:
    """Parts that cannot judge by themselves, and one of all worlds that does."""
    holds, because = verdict(claims)
    return [*parts, WorldResult(ALL_WORLDS, holds, because, {}, [claimed(ALL_WORLDS, claims)])]
