"""The crawl's own cycle, against a world, on a virtual clock.

A replay is a crawl directory whose archive, index and clock are recorded ones (recorded.py); everything else is what
runs on the Web: robots.txt, politeness, the table, estimators, the policy, the plan, the budget.
"""

import asyncio
import math
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.columns import Beliefs, GivenColumns
from sought.crawl.budget import Budget
from sought.crawl.cycle import beliefs_in, new_cycle
from sought.crawl.observer import CycleObserver
from sought.crawl.plan import Rows
from sought.crawl.rhythm import Rhythm
from sought.fetch.politeness import Manners, Politeness
from sought.lab.judge.judge import Judge
from sought.lab.replay.clock import VirtualClock
from sought.lab.replay.hindsight import hindsight_columns, learns_from_fetches
from sought.lab.replay.oracles import Truth
from sought.lab.replay.recorded import RecordedWeb, open_recorded
from sought.lab.replay.run import Dropped, FetchLog, Measured, dropped_of
from sought.lab.replay.setting import Setting, begin_of, fetches_of, moments_of, pages_at_start
from sought.lab.worlds.demand import Demand
from sought.lab.worlds.world import NOTHING, Numbers, World
from sought.policy import BreadthFirst, PageRank
from sought.record.commit import Commit
from sought.record.seeds import LOADED, plant_seeds
from sought.record.table import Source, State
from sought.record.workload import WorkloadQueries
from sought.record.workload_refresh import Refresh
from sought.web.errors import BadInput
from sought.web.policy import Policy, beliefs_of, is_oracle, knows_all
from sought.web.url import fingerprint

_AT_ONCE = 4096  # pages of a warm start chosen at a time
_PATIENCE = 3600.0  # seconds that a round waits for hosts in trouble
_UNMEASURED = (math.nan, math.nan, math.nan, False)  # a sitemap

Floats = NDArray[np.float64]
Report = Callable[[int, int], None]


class Replayed(NamedTuple):
    """The fetches of all units, the times of the units, the copies before the first, and the dropped pages."""

    log: FetchLog
    moments: Floats
    copies: Numbers
    dropped: Dropped


def replay(
    world: World,
    demand: Demand,
    policy: Policy,
    budget: float,
    setting: Setting = Setting(),  # noqa: B008  a frozen value
    judge: Judge | None = None,
    report: Report = lambda done, total: None,
) -> Replayed:
    """Run one policy through a world as the setting has it (`seen_in`).

    `judge` is needed by oracles and by settings with hindsight; other policies cannot reach it.
    """
    with tempfile.TemporaryDirectory(prefix="sought-lab-") as folder:
        run = Replay(Path(folder), world, demand, policy, setting)
        try:
            return asyncio.run(run.run(fetches_of(budget, pages_at_start(world)), judge, report))
        finally:
            run.directory.abandon()


