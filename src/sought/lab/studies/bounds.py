"""Do floors, oracles and the ceiling stand in the order in which they must?

A new measure or a new oracle that is wrong shows here first.  Whatever a policy reaches is told as its share of the gap
between round-robin and the ceiling; and as what it loses of the additive surrogate, beside the least that any schedule
must lose (transport.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl

from sought.lab.judge.judge import Judge
from sought.lab.judge.transport import Jobs, jobs_of, losses, transport_bounds
from sought.lab.measures import Quality
from sought.lab.replay.oracles import Ceiling, ClairvoyantFuture, ClairvoyantNow, ClairvoyantRate
from sought.lab.replay.run import Run, run_of_states
from sought.lab.replay.setting import Setting, fetches_of, pages_at_start
from sought.lab.studies.cells import Cell, judge_for, load
from sought.lab.studies.compare import gaps
from sought.lab.studies.experiment import grid, run_all, table
from sought.lab.studies.figures import lines
from sought.lab.studies.study import (
    Figure,
    Finding,
    ResultTable,
    Study,
    StudyContext,
    Value,
    WorldResult,
    finding,
    plain,
)
from sought.lab.worlds.files import open_world
from sought.lab.worlds.world import NOTHING, World
from sought.policy import Never, Random, RoundRobin
from sought.policy.worth.worth import Worth
from sought.web.policy import Policy

BUDGETS, QUICK = (0.005, 0.01, 0.02, 0.05), (0.01,)
SLACK = 0.002  # the ceiling takes the largest gain now, which is not always best for later
LARGE = 100_000  # versions, up to which the transport problem is solved
_ROUNDING = 1e-5

FLOOR = RoundRobin(new=True)
FLOORS: tuple[Policy, ...] = (Random(), FLOOR)
ORACLES: tuple[Policy, ...] = (ClairvoyantNow(), ClairvoyantRate(), ClairvoyantFuture())
WORTH: Policy = Worth()
ARMS: tuple[Policy, ...] = (Never(), *FLOORS, WORTH, *ORACLES, Ceiling())


@dataclass(frozen=True)
class QualityOrder:
    """The quality of `less` is at most that of `more`, and so much."""

    less: Policy
    more: Policy
    slack: float = 0.0

    def failure(self, quality: Mapping[str, float]) -> str:
        """What is wrong, if anything is."""
        less, more = quality[repr(self.less)], quality[repr(self.more)]
        if less <= more + self.slack:
            return ""
        return f"{self.less!r} has {less:.4f}, {self.more!r} only {more:.4f}"


ORDERS = [
    *(QualityOrder(Never(), other) for other in (*FLOORS, WORTH)),
    *(QualityOrder(floor, oracle) for floor, oracle in product(FLOORS, ORACLES)),
    *(QualityOrder(other, Ceiling(), SLACK) for other in (WORTH, *ORACLES)),
]


def run(bench: StudyContext) -> Finding:
    budgets, setting = QUICK if bench.quick else BUDGETS, Setting()
    parts = [_world(folder, budgets, setting, bench) for folder in bench.worlds]
    return finding("bounds", bench, parts, budgets=list(budgets), seeds=[0], setting=repr(setting))


def _world(folder: Path, budgets: tuple[float, ...], setting: Setting, bench: StudyContext) -> WorldResult:
    world = open_world(folder)
    if lack := lacks(world):
        return WorldResult(world.name, None, lack)
    cells, measures = grid(ARMS, folder, budgets, (setting.seed,), setting), [Quality()]
    run_all(cells, folder, measures, bench.results, bench.cores, bench.progress(f"replaying {world.name}"))
    found = gaps(table(cells, measures, bench.results), FLOOR, Ceiling())
    judge = judge_for(world, setting)
    never = load(cells[0], judge, bench.results).run
    in_step = float(np.abs(1 - Quality()(_in_step(judge, never))).max())
    failures = _failures(found)
    if in_step > _ROUNDING:
        failures.append(f"a repository in step has quality {1 - in_step:.6f}, not 1")
    because = "; ".join(failures[:3]) + (f"; and {len(failures) - 3} more" if len(failures) > 3 else "")
    numbers: dict[str, Value] = {
        "orders checked": len(ORDERS) * len(budgets),
        "orders broken": len(failures),
        "largest error of a repository in step": in_step,
        **_shares(found),
        **_transport(judge, never, cells, budgets, bench),
    }
    holds = not failures
    return WorldResult(
        world.name, holds, because or "all orders hold", numbers, [_table(world, found)], [_figure(world, found)]
    )


def lacks(world: World) -> str:
    """What a world would need for a year to be judged in it."""
    if not len(world.tallies):
        return "nobody asks for anything (sought lab queries derive makes queries)"
    return "" if world.units else "it has one moment only"


def _in_step(judge: Judge, like: Run) -> Run:
    """Whatever changes is fetched at once."""
    return run_of_states(judge, like.moments, [judge.world.live(time) for time in like.moments.tolist()])


def _failures(found: pl.DataFrame) -> list[str]:
    failures = []
    for (budget,), part in found.group_by("budget", maintain_order=True):
        quality = dict(zip(part["policy"].to_list(), part["quality"].to_list(), strict=True))
        failures += [f"at {budget:.1%} {failure}" for order in ORDERS if (failure := order.failure(quality))]
    return failures


def _shares(found: pl.DataFrame) -> dict[str, Value]:
    """Of the gap, by policy and budget."""
    columns = (found[name].to_list() for name in ("policy", "budget", "share_of_gap"))
    return {
        f"{policy} at {budget:.1%}, share of gap": plain(share) for policy, budget, share in zip(*columns, strict=True)
    }


def _transport(
    judge: Judge, never: Run, cells: Sequence[Cell], budgets: tuple[float, ...], bench: StudyContext
) -> dict[str, Value]:
    """What the best schedule of the surrogate still loses, and what that of each policy does."""
    world = judge.world
    if len(world.versions) > LARGE:
        return {"transport bound": f"not solved, more than {LARGE:,} versions"}
    fetches = [fetches_of(budget, pages_at_start(world)) for budget in budgets]
    report = bench.progress(f"losses of versions of {world.name}")
    loss = losses(judge, never.copies, report)
    found = transport_bounds(judge, never.moments, fetches, never.copies, loss=loss)
    numbers: dict[str, Value] = {
        f"transport bound at {budget:.1%}, share of surrogate loss": bound.loss_share
        for budget, bound in zip(budgets, found, strict=True)
    }
    jobs = jobs_of(judge, never.moments, loss)
    for cell in cells:
        lost = loss_share(jobs, load(cell, judge, bench.results).run)
        numbers[f"{cell.policy!r} at {cell.budget:.1%}, share of surrogate loss"] = lost
    return numbers | {"additivity error of a repository never refreshed": found[0].additivity_error}


def loss_share(jobs: Jobs, run: Run) -> float:
    """What a run loses of the surrogate: each version is earned from the unit on in which it was fetched first."""
    units = len(run.moments)
    fetched, first = run.log.version != NOTHING, np.full(len(run.world.versions), units)
    np.minimum.at(first, run.log.version[fetched], run.log.unit[fetched])
    slots = first[jobs.version]
    earned = jobs.earned(np.where((slots >= jobs.first) & (slots < jobs.stop), slots, NOTHING))
    return 1.0 - earned / jobs.possible if jobs.possible else 0.0


def _table(world: World, found: pl.DataFrame) -> ResultTable:
    names = ["policy", "budget", "fetches", "quality", "share_of_gap"]
    rows = [[plain(value) for value in row] for row in found.select(names).rows()]
    return ResultTable(f"{world.name}: mean quality, and share of the gap from round-robin to the ceiling", names, rows)


def _figure(world: World, found: pl.DataFrame) -> Figure:
    title = f"{world.name}: quality by budget"
    series = {
        str(policy): ((100 * part["budget"]).to_list(), part["quality"].to_list())
        for (policy,), part in found.group_by("policy", maintain_order=True)
    }
    return Figure(title, lines(series, "fetches a unit, % of pages", "mean quality", f"{title} (bounds)"))


BOUNDS = Study(
    "bounds",
    "beyond",
    "Floors, oracles and the ceiling",
    "How much is there to gain between what anybody can do and what nobody can?",
    f"never ≤ random, round-robin ≤ clairvoyants ≤ ceiling + {SLACK}; never ≤ Worth ≤ ceiling + {SLACK}; a repository "
    "in step has quality 1",
    "a world with queries and at least two moments",
    run,
    also=("X8",),
)
