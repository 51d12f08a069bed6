"""E004-1: how many clusters do words make?

Q. Tan, P. Mitra, Clustering-Based Incremental Web Crawling, TOIS 2010, Figure 1: τ by the number of clusters, on
pages that were left out, for words of addresses and of content.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from sought.lab.replay.watched_crawl import watched
from sought.lab.studies.adapter import (
    Claim,
    Figure,
    Finding,
    ResultTable,
    Study,
    StudyContext,
    Value,
    WorldResult,
    claimed,
    finding,
    verdict,
)
from sought.lab.studies.figures import lines
from sought.lab.studies.tan_mitra_2010.cycles import NEEDS, CycleWorld, parts_of
from sought.lab.studies.tan_mitra_2010.folds import KS, fold_scores, knee

WEEKS = 4
FOLDS, QUICK_FOLDS, QUICK_KS = 10, 3, (5, 10, 25, 50, 100, 200)
FEWEST = 1000  # pages, for 200 clusters to be of more than a few
STEEP = 5.0  # times as much for each cluster up to 50 as from 100 on
FLAT = 0.01  # of τ, that a step beyond the knee adds
PAPER = 100

Curves = Mapping[str, Sequence[float]]


def run(bench: StudyContext) -> Finding:
    ks, folds = (QUICK_KS, QUICK_FOLDS) if bench.quick else (KS, FOLDS)

    def of(ground: CycleWorld) -> WorldResult:
        name = ground.world.name
        bench.report(f"clustering words of {name}", 0, 1)
        words = watched(ground.world, ground.plain, 0, ()).words
        curves = {of: fold_scores(rows, ks, folds).tolist() for of, rows in words.items()}
        bench.report(f"clustering words of {name}", 1, 1)
        size = max(len(rows) for rows in words.values())
        return judged(name, ks, curves, size) if size >= FEWEST or bench.quick else _too_few(name, size)

    parts = parts_of(bench, WEEKS, of)
    return finding("E004-1", bench, parts, folds=folds)


def _too_few(world: str, pages: int) -> WorldResult:
    return WorldResult(world, None, f"{pages} pages, fewer than {FEWEST}")


def judged(world: str, ks: Sequence[int], curves: Curves, pages: int) -> WorldResult:
    claims = []
    for of, scores in curves.items():
        at = dict(zip(ks, scores, strict=True))
        early, late = (at[50] - at[5]) / 45, (at[200] - at[100]) / 100
        claims.append(
            Claim(
                f"τ of {of} is steep, then flat",
                early >= STEEP * max(late, 0.0),
                f"{early:.5f} for each cluster from 5 to 50, {late:.5f} from 100 to 200",
            )
        )
        found = knee(ks, scores, FLAT)
        claims.append(Claim(f"the knee of {of} is at {PAPER} or before", found <= PAPER, f"at {found}"))
    holds, because = verdict(claims)
    numbers: dict[str, Value] = {
        f"τ of {of}, k = {k}": v for of, row in curves.items() for k, v in zip(ks, row, strict=True)
    }
    numbers |= {f"knee of {of}": knee(ks, scores, FLAT) for of, scores in curves.items()} | {"pages": pages}
    rows: list[list[Value]] = [[k, *(scores[i] for scores in curves.values())] for i, k in enumerate(ks)]
    steps = [f"{b / a - 1:.1%}" for scores in curves.values() for a, b in pairwise(scores)]
    note = f"{pages:,} pages. In the paper: steep, then flat near {PAPER}; figure only. Steps add {', '.join(steps)}."
    table = ResultTable(f"{world}: mean cosine of pages left out", ["k", *curves], rows, note)
    title = f"{world}: τ by number of clusters"
    series = {of: ([float(k) for k in ks], list(scores)) for of, scores in curves.items()}
    figure = Figure(title, lines(series, "clusters", "mean cosine of pages left out", f"{title} (E004-1)"))
    return WorldResult(world, holds, because, numbers, [claimed(world, claims), table], [figure])


NUMBER_OF_CLUSTERS = Study(
    "E004-1",
    "004",
    "τ by number of clusters (Figure 1)",
    "How many clusters do words make?",
    f"for words of addresses and of pages, by {FOLDS}-fold cross-validation: a cluster more adds at least {STEEP:g} "
    f"times as much to τ from 5 to 50 as from 100 to 200, and from {PAPER} clusters, or fewer, the next step adds less "
    f"than {FLAT:.0%}",
    f"{NEEDS}, of at least {FEWEST:,} pages",
    run,
)
