"""Do past gains of refreshing a page predict future ones?

S. Pandey, C. Olston, User-Centric Web Crawling, WWW 2005, Figure 3: δQ of every page over the first half of the weeks
against that over the second, each page refreshed whenever it changed; pages without gain in both are left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from sought.index.quality import Tie
from sought.lab.replay.hindsight import watched
from sought.lab.replay.setting import Setting
from sought.lab.studies.bounds import lacks
from sought.lab.studies.cells import judge_for
from sought.lab.studies.figures import scatter
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
from sought.record.fetches import Fetches

NAME = f"{PAPER}-figure-3"
SCORERS = {"TF-IDF": "TfIdf()", "in-links": "Inlinks()"}
FEWEST = 10  # pages with gain in a half, and units in each
STRONG = 0.5  # rank correlation
NEAR = 3.0  # times as much, or as little
OFTEN = 5  # changes in each half
RANKS_AGREE = Statement(
    f"rank correlation of at least {STRONG} between the halves, pages without gain in both left out"
)
NEAR_DIAGONAL = Statement(f"half of the pages with gain in both are within {NEAR:g} times of the diagonal")

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Halves:
    """Gain a week in both halves of every page that has any.

    Possible reasons if they differ: `often` are the pages with at least OFTEN changes in each half, `largest` the
    share of its gain that the best refresh of each page brought.
    """

    first: Floats
    second: Floats
    often: NDArray[np.bool_]
    largest: Floats

    @property
    def both(self) -> NDArray[np.bool_]:
        """Pages with gain in both."""
        return (self.first > 0) & (self.second > 0)

    @property
    def correlation(self) -> float:
        """By rank, zeros on the edges among them."""
        return _spearman(self.first, self.second)

    @property
    def correlation_without_zeros(self) -> float:
        return _spearman(self.first[self.both], self.second[self.both])

    @property
    def correlation_of_often(self) -> float:
        return _spearman(self.first[self.often], self.second[self.often])

    @property
    def factor(self) -> float:
        """By what factor half of the pages with gain in both are off the diagonal, at least; inf if there are none."""
        if not self.both.any():
            return np.inf
        return float(np.exp(np.median(np.abs(np.log(self.first[self.both] / self.second[self.both])))))


def judge(folder: Path, context: StudyContext) -> WorldResult:
    world = open_world(folder)
    if lack := lacks(world):
        return WorldResult(lack=lack)
    if world.units < 2 * FEWEST:
        return WorldResult(lack=f"fewer than {2 * FEWEST} units")
    by_half = {}
    report = context.progress(f"gains of {world.name}")
    for done, (name, scorer) in enumerate(SCORERS.items()):
        report(done, len(SCORERS))
        fixed = judge_for(world, Setting(scorer=scorer, tie=tie_of(scorer), pages="fixed"))
        times = world.start + world.unit * np.arange(world.units + 1, dtype=np.float64)
        log = watched(fixed, times)
        for form in FORMS:
            by_half[name, form] = halves(log, len(world.urls), form)
    report(len(SCORERS), len(SCORERS))
    return judged(world.name, by_half)


def tie_of(scorer: str) -> Tie:
    """Pages with as many links share the attention of their ranks: else a hash would decide most of the gain."""
    return "mean" if scorer.startswith("Inlinks") else "hash"


FORMS = ("paper", "ratio_of_sums")


def halves(log: Sequence[Fetches], pages: int, form: str) -> Halves:
    """δQ of fixed pages, each refreshed whenever it changed."""
    middle = (len(log) - 1) // 2 + 1
    parts = log[1:middle], log[middle:]
    first, second = (_rates(part, pages, form) for part in parts)
    often = np.minimum(*(_changes(part, pages) for part in parts)) >= OFTEN
    total, best = np.zeros(pages), np.zeros(pages)
    for each in log[1:]:
        gain = np.where(each.changed & (each.gain > 0), each.gain, 0.0)
        total[each.row] += gain
        best[each.row] = np.maximum(best[each.row], gain)
    some = (first > 0) | (second > 0)
    return Halves(first[some], second[some], often[some], best[some] / total[some])


def _changes(log: Sequence[Fetches], pages: int) -> NDArray[np.int64]:
    return np.bincount(np.concatenate([each.row[each.changed] for each in log]), minlength=pages)


def _rates(log: Sequence[Fetches], pages: int, form: str) -> Floats:
    """A week: the mean of gain/gap over refreshes, as printed, or the sum of gains over the whole time.

    The first gap is counted from the beginning of the half.  What did harm counts as no gain.
    """
    top, count, last = np.zeros(pages), np.zeros(pages), np.zeros(pages)
    for number, each in enumerate(log, 1):
        rows, gain = each.row[each.changed], each.gain[each.changed]
        known = np.isfinite(gain)
        rows, gain = rows[known], gain[known]
        top[rows] += gain / (number - last[rows]) if form == "paper" else gain
        count[rows] += 1
        last[rows] = number
    bottom = np.maximum(count, 1) if form == "paper" else max(len(log), 1)
    return np.maximum(top / bottom, 0.0)


def _spearman(a: Floats, b: Floats) -> float:
    if len(a) < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return np.nan
    return float(spearmanr(a, b).statistic)


def judged(world: str, halves: Mapping[tuple[str, str], Halves]) -> WorldResult:
    """It holds if, by both scorers and as printed, ranks agree and points are near the diagonal."""
    printed = {name: each for (name, form), each in halves.items() if form == "paper"}
    numbers: dict[str, Value] = {}
    for (name, form), each in halves.items():
        label = name if form == "paper" else f"{name}, ratio of sums"
        numbers |= {
            f"{label}: rank correlation": each.correlation,
            f"{label}: rank correlation without zeros": each.correlation_without_zeros,
            f"{label}: median factor off the diagonal": each.factor,
            f"{label}: rank correlation of pages that change often": each.correlation_of_often,
            f"{label}: share of a page's gain by its best refresh, median": float(np.median(each.largest)),
        }
    table, figures = _table(world, halves), [_figure(world, name, each) for name, each in printed.items()]
    if any(min(np.count_nonzero(each.first), np.count_nonzero(each.second)) < FEWEST for each in printed.values()):
        lack = f"fewer than {FEWEST} pages gain anything in a half"
        return WorldResult((), numbers, [table], figures, lack)
    claims = [claim for name, each in printed.items() for claim in _claims(name, each)]
    return WorldResult(claims, numbers, [table], figures)


def _claims(name: str, each: Halves) -> list[Claim]:
    only = f"{np.count_nonzero(each.both):,} of {len(each.first):,} pages with gain have some in both halves"
    best = f"the best refresh of a page brought {np.median(each.largest):.0%} of its gain"
    return [
        Claim(RANKS_AGREE, each.correlation >= STRONG, f"{each.correlation:.2f}; {only}; {best}", name),
        Claim(NEAR_DIAGONAL, each.factor <= NEAR, f"{each.factor:.1f} times off", name),
    ]


def _table(world: str, halves: Mapping[tuple[str, str], Halves]) -> ResultTable:
    columns = ["scores", "mean", "pages with gain", "in both halves"]
    rows: list[list[Value]] = [
        [
            *(name, form, len(each.first), int(np.count_nonzero(each.both))),
            *(plain(value) for value in (each.correlation, each.correlation_without_zeros, each.factor)),
            *(int(np.count_nonzero(each.often)), plain(each.correlation_of_often), float(np.median(each.largest))),
        ]
        for (name, form), each in halves.items()
    ]
    measured = ["rank correlation", "without zeros", "median factor off the diagonal"]
    measured += [f"pages with {OFTEN} changes in each half", "their rank correlation", "gain by the best refresh"]
    note = "In the paper: figures only, points along the diagonal.  Pages without gain in both halves are left out."
    return ResultTable(f"{world}: gain a week in both halves", [*columns, *measured], rows, note)


def _figure(world: str, name: str, each: Halves) -> Figure:
    title = f"{world}: gain a week, {name}"
    pairs = {"pages": (each.first.tolist(), each.second.tolist())}
    return Figure(title, scatter(pairs, "first half", "second half", title, f"{title} ({NAME})"))


HALVES = Study(
    NAME,
    PAPER,
    "What refreshes bring, in two halves of the weeks (Figure 3)",
    "Do past gains of refreshing a page predict future ones?",
    f"a world with queries and at least {2 * FEWEST} units",
    (RANKS_AGREE, NEAR_DIAGONAL),
    judge,
    settings={"scorers": list(SCORERS.values()), "strong": STRONG, "near": NEAR},
    aliases=("E000-3",),
)
