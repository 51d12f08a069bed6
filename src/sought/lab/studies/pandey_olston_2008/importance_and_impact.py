"""Are important pages those that search needs?

S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §1.1 and Figure 2: impact and query-independent
importance (here PageRank on what has been crawled) of uncrawled pages.  The more important, the more impact, on
average; but pages are scattered so widely that the correlation is 0.09.
"""

from dataclasses import dataclass

import numpy as np

from sought.lab.judge.judge import Judge
from sought.lab.replay.frontier import frontier_of
from sought.lab.studies.figures import line_figure
from sought.lab.studies.pandey_olston_2008.uncrawled import (
    DRAWS,
    NEEDS,
    PAPER,
    Floats,
    impact_of,
    judging,
    setting_of,
)
from sought.lab.studies.study import Claim, Figure, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.policy import PageRank

NAME, PRINTED = f"{PAPER}-figure-2", 0.09
WEAK = 0.3  # J. Cohen, Statistical Power Analysis, 1988: a smaller correlation is a small effect
RISING = 0.5  # rank correlation of buckets and their means
BUCKETS = 10
IMPORTANCE = PageRank()
HARDLY = Statement(f"the correlation of PageRank and impact is below {WEAK}", f"{PRINTED}")
RISES = Statement(
    f"of {BUCKETS} buckets the more important have more impact on average (rank correlation at least {RISING})"
)


@dataclass(frozen=True)
class Scatter:
    """Buckets have as many pages each, in order of importance."""

    importance: Floats
    impact: Floats

    @property
    def pearson(self) -> float:
        return correlation(self.importance, self.impact)

    @property
    def of_logarithm(self) -> float:
        return correlation(np.log(self.importance), self.impact)

    def buckets(self) -> list[tuple[float, float, int]]:
        """Mean importance, mean impact and number of pages of each."""
        order = np.argsort(self.importance, kind="stable")
        parts = np.array_split(order, BUCKETS)
        return [(float(self.importance[p].mean()), float(self.impact[p].mean()), len(p)) for p in parts if len(p)]

    @property
    def rise(self) -> float:
        """Rank correlation of buckets and their mean impacts."""
        means = np.array([impact for _, impact, _ in self.buckets()])
        return correlation(np.arange(len(means), dtype=np.float64), ranks(means))


def correlation(a: Floats, b: Floats) -> float:
    """Pearson's; 0 where one does not vary."""
    if len(a) < 2 or not np.ptp(a) or not np.ptp(b):
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])


def ranks(values: Floats) -> Floats:
    """Places in ascending order; equals share theirs."""
    ordered = np.sort(values)
    return (np.searchsorted(ordered, values) + np.searchsorted(ordered, values, side="right")) / 2.0


def _look(judge: Judge, context: StudyContext) -> WorldResult:
    return judged(judge.world.name, scatter_of(judge, 1 if context.quick else DRAWS, context))


def scatter_of(judge: Judge, draws: int, context: StudyContext) -> Scatter:
    """Of the uncrawled pages of all samples."""
    impact, importances, impacts = impact_of(judge), [], []
    for draw in context.each(f"crawling {judge.world.name}", range(draws)):
        frontier = frontier_of(judge, [IMPORTANCE], setting_of("Dataset 1", draw))
        importances.append(frontier.values(IMPORTANCE)[frontier.rows])
        impacts.append(impact[frontier.page[frontier.rows]])
    return Scatter(np.concatenate(importances), np.concatenate(impacts))


def judged(world: str, scatter: Scatter) -> WorldResult:
    if not np.ptp(scatter.importance) or not np.ptp(scatter.impact):
        return WorldResult(lack="all pages are equally important, or have the same impact")
    pearson, rise = scatter.pearson, scatter.rise
    claims = [
        Claim(HARDLY, abs(pearson) < WEAK, f"{pearson:.2f}"),
        Claim(RISES, rise >= RISING, f"rank correlation {rise:.2f}"),
    ]
    numbers: dict[str, Value] = {
        "uncrawled pages": len(scatter.impact),
        "pearson": pearson,
        "pearson of log importance": scatter.of_logarithm,
        "rank correlation of pages": correlation(ranks(scatter.importance), ranks(scatter.impact)),
        "rank correlation of bucket means": rise,
        "pages without impact": float((scatter.impact == 0).mean()),
    }
    return WorldResult(claims, numbers, [_table(world, scatter)], [_figure(world, scatter)])


def _table(world: str, scatter: Scatter) -> ResultTable:
    scale = float(scatter.impact.mean())
    rows: list[list[Value]] = [
        [number, pages, importance, impact / scale]
        for number, (importance, impact, pages) in enumerate(scatter.buckets(), 1)
    ]
    columns = ["bucket", "pages", "mean importance", "mean impact / that of all"]
    note = f"Pearson {scatter.pearson:.3f}; in the paper {PRINTED}.  There means of buckets rise, too."
    return ResultTable(f"{world}: impact by importance", columns, rows, note)


def _figure(world: str, scatter: Scatter) -> Figure:
    title = f"{world}: mean impact of pages as important"
    buckets, scale = scatter.buckets(), float(scatter.impact.mean())
    series = {"mean of a tenth of the pages": ([x for x, _, _ in buckets], [y / scale for _, y, _ in buckets])}
    return line_figure(NAME, title, series, "importance (PageRank)", "impact / that of all")


IMPORTANCE_AND_IMPACT = Study(
    NAME,
    PAPER,
    "Figure 2: importance and impact",
    "Are the pages that search needs the important ones?",
    NEEDS,
    (HARDLY, RISES),
    judging(_look),
    settings={"draws": DRAWS},
    quick_settings={"draws": 1},
    aliases=("E003-2",),
)
