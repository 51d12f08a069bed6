"""What does a repository lose that is never refreshed: new pages, pages that are gone, or edited text?

Kinds of change are of URLs, between the start and now: one that was no page and is one has appeared (also if a page
moved there), one that was a page and is none has vanished or moved, one that is a page all the same but another version
was edited.  Repairing all of a kind gives an exact quality.  What a kind costs depends on which others are repaired
before it; here it is the mean over all orders (L. S. Shapley, A value for n-person games, 1953), so costs sum to the
loss.
"""

from collections.abc import Iterable
from itertools import combinations
from math import factorial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sought.lab.judge.judge import Judge
from sought.lab.measures import Quality
from sought.lab.replay.run import Run, run_of_states
from sought.lab.replay.setting import Setting
from sought.lab.studies.bounds import lacks
from sought.lab.studies.cells import judge_for
from sought.lab.studies.figures import line_figure
from sought.lab.studies.study import Claim, Figure, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.lab.worlds.files import open_world
from sought.lab.worlds.world import NOTHING, Numbers, World

KINDS = ("appeared", "vanished or moved", "edited text")
TEXT = KINDS[-1]
MOST = 0.5  # of the loss, that stale text may be
AT_END, ON_AVERAGE = (
    Statement(f"stale text is less than {MOST:.0%} of the loss {when}") for when in ("at the end", "on average")
)
SETTING = Setting()
_QUICK = 4  # moments

Floats = NDArray[np.float64]
Kinds = tuple[str, ...]


def judge(folder: Path, context: StudyContext) -> WorldResult:
    world = open_world(folder)
    if lack := lacks(world):
        return WorldResult(lack=lack)
    moments = world.start + world.unit * np.arange(1, world.units + 1, dtype=np.float64)
    if context.quick:
        moments = moments[-1 :: -max(1, len(moments) // _QUICK)][::-1]
    costs = split(judge_for(world, SETTING), moments, context, f"repairing {world.name}")
    total = _total(costs)
    if total[-1] <= 0 or total.mean() <= 0:
        return WorldResult(lack="a repository that is never refreshed loses nothing in it")
    at_end, on_average = (
        {kind: float(of(cost) / of(total)) for kind, cost in costs.items()} for of in (_last, np.mean)
    )
    numbers: dict[str, Value] = {
        "loss at the end": float(total[-1]),
        "loss on average": float(total.mean()),
        **{f"{kind}, share of loss at the end": share for kind, share in at_end.items()},
        **{f"{kind}, share of loss on average": share for kind, share in on_average.items()},
    }
    claims = [
        Claim(AT_END, at_end[TEXT] < MOST, f"{at_end[TEXT]:.0%}"),
        Claim(ON_AVERAGE, on_average[TEXT] < MOST, f"{on_average[TEXT]:.0%}"),
    ]
    return WorldResult(claims, numbers, [_table(world, costs)], [_figure(world, moments, costs)])


def _total(costs: dict[str, Floats]) -> Floats:
    total: Floats = np.sum(list(costs.values()), axis=0)
    return total


def _last(values: Floats) -> float:
    return float(values[-1])


def split(judge: Judge, moments: Floats, context: StudyContext, what: str = "repairing") -> dict[str, Floats]:
    """What each kind of change costs a repository that is in step at the start and never refreshed, by moment."""
    subsets = [subset for size in range(len(KINDS)) for subset in combinations(KINDS, size)]
    quality: dict[Kinds, Floats] = {KINDS: np.ones(len(moments))}
    for subset in context.each(what, subsets):
        quality[subset] = Quality()(repaired(judge, moments, subset))
    return {kind: _shapley(kind, quality) for kind in KINDS}


def repaired(judge: Judge, moments: Floats, kinds: Iterable[str]) -> Run:
    """A repository as it was at the start, but for changes of these kinds."""
    world = judge.world
    start = _searchable(world, world.live(world.start))
    states, chosen = [], set(kinds)
    for time in moments.tolist():
        live = _searchable(world, world.live(time))
        repairs = np.zeros(len(live), np.bool_)
        for kind, pages in _kinds(start, live).items():
            repairs |= pages & (kind in chosen)
        states.append(np.where(repairs, live, start))
    return run_of_states(judge, moments, states, start)


def _kinds(start: Numbers, live: Numbers) -> dict[str, NDArray[np.bool_]]:
    was, now = start != NOTHING, live != NOTHING
    return dict(zip(KINDS, (~was & now, was & ~now, was & now & (start != live)), strict=True))


def _searchable(world: World, versions: Numbers) -> Numbers:
    is_page = np.where(versions == NOTHING, False, world.is_page[versions])
    return np.where(is_page, versions, NOTHING)


def _shapley(kind: str, quality: dict[Kinds, Floats]) -> Floats:
    """What repairing it adds, mean over the orders in which all kinds can be repaired."""
    others = tuple(other for other in KINDS if other != kind)
    cost, orders = np.zeros(len(quality[KINDS])), factorial(len(KINDS))
    for size in range(len(KINDS)):
        weight = factorial(size) * factorial(len(KINDS) - size - 1) / orders
        for before in combinations(others, size):
            after = tuple(k for k in KINDS if k == kind or k in before)
            cost += weight * (quality[after] - quality[before])
    return cost


def _table(world: World, costs: dict[str, Floats]) -> ResultTable:
    total = _total(costs)
    rows: list[list[Value]] = [
        [kind, _last(cost), _last(cost) / _last(total), float(cost.mean()), float(cost.mean() / total.mean())]
        for kind, cost in costs.items()
    ]
    columns = ["kind of change", "loss at the end", "share", "loss on average", "share on average"]
    return ResultTable(f"{world.name}: what a repository that is never refreshed loses of quality", columns, rows)


def _figure(world: World, moments: Floats, costs: dict[str, Floats]) -> Figure:
    title = f"{world.name}: loss of quality by kind of change"
    units = ((moments - world.start) / world.unit).tolist()
    series = {kind: (units, cost.tolist()) for kind, cost in costs.items()}
    return line_figure("losses", title, series, "units since the start", "loss of quality")


LOSSES = Study(
    "losses",
    "",
    "Where the loss comes from",
    "What does a repository lose in a year without a fetch: new pages, pages that are gone, or edited text?",
    "a world with queries and at least two moments, in which something changes",
    (AT_END, ON_AVERAGE),
    judge,
    settings={"seeds": [0], "setting": repr(SETTING)},
)
