"""Which method finds most impact in the frontier?  Figures 4 and 5 of Tran, Turk, Cambazoglu & Nejdl (2015).

share(x) = impact of the first x of the frontier by a method / impact of the best x, on the 35 % of its pages that ω was
not tuned on.  Pages of equal value come in any order, and in the mean over all.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.impacts import IMPACTS, Impact
from sought.lab.judge.bootstrap import lost
from sought.lab.studies.figures import line_figure
from sought.lab.studies.study import Claim, Figure, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.lab.studies.tran_2015.cases import (
    BASELINES,
    CLEARLY,
    LOW_SKEW,
    OMEGAS,
    PAPER,
    QUICK_SETTINGS,
    RANDOM,
    RW,
    RW_EG,
    SETTINGS,
    SKEWED,
    Case,
    FrontierCases,
    Regime,
    above,
    claim_over_draws,
    judging,
    samples_in,
)
from sought.web.pages import Floats

FLAT_NAME, SKEWED_NAME = f"{PAPER}-figure-4", f"{PAPER}-figure-5"
WALKS, QUERY_DRIVEN, LINKED = (RW, RW_EG), ("Q-Overlap", "Q-Hybrid"), ("InDegree", "PageRank")
RANDOM_FLAT, RANDOM_SKEWED = (0.1, 0.35), (0.0, 0.05)
LEAST, LEAD = 0.5, 0.05  # of the ideal impact: that of walks on skewed data, and how far they are ahead
_TRACE = 1e-6

Shares = dict[str, Floats]  # by method: a row for each draw, a column for each cut


class Comparison(NamedTuple):
    """The best of some methods is above the best of others, by the mean share over these cuts."""

    statement: Statement
    some: Sequence[str]
    others: Sequence[str]
    at: NDArray[np.bool_]

    def claim(self, all_shares: Shares, at: str) -> Claim:
        shares = {name: values[:, self.at].mean(axis=1) for name, values in all_shares.items()}
        mine, theirs = (max(names, key=lambda name: float(shares[name].mean())) for names in (self.some, self.others))
        shown = ", ".join(f"{name} {shares[name].mean():.1%}" for name in (mine, theirs))
        return claim_over_draws(self.statement, above(shares[mine], shares[theirs]), shown, at)


def _compare(some: Sequence[str], others: Sequence[str], where: str, at: NDArray[np.bool_]) -> Comparison:
    them = " and ".join(others) if len(others) <= 2 else "all baselines"
    return Comparison(Statement(f"{' or '.join(some)} above {them} {where}"), some, others, at)


_FLAT, _SKEWED = (np.array(regime.cuts) for regime in (LOW_SKEW, SKEWED))
_EARLY, _LATE, _FIRST, _LAST = _FLAT <= 0.05, _FLAT > 0.06, _SKEWED[0] == _SKEWED, _SKEWED[-1] == _SKEWED
FLAT_COMPARISONS = (
    _compare([RW_EG], [RW], "from 7 % on", _LATE),
    _compare([RW], ["PageRank"], "from 7 % on", _LATE),
    _compare([RW_EG], [RANDOM, *BASELINES], "from 7 % on", _LATE),
    _compare(QUERY_DRIVEN, [RW_EG], "to 5 %", _EARLY),
)
SKEWED_COMPARISONS = (
    _compare(QUERY_DRIVEN, LINKED, f"at {_SKEWED[0]:.1%}", _FIRST),
    _compare(WALKS, ["Q-Overlap"], f"at {_SKEWED[-1]:.1%}", _LAST),
)
RANDOM_HAS_SOME, RANDOM_HAS_LITTLE = (
    Statement(f"Random has {low:.0%} to {high:.0%} of the ideal", paper)
    for (low, high), paper in ((RANDOM_FLAT, "20 %"), (RANDOM_SKEWED, "nearly nothing"))
)
WALKS_REACH = Statement(f"walks reach {LEAST:.0%} of the ideal", "60 to 70 %")
WALKS_LEAD = Statement(f"walks lead by {100 * LEAD:.0f} points", "5 to 10")


def flat_claims(shares: Shares, at: str = "") -> list[Claim]:
    """Of Figure 4."""
    compared = [each.claim(shares, at) for each in FLAT_COMPARISONS]
    return [*compared, _random(RANDOM_HAS_SOME, shares, RANDOM_FLAT, at)]


def skewed_claims(shares: Shares, at: str = "") -> list[Claim]:
    """Of Figure 5."""
    others = [RANDOM, *BASELINES]
    share, behind = (max(float(shares[name][:, -1].mean()) for name in names) for names in (WALKS, others))
    lead = share - behind
    return [
        _random(RANDOM_HAS_LITTLE, shares, RANDOM_SKEWED, at),
        *(each.claim(shares, at) for each in SKEWED_COMPARISONS),
        Claim(WALKS_REACH, share >= LEAST, f"{share:.1%}", at),
        Claim(WALKS_LEAD, lead >= LEAD, f"{100 * lead:.1f}", at),
    ]


def _random(statement: Statement, shares: Shares, bounds: tuple[float, float], at: str) -> Claim:
    value, (low, high) = float(shares[RANDOM][:, -1].mean()), bounds
    return Claim(statement, low <= value <= high, f"{value:.1%}", at)


def _looking(
    study: str, claims_of: Callable[[Shares, str], list[Claim]]
) -> Callable[[FrontierCases, Regime, StudyContext], WorldResult]:
    def look(ground: FrontierCases, regime: Regime, context: StudyContext) -> WorldResult:
        claims, numbers = list[Claim](), dict[str, Value]()
        tables, figures = list[ResultTable](), list[Figure]()
        for kind in IMPACTS:
            shares = shares_of(ground.drawn, kind, regime, samples_in(context))
            claims += claims_of(shares, kind)
            numbers |= {f"{name}, {kind}": float(values[-1]) for name, values in means(shares).items()}
            tables.append(shares_table(ground, regime, shares, f"share of the ideal {kind} by share of the frontier"))
            figures.append(shares_figure(study, ground, regime, shares, f"impact found ({kind})", kind))
        if any(claim.holds is False for claim in claims):
            numbers["impact of pages that Q-Overlap knows a query for"] = _matched(ground.drawn)
        return WorldResult(claims, numbers, [*tables, _breadth_first(ground, regime, context)], figures)

    return look


def shares_of(cases: Sequence[Case], kind: Impact, regime: Regime, samples: int) -> Shares:
    """Each case has its own ω."""
    return stacked([_shares(case, kind, regime, samples) for case in cases])


def stacked(each: Sequence[Mapping[str, Floats]]) -> Shares:
    return {name: np.stack([one[name] for one in each]) for name in each[0]}


def means(shares: Shares) -> Shares:
    """Over draws."""
    return {name: values.mean(axis=0) for name, values in shares.items()}


def _shares(case: Case, kind: Impact, regime: Regime, samples: int) -> dict[str, Floats]:
    omega = case.tuned(kind, regime.cut, OMEGAS, samples).best
    _, test = case.parts
    impact = case.impact(kind)[test]
    return {
        name: np.array([1.0 - lost(values[test], impact, cut) for cut in regime.cuts])
        for name, values in case.methods(kind, omega).items()
    }


def _matched(cases: Sequence[Case]) -> float:
    """Share of clicks on pages that match a needy query; the others have a trace of PageRank only."""
    estimates = [case.methods("clicks", 1.0)["Q-Overlap"] for case in cases]
    matched = [
        case.impact("clicks")[value > _TRACE * value.max()].sum() for case, value in zip(cases, estimates, strict=True)
    ]
    return float(sum(matched) / (sum(case.impact("clicks").sum() for case in cases) or 1.0))


def _breadth_first(ground: FrontierCases, regime: Regime, context: StudyContext) -> ResultTable:
    """The same of one crawl breadth first, which the verdict does not rest on."""
    shares = {kind: means(shares_of([ground.breadth], kind, regime, samples_in(context))) for kind in IMPACTS}
    columns = ["method", *(f"{kind}, first {regime.cut:.0%}" for kind in IMPACTS)]
    rows: list[list[Value]] = [[n, *(float(shares[kind][n][-1]) for kind in IMPACTS)] for n in shares["clicks"]]
    return ResultTable(f"{ground.world}: the same when crawled breadth first", columns, rows)


def shares_table(ground: FrontierCases, regime: Regime, shares: Shares, what: str) -> ResultTable:
    columns = ["method", *(f"{cut:.1%}" for cut in regime.cuts)]
    rows: list[list[Value]] = [[name, *values.tolist()] for name, values in means(shares).items()]
    return ResultTable(f"{ground.world}: {what}", columns, rows, f"{len(ground.drawn)} draws")


def shares_figure(study: str, ground: FrontierCases, regime: Regime, shares: Shares, what: str, kind: Impact) -> Figure:
    across = [100 * cut for cut in regime.cuts]
    series = {name: (across, (100 * values).tolist()) for name, values in means(shares).items()}
    return line_figure(study, f"{ground.world}: {what}", series, "first of the frontier, %", f"{kind}, % of ideal")


FLAT_SHARES = Study(
    FLAT_NAME,
    PAPER,
    "Figure 4: impact found, low skew",
    f"Where impact is spread over many pages, which ranking of the frontier finds most of it?  {CLEARLY}.",
    "a world with queries whose best 0.8 % of pages have at most a quarter of clicks and views",
    (*(each.statement for each in FLAT_COMPARISONS), RANDOM_HAS_SOME),
    judging(_looking(FLAT_NAME, flat_claims), LOW_SKEW),
    settings={**SETTINGS, "cuts": list(LOW_SKEW.cuts), "beta": LOW_SKEW.beta},
    quick_settings=QUICK_SETTINGS,
    aliases=("E002-4",),
)
SKEWED_SHARES = Study(
    SKEWED_NAME,
    PAPER,
    "Figure 5: impact found, skewed",
    f"Where few pages have most of the impact, which ranking of the frontier finds most of it?  {CLEARLY}.",
    "a world with queries whose best 0.8 % of pages have at least half of clicks and of views",
    (RANDOM_HAS_LITTLE, *(each.statement for each in SKEWED_COMPARISONS), WALKS_REACH, WALKS_LEAD),
    judging(_looking(SKEWED_NAME, skewed_claims), SKEWED),
    settings={**SETTINGS, "cuts": list(SKEWED.cuts), "beta": SKEWED.beta},
    quick_settings=QUICK_SETTINGS,
    aliases=("E002-5",),
)
