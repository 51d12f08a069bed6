"""E000-4: how many fetches does a quality take, by users' gain, by staleness, by embarrassment?

S. Pandey, C. Olston, User-Centric Web Crawling, WWW 2005, Figure 4.  As printed it is in-sample twice over: rates and
gains are estimated over the weeks that judge them, and the threshold τ of both rivals is the one that did best there.
So it is done a second time without any of that, and what is left is the headline.

    in-sample   all pages seen in all weeks; τ by what came out; rivals by whole fetches, scheduled in advance
    first half  told of the first half of the weeks, τ by what came out in these; judged in the second half
    own         a crawl that learns from its own fetches; τ by its first half, judged by its second

In-sample there is one more: EBR with quasi-deterministic changes (J. Wolf et al., Optimal Crawling Strategies for Web
Search Engines, WWW 2002, §3.2), told in which weeks each page changes by τ or more.  The paper compares with changes at
random, so what must hold is not about it; and nobody knows the weeks to come, so it has no causal form.
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
from sought.lab.measures import Quality
from sought.lab.replay.fixed_weeks import Weeks
from sought.lab.replay.hindsight import learnt, watched
from sought.lab.replay.setting import Setting, fetches_of, pages_at_start
from sought.lab.studies.adapter import (
    Figure,
    Finding,
    ResultTable,
    Study,
    StudyContext,
    Value,
    WorldResult,
    finding,
    plain,
)
from sought.lab.studies.bounds import lacks
from sought.lab.studies.cells import judge_for, read_series
from sought.lab.studies.closure import code_of
from sought.lab.studies.experiment import grid, run_all
from sought.lab.studies.figures import lines
from sought.lab.studies.marks import world_mark
from sought.lab.studies.over_budgets import downloads_for
from sought.lab.studies.pandey_olston_2005.gains_in_halves import SCORERS, tie_of
from sought.lab.worlds.files import open_world
from sought.policy import RoundRobin, UserCentric
from sought.policy.embarrassment_based import EmbarrassmentBased
from sought.policy.staleness_based import StalenessBased
from sought.record.fetches import Fetches
from sought.web.policy import Policy

BUDGETS, QUICK = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2), (0.01, 0.05)
OWN, QUICK_OWN = (0.01, 0.05), (0.05,)  # budgets of crawls that learn by themselves
TAUS, QUICK_TAUS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0), (0.2, 0.8)
CLEARLY = 0.8  # of the fetches that the better rival takes
REACHED, ABOVE = 0.95, 0.99
FULL = 0.9995  # a quality from which on nothing can be told
LOSS = 0.005  # what must be lost by never fetching, or there is too little to tell policies apart
FEWEST = 20  # units

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

        inf where no budget measured is enough; NaN where nothing is left to tell.
        """
        found = []
        for at, budget in enumerate(self.budgets):
            level = self.better(at)
            taken = downloads_for([0.0, *self.budgets], [self.never, *self.quality[USER]], level)
            found.append(np.nan if level >= FULL else np.inf if np.isnan(taken) else taken / budget)
        return found

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

    def failures(self) -> list[str]:
        """What is not as it must be."""
        found = [
            f"at {budget:.1%} it takes {ratio:.2f} of the better rival's fetches"
            for budget, ratio in zip(self.budgets, self.ratios(), strict=True)
            if ratio > CLEARLY
        ]
        if self.at_reached() <= ABOVE:
            found.append(f"where the better rival reaches {REACHED} it has {self.at_reached():.4f}, not {ABOVE}")
        return found

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
    """Weeks, and the log of all that policies are told."""

    judge: Judge
    weeks: Weeks
    log: Sequence[Fetches]
    kept: dict[tuple[str, float], tuple[Floats, Floats]] = field(default_factory=dict)

    def user_centric(self, fetches: int) -> float:
        beliefs = learnt([GainRate()], self.judge.world, self.log)
        return self.weeks.quality(self.weeks.ranked(UserCentric(), beliefs, fetches))

    def rival(self, name: str, tau: float, fetches: int) -> float:
        rate, weight = self.rates(EMBARRASSED if name == KNOWN else name, tau)
        if name == KNOWN:
            return self.weeks.quality(self.weeks.by_chances(self.chances(tau), weight, fetches))
        return self.weeks.quality(self.weeks.planned(rate, weight, fetches))

    def chances(self, tau: float) -> Floats:
        """By page and week: 1 where it changes by τ or more, as the log of these very weeks says."""
        found = np.zeros((len(self.judge.world.urls), len(self.log) - 1))
        for week, each in enumerate(self.log[1:]):
            found[each.row, week] = each.changed & (each.difference >= tau)
        return found

    def rates(self, name: str, tau: float) -> tuple[Floats, Floats]:
        """Changes a second that count, and how much a page does."""
        if (name, tau) not in self.kept:
            world = self.judge.world
            if name == STALE:
                rate = learnt([SignificantRate(tau)], world, self.log)[SignificantRate(tau)]
                self.kept[name, tau] = rate, np.ones(len(rate))
            else:
                found = learnt([RegularRate(), SignificantShare(tau)], world, self.log)
                self.kept[name, tau] = found[RegularRate()], found[SignificantShare(tau)] * self.weeks.views()
        return self.kept[name, tau]


