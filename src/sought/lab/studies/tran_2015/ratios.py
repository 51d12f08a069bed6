"""Do pages that people see lead to pages that people will see?  E002-T2, Tables 2 and 3 of Tran et al. (SIGIR 2015).

r(X→F) = Σ I(p) / |L(X→F)| over L(X→F), the frontier pages that X links to; 0 if it links to none.  Their formula is
lost in print: besides the mean impact there is the share of pages with any.  X are the crawled pages that were clicked
(D_C) or viewed (D_V) in a week, or were not (D_NC, D_NV).  Enriched: also frontier pages that have a parent in common
with a page of X; virtual edges are never listed, but counted by two sums over links.
"""

from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np

from sought.beliefs.impacts import IMPACTS, Impact
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
from sought.lab.studies.figures import bars
from sought.lab.studies.tran_2015.cases import Case, FrontierCases, ground_of
from sought.lab.studies.tran_2015.impact_signs import sent, sent_beside
from sought.lab.worlds.files import read_name
from sought.web.pages import Floats

LEVELS = (0.1, 1.0, 10.0)  # searches a week for each page
JUDGED = 1.0
FACTOR = 1.5
FEWEST = 20  # pages of a set
NAMES: dict[Impact, tuple[str, str]] = {"clicks": ("D_C", "D_NC"), "views": ("D_V", "D_NV")}


@dataclass(frozen=True)
class Ratio:
    """Of a set X: pages in it, frontier pages it links to, their mean impact, the share with any; and enriched.

    `by_links` counts a frontier page once for each link, `by_virtual_edges` once for each of these.
    """

    pages: float
    linked: float
    impact: float
    share: float
    linked_enriched: float
    impact_enriched: float
    share_enriched: float
    by_links: float
    by_virtual_edges: float


Ratios = dict[tuple[float, str], Ratio]


def run(bench: StudyContext) -> Finding:
    parts = [_world(folder, bench) for folder in bench.worlds]
    return finding("E002-T2", bench, parts, levels=list(LEVELS), judged=JUDGED, factor=FACTOR)


def _world(folder: Path, bench: StudyContext) -> WorldResult:
    ground = ground_of(folder, bench)
    if isinstance(ground, str):
        return WorldResult(read_name(folder), None, ground)
    found = _mean([ratios(case) for case in ground.drawn])
    small = [name for (level, name), ratio in found.items() if level == JUDGED and ratio.pages < FEWEST]
    if small:
        return WorldResult(
            ground.world,
            None,
            f"fewer than {FEWEST} pages in {', '.join(small)}",
            ground.numbers,
            [_table(ground, found)],
        )
    claims = claims_of(found)
    holds, because = verdict(claims)
    if not holds:
        because += f"; {_why(found, ground)}"
    numbers = ground.numbers | {f"r({name})": found[JUDGED, name].impact for pair in NAMES.values() for name in pair}
    tables = [_table(ground, found), claimed(ground.world, claims)]
    return WorldResult(ground.world, holds, because, numbers, tables, [_figure(ground, found)])


def ratios(case: Case) -> Ratios:
    pages = len(case.frontier.crawled) + len(case.rows)
    found: Ratios = {}
    for level in LEVELS:
        known = case.frontier.known.times(level * pages).drawn(case.seed + 1)
        week = case.expected.times(level * pages).drawn(case.seed)
        for kind in IMPACTS:
            seen, worth = (each.clicks if kind == "clicks" else each.views for each in (known, week))
            for name, members in zip(NAMES[kind], (seen > 0, seen == 0), strict=True):
                found[level, name] = _ratio(case, members, worth)
    return found


