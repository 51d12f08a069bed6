"""How many pieces must the curve from score to rank have?

S. Pandey, C. Olston, User-Centric Web Crawling, WWW 2005, §5.1.2: three were enough there.  Gains are estimated here
with curves of one to six pieces, made anew for every unit, and each time the user-centric policy is given them
(in-sample).  A crawl's own curves (index/curves.py) have three, and this is the only place where another number is
tried: so this is plain NumPy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from sought.beliefs.gain_rate import GainRate
from sought.lab.judge.judge import Judge
from sought.lab.replay.fixed_weeks import Weeks
from sought.lab.replay.hindsight import watched
from sought.lab.replay.setting import Setting, fetches_of, pages_at_start
from sought.lab.studies.bounds import lacks
from sought.lab.studies.cells import judge_for
from sought.lab.studies.experiment import Report
from sought.lab.studies.figures import line_figure
from sought.lab.studies.pandey_olston_2005 import PAPER
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
from sought.lab.worlds.world import Numbers
from sought.policy import RoundRobin, UserCentric

NAME = f"{PAPER}-section-5-1-2"
PIECES, QUICK = (1, 2, 3, 4, 5, 6), (1, 3)
BUDGETS = (0.01, 0.05)
FLAT = 0.1  # of the lead over round-robin
SMALL = 1e-3  # a lead in quality too small to judge by
EXACT = "exact"
EVEN = Statement(
    f"with one to six pieces, mean quality (in-sample) differs by at most {FLAT:g} of the lead over round-robin",
    "not sensitive, three used",
)
SCORER = "TfIdf()"
_ROUNDING = 1e-6

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ScoreCurve:
    """Score by rank in straight lines on log-log paper, through ranks at equal distances on a log scale."""

    log_ranks: Floats
    log_scores: Floats

    @staticmethod
    def of(scores: Floats, pieces: int) -> "ScoreCurve":
        """Of positive scores, the largest first."""
        count = len(scores)
        knots = [1]
        for piece in range(1, pieces + 1):
            knots.append(min(count, max(knots[-1] + 1, round(count ** (piece / pieces)))))
        ranks = np.unique(np.append(np.array(knots), count))
        heights = np.log(scores[ranks - 1]) - 1e-9 * np.arange(len(ranks))  # falling, even where scores are equal
        return ScoreCurve(np.log(ranks), heights)

    @property
    def count(self) -> int:
        return round(float(np.exp(self.log_ranks[-1])))

    def scores(self) -> Floats:
        """At every rank."""
        return np.exp(np.interp(np.log(np.arange(1, self.count + 1)), self.log_ranks, self.log_scores))

    def ranks(self, scores: Floats) -> Floats:
        """Of positive scores, between whole ranks too; one below all others comes after them."""
        logs = np.log(scores)
        ranks = np.exp(np.interp(-logs, -self.log_scores, self.log_ranks))
        return np.where(logs < self.log_scores[-1] - _ROUNDING, self.count + 1.0, ranks)


def shift_gains(scores: Floats, old: Floats, new: Floats, pieces: int) -> Floats:
    """What attention gains when a result of score `old` has `new`, each by itself (0: it is none).

    `scores` are those of all results now, old ones among them, the largest first.  The list that a page is ranked in is
    the one without it.
    """
    if not len(scores):
        return np.where(new > 0, new, 0.0)
    curve = ScoreCurve.of(scores, pieces)
    count, heights = curve.count, curve.scores()
    seen = np.arange(1, count + 3, dtype=np.float64) ** -1.5
    drops = seen[:-1] - seen[1:]  # by what attention falls from rank 1 to 2, …
    above = np.concatenate([[0.0], np.cumsum(drops[:count] * heights)])  # those at their rank move down
    below = np.concatenate([[0.0], np.cumsum(drops[: count - 1] * heights[1:])])  # those one rank further move up
    was, stays = old > 0, new > 0
    at = np.where(was, np.minimum(np.rint(curve.ranks(np.where(was, old, 1.0))), count), count + 1).astype(np.int64)
    to = np.ceil(curve.ranks(np.where(stays, new, 1.0)) - _ROUNDING).astype(np.int64)  # behind all that are better
    to = np.where(was & (new > old), np.minimum(to, at), to)
    to = np.where(was & (new < old), np.maximum(to - 1, at), to)  # its old copy is not before it
    to = np.where(stays, to, count)
    own = np.where(stays, seen[to - 1] - np.where(was, seen[at - 1], 0.0), 0.0) * new
    rises = -(above[np.maximum(at, to) - 1] - above[to - 1])
    falls = below[np.minimum(np.maximum(at, to), count) - 1] - below[np.minimum(at, count) - 1]
    return np.asarray(own + np.where(new > old, rises, falls))


def estimated(judge: Judge, times: Floats, pieces: Sequence[int], report: Report) -> dict[int, Floats]:
    """The gain of every page (a column) in every unit (a row), all else as it was in the unit before."""
    estimates = {number: np.zeros((len(times) - 1, len(judge.world.urls))) for number in pieces}
    live = [judge.world.live(time) for time in times.tolist()]
    for unit in range(1, len(times)):
        report(unit - 1, len(times) - 1)
        pages = np.flatnonzero(live[unit] != live[unit - 1])
        pairs = _pairs(judge, pages, live[unit - 1][pages], live[unit][pages])
        weights = judge.demand.weights("known", float(times[unit]))
        held = judge.matches(np.arange(len(live[unit])), live[unit - 1])
        order = np.lexsort((-held.scores, held.queries))
        scores, every = held.scores[order].astype(np.float64), np.arange(len(weights) + 1)
        lists, parts = np.searchsorted(held.queries[order], every), np.searchsorted(pairs.query, every)
        for query in np.unique(pairs.query[weights[pairs.query] > 0]).tolist():
            results, mine = scores[lists[query] : lists[query + 1]], slice(parts[query], parts[query + 1])
            for number in pieces:
                gains = shift_gains(results, pairs.old[mine], pairs.new[mine], number)
                estimates[number][unit - 1][pairs.page[mine]] += weights[query] * gains  # a page is there once a query
    report(len(times) - 1, len(times) - 1)
    return estimates


@dataclass(frozen=True)
class _Pairs:
    page: Numbers
    query: Numbers
    old: Floats
    new: Floats


def _pairs(judge: Judge, pages: Numbers, old: Numbers, new: Numbers) -> _Pairs:
    """Pages and queries where a score changes, by query."""
    sides = [judge.matches(pages, versions) for versions in (old, new)]
    keys = [side.queries.astype(np.int64) << 32 | side.pages for side in sides]
    every = np.union1d(*keys)
    scores = np.zeros((2, len(every)))
    for side, mine, row in zip(sides, keys, scores, strict=True):
        row[np.searchsorted(every, mine)] = side.scores
    moved = scores[0] != scores[1]
    return _Pairs(every[moved] & 0xFFFFFFFF, every[moved] >> 32, *scores[:, moved])


@dataclass(frozen=True)
class Pieces:
    """By number of pieces (and exactly): mean quality for each budget, and the rank correlation of gains with exact."""

    quality: Mapping[str, list[float]]
    correlation: Mapping[str, float]
    floor: list[float]


def judge(folder: Path, context: StudyContext) -> WorldResult:
    world = open_world(folder)
    if lack := lacks(world):
        return WorldResult(lack=lack)
    fixed = judge_for(world, Setting(scorer=SCORER, pages="fixed"))
    report = context.progress(f"curves of {world.name}")
    return judged(world.name, measured(fixed, QUICK if context.quick else PIECES, report))


def measured(judge: Judge, pieces: tuple[int, ...], report: Report) -> Pieces:
    world = judge.world
    times = world.start + world.unit * np.arange(world.units + 1, dtype=np.float64)
    counts, weeks = [fetches_of(budget, pages_at_start(world)) for budget in BUDGETS], Weeks(judge, times)
    exact = np.zeros((world.units, len(world.urls)))
    for row, each in zip(exact, watched(judge, times)[1:], strict=True):
        row[each.row] = np.nan_to_num(each.gain)
    gains = {EXACT: exact} | {str(number): each for number, each in estimated(judge, times, pieces, report).items()}
    seconds = world.unit * world.units
    quality = {
        name: [weeks.quality(weeks.ranked(UserCentric(), {GainRate(): each.sum(axis=0) / seconds}, n)) for n in counts]
        for name, each in gains.items()
    }
    floor = [weeks.quality(weeks.ranked(RoundRobin(), {}, count)) for count in counts]
    some = exact.sum(axis=0) != 0
    correlation = {name: _correlation(exact.sum(axis=0)[some], each.sum(axis=0)[some]) for name, each in gains.items()}
    return Pieces(quality, correlation, floor)


def _correlation(a: Floats, b: Floats) -> float:
    return float(spearmanr(a, b).statistic) if len(a) > 2 and np.ptp(a) > 0 and np.ptp(b) > 0 else np.nan


def judged(world: str, pieces: Pieces) -> WorldResult:
    """Flat: over all numbers of pieces quality differs by little of what the policy leads by."""
    curves = {name: values for name, values in pieces.quality.items() if name != EXACT}
    claims, leads = [], []
    numbers: dict[str, Value] = {}
    for at, budget in enumerate(BUDGETS):
        values = [each[at] for each in curves.values()]
        lead, spread = pieces.quality[EXACT][at] - pieces.floor[at], max(values) - min(values)
        leads.append(lead)
        numbers |= {f"spread at {budget:.0%}": spread, f"lead over round-robin at {budget:.0%}": lead}
        detail = f"quality differs by {spread:.4f}, and leads by {lead:.4f}"
        claims.append(Claim(EVEN, spread <= FLAT * lead, detail, f"{budget:.0%}"))
    rows: list[list[Value]] = [[name, *each, plain(pieces.correlation[name])] for name, each in pieces.quality.items()]
    columns = ["pieces", *(f"quality at {budget:.0%} (in-sample)" for budget in BUDGETS), "rank correlation of gains"]
    table = ResultTable(
        f"{world}: quality by the number of pieces", columns, rows, "In the paper: not sensitive, three used."
    )
    if max(leads) < SMALL:
        details = "; ".join(f"{claim.at}: {claim.detail}" for claim in claims)
        return WorldResult((), numbers, [table], lack=f"user-centric leads by less than {SMALL}: {details}")
    return WorldResult(claims, numbers, [table], [_figure(world, pieces)])


def _figure(world: str, pieces: Pieces) -> Figure:
    title = f"{world}: quality by the number of pieces (in-sample)"
    numbers = [name for name in pieces.quality if name != EXACT]
    series = {}
    for at, budget in enumerate(BUDGETS):
        across = [float(name) for name in numbers]
        series[f"{budget:.0%} a unit"] = (across, [pieces.quality[name][at] for name in numbers])
        series[f"{budget:.0%} a unit, exact gains"] = (across, [pieces.quality[EXACT][at]] * len(across))
    return line_figure(NAME, title, series, "pieces", "mean quality")


PIECES_OF_CURVES = Study(
    NAME,
    PAPER,
    "Pieces of the curve from score to rank (§5.1.2)",
    "How many pieces must a curve have?",
    "a world with queries and at least two moments",
    (EVEN,),
    judge,
    settings={"pieces": list(PIECES), "budgets": list(BUDGETS), "scorer": SCORER},
    quick_settings={"pieces": list(QUICK)},
    aliases=("E000-S",),
)
