"""X3: which method knows best what a page never fetched would bring?

A crawl has fetched a part of a world, breadth first, and the Web stands still.  What each page of the frontier would
really bring, fetched by itself, is worked out with its content, by the demand that judges.  Methods know addresses,
anchors, links, and what the fetches so far have brought.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.entry_value import EntryValue
from sought.beliefs.prospect import Prospect
from sought.lab.judge.bootstrap import lost
from sought.lab.judge.judge import Judge
from sought.lab.replay.frontier import Frontier, frontier_of, impacts_of
from sought.lab.replay.oracles import Truth
from sought.lab.replay.setting import Setting
from sought.lab.studies.cells import judge_for
from sought.lab.studies.figures import line_figure
from sought.lab.studies.study import (
    Claim,
    Figure,
    ResultTable,
    Statement,
    Study,
    StudyContext,
    Value,
    WorldResult,
    plain,
)
from sought.lab.worlds.files import open_world
from sought.lab.worlds.world import NOTHING, World
from sought.operate.calibration import Calibration, calibration
from sought.policy import DemandFirst, Learned, Opic, PageRank, RandomWalk, SearchImpact
from sought.policy.worth.worth import Worth
from sought.web.policy import Policy

CRAWLED, QUICK = (0.2, 0.35, 0.5), (0.5,)
CUTS = (0.02, 0.05, 0.1)
SLOPES = (0.8, 1.2)
FEWEST = 50  # pages of a frontier
ENTRY, PROSPECT, IMPACT = "EntryValue", "Prospect", "true impact"
MOST_GAIN = Statement(
    f"the first pages of the frontier by {ENTRY} bring a larger share of the ideal gain than by search impact, "
    "prospect, walks, learned impact, PageRank or OPIC"
)
CALIBRATED = Statement(f"the slope of true over expected gain is {SLOPES[0]} to {SLOPES[1]}")
POLICIES: Mapping[str, Policy] = {
    "SearchImpact": SearchImpact(),
    "SearchImpact, expected": SearchImpact(estimate="expected"),
    "DemandFirst": DemandFirst(),
    "RandomWalk": RandomWalk(),
    "RandomWalk, omega 0.2": RandomWalk(omega=0.2),
    "Learned": Learned(),
    "PageRank": PageRank(),
    "Opic": Opic(),
}

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FrontierEntries:
    """What methods expect of the pages of a frontier, and what these would gain."""

    expected: Mapping[str, Floats]
    gain: Floats

    def share(self, name: str, cut: float) -> float:
        """Of the gain of the best pages, that of as many first ones by a method."""
        return 1.0 - lost(self.expected[name], self.gain, cut)

    def calibration(self, name: str) -> Calibration:
        return calibration(self.expected[name], self.gain)


def lacks(world: World) -> str:
    if not len(world.tallies):
        return "nobody asks for anything (sought lab queries derive makes queries)"
    live = world.live(world.start)
    pages = np.count_nonzero(np.where(live == NOTHING, False, world.is_page[live]))
    return f"fewer than {FEWEST} pages in its frontier" if pages < FEWEST else ""


def judge(folder: Path, context: StudyContext) -> WorldResult:
    world = open_world(folder)
    if lack := lacks(world):
        return WorldResult(lack=lack)
    shares, frontiers = QUICK if context.quick else CRAWLED, []
    for crawled in context.each(f"frontiers of {world.name}", shares):
        setting = Setting("frontier", crawled=crawled)
        world_judge = judge_for(world, setting)
        frontiers.append(entries(world_judge, frontier_of(world_judge, [*POLICIES.values(), Worth()], setting)))
    if min(len(each.gain) for each in frontiers) < FEWEST:
        return WorldResult(lack=f"fewer than {FEWEST} pages in its frontier")
    return result_of(world.name, frontiers)


def entries(judge: Judge, frontier: Frontier) -> FrontierEntries:
    rows, pages = frontier.rows, frontier.pages
    expected = {name: frontier.values(policy)[rows] for name, policy in POLICIES.items()}
    expected |= {ENTRY: pages.belief(EntryValue())[rows], PROSPECT: pages.belief(Prospect())[rows]}
    expected[IMPACT] = impacts_of(judge, 1.0, frontier.now).clicks[frontier.page[rows]]
    return FrontierEntries(expected, gains_of(judge, frontier)[frontier.page[rows]])


def gains_of(judge: Judge, frontier: Frontier) -> Floats:
    """What the fetch of each page of the world, and no other, would change now."""
    live, copies = judge.world.live(frontier.now), np.full(len(judge.world.urls), NOTHING)
    held = frontier.page[frontier.crawled]
    copies[held] = live[held]
    truth = Truth(judge, copies)
    truth.at(frontier.now)
    return truth.gains()


def result_of(world: str, frontiers: Sequence[FrontierEntries]) -> WorldResult:
    names = list(frontiers[0].expected)
    shares = {name: [float(np.mean([each.share(name, cut) for each in frontiers])) for cut in CUTS] for name in names}
    slopes = {name: [each.calibration(name) for each in frontiers] for name in (ENTRY, PROSPECT)}
    numbers: dict[str, Value] = {
        f"{name}, share of ideal at {cut:.0%}": share
        for name, each in shares.items()
        for cut, share in zip(CUTS, each, strict=True)
    }
    numbers |= {f"{name}, slope": plain(_slope(each)) for name, each in slopes.items()}
    tables = [_table(world, shares, len(frontiers)), _calibrations(world, slopes)]
    return WorldResult(claims_of(shares, _slope(slopes[ENTRY])), numbers, tables, [_figure(world, shares)])


def _slope(each: Sequence[Calibration]) -> float:
    return float(np.mean([one.slope for one in each]))


def claims_of(shares: Mapping[str, Sequence[float]], slope: float) -> list[Claim]:
    claims = []
    others = [name for name in shares if name not in (ENTRY, IMPACT)]
    for at, cut in enumerate(CUTS):
        best = max(others, key=lambda name: shares[name][at])
        says = f"{shares[ENTRY][at]:.1%}, {best} {shares[best][at]:.1%}"
        claims.append(Claim(MOST_GAIN, shares[ENTRY][at] > shares[best][at], says, f"the first {cut:.0%}"))
    return [*claims, Claim(CALIBRATED, SLOPES[0] <= slope <= SLOPES[1], f"{slope:.2f}")]


def _table(world: str, shares: Mapping[str, Sequence[float]], draws: int) -> ResultTable:
    rows: list[list[Value]] = [[name, *each] for name, each in sorted(shares.items(), key=lambda one: -one[1][0])]
    note = f"Means over {draws} frontiers.  The ideal knows what each page would gain by itself; {IMPACT} its content."
    columns = ["method", *(f"first {cut:.0%}" for cut in CUTS)]
    return ResultTable(f"{world}: share of the ideal gain by share of the frontier", columns, rows, note)


def _calibrations(world: str, slopes: Mapping[str, Sequence[Calibration]]) -> ResultTable:
    rows: list[list[Value]] = [
        [name, *(plain(value) for value in one)] for name, each in slopes.items() for one in each
    ]
    return ResultTable(f"{world}: expected against true gain of new pages", ["belief", *Calibration._fields], rows)


def _figure(world: str, shares: Mapping[str, Sequence[float]]) -> Figure:
    title = f"{world}: gain found in the frontier"
    series = {name: ([100 * cut for cut in CUTS], [100 * share for share in each]) for name, each in shares.items()}
    return line_figure("worth-entry", title, series, "first of the frontier, %", "gain, % of ideal")


ENTRIES = Study(
    "worth-entry",
    "",
    "What a page never fetched would bring (X3)",
    "Does the entry value find the pages that would gain most, and does it say how much?",
    f"a world with queries, and {FEWEST} pages in its frontier",
    (MOST_GAIN, CALIBRATED),
    judge,
    settings={"crawled": list(CRAWLED), "cuts": list(CUTS)},
    aliases=("X3",),
)