# ---- crawls that learn from their own fetches


def own_panel(
    folder: Path, judge: Judge, setting: Setting, taus: Sequence[float], bench: StudyContext, what: str
) -> Panel:
    """τ by quality in the first half of the weeks, all judged in the second."""
    arms: dict[tuple[str, float], Policy] = {(USER, 0.0): UserCentric(), (FLOOR, 0.0): RoundRobin()}
    arms |= {(STALE, tau): StalenessBased(tau) for tau in taus}
    arms |= {(EMBARRASSED, tau): EmbarrassmentBased(tau) for tau in taus}
    budgets = QUICK_OWN if bench.quick else OWN
    cells = grid(list(arms.values()), folder, budgets, (0,), setting)
    run_all(cells, folder, [Quality()], bench.results, bench.cores, bench.progress(what))
    series = {(cell.policy, cell.budget): read_series(cell, bench.results)["quality"].to_numpy() for cell in cells}
    middle = judge.world.units // 2
    quality: dict[str, list[float]] = {}
    chosen: dict[str, list[float]] = {}
    for name in (USER, FLOOR, *RIVALS):
        mine = {tau: policy for (each, tau), policy in arms.items() if each == name}
        for budget in budgets:
            best = max(mine, key=lambda tau: (float(series[mine[tau], budget][:middle].mean()), -tau))
            quality.setdefault(name, []).append(float(series[mine[best], budget][middle:].mean()))
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


# ---- the studies

Panels = Mapping[tuple[str, str], Panel]  # by protocol and scores


def panels(folder: Path, bench: StudyContext, protocols: Iterable[str]) -> Panels:
    world, found = open_world(folder), {}
    taus = QUICK_TAUS if bench.quick else TAUS
    for number, (name, scorer) in enumerate(SCORERS.items()):
        bench.report(f"plans of {world.name}", number, len(SCORERS))
        setting = Setting(scorer=scorer, tie=tie_of(scorer), pages="fixed", rounds=1)
        judge = judge_for(world, setting)
        times = _times(judge)
        ground = FixedPages(judge, times, watched(judge, times), QUICK if bench.quick else BUDGETS, taus)
        whole, first, second = slice(None), slice(0, ground.middle + 1), slice(ground.middle, None)
        mark = f"{world_mark(folder)} {code_of([__name__])}"
        keep = partial(_kept, bench.results, (mark, setting, ground.budgets, taus))
        if IN_SAMPLE in protocols:
            found[IN_SAMPLE, name] = keep(IN_SAMPLE, partial(ground.panel, whole, whole, rivals=(*RIVALS, KNOWN)))
        if HALF in protocols:
            chosen = keep("chosen", partial(ground.panel, first, first))
            found[HALF, name] = keep(HALF, partial(ground.panel, first, second, chosen))
        if BY_ITSELF in protocols:
            what = f"crawls of {world.name}, {name}"
            found[BY_ITSELF, name] = own_panel(folder, judge, setting, taus, bench, what)
    bench.report(f"plans of {world.name}", len(SCORERS), len(SCORERS))
    return found


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


def _run(study: str, bench: StudyContext, protocols: Sequence[str]) -> Finding:
    parts = []
    for folder in bench.worlds:
        world = open_world(folder)
        lack = lacks(world) or (f"fewer than {FEWEST} units" if world.units < FEWEST else "")
        parts.append(
            WorldResult(world.name, None, lack) if lack else judged(world.name, panels(folder, bench, protocols), study)
        )
    return finding(study, bench, parts, budgets=list(QUICK if bench.quick else BUDGETS), clearly=CLEARLY)


def run_in_sample(bench: StudyContext) -> Finding:
    return _run("E000-4", bench, (IN_SAMPLE,))


def run_causal(bench: StudyContext) -> Finding:
    return _run("E000-4C", bench, (IN_SAMPLE, HALF, BY_ITSELF))


def judged(world: str, found: Panels, study: str) -> WorldResult:
    """As printed: by what is in-sample.  Causal: by all else that can tell; in-sample is beside it."""
    mine = {key: panel for key, panel in found.items() if (key[0] == IN_SAMPLE) == (study == "E000-4")}
    able = {key: panel for key, panel in mine.items() if panel.can_tell}
    failures = [f"{_label(*key)}: {why}" for key, panel in able.items() for why in panel.failures()]
    numbers = {name: value for key, panel in found.items() for name, value in _numbers(_label(*key), panel)}
    numbers |= dict(_gaps(found))
    tables = [_table(world, found)]
    figures = [_figure(world, _label(*key), study, panel) for key, panel in mine.items()]
    unable = [
        f"{_label(*key)} loses {1 - panel.never:.4f} if never fetched" for key, panel in mine.items() if key not in able
    ]
    if not able:
        return WorldResult(world, None, f"too little is lost: {'; '.join(unable)}", numbers, tables, figures)
    told = "; ".join(f"{_label(*key)}: {_ratio_told(panel)}" for key, panel in able.items())
    worse = {key: [at for at, lead in panel.leads_over_known().items() if lead < 0] for key, panel in able.items()}
    outdone = "".join(f"; {_label(*key)}: {KNOWN} is better at {', '.join(at)}" for key, at in worse.items() if at)
    because = "; ".join(failures[:4]) + (f"; and {len(failures) - 4} more" if len(failures) > 4 else "")
    left_out = f"; not judged: {'; '.join(unable)}" if unable else ""
    return WorldResult(world, not failures, (because or told) + outdone + left_out, numbers, tables, figures)


