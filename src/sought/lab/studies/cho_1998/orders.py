"""What the experiments on URL ordering share: the orders they compare, and how they report results.

J. Cho, H. Garcia-Molina, L. Page, Efficient Crawling Through URL Ordering, WWW7 1998, §4.  Their crawler orders its
queue anew after every page; ours after every 1/rounds of them.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sought.lab.replay.setting import pages_at_start
from sought.lab.studies.cho_1998.hot_pages import CrawlCurve, Crawls, Curves, crawls_of
from sought.lab.studies.figures import line_figure
from sought.lab.studies.study import Claim, Figure, ResultTable, Statement, StudyContext, Value, WorldResult
from sought.lab.worlds.files import open_world
from sought.lab.worlds.world import World
from sought.policy import Backlinks, BreadthFirst, PageRank
from sought.web.policy import Policy

ORDERS: Mapping[str, Policy] = {"PageRank": PageRank(), "backlink": Backlinks(), "breadth-first": BreadthFirst()}
SMALL = 5_000  # pages; a web with more is a large one
FEWEST, QUICK = 500, 20  # pages
PAPER = "cho-garcia-molina-page-1998"
ROUNDS = 100
TOGETHER = 0.02  # of the pages: fetched together; the queue is ordered anew after each 1 %
EVERYWHERE = 0.1  # of the pages: what these link to is navigation


def judging(
    policies: Mapping[str, Policy],
    unfit: Callable[[World, StudyContext], str],
    look: Callable[[Crawls, StudyContext], WorldResult],
    rounds: int = ROUNDS,
) -> Callable[[Path, StudyContext], WorldResult]:
    """The judge of a world: crawl it, if it is fit, and compare the orders."""

    def judge(folder: Path, context: StudyContext) -> WorldResult:
        if lack := unfit(open_world(folder), context):
            return WorldResult(lack=lack)
        crawls = crawls_of(folder, policies, context, rounds)
        lack = too_few(crawls, context)
        return WorldResult(lack=lack) if lack else look(crawls, context)

    return judge


def settings_of(policies: Mapping[str, Policy], rounds: int = ROUNDS) -> dict[str, Any]:
    """The settings to record."""
    return {"policies": {name: repr(policy) for name, policy in policies.items()}, "rounds": rounds}


def no_large_web(world: World, context: StudyContext) -> str:
    """Why a world is none, if so."""
    pages, fewest = pages_at_start(world), QUICK if context.quick else SMALL
    return f"it has {pages:,} pages, and a large web has at least {fewest:,}" if pages < fewest else ""


def no_small_site(world: World, context: StudyContext) -> str:
    """Why a world is none, if so."""
    pages, fewest = pages_at_start(world), QUICK if context.quick else FEWEST
    if len(world.sites[0]) > 1:
        return f"it has {len(world.sites[0]):,} hosts, and a small site has one"
    return "" if fewest <= pages < SMALL else f"it has {pages:,} pages, and a small site {fewest:,} to {SMALL - 1:,}"


def too_few(crawls: Crawls, context: StudyContext) -> str:
    """Why the pages reached are too few to judge, if so."""
    fewest = QUICK if context.quick else FEWEST
    if len(crawls) < fewest:
        return f"a crawl from its seeds reaches {len(crawls):,} pages, and at least {fewest:,} are needed"
    return "" if len(np.unique(crawls.backlinks)) > 1 else "all pages have as many links to them"


def largest(name: str) -> Statement:
    return Statement(f"{name} has the largest area")


def is_best(curves: Curves, name: str, others: Mapping[str, float] | None = None) -> Claim:
    """The claim that one of several curves has the largest area."""
    areas = {each: curve.area for each, curve in curves.items()} | dict(others or {})
    margin = areas[name] - max(area for each, area in areas.items() if each != name)
    return Claim(largest(name), margin > 0, f"{name_values(areas)}; margin {margin:+.3f}")


def name_values(areas: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {area:.3f}" for name, area in areas.items())


def areas_of(curves: Curves, of: str = "") -> dict[str, Value]:
    """The areas, as numbers of a result."""
    return {", ".join(filter(None, (name, of, "area"))): curve.area for name, curve in curves.items()}


def curve_table(title: str, curves: Curves, note: str = "") -> ResultTable:
    """Each curve at some points."""
    shares = (0.05, 0.1, 0.2, 0.5, 0.8)
    rows: list[list[Value]] = [
        [name, curve.area, *(curve.at(share) for share in shares)] for name, curve in curves.items()
    ]
    return ResultTable(title, ["order", "area", *(f"% after {share:.0%} of pages" for share in shares)], rows, note)


def known_table(crawls: Crawls, names: Iterable[str]) -> ResultTable:
    """How soon each order knows where pages are: it cannot fetch what it has seen no link to."""
    shares = (0.01, 0.05, 0.2, 0.5)
    rows: list[list[Value]] = [
        [name, *(100 * crawls.known(name, share) for share in shares), 100 * crawls.togetherness(name, TOGETHER)]
        for name in names
    ]
    columns = ["order", *(f"% known after {share:.0%} of pages" for share in shares)]
    return ResultTable(
        f"{crawls.world.name}: how orders go", [*columns, f"% of links within {TOGETHER:.0%} of pages"], rows
    )


def web_table(crawls: Crawls) -> ResultTable:
    """Facts of the web that may explain the result."""
    links, backlinks, total = len(crawls.sources), crawls.backlinks, len(crawls)
    everywhere = backlinks > EVERYWHERE * total
    rows: list[list[Value]] = [
        ["pages", total],
        ["links a page", links / total],
        ["% of pages with one backlink at most", 100 * float(np.mean(backlinks <= 1))],
        [f"pages linked to by more than {EVERYWHERE:.0%} of all", int(everywhere.sum())],
        ["% of links that lead to these", 100 * float(backlinks[everywhere].sum()) / max(links, 1)],
    ]
    return ResultTable(f"{crawls.world.name}: the web", ["what", "how much"], rows)


def curve_figure(title: str, curves: Mapping[str, CrawlCurve], y: str, study: str) -> Figure:
    series = {name: curve.drawn for name, curve in curves.items()}
    return line_figure(study, title, series, "pages crawled, %", y)
