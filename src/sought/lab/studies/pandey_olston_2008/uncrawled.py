"""Which pages of a world does a search engine lack, and what would each of them bring?

S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §6.1.  Dataset 1: a sample of the pages at random is
taken for uncrawled, all others have been crawled.  Dataset 2: of the sample the fifth with the largest importance has
been crawled too.  Impact is how often a page is among the first ten results, of all pages that there are (§3.1), in
one search.

Theirs is a sample of 110,000 out of billions; ours is a fifth of the pages, as far as links lead there.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sought.lab.judge.judge import Judge
from sought.lab.replay.frontier import Frontier, impacts_of
from sought.lab.replay.setting import Setting, pages_at_start
from sought.lab.studies.cells import judge_for
from sought.lab.studies.study import StudyContext, WorldResult
from sought.lab.worlds.demand import Split
from sought.lab.worlds.files import open_world
from sought.policy import SearchImpact

PAPER = "pandey-olston-2008"
DATASETS = {"Dataset 1": 0.0, "Dataset 2": 0.2}  # and what share of the sample has been crawled all the same
CRAWLED = 0.8
DRAWS = 5  # samples
FEWEST_PAGES, FEWEST_QUERIES = 250, 100
NEEDS = f"a world with at least {FEWEST_PAGES} pages and {FEWEST_QUERIES} queries at its start, and links"

HYBRID = SearchImpact(sketches=1.0, fewest=0)
BY_IMPORTANCE = replace(HYBRID, by_queries=0.0)
BY_QUERIES = replace(HYBRID, by_queries=1.0)
EXPECTED = replace(HYBRID, estimate="expected")

Floats = NDArray[np.float64]


def setting_of(dataset: str, draw: int = 0, split: Split = "none", scorer: str = "BM25()") -> Setting:
    """The crawl that leaves the pages of a dataset; another draw is another sample."""
    promoted = DATASETS[dataset]
    return Setting("frontier", 1, split, scorer=scorer, crawled=CRAWLED, seed=draw, sampled=True, promoted=promoted)


def judge_in(folder: Path, split: Split = "none", scorer: str = "BM25()") -> Judge | str:
    """The judge of pages' impact, or why there is none."""
    world = open_world(folder)
    if pages_at_start(world) < FEWEST_PAGES:
        return f"it has fewer than {FEWEST_PAGES} pages at its start"
    if not world.targets.size:
        return "it has no links"
    judge = judge_for(world, setting_of("Dataset 1", 0, split, scorer))
    asked = np.count_nonzero(judge.demand.weights("judged", world.start))
    return judge if asked >= FEWEST_QUERIES else f"fewer than {FEWEST_QUERIES} queries are asked of it"


def judging(
    look: Callable[[Judge, StudyContext], WorldResult], split: Split = "none"
) -> Callable[[Path, StudyContext], WorldResult]:
    """The judge of a world, by the impact of its pages."""

    def judge(folder: Path, context: StudyContext) -> WorldResult:
        judge_or_lack = judge_in(folder, split)
        return WorldResult(lack=judge_or_lack) if isinstance(judge_or_lack, str) else look(judge_or_lack, context)

    return judge


def impact_of(judge: Judge) -> Floats:
    """Of each page of the world."""
    return impacts_of(judge, 1.0).views


def gathered(frontier: Frontier, values: Floats, impact: Floats, shares: Sequence[float]) -> list[float]:
    """Which part of the frontier's impact its first pages have, for each share of it that is fetched."""
    gained = impact[frontier.page[frontier.ranked(values)]]
    counts = [max(1, round(share * len(gained))) for share in shares]
    upto = np.cumsum(gained)
    return (upto[np.array(counts) - 1] / upto[-1]).tolist() if len(gained) and upto[-1] else [0.0 for _ in shares]
