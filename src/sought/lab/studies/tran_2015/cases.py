"""Which frontiers are ranked in the experiments of tran-et-al-2015, and what is each page in them worth?

Tran, Turk, Cambazoglu & Nejdl, A Random Walk Model for Optimization of Search Impact in Web Frontier Ranking, SIGIR
2015, §3 and §5.  Theirs are two moments of Wikipedia and of a crawl; here half of a world's pages, drawn at random, are
crawled, and the frontier is what they link to besides.  What a page of it brings in a week is drawn from what is
expected with all pages found (by that half of demand that the crawl does not know); of crawled pages the crawl knows
what its own index and the known half of demand say.  Everything is the mean over several such draws.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from sought.beliefs.impacts import IMPACTS, Impact
from sought.lab.judge.bootstrap import SAMPLES, Rows, Tuned, split65, tune
from sought.lab.judge.judge import Judge
from sought.lab.replay.frontier import Frontier, WorldImpacts, frontier_of, impacts_of
from sought.lab.replay.setting import Setting, pages_at_start
from sought.lab.studies.cells import judge_for
from sought.lab.studies.marks import world_mark
from sought.lab.studies.study import Claim, Statement, StudyContext, Value, WorldResult
from sought.lab.worlds.files import open_world
from sought.lab.worlds.world import Numbers
from sought.policy import Backlinks, Location, PageRank, RandomWalk, SearchImpact
from sought.policy.ordering import Ordering
from sought.web.pages import Floats
from sought.web.policy import Important

PAPER = "tran-et-al-2015"
QUICK_SAMPLES = 5
SEARCHES = 50_000.0  # a week
CRAWLED = 0.5
OMEGAS = tuple(float(i) / 10 for i in range(11))
FEWEST = 100  # pages of a frontier
ENOUGH = 50_000  # pages of all draws together, if that takes between 5 and 10 draws
EVEN = 0.005  # of the ideal impact: shares that differ less are equal
ERRORS = 2.0  # standard errors
BEST = 0.008  # of pages
MOST_FLAT, LEAST_SKEWED = 0.25, 0.5  # of all impact, that the best pages have
CLEARLY = f"'above' is by more than {EVEN:.1%} of the ideal, and by more than two standard errors over draws"
SETTINGS = {"samples": SAMPLES, "even": EVEN}
QUICK_SETTINGS = {"samples": QUICK_SAMPLES}
BASELINES: dict[str, Backlinks | Ordering] = {
    "InDegree": Backlinks(),
    "PageRank": PageRank(d=0.85),
    "Q-Overlap": SearchImpact(by_queries=1.0),
    "Q-Hybrid": SearchImpact(),
}
RANDOM, RW, RW_EG = "Random", "RW", "RW-EG"


@dataclass(frozen=True)
class Regime:
    """How the paper treats a kind of data: exponent of out-degrees, shares of the frontier that are taken."""

    name: str
    beta: float
    cuts: tuple[float, ...]

    @property
    def cut(self) -> float:
        return self.cuts[-1]


LOW_SKEW = Regime("low skew", 1.0, tuple(float(i) / 100 for i in range(1, 11)))
SKEWED = Regime("skewed", 0.0, tuple(float(i) / 500 for i in range(1, 11)))


@dataclass(frozen=True, eq=False)
class Case:
    """One frontier; `rows` are its pages, and impacts are of them: of one search, and counts of a week."""

    frontier: Frontier
    rows: Numbers
    expected: WorldImpacts
    week: WorldImpacts
    beta: float
    seed: int

    def importance(self, ordering: Important) -> Floats:
        """How important each page of the frontier is."""
        return ordering.importance(self.frontier.pages)[self.rows]

    def walk(self, kind: Impact, omega: float) -> Floats:
        return self.importance(walk(kind, omega, self.beta))

    def impact(self, kind: Impact) -> Floats:
        return self.week.clicks if kind == "clicks" else self.week.views

    @property
    def parts(self) -> tuple[Rows, Rows]:
        """Places in `rows`: of pages to tune on, and of pages to test on."""
        return split65(len(self.rows), self.seed)

    def tuned(self, kind: Impact, cut: float, omegas: Sequence[float], samples: int) -> Tuned[float]:
        train, _ = self.parts
        return tune(omegas, lambda omega: self.walk(kind, omega)[train], self.impact(kind)[train], cut, samples)

    def methods(self, kind: Impact, omega: float) -> dict[str, Floats]:
        """The value of each page by each method; zeros for Random."""
        baselines = {name: self.importance(ordering) for name, ordering in BASELINES.items()}
        walks = {RW: self.walk(kind, 1.0), RW_EG: self.walk(kind, omega)}
        return {RANDOM: np.zeros(len(self.rows)), **baselines, **walks}


@dataclass(frozen=True, eq=False)
class FrontierCases:
    """The frontiers of a world: several drawn, and one breadth first.  `held`: share of impact that the best have."""

    world: str
    regime: Regime | None
    held: dict[str, float]
    drawn: list[Case]
    breadth: Case

    @property
    def numbers(self) -> dict[str, Value]:
        links = [len(case.frontier.links.targets) / max(1, len(case.frontier.crawled)) for case in self.drawn]
        inward = [case.importance(Backlinks()).mean() for case in self.drawn]
        return {
            "kind": self.regime.name if self.regime else "neither",
            "pages crawled": int(np.mean([len(case.frontier.crawled) for case in self.drawn])),
            "pages in the frontier": int(np.mean([len(case.rows) for case in self.drawn])),
            "links of a crawled page": float(np.mean(links)),
            "links to a frontier page": float(np.mean(inward)),
            **self.held,
        }

    def unlike(self, wanted: Regime | None) -> str:
        """Why neither of the paper's cases is like it, or the one that is wanted is not, if so."""
        if not self.regime:
            views = self.held[f"best {BEST:.1%}, views"]
            return f"the best {BEST:.1%} of pages have {views:.0%} of views: neither flat nor skewed"
        is_wanted = wanted in (None, self.regime)
        return "" if is_wanted else f"its impact is {'flat' if self.regime is LOW_SKEW else 'skewed'}"