def _label(protocol: str, scores: str) -> str:
    return f"{protocol}, {scores}"


def _ratio_told(panel: Panel) -> str:
    some = [ratio for ratio in panel.ratios() if not np.isnan(ratio)]
    return f"it takes {min(some):.2f} to {max(some):.2f} of the better rival's fetches"


def _numbers(label: str, panel: Panel) -> Iterable[tuple[str, Value]]:
    for budget, ratio in zip(panel.budgets, panel.ratios(), strict=True):
        yield f"{label}: fetches of the better rival's at {budget:.1%}", plain(ratio)
    for name, values in panel.quality.items():
        for budget, value in zip(panel.budgets, values, strict=True):
            yield f"{label}: {name} at {budget:.1%}", value
    for at, lead in panel.leads_over_known().items():
        yield f"{label}: lead over {KNOWN} at {at}", lead
    yield f"{label}: never", panel.never
    yield f"{label}: where the better rival reaches {REACHED}", plain(panel.at_reached())


def _gaps(found: Panels) -> Iterable[tuple[str, Value]]:
    """What in-sample flatters: the lead over the better rival, in-sample less told of the first half."""
    for scores in SCORERS:
        if (IN_SAMPLE, scores) in found and (HALF, scores) in found:
            for at, budget in enumerate(found[HALF, scores].budgets):
                leads = [
                    found[each, scores].quality[USER][at] - found[each, scores].better(at) for each in (IN_SAMPLE, HALF)
                ]
                yield f"{scores}: lead in-sample less lead told of the first half, at {budget:.1%}", leads[0] - leads[1]


_NOTE = (
    "In the paper: user-centric is above 0.99 where the others reach 0.95; figures only.  With τ = 1 no page is ever "
    "stale for staleness-based refreshing, as nothing differs by more than all of it: it is then round-robin.  "
    f"“{KNOWN}” is told in which weeks pages change by τ or more: no rival of the paper's, and no crawler."
)


def _table(world: str, found: Panels) -> ResultTable:
    rows: list[list[Value]] = []
    for (protocol, scores), panel in found.items():
        none = [np.nan] * len(panel.budgets)  # of a policy that has no part in a protocol
        for at, budget in enumerate(panel.budgets):
            taus = [plain(panel.tau.get(name, none)[at]) for name in (*RIVALS, KNOWN)]
            quality = [plain(panel.quality.get(name, none)[at]) for name in (FLOOR, *RIVALS, KNOWN, USER)]
            rows.append([protocol, scores, budget, panel.never, *quality, *taus, plain(panel.ratios()[at])])
    arms = [FLOOR, *RIVALS, KNOWN, USER, "τ staleness", "τ embarrassment", "τ times known"]
    columns = ["protocol", "scores", "budget", "never", *arms, "fetches of the better rival's"]
    return ResultTable(f"{world}: mean quality", columns, rows, _NOTE)


def _figure(world: str, label: str, study: str, panel: Panel) -> Figure:
    title = f"{world}: fetches for a quality, {label}"
    fetches = [100 * budget for budget in panel.budgets]
    series = {name: (values, fetches) for name, values in panel.quality.items()}
    return Figure(title, lines(series, "mean quality", "fetches a unit, % of pages", f"{title} ({study})"))


_EXPECTS = (
    f"by TF-IDF and by in-links: for the quality of the better rival user-centric takes at most {CLEARLY:g} of its "
    f"fetches, at every budget (where that quality is below {FULL}); where the better rival reaches {REACHED}, if it "
    f"passes that between two budgets measured, user-centric is above {ABOVE}"
)
_NEEDS = f"a world with queries and at least {FEWEST} units, in which never to fetch loses at least {LOSS}"

IN_SAMPLE_BUDGETS = Study(
    "E000-4",
    "000",
    "Fetches for a quality, in-sample (Figure 4)",
    "How many fetches does a quality take, if all rates and gains are known and τ is the best for each budget?",
    f"in-sample, {_EXPECTS}",
    _NEEDS,
    run_in_sample,
)
CAUSAL_BUDGETS = Study(
    "E000-4C",
    "000",
    "Fetches for a quality, causal (Figure 4)",
    "How many fetches does a quality take, if nobody knows the weeks to come?",
    f"told of the first half and judged in the second, and by what crawls learn themselves, {_EXPECTS}",
    _NEEDS,
    run_causal,
)
