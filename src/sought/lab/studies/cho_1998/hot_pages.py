"""How soon do crawls of a web that stands still find the hot pages?

    P_ST(K) = 100·|{p among the first K: I(p) ≥ G}| / H,  H = |{p: I(p) ≥ G}|
    P_CS(K) = 100·|{p among the first K: I(p) ≥ I(r_K)}| / K,  r_K the K-th most important page

J. Cho, H. Garcia-Molina, L. Page, Efficient Crawling Through URL Ordering, WWW7 1998, §2.2.  T are the pages that a
crawl from the seeds reaches; links from elsewhere do not count.  The *area* under a curve is its mean over the pages
crawled, as a share: a random order has 0.5.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.lab.judge.judge import links_at
from sought.lab.measures.importance import Importance, importance
from sought.lab.studies.cho_1998.crawl_order import crawl_orders
from sought.lab.studies.study import StudyContext
from sought.lab.worlds.files import open_world
from sought.lab.worlds.world import Numbers, World
from sought.web.policy import Policy

POINTS = 200  # of a curve
DRAWN = 25  # of these in a figure

Floats = NDArray[np.float64]
Marks = NDArray[np.bool_]
Curves = Mapping[str, "CrawlCurve"]


class CrawlCurve(NamedTuple):
    """A value, in percent, after each of these numbers of `total` pages."""

    counts: Numbers
    percent: Floats
    total: int

    @property
    def area(self) -> float:
        return float(self.percent.mean()) / 100

    def at(self, share: float) -> float:
        """The value after a share of the pages."""
        return float(np.interp(share * self.total, np.append(0, self.counts), np.append(0.0, self.percent)))

    def pace(self, first: float, last: float) -> float:
        """How fast it rises between two shares of the pages; a random crawl has 1."""
        return (self.at(last) - self.at(first)) / (100 * (last - first))

    @property
    def drawn(self) -> tuple[list[float], list[float]]:
        """For a figure."""
        some = np.unique(np.linspace(0, len(self.counts) - 1, DRAWN).round().astype(np.int64))
        return (100 * self.counts[some] / self.total).tolist(), self.percent[some].tolist()


class Hot(NamedTuple):
    """Which pages are hot: those with importance G or more."""

    which: Marks
    least: float

    @property
    def share(self) -> float:
        return float(self.which.mean())


def at_least(values: Floats, least: float) -> Hot:
    return Hot(values >= least, least)


def hottest(values: Floats, share: float) -> Hot:
    """The share of pages that is most important, and all as important as the least of these."""
    return at_least(values, float(np.sort(values)[-max(1, round(share * len(values)))]))


def meaningful(values: Floats, least: float, bounds: tuple[float, float], share: float) -> Hot:
    """Those with the G of the paper, if it makes a share within bounds hot here; else a share of pages."""
    hot = at_least(values, least)
    return hot if bounds[0] <= hot.share <= bounds[1] else hottest(values, share)


def counts_of(total: int) -> Numbers:
    """Numbers of pages crawled, at which curves are taken."""
    return np.unique(np.linspace(0, total, min(total, POINTS) + 1).round().astype(np.int64))[1:]


def p_st(order: Numbers, hot: Marks) -> CrawlCurve:
    """P_ST of a crawl in this order; pages that it never fetches do not count."""
    hot_so_far = np.concatenate([[0], np.cumsum(hot[order])])
    counts = counts_of(len(hot))
    return CrawlCurve(counts, 100 * hot_so_far[np.minimum(counts, len(order))] / hot.sum(), len(hot))


def p_cs(order: Numbers, values: Floats) -> CrawlCurve:
    counts, ordered = counts_of(len(values)), np.sort(values)[::-1]
    hits = [np.count_nonzero(values[order[:count]] >= ordered[count - 1]) for count in counts.tolist()]
    return CrawlCurve(counts, 100 * np.array(hits) / counts, len(values))


def by_chance(total: int) -> CrawlCurve:
    """P_ST, and P_CS, of a random crawl."""
    counts = counts_of(total)
    return CrawlCurve(counts, 100 * counts / total, total)


def at_best(hot: Marks) -> CrawlCurve:
    """P_ST of the ideal crawl."""
    counts = counts_of(len(hot))
    return CrawlCurve(counts, 100 * np.minimum(counts, hot.sum()) / hot.sum(), len(hot))


@dataclass(frozen=True)
class Crawls:
    """`pages` are those of the world that any of the crawls fetched; orders and links have their numbers among these.

    Each pair of pages counts as one link, none to itself.
    """

    world: World
    pages: Numbers
    orders: Mapping[str, Numbers]
    sources: Numbers
    targets: Numbers

    def __len__(self) -> int:
        return len(self.pages)

    @cached_property
    def backlinks(self) -> Floats:
        """IB."""
        return self.importance("backlinks")

    @cached_property
    def ranks(self) -> Floats:
        """IR, by the PageRank of 1998 with d = 0.9."""
        return self.importance("pagerank")

    def importance(self, kind: Importance) -> Floats:
        return importance(self.sources, self.targets, len(self), kind)

    def threshold(self, hot: Hot) -> dict[str, CrawlCurve]:
        """P_ST of each order."""
        return {name: p_st(order, hot.which) for name, order in self.orders.items()}

    def known(self, name: str, share: float) -> float:
        """The share of pages that this order has fetched, or seen a link to, after it fetched a share of them."""
        fetched = np.zeros(len(self), np.bool_)
        fetched[self.orders[name][: round(share * len(self))]] = True
        seen = fetched.copy()
        seen[self.targets[fetched[self.sources]]] = True
        return float(seen.mean())

    def near(self, marked: Marks, links: int) -> Marks:
        """The pages at most so many links away from one of these."""
        marks = marked.copy()
        for _ in range(links):
            marks[self.targets[marks[self.sources]]] = True
        return marks

    def togetherness(self, name: str, share: float) -> float:
        """The share of links whose ends this order fetches shortly after each other: within a share of the pages."""
        when = np.full(len(self), np.inf)
        when[self.orders[name]] = np.arange(len(self.orders[name]))
        apart = np.abs(when[self.sources] - when[self.targets])
        return float(np.mean(apart <= share * len(self))) if len(apart) else 0.0


def crawls_of(folder: Path, policies: Mapping[str, Policy], context: StudyContext, rounds: int = 100) -> Crawls:
    """Crawl a world from its seeds, once with each of these policies, until no page is left."""
    world = open_world(folder)
    report = context.progress(f"crawling {world.name}")
    orders = crawl_orders(folder, list(policies.values()), context.results, context.cores, report, rounds)
    pages = np.unique(np.concatenate(orders))
    sources, targets = links_at(world, world.live(world.start))
    kept = np.isin(sources, pages) & np.isin(targets, pages)
    number = np.searchsorted(pages, np.stack((sources[kept], targets[kept])))
    numbered = {name: np.searchsorted(pages, order) for name, order in zip(policies, orders, strict=True)}
    return Crawls(world, pages, numbered, number[0], number[1])