def judging(
    look: Callable[[FrontierCases, Regime, StudyContext], WorldResult], wanted: Regime | None = None
) -> Callable[[Path, StudyContext], WorldResult]:
    """The judge of a world by its frontiers, if its impact is as wanted, or else as in one of the paper's cases."""

    def judge(folder: Path, context: StudyContext) -> WorldResult:
        ground = ground_of(folder, context)
        if isinstance(ground, str):
            return WorldResult(lack=ground)
        if not ground.regime or ground.unlike(wanted):
            return WorldResult(lack=ground.unlike(wanted), numbers=ground.numbers)
        result = look(ground, ground.regime, context)
        return replace(result, numbers={**ground.numbers, **result.numbers})

    return judge


def samples_in(context: StudyContext) -> int:
    """Of a bootstrap."""
    return QUICK_SAMPLES if context.quick else SAMPLES


def walk(kind: Impact, omega: float, beta: float) -> RandomWalk:
    return RandomWalk(kind, omega, beta)


def above(one: Floats, other: Floats) -> bool | None:
    """Whether the first is above the second, draw by draw: by more than EVEN, and than two errors of the difference.

    None where it is by more than EVEN but not by two errors: more draws are needed.
    """
    apart = float((one - other).mean())
    return apart > EVEN if apart <= EVEN or apart > ERRORS * error(one - other) else None


def not_above(one: Floats, other: Floats) -> bool | None:
    """The opposite of `above`."""
    is_above = above(one, other)
    return None if is_above is None else not is_above


def error(values: Floats) -> float:
    """The standard error of the mean; 0 where there is one value only."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def claim_over_draws(statement: Statement, holds: bool | None, detail: str, at: str = "") -> Claim:
    """None if draws are too few to tell."""
    return Claim(statement, holds, detail if holds is not None else f"draws are too few to tell: {detail}", at)


def ground_of(folder: Path, context: StudyContext) -> FrontierCases | str:
    """The frontiers of a world, or what it lacks."""
    world = open_world(folder)
    if not len(world.tallies):
        return "nobody asks for anything (sought lab queries derive makes queries)"
    held, regime = _held(judge_for(world, _setting(0)))
    beta, mark = (regime or LOW_SKEW).beta, world_mark(folder)
    draws = 1 if context.quick else min(10, max(5, ENOUGH // pages_at_start(world)))
    cases = []
    for seed in context.each(f"frontiers of {world.name}", range(draws + 1)):
        case = _case(folder, mark, seed % draws, seed < draws, beta)
        if len(case.rows) < FEWEST:
            return f"fewer than {FEWEST} pages in its frontier"
        cases.append(case)
    return FrontierCases(world.name, regime, held, cases[:-1], cases[-1])


def _setting(seed: int, *, sampled: bool = True) -> Setting:
    return Setting(start="frontier", crawled=CRAWLED, sampled=sampled, seed=seed)


def _held(judge: Judge) -> tuple[dict[str, float], Regime | None]:
    expected, pages = impacts_of(judge, 1.0), pages_at_start(judge.world)
    held = {
        f"best {share:.1%}, {kind}": best_share(getattr(expected, kind), share, pages)
        for kind in IMPACTS
        for share in (BEST, 0.1)
    }
    best = [held[f"best {BEST:.1%}, {kind}"] for kind in IMPACTS]
    return held, SKEWED if min(best) >= LEAST_SKEWED else LOW_SKEW if max(best) <= MOST_FLAT else None


def best_share(impact: Floats, share: float, pages: int) -> float:
    """The share of all impact that the best pages of this share have."""
    return float(np.sort(impact)[-max(1, round(share * pages)) :].sum() / (impact.sum() or 1.0))


@lru_cache(maxsize=64)  # the experiments of a run share frontiers
def _case(folder: Path, mark: str, seed: int, sampled: bool, beta: float) -> Case:
    setting = _setting(seed, sampled=sampled)
    judge = judge_for(open_world(folder), setting)
    walks = [walk(kind, omega, beta) for kind in IMPACTS for omega in OMEGAS]
    frontier = frontier_of(judge, [*BASELINES.values(), Location(), *walks], setting)
    rows = frontier.rows
    impacts = impacts_of(judge, 1.0)
    expected = WorldImpacts(impacts.views[frontier.page[rows]], impacts.clicks[frontier.page[rows]])
    return Case(frontier, rows, expected, expected.times(SEARCHES).drawn(seed), beta, seed)