class Replay:
    """A crawl directory in a folder, with a world in place of the Web."""

    def __init__(self, folder: Path, world: World, demand: Demand, policy: Policy, setting: Setting) -> None:
        self.world, self.demand, self.policy, self.setting = world, demand, policy, setting
        self.begin = begin_of(world, setting)
        self.clock = VirtualClock(self.begin)
        self.web = RecordedWeb(world, self.clock, setting.signals)
        self.directory = open_recorded(folder, world, self.clock, setting)
        if setting.delay:
            self.directory.manners.politeness = Politeness(Manners(setting.delay, setting.delay))
        in_hindsight = setting.history != "own"
        learns = any(not is_oracle(b) and not (in_hindsight and learns_from_fetches(b)) for b in beliefs_of(policy))
        self.refresh = Refresh(self.directory, policy, self._asked) if learns else None
        self.unit = 0
        self.dropped: list[tuple[int, int, int]] = []
        self.measured: dict[tuple[int, float], tuple[Any, ...]] = {}  # by the key of the page, and the time

    async def run(self, fetches: int, judge: Judge | None, report: Report) -> Replayed:
        copies = await self.start()
        self.directory.pace = fetches / self.world.unit
        beliefs = beliefs_in(self.directory, self.policy, self._given_columns(judge, copies))
        rhythm = _rhythm(math.ceil(fetches / self.setting.rounds))
        moments, stops = moments_of(self.world, self.setting), []
        for done, moment in enumerate(moments.tolist(), 1):
            self.clock.advance(moment)
            if knows_all(self.policy):
                self._make_known(self._held())
            self.unit = done - 1
            if self.unit and self.unit == self.setting.halved:
                fetches = max(1, fetches // 2)
                self.directory.pace = beliefs.pace = fetches / self.world.unit
                rhythm = _rhythm(math.ceil(fetches / self.setting.rounds))
            await self._spend_unit(fetches, rhythm, beliefs, moment + self.world.unit)
            stops.append(len(self.web.asked.time))
            report(done, len(moments))
        return Replayed(self._log(stops), moments, copies, dropped_of(self.dropped))

    # ---- the start

    async def start(self) -> Numbers:
        """Bring the repository to its state at the start, without charge; its copies then."""
        if self.refresh:
            self.refresh.before_the_first_page(self.clock.now())
        plant_seeds(self.directory)
        copies = np.full(len(self.world.urls), NOTHING)
        if self.setting.start == "cold":
            return copies
        with self._unhindered():
            if self.setting.start == "frontier":
                await self._fetch_share(self.setting.crawled)
            else:
                await self._fetch_all(None)
                self._make_known(self._held())  # pages that no link leads to
                await self._fetch_all(None)
        if self.clock.now() >= self.clock.limit:
            raise BadInput(f"{self.world.name}: hosts in trouble at the start rest for too long for so short a unit")
        pages, versions = np.array(self.web.asked.page, np.int64), np.array(self.web.asked.version, np.int64)
        copies[pages[pages != NOTHING]] = versions[pages != NOTHING]
        self.web.forget()
        self.measured.clear()
        return copies

    async def _fetch_share(self, share: float) -> None:
        """So many pages, breadth first from the seeds; or so many at random, which are then all seeds."""
        count = math.ceil(share * pages_at_start(self.world))
        if self.setting.sampled:
            held = self._held()
            dice = np.random.default_rng([self.setting.seed, 0x5A3])
            self._make_known(np.sort(dice.permutation(held)[:count]))
            count = len(self.directory.repository.table)
        await self._fetch_all(count)
        if self.setting.promoted:
            known = np.count_nonzero(self.directory.repository.table["state"] == State.NEW)
            await self.fetch_more(PageRank(), math.ceil(self.setting.promoted * known))

    async def fetch_more(self, policy: Policy, count: int) -> None:
        """So many pages at once, those that a policy ranks highest now, while the Web hardly moves."""
        beliefs, limit = beliefs_in(self.directory, policy), self.begin + self.world.unit / 2
        with self._unhindered():
            await self._spend(count, policy, _rhythm(count), beliefs, limit)

    @contextmanager
    def _unhindered(self) -> Iterator[None]:
        """Without politeness delays."""
        manners = self.directory.manners
        polite, manners.politeness = manners.politeness, Politeness(Manners(0.0, 0.0, 0.0))
        yield
        manners.politeness = polite

    async def _fetch_all(self, most: int | None) -> None:
        """Breadth first, while the Web hardly moves."""
        policy = BreadthFirst()
        beliefs, limit = beliefs_in(self.directory, policy), self.begin + self.world.unit / 2
        await self._spend(most, policy, _rhythm(_AT_ONCE), beliefs, limit)

    async def _spend_unit(self, fetches: int, rhythm: Rhythm, beliefs: Beliefs, limit: float) -> None:
        """Spend a unit's budget; in several runs, if all hosts have to rest."""
        stop, delay = len(self.web.asked.time) + fetches, self.setting.delay
        await self._spend(fetches, self.policy, rhythm, beliefs, limit, self.setting.keep)
        while delay and len(self.web.asked.time) < stop and self.clock.now() + delay < limit:
            self.clock.advance(self.clock.now() + delay)
            left = stop - len(self.web.asked.time)
            await self._spend(left, self.policy, rhythm, beliefs, limit, self.setting.keep)

    async def _spend(
        self, fetches: int | None, policy: Policy, rhythm: Rhythm, beliefs: Beliefs, limit: float, keep: int = 0
    ) -> None:
        """One run of the crawl's cycle; it ends at `limit` at the latest."""
        get, address_of = self.web.get, self.web.address_of
        budget, notes = Budget(fetches), _Notes(self)
        cycle = new_cycle(self.directory, get, address_of, budget, policy, rhythm, beliefs, self.refresh, keep, notes)
        self.clock.limit, self.clock.at_limit = limit, cycle.stop_now
        await cycle.run()

    def _held(self) -> Numbers:
        """All pages that are live now."""
        live = self.world.at(self.clock.now())
        return np.flatnonzero(np.where(live == NOTHING, False, self.world.is_page[live]))

    def _make_known(self, pages: Numbers) -> None:
        """Add pages to the crawl's table, as if a user had loaded their URLs."""
        unknown = pages[self.directory.repository.table.find(self.world.keys[pages]) < 0]
        if len(unknown):
            self.directory.writer.add_urls([self.world.urls[page] for page in unknown.tolist()], LOADED, Source.LOAD)

    # ---- what the policy is given

    def _asked(self, now: float) -> WorkloadQueries:
        """The demand that the crawler may know.  Queries that have not been asked yet have weight 0."""
        demand = self.demand
        weights, rates = demand.weights("known", now), demand.rates("known", now)
        return WorkloadQueries(demand.texts, demand.keys, weights, np.zeros(len(demand), np.bool_), rates)

    def _given_columns(self, judge: Judge | None, copies: Numbers) -> GivenColumns:
        oracles = [belief for belief in beliefs_of(self.policy) if is_oracle(belief)]
        in_hindsight = self.setting.history != "own"
        if not oracles and not in_hindsight:
            return {}
        if judge is None:
            raise ValueError(f"{self.policy!r} is an oracle, or its estimates are made in hindsight, and needs a judge")
        truth = Truth(judge, copies)
        if oracles:
            self.web.observe = truth.observe
        learned = hindsight_columns(self.policy, judge, self.setting, truth.rows) if in_hindsight else {}
        return {**learned, **{belief: partial(self._true, truth, belief) for belief in oracles}}

    def _true(self, truth: Truth, belief: Any, keys: NDArray[np.uint64]) -> Floats:
        return truth.column(belief, keys, self.clock.now())

    # ---- results

    def note_measured(self, committed: Commit) -> None:
        """Keep expected and measured gains for the log."""
        keys = self.directory.repository.table["key"]
        for row, outcome, gap in committed.finished:
            measured = (outcome.expected, outcome.chance, outcome.gain, math.isinf(gap))
            self.measured[int(keys[row]), outcome.time] = measured

    def note_dropped(self, rows: Numbers) -> None:
        urls = self.directory.store.spellings(rows.tolist())
        self.dropped += [(self.unit, len(self.web.asked.time), self.world.pages[url]) for url in urls]

    def _log(self, stops: list[int]) -> FetchLog:
        asked = self.web.asked
        unit = np.repeat(np.arange(len(stops), dtype=np.int32), np.diff([0, *stops]))
        pages, versions = np.array(asked.page, np.int64), np.array(asked.version, np.int64)
        return FetchLog(unit, np.array(asked.time, np.float64), pages, versions, asked.url, self._measured())

    def _measured(self) -> Measured:
        """Of every fetch of the log."""
        asked = zip(map(fingerprint, self.web.asked.url), self.web.asked.time, strict=True)
        records = [self.measured.get(each, _UNMEASURED) for each in asked]
        expected, chance, gain, first = np.array(records, np.float64).reshape(-1, 4).T.copy()  # None is NaN
        return Measured(expected, chance, gain, first > 0)


class _Notes(CycleObserver):
    """Passes what cycles do to the log of a replay."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay

    def committed(self, what: Commit) -> None:
        self.replay.note_measured(what)

    def dropped(self, rows: Rows) -> None:
        self.replay.note_dropped(rows)


def _rhythm(chosen: int) -> Rhythm:
    """Rounds: choose so many, fetch them, commit, choose again."""
    return Rhythm(commit=math.inf, index=math.inf, plan=_PATIENCE, chosen=max(chosen, 1))
