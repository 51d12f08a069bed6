"""X9: how does Worth cope with events that cannot be foreseen?

    demand drifts     from half-way on people ask for other things
    a burst           all that changes in the eight weeks after half-way changes at once
    budget halved     from half-way on
    host caps         in a world of many hosts each lets half a day pass between two requests, from the start; every
                      second one is for robots.txt, so that a week has seven pages of a host

Reported is quality after the event, against round-robin and published policies under the same event, and how long it
takes until quality is what it would have been without the event.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sought.lab.judge.statistics import Interval
from sought.lab.replay.setting import Setting
from sought.lab.studies.bounds import lacks
from sought.lab.studies.figures import line_figure
from sought.lab.studies.grid import NO_LEAD, QUALITY, Grid, Replayed
from sought.lab.studies.refreshing.refresh import ROUND_ROBIN, by
from sought.lab.studies.study import Claim, Figure, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.lab.studies.worth.arms import ENDS, NEEDS, WORTH, impact_first, interval
from sought.lab.studies.worth.events import Event, burst, drifted, many_hosts, saved
from sought.lab.worlds.files import open_world
from sought.lab.worlds.world import World
from sought.policy.lambda_crawl import LambdaCrawl
from sought.policy.optimal_freshness import OptimalFreshness
from sought.web.policy import Policy

BUDGET, QUICK = 0.02, 0.05
NEAR = 0.005  # of quality: as it would have been
STEADY = 4  # units for which it is, on average
CAPS, DELAY, CAPPED = "host caps", 43_200.0, 0.1  # a budget that the largest hosts cannot take their share of
EVENTS: Mapping[str, Event | None] = {"demand drifts": drifted, "a burst": burst, "budget halved": None}
POLICIES: Mapping[str, Policy] = {
    WORTH: ENDS[WORTH].policy,
    ROUND_ROBIN: ENDS[ROUND_ROBIN].policy,
    "LambdaCrawl, views": by(LambdaCrawl()),
    "LambdaCrawl, views, impact first": impact_first(LambdaCrawl()),
    "OptimalFreshness, views, impact first": impact_first(OptimalFreshness(weight="views")),
}
QUICK_POLICIES = (WORTH, ROUND_ROBIN, "LambdaCrawl, views")
SURVIVES = Statement(
    "from the event on, Worth is not clearly (95 % interval) below round-robin, nor below LambdaCrawl and "
    "OptimalFreshness by views in the same trouble"
)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class After:
    """Quality unit by unit, of each policy with the event and without it; it happens in the unit `first`.

    `leads` are those of Worth over the others in the same trouble, from then on.
    """

    event: str
    first: int
    quality: Mapping[str, Floats]
    undisturbed: Mapping[str, Floats]
    leads: Mapping[str, Interval]

    def recovery(self, name: str) -> int | None:
        """Units from the event until quality is as without it, for some units on average; None if it never is."""
        short = (self.undisturbed[name] - self.quality[name])[self.first :]
        for unit in range(len(short)):
            if float(short[unit : unit + STEADY].mean()) <= NEAR:
                return unit
        return None


def judge(folder: Path, context: StudyContext) -> WorldResult:
    world = open_world(folder)
    if lack := lacks(world) or ("" if world.units >= 2 * STEADY else f"it has fewer than {2 * STEADY} units"):
        return WorldResult(lack=lack)
    first, calm = world.units // 2 - 1, Setting()  # moments begin one unit after the start
    before = _replayed(folder, calm, context)
    results = []
    for event, change in EVENTS.items():
        place = _changed(world, change, folder, event, context) if change else folder
        after = _replayed(place, Setting() if change else Setting(halved=first), context)
        results.append(_after(event, first, after, before))
    return result_of(world.name, results)


def _changed(world: World, change: Event, folder: Path, event: str, context: StudyContext) -> Path:
    return saved(change(world), context.results / "worlds" / f"{folder.stem}-{event.replace(' ', '-')}.world")


def across(results: Mapping[str, Sequence[After]], context: StudyContext) -> WorldResult:
    """A world of many hosts is made up; it shows nothing where no other world shows anything."""
    folder = many_hosts(context.results / "worlds" / "many-hosts.world", quick=context.quick)
    before, after = (_replayed(folder, setting, context, CAPPED) for setting in (Setting(), Setting(delay=DELAY)))
    return result_of("many-hosts", [_after(CAPS, 0, after, before)])


def _replayed(folder: Path, setting: Setting, context: StudyContext, budget: float = BUDGET) -> Replayed:
    budget = QUICK if context.quick and budget == BUDGET else budget
    arms = {name: policy for name, policy in POLICIES.items() if not context.quick or name in QUICK_POLICIES}
    return Grid(arms, (budget,), (setting,)).replay(folder, context)


def _after(event: str, first: int, after: Replayed, before: Replayed) -> After:
    names, [budget] = list(after.grid.arms), after.grid.budgets
    quality, calm = ({name: each[name].series(QUALITY) for name in names} for each in (after, before))
    leads = {name: after.lead(WORTH, name, budget, first=first) for name in names if name != WORTH}
    return After(event, first, quality, calm, leads)


def result_of(world: str, results: Sequence[After]) -> WorldResult:
    numbers: dict[str, Value] = {}
    for each in results:
        numbers[f"{each.event}: units until Worth is as without it"] = each.recovery(WORTH)
        numbers |= {f"{each.event}: lead over {name}": lead.mean for name, lead in each.leads.items()}
    figures = [_figure(world, each) for each in results]
    return WorldResult(claims_of(results), numbers, [_table(world, results)], figures, world=world)


def claims_of(results: Sequence[After]) -> list[Claim]:
    claims = []
    for each in results:
        worst = min(each.leads, key=lambda name: each.leads[name].high)
        lead = each.leads[worst]
        claims.append(Claim(SURVIVES, lead.high >= 0.0, f"lead over {worst} {interval(lead)}", each.event))
    return claims


def _table(world: str, results: Sequence[After]) -> ResultTable:
    rows: list[list[Value]] = []
    for each in results:
        for name, quality in each.quality.items():
            lead = each.leads.get(name, NO_LEAD)
            means = float(quality[each.first :].mean()), float(each.undisturbed[name][each.first :].mean())
            rows.append([each.event, name, *means, each.recovery(name), *lead[:3]])
    columns = ["event", "arm", "quality from the event on", "without the event", "units to recover"]
    note = f"Recovered: quality at most {NEAR} below that without the event, mean of {STEADY} units."
    return ResultTable(f"{world}: what comes after", [*columns, "lead of Worth", "low", "high"], rows, note)


def _figure(world: str, each: After) -> Figure:
    title = f"{world}, {each.event}: quality over time"
    series = {name: (list(range(len(values))), values.tolist()) for name, values in each.quality.items()}
    series[f"{WORTH}, without the event"] = (list(range(len(each.quality[WORTH]))), each.undisturbed[WORTH].tolist())
    return line_figure("worth-robustness", title, series, "unit", "quality")


ROBUSTNESS = Study(
    "worth-robustness",
    "",
    "Drift, bursts, a halved budget and host caps (X9)",
    "Does Worth survive unforeseen events?",
    f"{NEEDS}; {2 * STEADY} units",
    (SURVIVES,),
    judge,
    across,
    settings={"budget": BUDGET, "events": [*EVENTS, CAPS]},
    aliases=("X9",),
)
