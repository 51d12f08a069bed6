"""How many clusters do words make?

Q. Tan, P. Mitra, Clustering-Based Incremental Web Crawling, TOIS 2010, Figure 1: τ by the number of clusters, on
pages that were left out, for words of addresses and of content.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from sought.lab.replay.watched_crawl import watched
from sought.lab.studies.figures import line_figure
from sought.lab.studies.study import Claim, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.lab.studies.tan_mitra_2010.cycles import NEEDS, PAPER, CycleWorld, judging
from sought.lab.studies.tan_mitra_2010.folds import KS, fold_scores, knee

NAME = f"{PAPER}-figure-1"
WEEKS = 4
FOLDS, QUICK_FOLDS, QUICK_KS = 10, 3, (5, 10, 25, 50, 100, 200)
FEWEST = 1000  # pages, for 200 clusters to be of more than a few
STEEP = 5.0  # times as much for each cluster up to 50 as from 100 on
FLAT = 0.01  # of τ, that a step beyond the knee adds
PRINTED = 100
FLATTENS = Statement(
    f"τ is steep, then flat: a cluster more adds at least {STEEP:g} times as much from 5 to 50 as from 100 to 200"
)
KNEE = Statement(f"the knee of τ is at {PRINTED} clusters or before: the next step adds less than {FLAT:.0%}")

Curves = Mapping[str, Sequence[float]]


def _look(ground: CycleWorld, context: StudyContext) -> WorldResult:
    ks, folds = (QUICK_KS, QUICK_FOLDS) if context.quick else (KS, FOLDS)
    name = ground.world.name
    words = watched(ground.world, ground.plain, 0, ()).words
    size = max(len(rows) for rows in words.values())
    if size < FEWEST and not context.quick:
        return WorldResult(lack=f"{size} pages, fewer than {FEWEST}")
    wanted = context.each(f"clustering words of {name}", list(words.items()))
    return judged(name, ks, {of: fold_scores(rows, ks, folds).tolist() for of, rows in wanted}, size)


def judged(world: str, ks: Sequence[int], curves: Curves, pages: int) -> WorldResult:
    claims = [claim for of, scores in curves.items() for claim in _claims(of, ks, scores)]
    numbers: dict[str, Value] = {
        f"τ of {of}, k = {k}": v for of, row in curves.items() for k, v in zip(ks, row, strict=True)
    }
    numbers |= {f"knee of {of}": knee(ks, scores, FLAT) for of, scores in curves.items()} | {"pages": pages}
    rows: list[list[Value]] = [[k, *(scores[i] for scores in curves.values())] for i, k in enumerate(ks)]
    steps = [f"{b / a - 1:.1%}" for scores in curves.values() for a, b in pairwise(scores)]
    note = f"{pages:,} pages. In the paper: steep, then flat near {PRINTED}; figure only. Steps add {', '.join(steps)}."
    table = ResultTable(f"{world}: mean cosine of pages left out", ["k", *curves], rows, note)
    title = f"{world}: τ by number of clusters"
    series = {of: ([float(k) for k in ks], list(scores)) for of, scores in curves.items()}
    figure = line_figure(NAME, title, series, "clusters", "mean cosine of pages left out")
    return WorldResult(claims, numbers, [table], [figure])


def _claims(of: str, ks: Sequence[int], scores: Sequence[float]) -> list[Claim]:
    at = dict(zip(ks, scores, strict=True))
    early, late = (at[50] - at[5]) / 45, (at[200] - at[100]) / 100
    slopes, bend = f"{early:.5f} for each cluster from 5 to 50, {late:.5f} from 100 to 200", knee(ks, scores, FLAT)
    return [
        Claim(FLATTENS, early >= STEEP * max(late, 0.0), slopes, of),
        Claim(KNEE, bend <= PRINTED, f"at {bend}", of),
    ]


NUMBER_OF_CLUSTERS = Study(
    NAME,
    PAPER,
    "Figure 1: τ by number of clusters",
    "How many clusters do words of addresses and of pages make, by cross-validation?",
    f"{NEEDS}, of at least {FEWEST:,} pages",
    (FLATTENS, KNEE),
    judging(WEEKS, _look),
    settings={"folds": FOLDS, "ks": list(KS)},
    quick_settings={"folds": QUICK_FOLDS, "ks": list(QUICK_KS)},
    aliases=("E004-1",),
)
