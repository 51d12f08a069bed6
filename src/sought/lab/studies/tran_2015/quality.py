"""Which pages does each method choose?  E002-6 and E002-7, Figures 6 and 7 of Tran, Turk, Cambazoglu & Nejdl (2015).

Click-through rate: clicks / views of a page in a week, mean over the pages chosen that were seen at all, in units of
the best method's.  PageRank is that of the graph at hand when the choice is made.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

from sought.lab.judge.bootstrap import SAMPLES, lost, taken
from sought.lab.studies.adapter import (
    Claim,
    Figure,
    Finding,
    ResultTable,
    Study,
    StudyContext,
    Value,
    WorldResult,
    finding,
    verdict,
)
from sought.lab.studies.figures import bars
from sought.lab.studies.tran_2015.cases import (
    ERRORS,
    OMEGAS,
    RANDOM,
    Case,
    FrontierCases,
    Regime,
    error,
    ground_of,
    settled,
)
from sought.lab.worlds.files import read_name
from sought.web.pages import Floats

AGREEMENT = 0.3  # Kendall's τ


@dataclass(frozen=True)
class ChosenQuality:
    """Of the pages that a method chooses: share of the ideal clicks, click-through rate, mean PageRank."""

    share: float
    rate: float
    rank: float


def run(bench: StudyContext) -> Finding:
    parts = [_world(folder, bench) for folder in bench.worlds]
    return finding("E002-6", bench, parts, agreement=AGREEMENT, samples=SAMPLES)


def _world(folder: Path, bench: StudyContext) -> WorldResult:
    ground = ground_of(folder, bench)
    if isinstance(ground, str):
        return WorldResult(read_name(folder), None, ground)
    if not ground.regime:
        return WorldResult(ground.world, None, ground.unfit, ground.numbers)
    each = [_chosen(case, ground.regime, 5 if bench.quick else SAMPLES) for case in ground.drawn]
    found = mean(each)
    claims, shown = settled(claims_of(each), ground.world)
    holds, because = verdict(claims)
    numbers = ground.numbers | {f"CTR, {name}": chosen.rate for name, chosen in found.items()}
    numbers |= {f"PageRank, {name}": chosen.rank for name, chosen in found.items()}
    tables = [_table(ground, ground.regime, found), *shown]
    return WorldResult(ground.world, holds, because, numbers, tables, _figures(ground, found))


def _chosen(case: Case, regime: Regime, samples: int) -> dict[str, ChosenQuality]:
    omega = case.tuned("clicks", regime.cut, OMEGAS, samples).best
    _, test = case.parts
    clicks, views = case.week.clicks[test], case.week.views[test]
    methods = {name: values[test] for name, values in case.methods("clicks", omega).items()}
    rates, ranks = np.divide(clicks, views, out=np.zeros(len(test)), where=views > 0), methods["PageRank"]
    found = {}
    for name, values in methods.items():
        chance = chosen(values, regime.cut)
        rate = float(np.average(rates, weights=chance * (views > 0))) if (chance * views).any() else 0.0
        share = 1.0 - lost(values, clicks, regime.cut)
        found[name] = ChosenQuality(share, rate, float(np.average(ranks, weights=chance)))
    return found


def chosen(values: Floats, cut: float) -> Floats:
    """The chance of each page to be among the first; pages of equal value have the same."""
    count = taken(len(values), cut)
    least = np.sort(values)[len(values) - count]
    above, equal = values > least, values == least
    return np.where(above, 1.0, np.where(equal, (count - above.sum()) / equal.sum(), 0.0))


def mean(each: Sequence[dict[str, ChosenQuality]]) -> dict[str, ChosenQuality]:
    """Over draws; rates in units of the best method's."""
    found = {
        name: [float(np.mean([getattr(one[name], part) for one in each])) for part in ("share", "rate", "rank")]
        for name in each[0]
    }
    best = max(rate for _, rate, _ in found.values()) or 1.0
    return {name: ChosenQuality(share, rate / best, rank) for name, (share, rate, rank) in found.items()}


def claims_of(each: Sequence[dict[str, ChosenQuality]]) -> list[tuple[Claim, bool]]:
    """With whether draws are enough to tell: another is lower than Q-Overlap by two standard errors, or none is."""
    found = mean(each)
    ranks = {name: one.rank for name, one in found.items()}
    others = {name: rank for name, rank in ranks.items() if name != RANDOM}
    tau = float(kendalltau([c.share for c in found.values()], [c.rate for c in found.values()]).statistic)
    highest, lowest = max(ranks, key=ranks.__getitem__), min(others, key=others.__getitem__)
    over = np.array([one["Q-Overlap"].rank - one[lowest].rank for one in each])
    is_lowest, told = (
        lowest == "Q-Overlap",
        f"{others['Q-Overlap']:.3g}, the lowest is {lowest}'s, {others[lowest]:.3g}",
    )
    ordered = f"click-through rates are ordered as shares of clicks are (τ ≥ {AGREEMENT:g})"
    return [
        (Claim(ordered, tau >= AGREEMENT, f"τ = {tau:.2f}"), True),
        (Claim("PageRank chooses the pages of highest PageRank", highest == "PageRank", f"{highest} does"), True),
        (
            Claim("Q-Overlap chooses those of lowest, of all but Random", is_lowest, told),
            is_lowest or float(over.mean()) > ERRORS * error(over),
        ),
    ]


def _table(ground: FrontierCases, regime: Regime, found: dict[str, ChosenQuality]) -> ResultTable:
    rows: list[list[Value]] = [[name, each.share, each.rate, each.rank] for name, each in found.items()]
    columns = ["method", "share of ideal clicks", "click-through rate", "mean PageRank"]
    return ResultTable(
        f"{ground.world}: the first {regime.cut:.0%} of the frontier", columns, rows, f"{len(ground.drawn)} draws"
    )


def _figures(ground: FrontierCases, found: dict[str, ChosenQuality]) -> list[Figure]:
    made = []
    for what, part in (("click-through rate, 1 is the best (E002-6)", "rate"), ("mean PageRank (E002-7)", "rank")):
        title = f"{ground.world}: {what}"
        values = {name: float(getattr(each, part)) for name, each in found.items()}
        made.append(Figure(title, bars({name: (v, v, v) for name, v in values.items()}, title)))
    return made


QUALITY = Study(
    "E002-6",
    "002",
    "Click-through rate and PageRank of chosen pages (Fig. 6, 7)",
    "Are the pages that a ranking of the frontier chooses clicked when they are seen, and are they linked to?",
    f"click-through rates of methods are ordered as their shares of clicks (Kendall's τ at least {AGREEMENT:g}); "
    "PageRank chooses pages of the highest mean PageRank, Q-Overlap those of the lowest of all but Random; not "
    "judged where another is lower by less than two standard errors over draws",
    "a world with queries, and 100 pages in its frontier",
    run,
    also=("E002-7",),
)
