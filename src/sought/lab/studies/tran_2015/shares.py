"""Who finds most impact in the frontier?  E002-4 and E002-5, Figures 4 and 5 of Tran, Turk, Cambazoglu & Nejdl (2015).

share(x) = impact of the first x of the frontier by a method / impact of the best x, on the 35 % of its pages that ω was
not tuned on.  Pages of equal value come in any order, and in the mean over all.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.impacts import IMPACTS, Impact
from sought.lab.judge.bootstrap import SAMPLES, lost
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
from sought.lab.studies.figures import lines
from sought.lab.studies.tran_2015.cases import (
    EVEN,
    LOW_SKEW,
    OMEGAS,
    RANDOM,
    RW,
    RW_EG,
    SKEWED,
    Case,
    FrontierCases,
    Regime,
    above,
    ground_of,
    settled,
)
from sought.lab.worlds.files import read_name
from sought.web.pages import Floats

QUERY_DRIVEN, LINKED = ("Q-Overlap", "Q-Hybrid"), ("InDegree", "PageRank")
RANDOM_FLAT, RANDOM_SKEWED = (0.1, 0.35), 0.05
_TRACE = 1e-6
LEAST, LEAD = 0.5, 0.05  # of the ideal impact: that of walks on skewed data, and how far they are ahead

Marks = NDArray[np.bool_]
Judged = list[tuple[Claim, bool]]  # with whether draws are enough to tell
Shares = dict[str, Floats]  # by method: a row for each draw, a column for each cut


def run(name: str, regime: Regime, bench: StudyContext) -> Finding:
    parts = [_world(folder, regime, bench) for folder in bench.worlds]
    return finding(name, bench, parts, cuts=list(regime.cuts), beta=regime.beta, even=EVEN, samples=SAMPLES)


def _world(folder: Path, regime: Regime, bench: StudyContext) -> WorldResult:
    ground = ground_of(folder, bench)
    if isinstance(ground, str):
        return WorldResult(read_name(folder), None, ground)
    if ground.regime is not regime:
        return WorldResult(ground.world, None, _unlike(ground), ground.numbers)
    judged, tables, figures = list[tuple[Claim, bool]](), list[ResultTable](), list[Figure]()
    numbers = ground.numbers
    for kind in IMPACTS:
        found = shares_of(ground.drawn, kind, regime, 5 if bench.quick else SAMPLES)
        told = CLAIMS[regime.name](found, regime.cuts)
        judged += [(claim._replace(what=f"{kind}: {claim.what}"), clear) for claim, clear in told]
        numbers |= {f"{name}, {kind}": float(values[-1]) for name, values in means(found).items()}
        tables.append(_table(ground, kind, means(found), regime))
        figures.append(_figure(ground, kind, means(found), regime))
    claims, shown = settled(judged, ground.world)
    holds, because = verdict(claims)
    if not holds:
        matched = _matched(ground.drawn)
        numbers["impact of pages that Q-Overlap knows a query for"] = matched
        because += f"; {matched:.0%} of the frontier's clicks are on pages whose address or anchors match a needy query"
    tables += [*shown, _breadth_first(ground, regime, bench)]
    return WorldResult(ground.world, holds, because, numbers, tables, figures)


def _unlike(ground: FrontierCases) -> str:
    return ground.unfit or f"its impact is {'flat' if ground.regime is LOW_SKEW else 'skewed'}"


def shares_of(cases: Sequence[Case], kind: Impact, regime: Regime, samples: int) -> Shares:
    """Each case has its own ω."""
    return stacked([_shares(case, kind, regime, samples) for case in cases])


def stacked(each: Sequence[Mapping[str, Floats]]) -> Shares:
    return {name: np.stack([one[name] for one in each]) for name in each[0]}


def means(found: Shares) -> Shares:
    """Over draws."""
    return {name: values.mean(axis=0) for name, values in found.items()}


def _shares(case: Case, kind: Impact, regime: Regime, samples: int) -> dict[str, Floats]:
    omega = case.tuned(kind, regime.cut, OMEGAS, samples).best
    _, test = case.parts
    impact = case.impact(kind)[test]
    return {
        name: np.array([1.0 - lost(values[test], impact, cut) for cut in regime.cuts])
        for name, values in case.methods(kind, omega).items()
    }


def flat_claims(found: Shares, cuts: Sequence[float]) -> Judged:
    """Of Figure 4."""
    early, late = np.array(cuts) <= 0.05, np.array(cuts) > 0.06
    others = [name for name in found if name not in (RW, RW_EG)]
    return [
        _best_of(found, [RW_EG], [RW], late, "from 7 % on"),
        _best_of(found, [RW], ["PageRank"], late, "from 7 % on"),
        _best_of(found, [RW_EG], others, late, "from 7 % on"),
        _best_of(found, QUERY_DRIVEN, [RW_EG], early, "to 5 %"),
        _random(found, *RANDOM_FLAT),
    ]


def skewed_claims(found: Shares, cuts: Sequence[float]) -> Judged:
    """Of Figure 5."""
    first, last = np.array(cuts) == cuts[0], np.array(cuts) == cuts[-1]
    walks, others = (RW, RW_EG), [name for name in found if name not in (RW, RW_EG)]
    share, behind = (max(float(found[name][:, -1].mean()) for name in names) for names in (walks, others))
    lead = share - behind
    return [
        _random(found, 0.0, RANDOM_SKEWED),
        _best_of(found, QUERY_DRIVEN, LINKED, first, f"at {cuts[0]:.1%}"),
        _best_of(found, walks, ["Q-Overlap"], last, f"at {cuts[-1]:.1%}"),
        (Claim(f"walks reach {LEAST:.0%} of the ideal (theirs: 60 to 70 %)", share >= LEAST, f"{share:.1%}"), True),
        (Claim(f"walks lead by {100 * LEAD:.0f} points (theirs: 5 to 10)", lead >= LEAD, f"{100 * lead:.1f}"), True),
    ]


CLAIMS: dict[str, Callable[[Shares, Sequence[float]], Judged]] = {
    LOW_SKEW.name: flat_claims,
    SKEWED.name: skewed_claims,
}


def _best_of(found: Shares, some: Sequence[str], others: Sequence[str], at: Marks, where: str) -> tuple[Claim, bool]:
    """The best of some is above the best of others, by the mean share over these cuts."""
    shares = {name: values[:, at].mean(axis=1) for name, values in found.items()}
    mine, theirs = (max(names, key=lambda name: float(shares[name].mean())) for names in (some, others))
    told = " and ".join(others) if len(others) <= 2 else "all baselines"
    says = f"{' or '.join(some)} above {told} {where}"
    shown = ", ".join(f"{name} {shares[name].mean():.1%}" for name in (mine, theirs))
    holds = above(shares[mine], shares[theirs])
    return Claim(says, bool(holds), shown), holds is not None


def _random(found: Shares, low: float, high: float) -> tuple[Claim, bool]:
    value = float(found[RANDOM][:, -1].mean())
    theirs = "20 %" if low else "nearly nothing"
    says = f"Random has {low:.0%} to {high:.0%} of the ideal (theirs: {theirs})"
    return Claim(says, low <= value <= high, f"{value:.1%}"), True


def _matched(cases: Sequence[Case]) -> float:
    """Share of clicks on pages that match a needy query; the others have a trace of PageRank only."""
    said = [case.methods("clicks", 1.0)["Q-Overlap"] for case in cases]
    found = [case.impact("clicks")[value > _TRACE * value.max()].sum() for case, value in zip(cases, said, strict=True)]
    return float(sum(found) / (sum(case.impact("clicks").sum() for case in cases) or 1.0))


def _breadth_first(ground: FrontierCases, regime: Regime, bench: StudyContext) -> ResultTable:
    """The same of one crawl breadth first, which the verdict does not rest on."""
    samples = 5 if bench.quick else SAMPLES
    found = {kind: means(shares_of([ground.breadth], kind, regime, samples)) for kind in IMPACTS}
    columns = ["method", *(f"{kind}, first {regime.cut:.0%}" for kind in IMPACTS)]
    rows: list[list[Value]] = [[n, *(float(found[kind][n][-1]) for kind in IMPACTS)] for n in found["clicks"]]
    return ResultTable(f"{ground.world}: the same when crawled breadth first", columns, rows)


def _table(ground: FrontierCases, kind: Impact, found: Shares, regime: Regime) -> ResultTable:
    columns = ["method", *(f"{cut:.1%}" for cut in regime.cuts)]
    rows: list[list[Value]] = [[name, *values.tolist()] for name, values in found.items()]
    title = f"{ground.world}: share of the ideal {kind} by share of the frontier"
    return ResultTable(title, columns, rows, f"{len(ground.drawn)} draws")


def _figure(ground: FrontierCases, kind: Impact, found: Shares, regime: Regime) -> Figure:
    across = [100 * cut for cut in regime.cuts]
    title = f"{ground.world}: impact found ({kind})"
    series = {name: (across, (100 * values).tolist()) for name, values in found.items()}
    study = "E002-4" if regime is LOW_SKEW else "E002-5"
    return Figure(title, lines(series, "first of the frontier, %", f"{kind}, % of ideal", f"{title} ({study})"))


FLAT_SHARES = Study(
    "E002-4",
    "002",
    "Impact found, low skew (Fig. 4a, 4b)",
    "Where impact is spread over many pages, which ranking of the frontier finds most of it?",
    "from 7 % of the frontier on RW-EG > RW > PageRank and RW-EG > all baselines; up to 5 % Q-Overlap or Q-Hybrid is "
    f"above RW-EG; Random has {RANDOM_FLAT[0]:.0%} to {RANDOM_FLAT[1]:.0%} of the ideal at 10 %; 'above' is by more "
    f"than {EVEN:.1%} of the ideal, and by more than two standard errors over draws",
    "a world with queries whose best 0.8 % of pages have at most a quarter of clicks and views",
    partial(run, "E002-4", LOW_SKEW),
)
SKEWED_SHARES = Study(
    "E002-5",
    "002",
    "Impact found, skewed (Fig. 5a, 5b)",
    "Where few pages have most of the impact, which ranking of the frontier finds most of it?",
    f"Random has at most {RANDOM_SKEWED:.0%} of the ideal at 2 %; Q-Overlap or Q-Hybrid is above InDegree and PageRank "
    f"at 0.2 %, but walks are above Q-Overlap at 2 %, reach {LEAST:.0%} of the ideal and lead by {100 * LEAD:.0f} "
    f"points; 'above' is by more than {EVEN:.1%} of the ideal, and than two standard errors over draws",
    "a world with queries whose best 0.8 % of pages have at least half of clicks and of views",
    partial(run, "E002-5", SKEWED),
)
