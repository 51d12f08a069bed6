"""Which order of URLs finds important pages first, on a small site?

J. Cho, H. Garcia-Molina, L. Page, Efficient Crawling Through URL Ordering, WWW7 1998, §4.3, Figures 8 to 10: on 1,100
pages of one group backlinks are few and a matter of style, and all orders are at times worse than chance; the backlink
order stays in one cluster until it suddenly finds another.  With PageRank in their place orders do better.
"""

from itertools import pairwise

import numpy as np

from sought.lab.studies.cho_1998.hot_pages import CrawlCurve, Crawls, Curves, Hot, at_best, by_chance, meaningful
from sought.lab.studies.cho_1998.orders import (
    FEWEST,
    ORDERS,
    PAPER,
    SMALL,
    areas_of,
    curve_figure,
    curve_table,
    is_best,
    judging,
    known_table,
    largest,
    name_values,
    no_small_site,
    settings_of,
    web_table,
)
from sought.lab.studies.figures import bars
from sought.lab.studies.study import Claim, Figure, ResultTable, Statement, Study, StudyContext, Value, WorldResult

BACKLINKS, RANK = 5.0, 3.0  # G of Figures 8 and 10
BOUNDS, ELSE = (0.02, 0.5), 0.1  # shares of hot pages for which these are meant, and the share in their place
ERRORS = 3.0  # standard deviations that are no chance
STRETCH = 0.1  # of the pages: what is called a plateau, or a jump
SLOW, FAST = 0.5, 2.0  # paces of these; a random crawl has 1
ROUNDS = 500  # queues are short: about every second page

WORSE = Statement(f"some order is at times worse than a random crawl, by more than {ERRORS:g} standard deviations")
LEAP = Statement(
    f"before half is found the backlink order has a stretch of {STRETCH:.0%} of the pages at {SLOW:g} times the pace "
    f"of a random crawl or less, and later one at {FAST:g} times or more"
)
ALL_BETTER = Statement("every order has a larger area under P_ST than with backlinks")


def worst(curve: CrawlCurve, hot: int) -> tuple[float, float]:
    """Where a curve is most below a random crawl: the share of pages, and by how many standard deviations."""
    inside, share = curve.counts[:-1], hot / curve.total  # at the end all orders are equal
    drawn = inside * share * (1 - share) * (curve.total - inside) / (curve.total - 1)  # hypergeometric
    spread = 100 / hot * np.sqrt(drawn)
    below = (100 * inside / curve.total - curve.percent[:-1]) / spread
    at = int(below.argmax())
    return float(inside[at] / curve.total), float(below[at])


def leap(curve: CrawlCurve) -> tuple[float, float, float, float] | None:
    """The slowest stretch before half is found, and the fastest one that comes after it: where they begin, and paces.

    None if half is found before any stretch is over.
    """
    starts = np.arange(0.0, 1.0 - STRETCH + 1e-9, 0.01)
    paces = np.array([curve.pace(start, start + STRETCH) for start in starts.tolist()])
    early = np.flatnonzero([curve.at(start + STRETCH) < 50 for start in starts.tolist()])
    if not len(early):
        return None
    flat = int(early[paces[early].argmin()])
    later = np.flatnonzero(starts >= starts[flat] + STRETCH - 1e-9)
    if not len(later):
        return None
    steep = int(later[paces[later].argmax()])
    return float(starts[flat]), float(paces[flat]), float(starts[steep]), float(paces[steep])


def poor(curves: Curves, hot: int) -> list[Claim]:
    """Figure 8."""
    lows = {name: worst(curve, hot) for name, curve in curves.items()}
    listed = ", ".join(f"{name} {below:.1f} deviations below at {share:.0%}" for name, (share, below) in lows.items())
    largest_leap = leap(curves["backlink"])
    is_leap = largest_leap is not None and largest_leap[1] <= SLOW and largest_leap[3] >= FAST
    shown = "half is found before a stretch is over"
    if largest_leap:
        shown = "pace {1:.2f} from {0:.0%} on, then {3:.2f} from {2:.0%} on".format(*largest_leap)
    return [
        Claim(WORSE, max(b for _, b in lows.values()) > ERRORS, listed),
        Claim(LEAP, is_leap, shown),
    ]


def better(by_rank: Curves, by_backlinks: Curves) -> list[Claim]:
    """Figure 10."""
    gains = {name: by_rank[name].area - by_backlinks[name].area for name in by_rank}
    return [
        Claim(ALL_BETTER, min(gains.values()) > 0, name_values(gains)),
        is_best(by_rank, "PageRank"),
    ]