def _ratio(case: Case, members: np.ndarray, worth: Floats) -> Ratio:
    chosen = np.zeros(case.frontier.links.nodes)
    chosen[case.frontier.crawled] = members[case.frontier.crawled]
    links = case.frontier.links
    direct, beside = (way(links, chosen)[case.rows] for way in (sent, sent_beside))
    enriched = (direct > 0) | (beside > 0)
    by_edges = [float(np.average(worth, weights=each)) if each.any() else 0.0 for each in (direct, beside)]
    return Ratio(float(chosen.sum()), *_over(direct > 0, worth), *_over(enriched, worth), *by_edges)


def _over(which: np.ndarray, worth: Floats) -> tuple[float, float, float]:
    """How many, their mean impact, and the share with any."""
    some = worth[which]
    return (float(len(some)), float(some.mean()), float((some > 0).mean())) if len(some) else (0.0, 0.0, 0.0)


def _mean(each: list[Ratios]) -> Ratios:
    return {at: Ratio(*np.mean([astuple(one[at]) for one in each], axis=0).tolist()) for at in each[0]}


def claims_of(found: Ratios) -> list[Claim]:
    claims = []
    for seen, unseen in NAMES.values():
        mine, theirs = found[JUDGED, seen], found[JUDGED, unseen]
        told = f"{mine.impact:.3g} and {theirs.impact:.3g}"
        claims.append(Claim(f"r({seen}) ≥ {FACTOR:g}·r({unseen})", mine.impact >= FACTOR * theirs.impact, told))
        told = f"{mine.impact:.3g}, of {mine.linked:.0f} pages; enriched {mine.impact_enriched:.3g}"
        told += f", of {mine.linked_enriched:.0f}"
        claims.append(Claim(f"enrichment raises r({seen})", mine.impact_enriched > mine.impact, told))
    return claims


def _why(found: Ratios, ground: FrontierCases) -> str:
    """How much of the frontier each set leads to, and the same ratios by links."""
    frontier = float(np.mean([len(case.rows) for case in ground.drawn]))
    told = []
    for name in (name for pair in NAMES.values() for name in pair):
        ratio = found[JUDGED, name]
        direct, enriched = ratio.linked / frontier, ratio.linked_enriched / frontier
        told.append(
            f"{name} leads to {direct:.0%} of the frontier, enriched {enriched:.0%} "
            f"(r by links {ratio.by_links:.3g}, by virtual edges {ratio.by_virtual_edges:.3g})"
        )
    return ", ".join(told)


def _table(ground: FrontierCases, found: Ratios) -> ResultTable:
    rows: list[list[Value]] = [[*at, *astuple(ratio)] for at, ratio in found.items()]
    columns = ["searches a page", "set", *(field.name.replace("_", " ") for field in fields(Ratio))]
    note = f"mean of {len(ground.drawn)} draws; claims are of {JUDGED:g} searches a page"
    return ResultTable(
        f"{ground.world}: impact of frontier pages linked from sets of crawled pages", columns, rows, note
    )


def _figure(ground: FrontierCases, found: Ratios) -> Figure:
    title = f"{ground.world}: r of linked frontier pages, in units of r of unseen (E002-T2)"
    values = {}
    for seen, unseen in NAMES.values():
        base = found[JUDGED, unseen].impact or 1.0
        for name, value in (
            (seen, found[JUDGED, seen].impact),
            (f"{seen}, enriched", found[JUDGED, seen].impact_enriched),
        ):
            values[name] = (value / base,) * 3
        values[unseen] = (1.0, 1.0, 1.0)
    return Figure(title, bars(values, title))


RATIOS = Study(
    "E002-T2",
    "002",
    "Impact of linked frontier pages (Tables 2, 3)",
    "Do crawled pages that people click or view link to new pages that people will click or view?",
    f"r(D_C) is at least {FACTOR:g} times r(D_NC), r(D_V) at least {FACTOR:g} times r(D_NV); with virtual edges r(D_C) "
    f"and r(D_V) are larger; in a week of {JUDGED:g} searches for each page, mean over draws",
    f"a world with queries, 100 pages in its frontier, and {FEWEST} pages each that are seen and that are not",
    run,
    also=("E002-T3",),
)
