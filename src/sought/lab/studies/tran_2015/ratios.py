"""Do pages that people see lead to pages that people will see?  Tables 2 and 3 of Tran et al. (SIGIR 2015).

r(X→F) = Σ I(p) / |L(X→F)| over L(X→F), the frontier pages that X links to; 0 if it links to none.  Their formula is
lost in print: besides the mean impact there is the share of pages with any.  X are the crawled pages that were clicked
(D_C) or viewed (D_V) in a week, or were not (D_NC, D_NV).  Enriched: also frontier pages that have a parent in common
with a page of X; virtual edges are never listed, but counted by two sums over links.
"""

from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np

from sought.beliefs.impacts import IMPACTS, Impact
from sought.lab.studies.figures import bars
from sought.lab.studies.study import Claim, Figure, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.lab.studies.tran_2015.cases import PAPER, Case, FrontierCases, ground_of
from sought.lab.studies.tran_2015.impact_signs import sent, sent_beside
from sought.web.pages import Floats

NAME = f"{PAPER}-table-2"
LEVELS = (0.1, 1.0, 10.0)  # searches a week for each page
JUDGED = 1.0
FACTOR = 1.5
FEWEST = 20  # pages of a set
NAMES: dict[Impact, tuple[str, str]] = {"clicks": ("D_C", "D_NC"), "views": ("D_V", "D_NV")}
LEADS = {
    kind: Statement(f"r({seen}) ≥ {FACTOR:g}·r({unseen}), in a week of {JUDGED:g} searches for each page")
    for kind, (seen, unseen) in NAMES.items()
}
ENRICHED = {kind: Statement(f"enrichment raises r({seen})") for kind, (seen, _) in NAMES.items()}


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


def judge(folder: Path, context: StudyContext) -> WorldResult:
    ground = ground_of(folder, context)
    if isinstance(ground, str):
        return WorldResult(lack=ground)
    mean = _mean([ratios(case) for case in ground.drawn])
    tables = [_table(ground, mean)]
    if small := [name for (level, name), ratio in mean.items() if level == JUDGED and ratio.pages < FEWEST]:
        return WorldResult((), ground.numbers, tables, lack=f"fewer than {FEWEST} pages in {', '.join(small)}")
    numbers = ground.numbers | {f"r({name})": mean[JUDGED, name].impact for pair in NAMES.values() for name in pair}
    return WorldResult(claims_of(mean), numbers, tables, [_figure(ground, mean)])


def ratios(case: Case) -> Ratios:
    pages = len(case.frontier.crawled) + len(case.rows)
    ratios: Ratios = {}
    for level in LEVELS:
        known = case.frontier.known.times(level * pages).drawn(case.seed + 1)
        week = case.expected.times(level * pages).drawn(case.seed)
        for kind in IMPACTS:
            seen, worth = (each.clicks if kind == "clicks" else each.views for each in (known, week))
            for name, members in zip(NAMES[kind], (seen > 0, seen == 0), strict=True):
                ratios[level, name] = _ratio(case, members, worth)
    return ratios


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


def claims_of(ratios: Ratios) -> list[Claim]:
    claims = []
    for kind, (seen, unseen) in NAMES.items():
        mine, theirs = ratios[JUDGED, seen], ratios[JUDGED, unseen]
        both = f"{mine.impact:.3g} and {theirs.impact:.3g}"
        raised = f"{mine.impact:.3g}, of {mine.linked:.0f} pages; enriched {mine.impact_enriched:.3g}"
        raised += f", of {mine.linked_enriched:.0f}"
        claims.append(Claim(LEADS[kind], mine.impact >= FACTOR * theirs.impact, both))
        claims.append(Claim(ENRICHED[kind], mine.impact_enriched > mine.impact, raised))
    return claims


def _table(ground: FrontierCases, ratios: Ratios) -> ResultTable:
    rows: list[list[Value]] = [[*at, *astuple(ratio)] for at, ratio in ratios.items()]
    columns = ["searches a page", "set", *(field.name.replace("_", " ") for field in fields(Ratio))]
    note = f"mean of {len(ground.drawn)} draws; claims are of {JUDGED:g} searches a page"
    return ResultTable(
        f"{ground.world}: impact of frontier pages linked from sets of crawled pages", columns, rows, note
    )


def _figure(ground: FrontierCases, ratios: Ratios) -> Figure:
    title = f"{ground.world}: r of linked frontier pages, in units of r of unseen"
    values = {}
    for seen, unseen in NAMES.values():
        base = ratios[JUDGED, unseen].impact or 1.0
        for name, value in (
            (seen, ratios[JUDGED, seen].impact),
            (f"{seen}, enriched", ratios[JUDGED, seen].impact_enriched),
        ):
            values[name] = (value / base,) * 3
        values[unseen] = (1.0, 1.0, 1.0)
    return Figure(title, bars(values, title, f"{title} ({NAME})"))


RATIOS = Study(
    NAME,
    PAPER,
    "Tables 2 and 3: impact of linked frontier pages",
    "Do crawled pages that people click or view link to new pages that people will click or view?",
    f"a world with queries, 100 pages in its frontier, and {FEWEST} pages each that are seen and that are not",
    (*LEADS.values(), *ENRICHED.values()),
    judge,
    settings={"levels": list(LEVELS), "judged": JUDGED, "factor": FACTOR},
    aliases=(f"{PAPER}-table-3", "E002-T2", "E002-T3"),
)