def _by_backlinks(crawls: Crawls, context: StudyContext) -> WorldResult:
    hot = _hot(crawls)[0]
    claims = poor(crawls.threshold(hot), int(hot.which.sum()))
    histogram = _histogram(crawls)
    return _part(crawls, hot, "figure-8", claims, {}, [histogram], [_bars(crawls, histogram)])


def _by_rank(crawls: Crawls, context: StudyContext) -> WorldResult:
    backlinks, rank = _hot(crawls)
    before = crawls.threshold(backlinks)
    claims = better(crawls.threshold(rank), before)
    return _part(crawls, rank, "figure-10", claims, areas_of(before, "by backlinks"), [], [])


def _hot(crawls: Crawls) -> tuple[Hot, Hot]:
    """By backlinks, by rank."""
    by_backlinks = meaningful(crawls.backlinks, BACKLINKS, BOUNDS, ELSE)
    return by_backlinks, meaningful(crawls.ranks, RANK, BOUNDS, ELSE)


def _part(
    crawls: Crawls,
    hot: Hot,
    figure: str,
    claims: list[Claim],
    more: dict[str, Value],
    tables: list[ResultTable],
    figures: list[Figure],
) -> WorldResult:
    name, curves = crawls.world.name, crawls.threshold(hot)
    shown = curves | {"ideal": at_best(hot.which), "random": by_chance(len(crawls))}
    numbers: dict[str, Value] = {"pages": len(crawls), "G": hot.least, "share of hot pages": hot.share}
    title = f"{name}: hot pages found, {hot.share:.1%} hot (G = {hot.least:g})"
    return WorldResult(
        claims,
        numbers | areas_of(curves) | more,
        [
            curve_table(f"{name}: P_ST", shown),
            known_table(crawls, ORDERS),
            web_table(crawls),
            *tables,
        ],
        [curve_figure(title, shown, "P_ST, %", f"{PAPER}-{figure}"), *figures],
    )


def _histogram(crawls: Crawls) -> ResultTable:
    """Figure 9: pages by backlinks, in ranges that double."""
    edges = [0, *(1 << power for power in range(int(crawls.backlinks.max()).bit_length() + 1))]
    counts, _ = np.histogram(crawls.backlinks, edges)
    names = [f"{low}" if high - low == 1 else f"{low}-{high - 1}" for low, high in pairwise(edges)]
    rows: list[list[Value]] = [list(row) for row in zip(names, counts.tolist(), strict=True)]
    return ResultTable(f"{crawls.world.name}: pages by backlinks", ["backlinks", "pages"], rows)


def _bars(crawls: Crawls, histogram: ResultTable) -> Figure:
    title = f"{crawls.world.name}: pages by backlinks"
    values = {str(name): (float(count or 0),) * 3 for name, count in histogram.rows}
    return Figure(title, bars(values, f"{title} ({PAPER}-figure-9)"))


_NEEDS = f"a world of one host, with {FEWEST:,} to {SMALL - 1:,} pages, and links among them"
_HOT = f"or {ELSE:.0%}, where that makes fewer than {BOUNDS[0]:.0%} or more than {BOUNDS[1]:.0%} hot"
SITE_BY_BACKLINKS = Study(
    f"{PAPER}-figure-8",
    PAPER,
    "Figures 8 and 9: a small site, by backlinks",
    f"Do orders find pages with many backlinks sooner than chance does, on a small site (IB ≥ {BACKLINKS:g}, {_HOT})?",
    _NEEDS,
    (WORSE, LEAP),
    judging(ORDERS, no_small_site, _by_backlinks, ROUNDS),
    settings=settings_of(ORDERS, ROUNDS),
    aliases=(f"{PAPER}-figure-9", "E001-8", "E001-9"),
)
SITE_BY_RANK = Study(
    f"{PAPER}-figure-10",
    PAPER,
    "Figure 10: a small site, by PageRank",
    "Do orders find pages of high PageRank sooner than pages with many backlinks, on a small site "
    f"(IR ≥ {RANK:g}, {_HOT})?",
    _NEEDS,
    (ALL_BETTER, largest("PageRank")),
    judging(ORDERS, no_small_site, _by_rank, ROUNDS),
    settings=settings_of(ORDERS, ROUNDS),
    aliases=("E001-10",),
)
