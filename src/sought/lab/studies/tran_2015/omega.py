"""How much of the virtual edges is good for RW-EG?  Figure 3 of Tran, Turk, Cambazoglu & Nejdl (SIGIR 2015).

Shares are estimated by the 0.632+ bootstrap on the pages to tune on, as there.
"""

from collections.abc import Sequence

import numpy as np

from sought.beliefs.impacts import IMPACTS, Impact
from sought.lab.studies.figures import line_figure
from sought.lab.studies.study import Claim, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.lab.studies.tran_2015.cases import (
    CLEARLY,
    LOW_SKEW,
    OMEGAS,
    PAPER,
    QUICK_SETTINGS,
    SETTINGS,
    SKEWED,
    Case,
    FrontierCases,
    Regime,
    above,
    claim_over_draws,
    error,
    judging,
    not_above,
    samples_in,
)
from sought.lab.studies.tran_2015.impact_signs import told_by_neighbours
from sought.web.pages import Floats

NAME = f"{PAPER}-figure-3"
PRINTED: dict[tuple[Regime, Impact], float] = {
    (LOW_SKEW, "clicks"): 0.1,
    (LOW_SKEW, "views"): 0.2,
    (SKEWED, "clicks"): 0.9,
    (SKEWED, "views"): 0.8,
}
BEST_ON_THEIR_SIDE = {
    (regime, kind): Statement(
        f"{regime.name}, {kind}: ω is best {'below' if regime is LOW_SKEW else 'above'} 0.5, or not worse than best",
        f"{omega:g}",
    )
    for (regime, kind), omega in PRINTED.items()
}
_BELOW, _ABOVE = np.flatnonzero(np.array(OMEGAS) < 0.5), np.flatnonzero(np.array(OMEGAS) > 0.5)

Curves = dict[tuple[Impact, float], Floats]  # a row for each draw, a column for each ω


def _look(ground: FrontierCases, regime: Regime, context: StudyContext) -> WorldResult:
    curves = _curves(ground, regime, context)
    judged = {kind: curves[kind, regime.cut] for kind in IMPACTS}
    claims = [side(kind, shares, regime) for kind, shares in judged.items()]
    best_omegas = {f"best ω, {kind}": OMEGAS[best(shares)] for kind, shares in judged.items()}
    series = {
        f"{kind}, first {cut:.1%}": (OMEGAS, (100 * curve.mean(axis=0)).tolist())
        for (kind, cut), curve in curves.items()
    }
    figure = line_figure(NAME, f"{ground.world}: RW-EG by ω", series, "ω", "share of ideal impact, %")
    numbers = told_by_neighbours(ground.drawn) | best_omegas
    return WorldResult(claims, numbers, [_table(ground, regime, curves)], [figure])


def _curves(ground: FrontierCases, regime: Regime, context: StudyContext) -> Curves:
    """Shares by ω, at half the cut and at the cut."""
    wanted: list[tuple[Impact, float]] = [(kind, cut) for kind in IMPACTS for cut in (regime.cut / 2, regime.cut)]
    return {
        (kind, cut): np.stack([_shares(case, kind, cut, samples_in(context)) for case in ground.drawn])
        for kind, cut in context.each(f"tuning on {ground.world}", wanted)
    }


def _shares(case: Case, kind: Impact, cut: float, samples: int) -> Floats:
    return np.array([1.0 - row.error for row in case.tuned(kind, cut, OMEGAS, samples).table])


def best(shares: Sequence[float] | Floats) -> int:
    """The place of the largest; of equals the last one, which is cheaper to have."""
    values = np.asarray(shares)
    values = values.mean(axis=0) if values.ndim == 2 else values
    return int(np.flatnonzero(values == values.max())[-1])


def side(kind: Impact, shares: Floats, regime: Regime) -> Claim:
    """An ω on the paper's side of 0.5 is best, or as good as the best; not judged where ω does not matter."""
    statement, mean, at = BEST_ON_THEIR_SIDE[regime, kind], shares.mean(axis=0), best(shares)
    if not above(shares[:, at], shares[:, mean.argmin()]):
        return Claim(statement, None, "shares do not differ clearly between small and large ω")
    low, high = (part[mean[part].argmax()] for part in (_BELOW, _ABOVE))
    own, other = (low, high) if regime is LOW_SKEW else (high, low)
    apart = shares[:, other] - shares[:, own]
    detail = (
        f"ω = {OMEGAS[low]:g} gives {mean[low]:.1%}, ω = {OMEGAS[high]:g} gives {mean[high]:.1%}, ± {error(apart):.1%}"
    )
    return claim_over_draws(statement, not_above(shares[:, other], shares[:, own]), detail)


def _table(ground: FrontierCases, regime: Regime, curves: Curves) -> ResultTable:
    columns = ["ω", *(f"{kind}, first {cut:.1%}" for kind, cut in curves)]
    rows: list[list[Value]] = [
        [omega, *(float(c[:, i].mean()) for c in curves.values())] for i, omega in enumerate(OMEGAS)
    ]
    rows.append(["best", *(OMEGAS[best(curve)] for curve in curves.values())])
    rows.append(["best, paper", *(PRINTED[regime, kind] for kind, _ in curves)])
    return ResultTable(f"{ground.world}: share of the ideal impact by ω", columns, rows, f"{len(ground.drawn)} draws")


OMEGA = Study(
    NAME,
    PAPER,
    "Figure 3: RW-EG by ω",
    f"How much do virtual edges between pages with a common parent add to a random walk by search impact?  {CLEARLY}.",
    "a world with queries, and 100 pages in its frontier",
    tuple(BEST_ON_THEIR_SIDE.values()),
    judging(_look),
    settings={**SETTINGS, "omegas": list(OMEGAS)},
    quick_settings=QUICK_SETTINGS,
    aliases=("E002-3",),
)
