"""Which unimportant pages does the hybrid fetch early, and is it right?

S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §6.2 and Figure 6: tail topics.  Some people ask for
them, few link to them; address and anchors have the words of the query.
"""

from dataclasses import dataclass

import numpy as np

from sought.lab.judge.judge import Judge, Results
from sought.lab.replay.frontier import SHOWN, Frontier, ReachedFrontier, at_frontier
from sought.lab.studies.pandey_olston_2008.uncrawled import (
    BY_IMPORTANCE,
    DRAWS,
    HYBRID,
    NEEDS,
    PAPER,
    Floats,
    impact_of,
    judging,
    setting_of,
)
from sought.lab.studies.study import Claim, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.lab.worlds.world import Numbers

UNIMPORTANT = 0.2  # the last of the pages
FIRST, LEAST = 0.01, 20  # of the pages, and at least so many
EXAMPLES = 10
PROMOTED = Statement(f"of the first {FIRST:.0%} (or {LEAST}) pages some are of the least important {UNIMPORTANT:.0%}")
SHOWN_FOR_IT = Statement("some of these are shown for the query that they match")
HAS_MORE = Statement("these have more impact on average than the least important fifth")


@dataclass(frozen=True)
class Example:
    """A page that is fetched early; `rank` is its rank for the query among all pages, 0 if it is not shown."""

    url: str
    place: int
    place_by_importance: int
    pages: int
    query: str
    matched: str
    rank: int
    impact: float


@dataclass(frozen=True)
class Tail:
    """Of all samples: promoted pages, and mean impacts of these, of the unimportant, and of all uncrawled pages."""

    examples: list[Example]
    promoted: int
    early: int
    impact: float
    of_unimportant: float
    of_all: float


def _look(judge: Judge, context: StudyContext) -> WorldResult:
    return judged(judge.world.name, tail_of(judge, 1 if context.quick else DRAWS, context))


def tail_of(judge: Judge, draws: int, context: StudyContext) -> Tail:
    impact, examples = impact_of(judge), list[Example]()
    by_sample: list[tuple[Floats, Floats, Floats]] = []
    early, shown = 0, shown_in(judge)
    for draw in context.each(f"crawling {judge.world.name}", range(draws)):
        with at_frontier(judge, [HYBRID, BY_IMPORTANCE], setting_of("Dataset 1", draw)) as reached:
            frontier = reached.frontier()
            promoted, last, first = promoted_in(frontier)
            early += len(first)
            brings = tuple(impact[frontier.page[rows]] for rows in (promoted, last, frontier.rows))
            by_sample.append(brings)  # type: ignore[arg-type]  # three of them
            examples += [_example(judge, reached, frontier, row, impact, shown) for row in promoted.tolist()]
    chosen, last_ones, everyone = (np.concatenate(parts) for parts in zip(*by_sample, strict=True))
    means = (float(part.mean()) if len(part) else 0.0 for part in (chosen, last_ones, everyone))
    return Tail(sorted(examples, key=lambda each: each.place), len(chosen), early, *means)


def promoted_in(frontier: Frontier) -> tuple[Numbers, Numbers, Numbers]:
    """Unimportant rows that come first, all unimportant rows, and all that come first."""
    by_impact, by_importance = (frontier.ranked(frontier.values(policy)) for policy in (HYBRID, BY_IMPORTANCE))
    first = by_impact[: max(LEAST, round(FIRST * len(by_impact)))]
    last = by_importance[len(by_importance) - round(UNIMPORTANT * len(by_importance)) :]
    return first[np.isin(first, last)], last, first


def _example(
    judge: Judge, reached: ReachedFrontier, frontier: Frontier, row: int, impact: Floats, shown: Results
) -> Example:
    terms = reached.beliefs.suppliers[HYBRID].terms(row)["queries"]
    asked = max((each for each in terms if each["rank"]), key=lambda each: each["a_week"], default=None)
    page, text = int(frontier.page[row]), asked["query"] if asked else ""
    place, by_importance = (
        1 + int(np.flatnonzero(frontier.ranked(frontier.values(policy)) == row)[0])
        for policy in (HYBRID, BY_IMPORTANCE)
    )
    matched = max(asked["matched"], key=len, default="") if asked else ""
    rank = rank_of(judge, shown, page, text)
    return Example(
        judge.world.urls[page], place, by_importance, len(frontier.rows), text, matched, rank, float(impact[page])
    )


def shown_in(judge: Judge) -> Results:
    """The results shown to each query if all pages had been crawled."""
    return judge.ranked.lists(judge.world.live(judge.world.start)).top(SHOWN)


def rank_of(judge: Judge, shown: Results, page: int, text: str) -> int:
    """The rank that a page has for a query among all pages; 0 if it is not among those shown."""
    if text not in judge.demand.texts:
        return 0
    query, version = judge.demand.texts.index(text), judge.world.live(judge.world.start)[page]
    is_shown = (shown.query == query) & (shown.version == version)
    return int(shown.rank[is_shown][0]) if is_shown.any() else 0


def judged(world: str, tail: Tail) -> WorldResult:
    shown = sum(1 for each in tail.examples if each.rank)
    numbers: dict[str, Value] = {
        "promoted pages": tail.promoted,
        "of pages that come first": tail.early,
        "promoted and shown for the query": shown,
        "impact of promoted pages / of all": tail.impact / tail.of_all if tail.of_all else None,
        "impact of unimportant pages / of all": tail.of_unimportant / tail.of_all if tail.of_all else None,
    }
    return WorldResult(_claims(tail, shown), numbers, [_table(world, tail)])


def _claims(tail: Tail, shown: int) -> list[Claim]:
    promoted = Claim(PROMOTED, tail.promoted > 0, f"{tail.promoted} of {tail.early}")
    if not tail.promoted:
        return [promoted, *(Claim(each, None, "there are none") for each in (SHOWN_FOR_IT, HAS_MORE))]
    more = f"{tail.impact:.3g} and {tail.of_unimportant:.3g}"
    return [
        promoted,
        Claim(SHOWN_FOR_IT, shown > 0, f"{shown} of {tail.promoted}"),
        Claim(HAS_MORE, tail.impact > tail.of_unimportant, more),
    ]


def _table(world: str, tail: Tail) -> ResultTable:
    rows: list[list[Value]] = [
        [
            e.url,
            e.query,
            e.matched,
            e.rank or None,
            f"{e.place} of {e.pages}",
            e.place_by_importance,
            e.impact / tail.of_all,
        ]
        for e in list({each.url: each for each in reversed(tail.examples)}.values())[::-1][:EXAMPLES]
    ]
    columns = ["page", "query", "matched", "rank for it", "place", "place by importance", "impact / mean of all"]
    note = (
        "In the paper: www.texhoma.us/history.htm for “texhoma”, www.topix.net/forum/autos/toyota for “toyota forums”."
    )
    return ResultTable(f"{world}: tail topics", columns, rows, note)


TAIL_TOPICS = Study(
    f"{PAPER}-figure-6",
    PAPER,
    "Figure 6: tail topics",
    "Does the hybrid fetch unimportant pages early because people ask for what they are about?",
    NEEDS,
    (PROMOTED, SHOWN_FOR_IT, HAS_MORE),
    judging(_look),
    settings={"draws": DRAWS},
    quick_settings={"draws": 1},
    aliases=("E003-6", "E003-6a", "E003-6b"),
)
