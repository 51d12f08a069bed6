"""The frontier of one crawl, to be ranked by several policies."""

import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Belief
from sought.beliefs.holdings import Holdings
from sought.beliefs.impacts import PageImpacts as KnownImpacts
from sought.crawl.cycle import beliefs_in
from sought.graph.links import GraphLinks
from sought.lab.judge.judge import Judge
from sought.lab.replay.replay import Replay
from sought.lab.replay.setting import Setting
from sought.lab.worlds.world import NOTHING, Numbers
from sought.web.pages import Floats, Pages
from sought.web.policy import Policy, beliefs_of

SHOWN = 10  # results on a page of them


@dataclass(frozen=True)
class _Several:
    """One policy in place of several, so that a crawl computes the beliefs of all of them."""

    policies: tuple[Policy, ...]

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        return tuple(belief for policy in self.policies for belief in beliefs_of(policy))

    def __call__(self, pages: Pages, now: float) -> Floats:
        raise NotImplementedError("it ranks nothing itself")


@dataclass(frozen=True)
class Frontier:
    """A crawl's table at a moment: `page` is the page of the world that a row is, NOTHING if there is none.

    `links` are those seen so far, by row; `known` is what one search brings to rows that were fetched, as far as the
    crawl knows: by its own index, and by that part of demand which is known.
    """

    pages: Pages
    page: Numbers
    links: GraphLinks
    now: float
    known: "WorldImpacts"

    @property
    def rows(self) -> Numbers:
        """The frontier: pages of the world that are known and were never fetched."""
        return np.flatnonzero(self.pages.is_new & (self.page != NOTHING))

    @property
    def crawled(self) -> Numbers:
        """Rows of pages that were fetched."""
        return np.flatnonzero(~self.pages.is_new & (self.page != NOTHING))

    def values(self, policy: Policy) -> Floats:
        """A policy's value of each row."""
        return policy(self.pages, self.now)

    def ranked(self, values: Floats) -> Numbers:
        """Rows of the frontier, best first; equals by a hash."""
        rows = self.rows
        return rows[np.lexsort((self.pages.key[rows], -values[rows]))]


class ReachedFrontier:
    """A crawl at its frontier that can go on."""

    def __init__(self, judge: Judge, run: Replay) -> None:
        self.judge, self.run = judge, run
        self.beliefs = beliefs_in(run.directory, run.policy)

    @property
    def holdings(self) -> Holdings:
        return self.beliefs.holdings

    def frontier(self) -> Frontier:
        """A copy of the table and of all beliefs as they are now."""
        world, pages, now = self.judge.world, self.beliefs.pages(), self.run.clock.now()
        columns = {name: getattr(pages, name).copy() for name in Pages.column_names()}
        beliefs = {each: column.copy() for each, column in pages.beliefs.items()}
        kept = Pages(**columns, beliefs=beliefs, pace=pages.pace, links=pages.links)
        order = np.argsort(world.keys)
        at = np.searchsorted(world.keys, kept.key, sorter=order).clip(max=len(order) - 1)
        page = np.where(world.keys[order[at]] == kept.key, order[at], NOTHING)
        page = np.where(_is_page(self.judge, page, now), page, NOTHING)
        return Frontier(kept, page, self.holdings.linked.links(), now, _known(self.holdings))

    def fetch(self, policy: Policy, count: int) -> None:
        """Fetch more pages; beliefs stay as they were, the search index grows."""
        asyncio.run(self.run.fetch_more(policy, count))


@contextmanager
def at_frontier(judge: Judge, policies: Sequence[Policy], setting: Setting) -> Iterator[ReachedFrontier]:
    """Crawl a share of a world as the setting says, which starts at a frontier.

    The judge is that of the setting; of its demand the crawl knows the known part only.
    """
    if setting.start != "frontier":
        raise ValueError(f"there is no frontier when a replay starts {setting.start}")
    with tempfile.TemporaryDirectory(prefix="sought-lab-") as folder:
        run = Replay(Path(folder), judge.world, judge.demand, _Several(tuple(policies)), setting)
        try:
            asyncio.run(run.start())
            yield ReachedFrontier(judge, run)
        finally:
            run.directory.abandon()


def frontier_of(judge: Judge, policies: Sequence[Policy], setting: Setting) -> Frontier:
    """Crawl to a frontier; the table and beliefs there."""
    with at_frontier(judge, policies, setting) as reached:
        return reached.frontier()


def _known(holdings: Holdings) -> "WorldImpacts":
    impacts, total = holdings.shared(KnownImpacts), float(holdings.measuring.asked.rate.sum()) or 1.0
    return WorldImpacts(impacts.of("views") / total, impacts.of("clicks") / total)


def _is_page(judge: Judge, page: Numbers, now: float) -> NDArray[np.bool_]:
    """Which rows are pages that people can find."""
    live = judge.world.live(now)[page]
    return np.where((page == NOTHING) | (live == NOTHING), False, judge.world.is_page[live])


@dataclass(frozen=True)
class WorldImpacts:
    """Views and clicks that each page of a world gets in a week, ranked among all pages: expected, or drawn."""

    views: Floats
    clicks: Floats

    def times(self, searches: float) -> "WorldImpacts":
        """The same for that many times as many searches."""
        return WorldImpacts(searches * self.views, searches * self.clicks)

    def drawn(self, seed: int) -> "WorldImpacts":
        """Counts of one week: Poisson numbers, with at most as many clicks as views."""
        dice = np.random.default_rng([seed, 0x1C])
        views = dice.poisson(self.views)
        share = np.divide(self.clicks, self.views, out=np.zeros_like(self.clicks), where=self.views > 0)
        return WorldImpacts(views.astype(np.float64), dice.binomial(views, share.clip(max=1.0)).astype(np.float64))


def impacts_of(judge: Judge, searches: float, time: float | None = None) -> WorldImpacts:
    """I_V(p) = Σ_q f_q·[R(p, q) ≤ 10] and I_C(p) = Σ_q f_q·I(R(p, q)) of that demand which judges, of so many searches.

    I_C is over the first ten ranks too, so that a click is a view.
    """
    world = judge.world
    now = world.start if time is None else time
    live = world.live(now)
    live = np.where(np.where(live == NOTHING, False, world.is_page[live]), live, NOTHING)
    results = judge.ranked.lists(live).top(SHOWN)
    asked = searches * judge.demand.weights("judged", now)[results.query]
    seen = judge.visibility.table(SHOWN)[results.rank]
    page, count = world.versions.page[results.version], len(world.urls)
    return WorldImpacts(
        np.bincount(page, asked, count).astype(np.float64), np.bincount(page, asked * seen, count).astype(np.float64)
    )
