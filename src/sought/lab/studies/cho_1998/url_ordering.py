"""Which order of URLs finds important pages first, in a large web?

J. Cho, H. Garcia-Molina, L. Page, Efficient Crawling Through URL Ordering, WWW7 1998, §4.2, Figures 3, 4, 6 and 7: on
179,000 pages of Stanford, PageRank does, even where backlinks make a page important; the backlink order follows what
is popular near its start, cluster after cluster.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from sought.lab.measures import LimitedBuffer
from sought.lab.replay.run import FetchLog, Run
from sought.lab.replay.setting import with_versions
from sought.lab.studies.cho_1998.hot_pages import (
    CrawlCurve,
    Crawls,
    Hot,
    at_best,
    by_chance,
    hottest,
    meaningful,
    p_cs,
    p_st,
)
from sought.lab.studies.cho_1998.orders import (
    ORDERS,
    PAPER,
    SMALL,
    TOGETHER,
    areas_of,
    curve_figure,
    curve_table,
    is_best,
    judging,
    known_table,
    largest,
    name_values,
    no_large_web,
    settings_of,
    web_table,
)
from sought.lab.studies.random_crawl import unasked
from sought.lab.studies.study import Claim, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.lab.worlds.world import NOTHING

PRINTED = {0.47: (3, 47.5), 0.1: (10, 9.8), 0.01: (100, 1.1)}  # share of hot pages: G, and % of 179,000 pages there
LATE = 0.8  # of the pages crawled
PACES = (0.5, 2.0)  # of a random crawl: roughly as fast
ALIKE = 0.05  # areas that are about the same
RANK, RANK_BOUNDS = 13.0, (0.005, 0.05)  # G of Figure 7, and the shares of hot pages for which it is meant
BUFFER = LimitedBuffer(0.1)

SOONER = Statement(
    "with 47 %, 10 % and 1 % of the pages hot: the more stringent G, the larger the area under P_ST",
    "47.5 %, 9.8 %, 1.1 % hot with G of 3, 10, 100",
)
LATE_PACE = Statement(
    f"the last {1 - LATE:.0%} find hot pages at {PACES[0]:g} to {PACES[1]:g} times the pace of a random crawl"
)
CLUSTERS = Statement(
    f"the backlink order fetches more linked pages within {TOGETHER:.0%} of each other than PageRank's does"
)
LIKE_BREADTH_FIRST = Statement(f"backlink and breadth-first differ by at most {ALIKE} in area")
IDEAL = Statement("the ideal crawl has 100 throughout", "100")


# ---- Figure 3


def reached_sooner(curves: dict[str, CrawlCurve]) -> list[Claim]:
    """Curves by how stringent they are, the least stringent first."""
    areas = {name: curve.area for name, curve in curves.items()}
    rising = all(less < more for less, more in pairwise(areas.values()))
    paces = {name: curve.pace(LATE, 1.0) for name, curve in curves.items()}
    parallel = all(PACES[0] <= pace <= PACES[1] for pace in paces.values())
    return [
        Claim(SOONER, rising, name_values(areas)),
        Claim(LATE_PACE, parallel, name_values(paces)),
    ]


def _stringent(crawls: Crawls, context: StudyContext) -> WorldResult:
    name = crawls.world.name
    hots = {share: hottest(crawls.backlinks, share) for share in PRINTED}
    if len({hot.least for hot in hots.values()}) < len(hots):
        return WorldResult(lack=f"too many pages have as many backlinks: G is {_least(hots)}")
    curves = {_named(hot): crawls.threshold(hot)["backlink"] for hot in hots.values()}
    claims = reached_sooner(curves)
    rows: list[list[Value]] = [
        [*PRINTED[share], hot.least, 100 * hot.share, curve.area, curve.pace(LATE, 1.0)]
        for (share, hot), curve in zip(hots.items(), curves.values(), strict=True)
    ]
    columns = ["G, paper", "hot %, paper", "G", "hot %", "area", f"pace from {LATE:.0%} on"]
    shown = curves | {"random": by_chance(len(crawls))}
    tables = [
        ResultTable(f"{name}: hot pages", columns, rows),
        curve_table(f"{name}: P_ST of the backlink order", shown),
        known_table(crawls, ["backlink"]),
    ]
    figure = curve_figure(f"{name}: hot pages found, backlink order", shown, "P_ST, %", f"{PAPER}-figure-3")
    return WorldResult(claims, {"pages": len(crawls), **areas_of(curves)}, tables, [figure])


def _least(hots: dict[float, Hot]) -> str:
    return ", ".join(f"{hot.least:g} for {share:.0%}" for share, hot in hots.items())


def _named(hot: Hot) -> str:
    return f"{hot.share:.1%} hot (G = {hot.least:g})"


# ---- Figures 4 and 7


def _by_backlinks(crawls: Crawls, context: StudyContext) -> WorldResult:
    hot = hottest(crawls.backlinks, 0.01)
    shares = {name: crawls.togetherness(name, TOGETHER) for name in ORDERS}
    clusters = Claim(CLUSTERS, shares["backlink"] > shares["PageRank"], name_values(shares))
    claims = [is_best(crawls.threshold(hot), "PageRank"), clusters]
    return _threshold(crawls, hot, "figure-4", claims, [_by_both(crawls, hot)])


def _by_both(crawls: Crawls, hot: Hot) -> ResultTable:
    """Of pages that are hot by backlinks: does PageRank reach late those that it ranks low?"""
    by_rank = hottest(crawls.ranks, 0.01).which
    parts = {"by PageRank too": hot.which & by_rank, "by backlinks alone": hot.which & ~by_rank}
    rows: list[list[Value]] = []
    for what, which in parts.items():
        areas = {name: p_st(order, which).area for name, order in crawls.orders.items()} if which.any() else {}
        rows.append([what, int(which.sum()), *(areas.get(name) for name in ORDERS)])
    columns = ["hot", "pages", *(f"{name}, area" for name in ORDERS)]
    return ResultTable(f"{crawls.world.name}: pages that are among the 1 % by backlinks", columns, rows)


def _by_rank(crawls: Crawls, context: StudyContext) -> WorldResult:
    hot = meaningful(crawls.ranks, RANK, RANK_BOUNDS, 0.01)
    curves = crawls.threshold(hot)
    return _threshold(crawls, hot, "figure-7", [is_best(curves, "PageRank"), similar_curves(curves)])


def similar_curves(curves: dict[str, CrawlCurve]) -> Claim:
    """Backlink and breadth-first."""
    gap = curves["backlink"].area - curves["breadth-first"].area
    return Claim(LIKE_BREADTH_FIRST, abs(gap) <= ALIKE, f"{gap:+.3f}")


def _threshold(
    crawls: Crawls, hot: Hot, figure: str, claims: list[Claim], more: Sequence[ResultTable] = ()
) -> WorldResult:
    name, curves = crawls.world.name, crawls.threshold(hot)
    shown = curves | {"ideal": at_best(hot.which), "random": by_chance(len(crawls))}
    numbers: dict[str, Value] = {"pages": len(crawls), "G": hot.least, "hot pages": int(hot.which.sum())}
    numbers |= {"share of hot pages": hot.share, **areas_of(curves)}
    tables = [curve_table(f"{name}: P_ST, {_named(hot)}", shown)]
    tables += [known_table(crawls, ORDERS), web_table(crawls), *more]
    drawn = curve_figure(f"{name}: hot pages found, {_named(hot)}", shown, "P_ST, %", f"{PAPER}-{figure}")
    return WorldResult(claims, numbers, tables, [drawn])


# ---- Figure 6


def _stop(crawls: Crawls, context: StudyContext) -> WorldResult:
    name, values = crawls.world.name, crawls.backlinks
    curves = {order: p_cs(pages, values) for order, pages in crawls.orders.items()}
    ideal = p_cs(np.argsort(-values, kind="stable"), values)
    flat = Claim(IDEAL, bool((ideal.percent == 100).all()), f"{ideal.percent.min():g}")
    claims = [is_best(curves, "PageRank"), flat]
    shown = curves | {"ideal": ideal, "random": by_chance(len(crawls))}
    numbers: dict[str, Value] = {"pages": len(crawls), **areas_of(curves)}
    tables = [curve_table(f"{name}: P_CS, backlinks", shown), _buffers(crawls)]
    figure = curve_figure(f"{name}: crawl and stop", shown, "P_CS, %", f"{PAPER}-figure-6")
    return WorldResult(claims, numbers, tables, [figure])


def _buffers(crawls: Crawls) -> ResultTable:
    """The third model of §2.2, which the paper has no figure of; from the same crawls."""
    live = crawls.world.live(crawls.world.start)
    reached = with_versions(crawls.world, np.sort(live[crawls.pages]))
    judge, versions = unasked(reached), reached.at(reached.start)
    nothing = np.full(len(reached.urls), NOTHING)
    rows: list[list[Value]] = []
    for name, order in crawls.orders.items():
        pages = crawls.pages[order]
        times, units = np.full(len(pages), reached.start), np.zeros(len(pages), np.int32)
        log = FetchLog(units, times, pages, versions[pages], [""] * len(pages))
        [kept] = BUFFER(Run(judge, log, np.array([reached.start]), nothing)).tolist()
        rows.append([name, kept])
    rows += [["ideal", 100.0], ["random", 100 * BUFFER.buffer]]
    note = "The page with the fewest backlinks seen so far goes first."
    title = f"{crawls.world.name}: P_BC with a buffer of {BUFFER.buffer:.0%} of the pages, backlinks"
    return ResultTable(title, ["order", "P_BC, %"], rows, note)


# ---- what there is


_NEEDS = f"a world with at least {SMALL:,} pages, and links among them"
_BACKLINK = {"backlink": ORDERS["backlink"]}
STRINGENT = Study(
    f"{PAPER}-figure-3",
    PAPER,
    "Figure 3: the backlink order, by how hot pages must be",
    "Are hotter pages found sooner?",
    _NEEDS,
    (SOONER, LATE_PACE),
    judging(_BACKLINK, no_large_web, _stringent),
    settings=settings_of(_BACKLINK),
    aliases=("E001-3",),
)
BY_BACKLINKS = Study(
    f"{PAPER}-figure-4",
    PAPER,
    "Figure 4: pages with many backlinks, by three orders",
    "Which order finds the 1 % of pages with most backlinks first?",
    _NEEDS,
    (largest("PageRank"), CLUSTERS),
    judging(ORDERS, no_large_web, _by_backlinks),
    settings=settings_of(ORDERS),
    aliases=("E001-4",),
)
STOP = Study(
    f"{PAPER}-figure-6",
    PAPER,
    "Figure 6: crawl and stop",
    "Which order has most of the K pages with most backlinks after K pages?",
    _NEEDS,
    (largest("PageRank"), IDEAL),
    judging(ORDERS, no_large_web, _stop),
    settings=settings_of(ORDERS),
    aliases=("E001-6",),
)
BY_RANK = Study(
    f"{PAPER}-figure-7",
    PAPER,
    "Figure 7: pages of high PageRank, by three orders",
    f"Which order finds pages of high PageRank first (IR ≥ {RANK:g}, or 1 % where that makes fewer than "
    f"{RANK_BOUNDS[0]:.1%} or more than {RANK_BOUNDS[1]:.0%} hot)?",
    _NEEDS,
    (largest("PageRank"), LIKE_BREADTH_FIRST),
    judging(ORDERS, no_large_web, _by_rank),
    settings=settings_of(ORDERS),
    aliases=("E001-7",),
)
