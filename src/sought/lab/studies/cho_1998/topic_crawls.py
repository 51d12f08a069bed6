"""Does a crawl that prefers a topic reach its pages sooner, and does the order of URLs matter then?

J. Cho, H. Garcia-Molina, L. Page, Efficient Crawling Through URL Ordering, WWW7 1998, §5, Figures 12, 14 and 15.  The
basic crawler takes URLs first that name the topic, in their address or in an anchor; the modified one also those that
are fewer than three links away from a page about it.  Their topics were "computer" and "admission"; ours are chosen by
a rule (lab/studies/cho_1998/topics.py).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from sought.lab.replay.setting import pages_at_start
from sought.lab.studies.cho_1998.hot_pages import CrawlCurve, Crawls, Curves, Hot, Marks, at_best, by_chance, crawls_of
from sought.lab.studies.cho_1998.orders import (
    FEWEST,
    ORDERS,
    PAPER,
    QUICK,
    ROUNDS,
    areas_of,
    curve_figure,
    curve_table,
    name_values,
)
from sought.lab.studies.cho_1998.topics import SHARES, Worded, named_pages, topics_for
from sought.lab.studies.study import Claim, Figure, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.lab.worlds.files import open_world
from sought.policy import Topical

CHANCE = 0.05  # in area: about as good as a random crawl
LARGE = 0.05  # in area: a large improvement
DISTANCE = Topical.distance
KINDS = {"basic": 0, "modified": DISTANCE}
POOR = Statement(f"PageRank and backlink orders have areas under P_ST of at most {0.5 + CHANCE:g}")
BREADTH_FIRST = Statement(f"breadth-first has more than these, and more than {0.5 + CHANCE:g}")
ALL_GAIN = Statement(f"for two topics every order gains at least {LARGE} in area over the basic crawler")
DIFFER_LESS = Statement("for two topics the largest and the smallest area differ less than in the basic crawler")
NEARER = {"nearer": DISTANCE - 1}  # not in the paper: is what it takes for near too much?


class Crawled(NamedTuple):
    """Crawls after one topic; `curves` by kind of crawler, then by order."""

    topic: str
    crawls: Crawls
    hot: Marks
    curves: Mapping[str, Curves]


def by_basic(curves: Curves) -> list[Claim]:
    """Figure 12."""
    areas = {name: curve.area for name, curve in curves.items()}
    limit, breadth = 0.5 + CHANCE, areas["breadth-first"]
    poor = max(areas["PageRank"], areas["backlink"])
    return [
        Claim(POOR, poor <= limit, name_values(areas)),
        Claim(BREADTH_FIRST, breadth > max(poor, limit), f"{breadth:.3f}"),
    ]


def by_modified(basic: Curves, modified: Curves, topic: str) -> list[Claim]:
    """Figures 14 and 15."""
    gains = {name: modified[name].area - basic[name].area for name in modified}
    before, after = spread(basic), spread(modified)
    return [
        Claim(ALL_GAIN, min(gains.values()) >= LARGE, name_values(gains), repr(topic)),
        Claim(DIFFER_LESS, after < before, f"{before:.3f}, then {after:.3f}", repr(topic)),
    ]


def spread(curves: Curves) -> float:
    areas = [curve.area for curve in curves.values()]
    return max(areas) - min(areas)


def _crawled(folder: Path, topic: str, kinds: Mapping[str, int], context: StudyContext) -> Crawled:
    policies = {
        f"{kind} {name}": Topical(topic, order, distance)
        for kind, distance in kinds.items()
        for name, order in ORDERS.items()
    }
    crawls = crawls_of(folder, policies, context, ROUNDS)
    hot = Worded(crawls.world, crawls.pages).hot(topic)
    by_name = crawls.threshold(Hot(hot, 1.0)) if hot.any() else {}
    curves = {kind: {name: by_name[f"{kind} {name}"] for name in ORDERS if by_name} for kind in kinds}
    return Crawled(topic, crawls, hot, curves)


def _unfit(folder: Path, context: StudyContext, topics: list[str], wanted: int) -> str:
    world = open_world(folder)
    if pages_at_start(world) < (QUICK if context.quick else FEWEST):
        return f"it has {pages_at_start(world):,} pages, and at least {FEWEST:,} are needed"
    shares = f"{SHARES[0]:.0%} to {SHARES[1]:.0%}"
    return "" if len(topics) >= wanted else f"too few words of its titles make {shares} of the pages hot"


def _part(figure: str, world: str, claims: list[Claim], crawls_by_topic: list[Crawled]) -> WorldResult:
    numbers: dict[str, Value] = {}
    tables, figures = [_about(world, crawls_by_topic)], list[Figure]()
    for each in crawls_by_topic:
        numbers |= {f"{each.topic!r}, share of hot pages": float(each.hot.mean())}
        for kind, curves in each.curves.items():
            title = f"{world}: {kind} similarity crawler, {each.topic!r}"
            shown: dict[str, CrawlCurve] = dict(curves) | {
                "ideal": at_best(each.hot),
                "random": by_chance(len(each.hot)),
            }
            numbers |= areas_of(curves, f"{kind}, {each.topic!r}")
            tables.append(curve_table(f"{title}: P_ST", shown))
            figures.append(curve_figure(title, shown, "P_ST, %", f"{PAPER}-{figure}"))
    return WorldResult(claims, numbers, tables, figures)


def _about(world: str, crawls_by_topic: list[Crawled]) -> ResultTable:
    """Facts that may explain the result: is the topic in addresses and anchors, are children of hot pages hot, and is
    all of the web near them?
    """
    rows: list[list[Value]] = []
    for each in crawls_by_topic:
        crawls, hot = each.crawls, each.hot
        named = named_pages(crawls, each.topic)
        children = hot[crawls.targets[hot[crawls.sources]]]
        others = hot[crawls.targets[~hot[crawls.sources]]]
        near = [crawls.near(hot, links)[~hot] for links in range(1, DISTANCE)]
        shares = [_percent(marks) for marks in (hot, named[hot], named[~hot], children, others, *near)]
        rows.append([each.topic, len(hot), *shares])
    columns = ["topic", "pages", "hot %", "named, % of hot", "named, % of others"]
    columns += ["hot, % of links from hot pages", "hot, % of links from others"]
    columns += [f"fewer than {links + 1} links from a hot page, % of others" for links in range(1, DISTANCE)]
    return ResultTable(f"{world}: topics", columns, rows)


def _percent(marks: Marks) -> float | None:
    return 100 * float(marks.mean()) if len(marks) else None


def _basic(folder: Path, context: StudyContext) -> WorldResult:
    world = open_world(folder)
    topics = topics_for(world, 1)
    if lack := _unfit(folder, context, topics, 1):
        return WorldResult(lack=lack)
    crawled = _crawled(folder, topics[0], {"basic": 0}, context)
    if not crawled.hot.any():
        return WorldResult(lack=f"no page about {topics[0]!r} is reached")
    return _part("figure-12", world.name, by_basic(crawled.curves["basic"]), [crawled])


def _modified(folder: Path, context: StudyContext) -> WorldResult:
    world = open_world(folder)
    topics = topics_for(world)
    if lack := _unfit(folder, context, topics, 2):
        return WorldResult(lack=lack)
    kinds = KINDS if context.quick else KINDS | NEARER
    crawls_by_topic = [_crawled(folder, topic, kinds, context) for topic in topics]
    if none := [each.topic for each in crawls_by_topic if not each.hot.any()]:
        return WorldResult(lack=f"no page about {none[0]!r} is reached")
    claims = [
        claim
        for each in crawls_by_topic
        for claim in by_modified(each.curves["basic"], each.curves["modified"], each.topic)
    ]
    return _part("figure-14", world.name, claims, crawls_by_topic)


_NEEDS = (
    f"a world with words and at least {FEWEST:,} pages, of which {SHARES[0]:.0%} to {SHARES[1]:.0%} are about a word"
    " of titles"
)
BASIC = Study(
    f"{PAPER}-figure-12",
    PAPER,
    "Figure 12: the basic similarity crawler",
    "Does it find pages about a topic sooner to fetch first what is named after it?",
    _NEEDS,
    (POOR, BREADTH_FIRST),
    _basic,
    settings={"rounds": ROUNDS},
    aliases=("E001-12",),
)
MODIFIED = Study(
    f"{PAPER}-figure-14",
    PAPER,
    "Figures 14 and 15: the modified similarity crawler, two topics",
    "Does it help to fetch first what is near pages about the topic?",
    _NEEDS,
    (ALL_GAIN, DIFFER_LESS),
    _modified,
    settings={"rounds": ROUNDS},
    aliases=(f"{PAPER}-figure-15", "E001-14", "E001-15"),
)
