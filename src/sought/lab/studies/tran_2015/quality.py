"""Which pages does each method choose?  Figures 6 and 7 of Tran, Turk, Cambazoglu & Nejdl (2015).

Click-through rate: clicks / views of a page in a week, mean over the pages chosen that were seen at all, in units of
the best method's.  PageRank is that of the graph at hand when the choice is made.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import kendalltau

from sought.lab.judge.bootstrap import lost, taken
from sought.lab.studies.figures import bars
from sought.lab.studies.study import Claim, Figure, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.lab.studies.tran_2015.cases import (
    ERRORS,
    OMEGAS,
    PAPER,
    QUICK_SETTINGS,
    RANDOM,
    SETTINGS,
    Case,
    FrontierCases,
    Regime,
    claim_over_draws,
    error,
    judging,
    samples_in,
)
from sought.web.pages import Floats

RATES, RANKS = f"{PAPER}-figure-6", f"{PAPER}-figure-7"
AGREEMENT = 0.3  # Kendall's τ
ORDERED = Statement(f"click-through rates are ordered as shares of clicks are (τ ≥ {AGREEMENT:g})")
HIGHEST = Statement("PageRank chooses the pages of highest PageRank")
LOWEST = Statement(
    "Q-Overlap chooses those of lowest, of all but Random; not judged where another is lower by less than two standard "
    "errors over draws"
)


@dataclass(frozen=True)
class ChosenQuality:
    """Of the pages that a method chooses: share of the ideal clicks, click-through rate, mean PageRank."""

    share: float
    rate: float
    rank: float


def _look(ground: FrontierCases, regime: Regime, context: StudyContext) -> WorldResult:
    each = [_chosen(case, regime, samples_in(context)) for case in ground.drawn]
    means = mean(each)
    numbers: dict[str, Value] = {f"CTR, {name}": chosen.rate for name, chosen in means.items()}
    numbers |= {f"PageRank, {name}": chosen.rank for name, chosen in means.items()}
    return WorldResult(claims_of(each), numbers, [_table(ground, regime, means)], _figures(ground, means))


def _chosen(case: Case, regime: Regime, samples: int) -> dict[str, ChosenQuality]:
    omega = case.tuned("clicks", regime.cut, OMEGAS, samples).best
    _, test = case.parts
    clicks, views = case.week.clicks[test], case.week.views[test]
    methods = {name: values[test] for name, values in case.methods("clicks", omega).items()}
    rates, ranks = np.divide(clicks, views, out=np.zeros(len(test)), where=views > 0), methods["PageRank"]
    means = {}
    for name, values in methods.items():
        chance = chosen(values, regime.cut)
        rate = float(np.average(rates, weights=chance * (views > 0))) if (chance * views).any() else 0.0
        share = 1.0 - lost(values, clicks, regime.cut)
        means[name] = ChosenQuality(share, rate, float(np.average(ranks, weights=chance)))
    return means


def chosen(values: Floats, cut: float) -> Floats:
    """The chance of each page to be among the first; pages of equal value have the same."""
    count = taken(len(values), cut)
    least = np.sort(values)[len(values) - count]
    above, equal = values > least, values == least
    return np.where(above, 1.0, np.where(equal, (count - above.sum()) / equal.sum(), 0.0))


def mean(each: Sequence[dict[str, ChosenQuality]]) -> dict[str, ChosenQuality]:
    """Over draws; rates in units of the best method's."""
    means = {
        name: [float(np.mean([getattr(one[name], part) for one in each])) for part in ("share", "rate", "rank")]
        for name in each[0]
    }
    best = max(rate for _, rate, _ in means.values()) or 1.0
    return {name: ChosenQuality(share, rate / best, rank) for name, (share, rate, rank) in means.items()}


def claims_of(each: Sequence[dict[str, ChosenQuality]]) -> list[Claim]:
    means = mean(each)
    tau = float(kendalltau([c.share for c in means.values()], [c.rate for c in means.values()]).statistic)
    highest = max(means, key=lambda name: means[name].rank)
    ordered = Claim(ORDERED, tau >= AGREEMENT, f"τ = {tau:.2f}")
    return [ordered, Claim(HIGHEST, highest == "PageRank", f"{highest} does"), _lowest(each, means)]


def _lowest(each: Sequence[dict[str, ChosenQuality]], means: dict[str, ChosenQuality]) -> Claim:
    """No other is lower than Q-Overlap; one that is must be so by two standard errors to count."""
    ranks = {name: one.rank for name, one in means.items() if name != RANDOM}
    lowest = min(ranks, key=ranks.__getitem__)
    over = np.array([one["Q-Overlap"].rank - one[lowest].rank for one in each])
    holds = True if lowest == "Q-Overlap" else False if float(over.mean()) > ERRORS * error(over) else None
    detail = f"{ranks['Q-Overlap']:.3g}, the lowest is {lowest}'s, {ranks[lowest]:.3g}"
    return claim_over_draws(LOWEST, holds, detail)


def _table(ground: FrontierCases, regime: Regime, means: dict[str, ChosenQuality]) -> ResultTable:
    rows: list[list[Value]] = [[name, each.share, each.rate, each.rank] for name, each in means.items()]
    columns = ["method", "share of ideal clicks", "click-through rate", "mean PageRank"]
    return ResultTable(
        f"{ground.world}: the first {regime.cut:.0%} of the frontier", columns, rows, f"{len(ground.drawn)} draws"
    )


def _figures(ground: FrontierCases, means: dict[str, ChosenQuality]) -> list[Figure]:
    made = []
    for study, what, part in ((RATES, "click-through rate, 1 is the best", "rate"), (RANKS, "mean PageRank", "rank")):
        title = f"{ground.world}: {what}"
        values = {name: float(getattr(each, part)) for name, each in means.items()}
        made.append(Figure(title, bars({name: (v, v, v) for name, v in values.items()}, title, f"{title} ({study})")))
    return made


QUALITY = Study(
    RATES,
    PAPER,
    "Figures 6 and 7: click-through rate and PageRank of chosen pages",
    "Are the pages that a ranking of the frontier chooses clicked when they are seen, and are they linked to?",
    "a world with queries, and 100 pages in its frontier",
    (ORDERED, HIGHEST, LOWEST),
    judging(_look),
    settings={**SETTINGS, "agreement": AGREEMENT},
    quick_settings=QUICK_SETTINGS,
    aliases=(RANKS, "E002-6", "E002-7"),
)
