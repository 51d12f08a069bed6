"""Do crawls in random and in ideal order agree with the closed forms?

After K of T pages, drawn without replacement: P_CS = P_ST = 100·K/T, in the mean; in order of importance: P_CS = 100
and P_ST = 100·min(K, H)/H.  J. Cho, H. Garcia-Molina, L. Page, Efficient Crawling Through URL Ordering, WWW7 1998,
§2.2; there drawn with replacement, which does not give K/T distinct pages.

Where pages are as important as the K-th they are hot too, and more than K are.  So each K here is one where no page
left is as important as the last one taken.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sought.lab.judge.judge import Judge
from sought.lab.measures import CrawlAndStop, Measure, Threshold
from sought.lab.measures.importance import IMPORTANCES, Importance, Weighed, is_hot, weighed
from sought.lab.replay.run import Run, run_of_states
from sought.lab.studies.figures import line_figure
from sought.lab.studies.study import Claim, Figure, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.lab.worlds.demand import demand_of
from sought.lab.worlds.files import open_world
from sought.lab.worlds.world import NOTHING, Numbers, World, WorldDemand

SHARES = (0.01, 0.1, 0.47)  # of pages that are crawled; those of hot pages in the paper
HOT = Threshold().hot
ERRORS = 3.0  # standard errors
ORDERS, QUICK = 100, 20
FEWEST = 20  # pages

STATEMENTS = {
    "random": Statement("in random order P_CS = P_ST = 100·K/T, within 3 standard errors", "100·K/T"),
    "ideal": Statement("in ideal order P_CS = 100 and P_ST = 100·min(K, H)/H", "100, 100·K/H up to K = H"),
}

Floats = NDArray[np.float64]
Curves = dict[str, tuple[list[float], list[float]]]


@dataclass(frozen=True)
class Check:
    """One measure after K pages: the expected and the measured value, and its standard error."""

    importance: Importance
    measure: str
    order: str
    count: int
    expected: float
    measured: float
    error: float

    @property
    def holds(self) -> bool:
        return abs(self.measured - self.expected) <= ERRORS * self.error + 1e-9


def judge(folder: Path, context: StudyContext) -> WorldResult:
    world = open_world(folder)
    unquestioned = unasked(world)
    weighed = [_weighed(unquestioned, kind) for kind in IMPORTANCES]
    if len(weighed[0].pages) < FEWEST:
        return WorldResult(lack=f"fewer than {FEWEST} pages are live at the end")
    able = [(kind, web) for kind, web in zip(IMPORTANCES, weighed, strict=True) if len(_counts(web.importance))]
    if not able:
        return WorldResult(lack="all pages are equally important: no links lead to any")
    checks: list[Check] = []
    curves: Curves = {}
    for kind, web in context.each(f"random crawls of {world.name}", able):
        checks += list(_checks(unquestioned, kind, web, QUICK if context.quick else ORDERS))
        curves |= _curves(unquestioned, kind, web)
    failed = sum(not check.holds for check in checks)
    numbers: dict[str, Value] = {"pages": len(weighed[0].pages), "checks": len(checks), "failed": failed}
    return WorldResult(_claims(checks), numbers, [_table(world, checks)], [_figure(world, curves)])


def _claims(checks: Sequence[Check]) -> list[Claim]:
    claims = []
    for order, statement in STATEMENTS.items():
        mine = [check for check in checks if check.order == order]
        failed = [_told(check) for check in mine if not check.holds]
        claims.append(Claim(statement, not failed, "; ".join(failed[:3]) or f"all {len(mine)} closed forms are met"))
    return claims


def unasked(world: World) -> Judge:
    """A judge for measures that no query matters to."""
    demand = demand_of(WorldDemand(), "none", world.unit)
    nothing = np.zeros(0, np.uint32), np.zeros(0, np.float32)
    return Judge(world, demand, np.zeros(len(world.versions) + 1, np.int64), *nothing)


def _weighed(judge: Judge, kind: Importance) -> Weighed:
    """The pages at the end of the world."""
    return next(weighed(run_of_states(judge, np.array([judge.world.end]), []), kind))


def _counts(importance: Floats) -> list[int]:
    """The K nearest to SHARES where the K-th most important page has no equal that is left out."""
    ordered = np.sort(importance)[::-1]
    apart = np.flatnonzero(ordered[:-1] > ordered[1:]) + 1
    if not len(apart):
        return []
    return sorted({int(apart[np.abs(apart - share * len(ordered)).argmin()]) for share in SHARES})


def _crawl(judge: Judge, order: Numbers, counts: Sequence[int]) -> Run:
    """A crawl of pages in this order while the Web stands still; a unit ends after each of these counts."""
    live = judge.world.live(judge.world.end)
    states = []
    for count in counts:
        state = np.full(len(live), NOTHING)
        state[order[:count]] = live[order[:count]]
        states.append(state)
    return run_of_states(judge, np.full(len(counts), judge.world.end), states)


def _checks(judge: Judge, kind: Importance, web: Weighed, orders: int) -> Iterator[Check]:
    counts, total = _counts(web.importance), len(web.pages)
    hot = int(np.count_nonzero(is_hot(web.importance, max(1, round(HOT * total)))))
    measures: tuple[Measure, ...] = CrawlAndStop(kind), Threshold(HOT, kind)
    dice = np.random.default_rng([0xC4A1, IMPORTANCES.index(kind)])
    drawn = np.array(
        [
            [m(run) for m in measures]
            for run in (_crawl(judge, dice.permutation(web.pages), counts) for _ in range(orders))
        ]
    ).mean(axis=0)
    ideal = _crawl(judge, _ideal(web), counts)
    for row, (measure, best) in enumerate(zip(measures, _best(counts, hot), strict=True)):
        values = measure(ideal)
        for at, count in enumerate(counts):
            sought, over = (count, count) if row == 0 else (hot, hot)
            error = 100 / over * _deviation(total, sought, count) / np.sqrt(orders)
            expected = 100 * count / total
            yield Check(kind, measure.name, "random", count, expected, float(drawn[row, at]), float(error))
            yield Check(kind, measure.name, "ideal", count, best[at], float(values[at]), 0.0)


def _best(counts: Sequence[int], hot: int) -> tuple[list[float], list[float]]:
    return [100.0] * len(counts), [100 * min(count, hot) / hot for count in counts]


def _ideal(web: Weighed) -> Numbers:
    return web.pages[np.argsort(-web.importance, kind="stable")]


def _deviation(total: int, marked: int, drawn: int) -> float:
    """Of the number of marked ones among those drawn without replacement (hypergeometric)."""
    share = marked / total
    return float(np.sqrt(drawn * share * (1 - share) * (total - drawn) / max(1, total - 1)))


def _curves(judge: Judge, kind: Importance, web: Weighed) -> Curves:
    counts = sorted({max(1, round(share * len(web.pages))) for share in np.linspace(0.02, 1, 25)})
    across = [100 * count / len(web.pages) for count in counts]
    orders = {"random": np.random.default_rng(0xC0DE).permutation(web.pages), "ideal": _ideal(web)}
    curves = {name: Threshold(HOT, kind)(_crawl(judge, order, counts)).tolist() for name, order in orders.items()}
    return {f"{name}, {kind}": (across, up) for name, up in curves.items()}


def _told(check: Check) -> str:
    text = f"{check.measure} of the {check.order} order after {check.count:,} pages is {check.measured:.2f}"
    return f"{text}, not {check.expected:.2f} ± {ERRORS * check.error:.2f}"


def _table(world: World, checks: Sequence[Check]) -> ResultTable:
    rows: list[list[Value]] = [
        [c.measure, c.order, c.count, c.expected, c.measured, c.error, "yes" if c.holds else "no"] for c in checks
    ]
    columns = ["measure", "order", "pages crawled", "expected", "measured", "standard error", "within 3 errors"]
    return ResultTable(f"{world.name}: closed forms of crawls", columns, rows)


def _figure(world: World, curves: Curves) -> Figure:
    title = f"{world.name}: hot pages found"
    return line_figure("random-crawl", title, curves, "pages crawled, %", "P_ST, %")


RANDOM_CRAWL = Study(
    "random-crawl",
    "cho-garcia-molina-page-1998",
    "Random and ideal crawls",
    "Do crawls in random and in ideal order reach what they must, whatever the graph?",
    f"a world with at least {FEWEST} pages at its end, and links among them",
    tuple(STATEMENTS.values()),
    judge,
    settings={"orders": ORDERS, "hot": HOT, "shares": list(SHARES)},
    quick_settings={"orders": QUICK},
)
