"""What quality does each policy reach by budget, in-sample, by the first half, and by its own fetches?

In-sample there is one policy more: EBR with quasi-deterministic changes (J. Wolf et al., Optimal Crawling Strategies
for Web Search Engines, WWW 2002, §3.2), given the weeks in which each page changes by τ or more.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from sought.beliefs.gain_rate import GainRate
from sought.beliefs.regular_rate import RegularRate
from sought.beliefs.significant_rate import SignificantRate, SignificantShare
from sought.lab.judge.judge import Judge
from sought.lab.replay.fixed_weeks import Weeks
from sought.lab.replay.hindsight import learned_columns, watched
from sought.lab.replay.setting import Setting, fetches_of, pages_at_start
from sought.lab.studies.cells import judge_for
from sought.lab.studies.closure import code_of
from sought.lab.studies.grid import QUALITY, Grid
from sought.lab.studies.marks import world_mark
from sought.lab.studies.over_budgets import downloads_for
from sought.lab.studies.pandey_olston_2005.gains_in_halves import SCORERS, tie_of
from sought.lab.studies.study import StudyContext
from sought.lab.worlds.files import open_world
from sought.policy import RoundRobin, UserCentric
from sought.policy.embarrassment_based import EmbarrassmentBased
from sought.policy.staleness_based import StalenessBased
from sought.record.fetches import Fetches
from sought.web.policy import Policy

BUDGETS, QUICK = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2), (0.01, 0.05)
OWN, QUICK_OWN = (0.01, 0.05), (0.05,)  # budgets of crawls that learn by themselves
TAUS, QUICK_TAUS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0), (0.2, 0.8)
REACHED = 0.95
FULL = 0.9995  # a quality above which arms cannot be told apart
LOSS = 0.005  # what must be lost by never fetching, or there is too little to tell policies apart

USER, STALE, EMBARRASSED, FLOOR = "user-centric", "staleness-based", "embarrassment-based", "round-robin"
RIVALS = (STALE, EMBARRASSED)
KNOWN = "EBR, times known"
IN_SAMPLE, HALF, BY_ITSELF = "in-sample", "first half", "own"

Floats = NDArray[np.float64]
Series = Mapping[str, list[float]]


@dataclass(frozen=True)
class Panel:
    """Quality by budget (a share of pages) of each policy, and their τ; `never` is without fetches."""

    budgets: Sequence[float]
    quality: Series
    tau: Series
    never: float

    def better(self, at: int) -> float:
        """The quality of the better rival."""
        return max(self.quality[name][at] for name in RIVALS)

    def ratios(self) -> list[float]:
        """Fetches that user-centric takes for the quality of the better rival, over those of the rival; by budget.

        inf where no measured budget is enough; NaN where both are perfect.
        """
        ratios = []
        for at, budget in enumerate(self.budgets):
            level = self.better(at)
            taken = downloads_for([0.0, *self.budgets], [self.never, *self.quality[USER]], level)
            ratios.append(np.nan if level >= FULL else np.inf if np.isnan(taken) else taken / budget)
        return ratios

    def at_reached(self) -> float:
        """User-centric's quality at the budget that takes the better rival to REACHED.

        NaN unless it passes that between two budgets: below the smallest all curves are the same straight line from
        `never`, and tell nothing.
        """
        rivals = [self.better(at) for at in range(len(self.budgets))]
        reached = downloads_for(self.budgets, rivals, REACHED)
        if np.isnan(reached) or rivals[0] >= REACHED:
            return np.nan
        return float(np.interp(reached, self.budgets, self.quality[USER]))

    def leads_over_known(self) -> dict[str, float]:
        """Of user-centric, by budget; below 0 where it is better to know when pages change."""
        pairs = zip(self.quality[USER], self.quality.get(KNOWN, ()), strict=False)  # nothing, if it has no part
        return {f"{budget:.1%}": mine - other for budget, (mine, other) in zip(self.budgets, pairs, strict=False)}

    @property
    def can_tell(self) -> bool:
        return 1.0 - self.never >= LOSS and not np.isnan(self.ratios()).all()


@dataclass(frozen=True)
class FixedPages:
    """A world of fixed pages, scored in one way; `log` is of everything at all times."""

    judge: Judge
    times: Floats
    log: Sequence[Fetches]
    budgets: Sequence[float]
    taus: Sequence[float]

    @property
    def middle(self) -> int:
        return (len(self.times) - 1) // 2

    def panel(self, fit: slice, weeks: slice, tau_by: "Panel | None" = None, rivals: Sequence[str] = RIVALS) -> Panel:
        """Fitted to a part of the log, judged in these weeks; τ is the best there, or that of another panel."""
        setup = KnownWeeks(self.judge, Weeks(self.judge, self.times[weeks]), self.log[fit])
        counts = [fetches_of(budget, pages_at_start(self.judge.world)) for budget in self.budgets]
        quality: dict[str, list[float]] = {USER: [], FLOOR: []}
        for count in counts:
            quality[USER].append(setup.user_centric(count))
            quality[FLOOR].append(setup.weeks.quality(setup.weeks.ranked(RoundRobin(), {}, count)))
        tau: dict[str, list[float]] = {}
        for name in rivals:
            quality[name], tau[name] = [], []
            for at, count in enumerate(counts):
                tried = self.taus if tau_by is None else [tau_by.tau[name][at]]
                best = max((setup.rival(name, each, count), -each) for each in tried)
                quality[name].append(best[0])
                tau[name].append(-best[1])
        return Panel(self.budgets, quality, tau, setup.weeks.never())


@dataclass(frozen=True)
class KnownWeeks:
    """Weeks, and the log that policies learn from."""

    judge: Judge
    weeks: Weeks
    log: Sequence[Fetches]
    kept: dict[tuple[str, float], tuple[Floats, Floats]] = field(default_factory=dict)

    def user_centric(self, fetches: int) -> float:
        beliefs = learned_columns([GainRate()], self.judge.world, self.log)
        return self.weeks.quality(self.weeks.ranked(UserCentric(), beliefs, fetches))

    def rival(self, name: str, tau: float, fetches: int) -> float:
        rate, weight = self.rates(EMBARRASSED if name == KNOWN else name, tau)
        if name == KNOWN:
            return self.weeks.quality(self.weeks.by_chances(self.chances(tau), weight, fetches))
        return self.weeks.quality(self.weeks.planned(rate, weight, fetches))

    def chances(self, tau: float) -> Floats:
        """By page and week: 1 where it changes by τ or more, as the log of these very weeks says."""
        chances = np.zeros((len(self.judge.world.urls), len(self.log) - 1))
        for week, each in enumerate(self.log[1:]):
            chances[each.row, week] = each.changed & (each.difference >= tau)
        return chances

    def rates(self, name: str, tau: float) -> tuple[Floats, Floats]:
        """Changes a second that count, and how much a page does."""
        if (name, tau) not in self.kept:
            world = self.judge.world
            if name == STALE:
                rate = learned_columns([SignificantRate(tau)], world, self.log)[SignificantRate(tau)]
                self.kept[name, tau] = rate, np.ones(len(rate))
            else:
                columns = learned_columns([RegularRate(), SignificantShare(tau)], world, self.log)
                self.kept[name, tau] = columns[RegularRate()], columns[SignificantShare(tau)] * self.weeks.views()
        return self.kept[name, tau]


# ---- crawls that learn from their own fetches


def own_panel(folder: Path, judge: Judge, setting: Setting, taus: Sequence[float], context: StudyContext) -> Panel:
    """τ by quality in the first half of the weeks, all judged in the second."""
    arms: Mapping[str, Mapping[float, Policy]] = {
        USER: {0.0: UserCentric()},
        FLOOR: {0.0: RoundRobin()},
        STALE: {tau: StalenessBased(tau) for tau in taus},
        EMBARRASSED: {tau: EmbarrassmentBased(tau) for tau in taus},
    }
    budgets = QUICK_OWN if context.quick else OWN
    policies = {f"{name} {tau}": policy for name, by_tau in arms.items() for tau, policy in by_tau.items()}
    replayed = Grid(policies, budgets, (setting,)).replay(folder, context)
    middle = judge.world.units // 2
    quality: dict[str, list[float]] = {}
    chosen: dict[str, list[float]] = {}
    for name, mine in arms.items():
        for budget in budgets:
            series = {tau: replayed[f"{name} {tau}", budget].series(QUALITY) for tau in mine}
            best = max(series, key=lambda tau: (float(series[tau][:middle].mean()), -tau))
            quality.setdefault(name, []).append(float(series[best][middle:].mean()))
            chosen.setdefault(name, []).append(best)
    weeks = Weeks(judge, _times(judge))
    return Panel(budgets, quality, {name: chosen[name] for name in RIVALS}, _never_later(weeks, middle))


def _never_later(weeks: Weeks, middle: int) -> float:
    """The quality in the second half if nothing has been fetched since the start."""
    times = weeks.times[np.r_[0, middle + 1 : len(weeks.times)]]
    return Weeks(weeks.judge, times).never()


def _times(judge: Judge) -> Floats:
    world = judge.world
    return world.start + world.unit * np.arange(world.units + 1, dtype=np.float64)


# ---- all that a world shows

Panels = Mapping[tuple[str, str], Panel]  # by protocol and scores


def panels(folder: Path, context: StudyContext, protocols: Iterable[str]) -> Panels:
    world, panels = open_world(folder), {}
    taus = QUICK_TAUS if context.quick else TAUS
    for number, (name, scorer) in enumerate(SCORERS.items()):
        context.report(f"plans of {world.name}", number, len(SCORERS))
        setting = Setting(scorer=scorer, tie=tie_of(scorer), pages="fixed", rounds=1)
        judge = judge_for(world, setting)
        times = _times(judge)
        ground = FixedPages(judge, times, watched(judge, times), QUICK if context.quick else BUDGETS, taus)
        whole, first, second = slice(None), slice(0, ground.middle + 1), slice(ground.middle, None)
        mark = f"{world_mark(folder)} {code_of([__name__])}"
        keep = partial(_kept, context.results, (mark, setting, ground.budgets, taus))
        if IN_SAMPLE in protocols:
            panels[IN_SAMPLE, name] = keep(IN_SAMPLE, partial(ground.panel, whole, whole, rivals=(*RIVALS, KNOWN)))
        if HALF in protocols:
            chosen = keep("chosen", partial(ground.panel, first, first))
            panels[HALF, name] = keep(HALF, partial(ground.panel, first, second, chosen))
        if BY_ITSELF in protocols:
            panels[BY_ITSELF, name] = own_panel(folder, judge, setting, taus, context)
    context.report(f"plans of {world.name}", len(SCORERS), len(SCORERS))
    return panels


def _kept(results: Path, of: tuple[object, ...], protocol: str, make: Callable[[], Panel]) -> Panel:
    """A panel takes minutes: it is made once for the same world, setting and source code."""
    key = hashlib.blake2b(repr((*of, protocol)).encode(), digest_size=12).hexdigest()
    path = results / "panels" / f"{key}.json"
    if path.exists():
        return msgspec.json.decode(path.read_bytes(), type=Panel)
    panel = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{key}.{os.getpid()}.new")
    fresh.write_bytes(msgspec.json.encode(panel))
    fresh.replace(path)
    return panel
