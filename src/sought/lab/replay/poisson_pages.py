"""Simulated pages that change as Poisson processes, as the theory of refreshing assumes.

There is no world and no crawl: policies rank a table, and the highest are fetched.  So the results of a policy must be
those of its theory.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Belief, Learner, Supplied
from sought.beliefs.views import Views
from sought.policy.ranking import best
from sought.record.fetches import Fetches
from sought.web.mixing import mixed
from sought.web.pages import Pages
from sought.web.policy import Policy, beliefs_of

Floats = NDArray[np.float64]

UNIT = 7 * 86400.0
START = 1704067200.0


@dataclass(frozen=True)
class PoissonPages:
    """`rate` is changes a unit, `views` how much a page counts."""

    rate: Floats
    views: Floats
    host: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.rate)

    def table(self, last: Floats, beliefs: dict[Belief, Floats], pace: float) -> Pages:
        count = len(self)
        key = mixed(np.arange(count, dtype=np.uint64))
        start, never, none = np.full(count, START), np.full(count, -np.inf), np.zeros(count, np.uint16)
        links = np.zeros(count, np.uint32)
        once = np.ones(count, np.uint16)
        columns = (key, self.host, none, start, last, never, once, none, links, never, once > 0, never, never)
        return Pages(*columns, beliefs=beliefs, pace=pace)


def drawn(pages: int, hosts: int, mean: float, by_host: float, by_page: float, seed: int) -> PoissonPages:
    """Log-normal rates about a mean; hosts differ by the sigma `by_host`, the pages of one by `by_page`."""
    dice = np.random.default_rng([seed, 0xF0])
    host = dice.integers(0, hosts, pages).astype(np.uint32)
    spread = by_host * dice.standard_normal(hosts)[host] + by_page * dice.standard_normal(pages)
    rate = np.minimum(mean * np.exp(spread - (by_host**2 + by_page**2) / 2), 20.0)
    return PoissonPages(rate, np.exp(1.5 * dice.standard_normal(pages)), host)


@dataclass(frozen=True)
class SimulatedMeans:
    """Means over all time: freshness and age (in units) of copies; `seen` is freshness weighed by views."""

    freshness: float
    age: float
    seen: float


class Simulation:
    """One policy.  Changes are the same for every policy: those of each page and unit are drawn in advance."""

    def __init__(self, pages: PoissonPages, policy: Policy, fetches: int, *, known: bool, seed: int = 0) -> None:
        """`known`: estimators are given the rates; else they learn from the fetches.  Views are always given."""
        self.pages, self.policy, self.fetches = pages, policy, fetches
        self.dice = np.random.default_rng([seed, 0xC4])
        wanted = beliefs_of(policy)
        self.given: dict[Belief, Floats] = {each: pages.views for each in wanted if isinstance(each, Views)}
        estimators = [each for each in wanted if not isinstance(each, Supplied)]
        self.learners: dict[Belief, Learner] = {} if known else {each: each.learner() for each in estimators}
        if known:
            self.given |= dict.fromkeys(estimators, pages.rate / UNIT)
        self.last = np.full(len(pages), START)
        self.stale_since = np.full(len(pages), np.inf)

    def run(self, units: int, warm_up: int) -> SimulatedMeans:
        means = [self._unit(START + unit * UNIT) for unit in range(1, units + 1)]
        return SimulatedMeans(*np.mean(means[warm_up:], axis=0).tolist())

    def _unit(self, now: float) -> tuple[float, float, float]:
        """Let a unit pass, then fetch pages."""
        count = len(self.pages)
        first = now - UNIT + UNIT * self.dice.exponential(1.0, count) / np.maximum(self.pages.rate, 1e-12)
        self.stale_since = np.minimum(self.stale_since, np.where(first < now, first, np.inf))
        fresh = np.clip((self.stale_since - (now - UNIT)) / UNIT, 0.0, 1.0)
        old, new = (np.maximum(time - self.stale_since, 0.0) for time in (now - UNIT, now))
        age = np.where(fresh < 1.0, (old + new) / 2 * (1.0 - fresh), 0.0) / UNIT
        self._fetch(now)
        return float(fresh.mean()), float(age.mean()), float(fresh @ self.pages.views / self.pages.views.sum())

    def _fetch(self, now: float) -> None:
        table = self.pages.table(self.last, {}, self.fetches / UNIT)
        learned = {each: learner.column(table) for each, learner in self.learners.items()}
        table = self.pages.table(self.last, {**self.given, **learned}, self.fetches / UNIT)
        rows = best(self.policy(table, now), table.key, self.fetches)
        changed = np.isfinite(self.stale_since[rows])
        for learner in self.learners.values():
            time = np.full(len(rows), now)
            learner.learn(Fetches.from_columns(rows, time, now - self.last[rows], changed))
        self.last = self.last.copy()
        self.last[rows], self.stale_since[rows] = now, np.inf
