"""X4: must gains be those of whole queries, or will single words do?

Pandey & Olston (User-Centric Web Crawling, WWW 2005, §5.1.1) replace queries by their words: a workload Q′ that needs
less of everything.  Gains of all changes of a year are worked out by the known half of demand: by queries, by words,
and by the mean of both.  They are compared with those by the other half; and a policy is given them (in-sample) and
compared by what it then makes of a budget.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from sought.beliefs.gain_rate import GainRate
from sought.demand.workload import query_key
from sought.index import normal
from sought.index.scorers import SCORERS
from sought.lab.judge.judge import Judge, judge_of
from sought.lab.judge.statistics import Interval, Scored, difference
from sought.lab.replay.fixed_weeks import Weeks
from sought.lab.replay.hindsight import watched
from sought.lab.replay.run import run_of_states
from sought.lab.replay.setting import Setting, fetches_of, pages_at_start
from sought.lab.studies.bounds import lacks
from sought.lab.studies.cells import judge_for
from sought.lab.studies.study import Claim, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.lab.studies.worth.arms import NEEDS, interval
from sought.lab.worlds.demand import Demand
from sought.lab.worlds.files import open_world
from sought.lab.worlds.world import NOTHING, Numbers
from sought.policy import UserCentric
from sought.web.expression import evaluated

BUDGETS = (0.01, 0.05)
QUERIES, WORDS, MIXED = "queries", "words", "both"
DRAWS, QUICK_DRAWS = 500, 100
FEWEST = 20  # changes that gain anything
SETTING = Setting(pages="fixed")
RANKED = Statement(
    "gains by queries have a higher rank correlation with those by unseen demand than gains by single words (95 % "
    "interval above 0)"
)
BETTER = Statement("a policy that is told them reaches a higher quality (95 % interval above 0)")

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TermResults:
    """By kind of workload: rank correlation with the true gains, and mean quality for each budget.

    `ranked` and `led` are by how much queries are above words in the one and, for each budget, in the other.
    """

    correlation: Mapping[str, float]
    quality: Mapping[str, Sequence[float]]
    ranked: Interval
    led: Sequence[Interval]


def judge(folder: Path, context: StudyContext) -> WorldResult:
    world = open_world(folder)
    if lack := lacks(world):
        return WorldResult(lack=lack)
    world_judge = judge_for(world, SETTING)
    context.report(f"gains of {world.name}", 0, 1)
    results = measured(world_judge, QUICK_DRAWS if context.quick else DRAWS)
    context.report(f"gains of {world.name}", 1, 1)
    return result_of(world.name, results) if results else WorldResult(lack=f"fewer than {FEWEST} changes gain anything")


def measured(judge: Judge, draws: int) -> TermResults | None:
    """None if too few changes gain anything."""
    world = judge.world
    times = world.start + world.unit * np.arange(world.units + 1, dtype=np.float64)
    true = gains_of(replace(judge, demand=replace(judge.demand, known=judge.demand.judged)), times)
    gains = {QUERIES: gains_of(judge, times), WORDS: gains_of(by_words(judge), times)}
    gains[MIXED] = sum((each / (np.abs(each).sum() or 1.0) for each in gains.values()), np.zeros_like(true))
    some = (true != 0) | np.any([each != 0 for each in gains.values()], axis=0)
    if np.count_nonzero(some) < FEWEST:
        return None
    weeks, seconds = Weeks(judge, times), world.unit * world.units
    counts = [fetches_of(budget, pages_at_start(world)) for budget in BUDGETS]
    runs = {
        name: [
            scored(weeks, weeks.ranked(UserCentric(), {GainRate(): each.sum(axis=0) / seconds}, count))
            for count in counts
        ]
        for name, each in gains.items()
    }
    return TermResults(
        {name: _correlation(true[some], each[some]) for name, each in gains.items()},
        {name: [_quality(one) for one in each] for name, each in runs.items()},
        _ranked(true, gains, some, draws),
        [difference(a, b, draws) for a, b in zip(runs[QUERIES], runs[WORDS], strict=True)],
    )


def by_words(judge: Judge) -> Judge:
    """The same world, asked for single words: each as often as the queries that hold it."""
    demand, held = judge.demand, [form.split() for form in normal(judge.demand.texts)]
    words = sorted({word for each in held for word in each}, key=query_key)
    number = {word: at for at, word in enumerate(words)}
    rows = [(at, number[word]) for at, query in enumerate(demand.query.tolist()) for word in held[query]]
    row, word = np.array(rows, np.int64).reshape(-1, 2).T
    keys = np.array([query_key(each) for each in words], np.uint64)
    asked = Demand(words, keys, word, demand.since[row], demand.known[row], demand.judged[row], demand.ahead)
    return judge_of(judge.world, asked, evaluated(SETTING.scorer, SCORERS, "scorer"), judge.tie)


def gains_of(judge: Judge, times: Floats) -> Floats:
    """Of every page (a column) in every unit (a row), all else as it was in the unit before."""
    gains = np.zeros((len(times) - 1, len(judge.world.urls)))
    for row, each in zip(gains, watched(judge, times)[1:], strict=True):
        row[each.row] = np.nan_to_num(each.gain)
    return gains


def scored(weeks: Weeks, fetched: Iterator[Numbers]) -> Scored:
    """The scores if these pages are fetched in each unit after the first."""
    copies, states = np.full(len(weeks.judge.world.urls), NOTHING), []
    for time, pages in zip(weeks.times.tolist(), chain([weeks.pages], fetched), strict=True):
        copies = copies.copy()
        copies[pages] = weeks.judge.world.live(time)[pages]
        states.append(copies)
    scored = Scored.of(run_of_states(weeks.judge, weeks.times, states))
    return Scored(scored.attained[1:], scored.ideal[1:], scored.weights[1:])


def _quality(scored: Scored) -> float:
    could = (scored.weights * scored.ideal).sum(axis=1)
    return float(np.mean((scored.weights * scored.attained).sum(axis=1)[could > 0] / could[could > 0]))


def _correlation(a: Floats, b: Floats) -> float:
    """Spearman's; 0 where one of the two never differs."""
    first, second = (rankdata(each) for each in (a, b))
    spread = float(first.std() * second.std())
    return float(np.mean((first - first.mean()) * (second - second.mean()))) / spread if spread else 0.0


