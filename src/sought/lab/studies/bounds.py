"""Do floors, oracles and the ceiling stand in the order in which they must?

A new measure or a new oracle that is wrong shows here first.  Whatever a policy reaches is given as its share of the
gap between round-robin and the ceiling, and as what it loses of the additive surrogate, beside the least that any
schedule must lose (transport.py).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from sought.lab.judge.judge import Judge
from sought.lab.judge.transport import Jobs, jobs_of, losses, transport_bounds
from sought.lab.replay.oracles import Ceiling, ClairvoyantFuture, ClairvoyantNow, ClairvoyantRate
from sought.lab.replay.run import Run, run_of_states
from sought.lab.replay.setting import Setting, fetches_of, pages_at_start
from sought.lab.studies.cells import judge_for
from sought.lab.studies.figures import line_figure
from sought.lab.studies.grid import QUALITY, Grid, Replayed
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
SETTING = Setting()
ARMS: tuple[Policy, ...] = (Never(), *FLOORS, WORTH, *ORACLES, Ceiling())


@dataclass(frozen=True)
class QualityOrder:
    """The quality of `less` is at most that of `more`, and so much."""

    less: Policy
    more: Policy
    slack: float = 0.0

    def failure(self, quality: Mapping[str, float]) -> str:
        """What is wrong; empty if nothing is."""
        less, more = quality[repr(self.less)], quality[repr(self.more)]
        if less <= more + self.slack:
            return ""
        return f"{self.less!r} has {less:.4f}, {self.more!r} only {more:.4f}"


ORDERS: Mapping[Statement, Sequence[QualityOrder]] = {
    Statement("never ≤ random, round-robin, Worth"): [QualityOrder(Never(), other) for other in (*FLOORS, WORTH)],
    Statement("random, round-robin ≤ clairvoyants"): [QualityOrder(*pair) for pair in product(FLOORS, ORACLES)],
    Statement(f"Worth, clairvoyants ≤ ceiling + {SLACK}"): [
        QualityOrder(other, Ceiling(), SLACK) for other in (WORTH, *ORACLES)
    ],
}
IN_STEP = Statement("a repository in step has quality 1")


def judge(folder: Path, context: StudyContext) -> WorldResult:
    world = open_world(folder)
    if lack := lacks(world):
        return WorldResult(lack=lack)
    budgets = QUICK if context.quick else BUDGETS
    replayed = Grid({repr(arm): arm for arm in ARMS}, budgets).replay(folder, context)
    world_judge = judge_for(world, SETTING)
    never = replayed[repr(Never())].run(world_judge)
    in_step = float(np.abs(1 - QUALITY(_in_step(world_judge, never))).max())
    claims = [*_claims(replayed), Claim(IN_STEP, in_step <= _ROUNDING, f"{1 - in_step:.6f}")]
    orders = [order for each in ORDERS.values() for order in each]
    numbers: dict[str, Value] = {
        "orders checked": len(orders) * len(budgets),
        "orders broken": len(_failures(replayed, orders)) + (in_step > _ROUNDING),
        "largest error of a repository in step": in_step,
        **{
            f"{arm} at {budget:.1%}, share of gap": plain(_share(replayed, arm, budget))
            for budget in budgets
            for arm in replayed.grid.arms
        },
        **_transport(world_judge, never, replayed),
    }
    return WorldResult(claims, numbers, [_table(world, replayed)], [_figure(world, replayed)])


def lacks(world: World) -> str:
    """What a world lacks for a year to be judged in it; empty if nothing."""
    if not len(world.tallies):
        return "nobody asks for anything (sought lab queries derive makes queries)"
    return "" if world.units else "it has one moment only"


def _in_step(judge: Judge, like: Run) -> Run:
    """A run in which every change is fetched at once."""
    return run_of_states(judge, like.moments, [judge.world.live(time) for time in like.moments.tolist()])


def _claims(replayed: Replayed) -> list[Claim]:
    """That no order is broken."""
    claims = []
    for statement, orders in ORDERS.items():
        failures = _failures(replayed, orders)
        more = f"; and {len(failures) - 3} more" if len(failures) > 3 else ""
        claims.append(Claim(statement, not failures, "; ".join(failures[:3]) + more or "at every budget"))
    return claims


def _failures(replayed: Replayed, orders: Iterable[QualityOrder]) -> list[str]:
    return [
        f"at {budget:.1%} {failure}"
        for budget, order in product(replayed.grid.budgets, orders)
        if (failure := order.failure(replayed.means(budget)))
    ]


def _share(replayed: Replayed, arm: str, budget: float) -> float:
    return replayed.share_of_gap(arm, repr(FLOOR), repr(Ceiling()), budget)


def _transport(judge: Judge, never: Run, replayed: Replayed) -> dict[str, Value]:
    """What the best schedule of the surrogate still loses, and what that of each policy does."""
    world, budgets = judge.world, replayed.grid.budgets
    if len(world.versions) > LARGE:
        return {"transport bound": f"not solved, more than {LARGE:,} versions"}
    fetches = [fetches_of(budget, pages_at_start(world)) for budget in budgets]
    loss = losses(judge, never.copies, replayed.context.progress(f"losses of versions of {world.name}"))
    bounds = transport_bounds(judge, never.moments, fetches, never.copies, loss=loss)
    numbers: dict[str, Value] = {
        f"transport bound at {budget:.1%}, share of surrogate loss": bound.loss_share
        for budget, bound in zip(budgets, bounds, strict=True)
    }
    jobs = jobs_of(judge, never.moments, loss)
    for budget, arm in product(budgets, replayed.grid.arms):
        lost = loss_share(jobs, replayed[arm, budget].run(judge))
        numbers[f"{arm} at {budget:.1%}, share of surrogate loss"] = lost
    return numbers | {"additivity error of a repository never refreshed": bounds[0].additivity_error}


def loss_share(jobs: Jobs, run: Run) -> float:
    """What a run loses of the surrogate: each version is earned from the unit on in which it was fetched first."""
    units = len(run.moments)
    fetched, first = run.log.version != NOTHING, np.full(len(run.world.versions), units)
    np.minimum.at(first, run.log.version[fetched], run.log.unit[fetched])
    slots = first[jobs.version]
    earned = jobs.earned(np.where((slots >= jobs.first) & (slots < jobs.stop), slots, NOTHING))
    return 1.0 - earned / jobs.possible if jobs.possible else 0.0


def _table(world: World, replayed: Replayed) -> ResultTable:
    rows: list[list[Value]] = [
        [arm, budget, replayed[arm, budget].fetches, quality, plain(_share(replayed, arm, budget))]
        for budget in replayed.grid.budgets
        for arm, quality in replayed.means(budget).items()
    ]
    names = ["policy", "budget", "fetches", "quality", "share_of_gap"]
    return ResultTable(f"{world.name}: mean quality, and share of the gap from round-robin to the ceiling", names, rows)


def _figure(world: World, replayed: Replayed) -> Figure:
    title = f"{world.name}: quality by budget"
    return line_figure("bounds", title, replayed.curves(), "fetches a unit, % of pages", "mean quality")


BOUNDS = Study(
    "bounds",
    "",
    "Floors, oracles and the ceiling",
    "How much is there to gain between the floor and the ceiling?",
    "a world with queries and at least two moments",
    (*ORDERS, IN_STEP),
    judge,
    settings={"budgets": list(BUDGETS), "seeds": [0], "setting": repr(SETTING)},
    quick_settings={"budgets": list(QUICK)},
    aliases=("X8",),
)