def _ranked(true: Floats, gains: Mapping[str, Floats], some: NDArray[np.bool_], draws: int) -> Interval:
    """By how much queries rank changes better than words: pages are drawn, each with all its changes."""
    unit, page = np.nonzero(some)
    order = np.argsort(page, kind="stable")
    unit, page = unit[order], page[order]
    bounds = np.flatnonzero(np.diff(page, prepend=-1, append=page[-1] + 1))
    columns = [each[unit, page] for each in (true, gains[QUERIES], gains[WORDS])]
    dice, drawn = np.random.default_rng([0, 0x4]), np.empty(draws)
    for draw in range(draws):
        chosen = dice.integers(0, len(bounds) - 1, len(bounds) - 1)
        at = np.concatenate([np.arange(bounds[i], bounds[i + 1]) for i in chosen.tolist()])
        drawn[draw] = _apart(*(column[at] for column in columns))
    low, high = np.percentile(drawn, (2.5, 97.5))
    return Interval(_apart(*columns), float(low), float(high), draws)


def _apart(true: Floats, queries: Floats, words: Floats) -> float:
    return _correlation(true, queries) - _correlation(true, words)


def result_of(world: str, results: TermResults) -> WorldResult:
    numbers: dict[str, Value] = {f"rank correlation, {name}": value for name, value in results.correlation.items()}
    for at, budget in enumerate(BUDGETS):
        numbers |= {f"quality at {budget:.0%}, {name} (in-sample)": each[at] for name, each in results.quality.items()}
    rows: list[list[Value]] = [[name, results.correlation[name], *results.quality[name]] for name in results.quality]
    columns = ["gains by", "rank correlation with true gains", *(f"quality at {b:.0%} (in-sample)" for b in BUDGETS)]
    return WorldResult(claims_of(results), numbers, [ResultTable(f"{world}: queries or words", columns, rows)])


def claims_of(results: TermResults) -> list[Claim]:
    claims = [Claim(RANKED, results.ranked.low > 0, interval(results.ranked))]
    for budget, led in zip(BUDGETS, results.led, strict=True):
        claims.append(Claim(BETTER, led.low > 0, interval(led), f"{budget:.0%}"))
    return claims


MULTI_TERM = Study(
    "worth-multi-term",
    "",
    "Whole queries or single words (X4)",
    "Must the gain of a fetch be measured by whole queries?",
    NEEDS,
    (RANKED, BETTER),
    judge,
    settings={"budgets": list(BUDGETS), "setting": repr(SETTING)},
    aliases=("X4",),
)
