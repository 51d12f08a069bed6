"""How much of the virtual edges is good for RW-EG?  E002-3, Figure 3 of Tran, Turk, Cambazoglu & Nejdl (SIGIR 2015).

Theirs: ω = 0.1 for clicks and 0.2 for views on the dense set of low skew, 0.9 and 0.8 on the skewed one.  Shares are
estimated by the 0.632+ bootstrap on the pages to tune on, as there.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sought.beliefs.impacts import IMPACTS, Impact
from sought.lab.judge.bootstrap import SAMPLES
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
    Case,
    FrontierCases,
    Regime,
    above,
    error,
    ground_of,
    settled,
)
from sought.lab.studies.tran_2015.impact_signs import told_by_neighbours
from sought.lab.worlds.files import read_name
from sought.web.pages import Floats

THEIRS: dict[str, dict[Impact, float]] = {
    "low skew": {"clicks": 0.1, "views": 0.2},
    "skewed": {"clicks": 0.9, "views": 0.8},
}
QUICK = 5  # samples
_BELOW, _ABOVE = np.flatnonzero(np.array(OMEGAS) < 0.5), np.flatnonzero(np.array(OMEGAS) > 0.5)

Curves = dict[tuple[Impact, float], Floats]  # a row for each draw, a column for each ω


def run(bench: StudyContext) -> Finding:
    parts = [_world(folder, bench) for folder in bench.worlds]
    return finding("E002-3", bench, parts, samples=QUICK if bench.quick else SAMPLES, omegas=list(OMEGAS), even=EVEN)


def _world(folder: Path, bench: StudyContext) -> WorldResult:
    ground = ground_of(folder, bench)
    if isinstance(ground, str):
        return WorldResult(read_name(folder), None, ground)
    if not ground.regime:
        return WorldResult(ground.world, None, ground.unfit, ground.numbers)
    curves = _curves(ground, ground.regime, bench)
    signs = told_by_neighbours(ground.drawn)
    judged = {kind: curves[kind, ground.regime.cut] for kind in IMPACTS}
    sides = [each for kind in IMPACTS for each in side(kind, judged[kind], ground.regime)]
    claims, shown = settled(sides, ground.world)
    numbers = ground.numbers | signs | {f"best ω, {kind}": OMEGAS[best(judged[kind])] for kind in IMPACTS}
    figure = Figure(f"{ground.world}: RW-EG by ω", _figure(ground, curves))
    if not claims:
        because, tables = "shares do not differ clearly between small and large ω", [_table(ground, curves), *shown]
        return WorldResult(ground.world, None, because, numbers, tables, [figure])
    holds, because = verdict(claims)
    if not holds:
        because += f"; {_why(signs)}"
    tables = [_table(ground, curves), *shown]
    return WorldResult(ground.world, holds, because, numbers, tables, [figure])


def _curves(ground: FrontierCases, regime: Regime, bench: StudyContext) -> Curves:
    """Shares by ω, at half the cut and at the cut."""
    report, samples = bench.progress(f"tuning on {ground.world}"), QUICK if bench.quick else SAMPLES
    found: Curves = {}
    wanted: list[tuple[Impact, float]] = [(kind, cut) for kind in IMPACTS for cut in (regime.cut / 2, regime.cut)]
    for done, (kind, cut) in enumerate(wanted):
        report(done, len(wanted))
        found[kind, cut] = np.stack([_shares(case, kind, cut, samples) for case in ground.drawn])
    report(len(wanted), len(wanted))
    return found


def _shares(case: Case, kind: Impact, cut: float, samples: int) -> Floats:
    return np.array([1.0 - row.error for row in case.tuned(kind, cut, OMEGAS, samples).table])


def best(shares: Sequence[float] | Floats) -> int:
    """The place of the largest; of equals the last one, which is cheaper to have."""
    values = np.asarray(shares)
    values = values.mean(axis=0) if values.ndim == 2 else values
    return int(np.flatnonzero(values == values.max())[-1])


def side(kind: Impact, shares: Floats, regime: Regime) -> list[tuple[Claim, bool]]:
    """An ω on the paper's side of 0.5 is best, or as good as the best; no claim where ω does not matter.

    With whether draws are enough to tell.
    """
    mean, at = shares.mean(axis=0), best(shares)
    if not above(shares[:, at], shares[:, mean.argmin()]):
        return []
    low, high = (part[mean[part].argmax()] for part in (_BELOW, _ABOVE))
    own, other = (low, high) if regime is LOW_SKEW else (high, low)
    apart = shares[:, other] - shares[:, own]
    found = (
        f"ω = {OMEGAS[low]:g} gives {mean[low]:.1%}, ω = {OMEGAS[high]:g} gives {mean[high]:.1%}, ± {error(apart):.1%}"
    )
    says = f"{kind}: ω is best {'below' if regime is LOW_SKEW else 'above'} 0.5 (theirs: {THEIRS[regime.name][kind]:g})"
    is_other = above(shares[:, other], shares[:, own])
    return [(Claim(says, not is_other, found), is_other is not None)]


def _why(signs: dict[str, Value]) -> str:
    parents, beside = signs["rank correlation with clicks of parents"], signs["rank correlation with clicks beside"]
    widest = signs["virtual weight from the widest 1 % of pages"]
    return (
        f"what parents bring goes with what a page brings by ρ = {parents:.2f}, what crawled pages beside it bring by "
        f"{beside:.2f}; {widest:.0%} of the weight of virtual edges comes from the 1 % of pages with most links"
    )


def _table(ground: FrontierCases, curves: Curves) -> ResultTable:
    theirs = THEIRS[ground.regime.name] if ground.regime else {}
    columns = ["ω", *(f"{kind}, first {cut:.1%}" for kind, cut in curves)]
    rows: list[list[Value]] = [
        [omega, *(float(c[:, i].mean()) for c in curves.values())] for i, omega in enumerate(OMEGAS)
    ]
    rows.append(["best", *(OMEGAS[best(curve)] for curve in curves.values())])
    rows.append(["best, paper", *(theirs[kind] for kind, _ in curves)])
    return ResultTable(f"{ground.world}: share of the ideal impact by ω", columns, rows, f"{len(ground.drawn)} draws")


def _figure(ground: FrontierCases, curves: Curves) -> str:
    series = {
        f"{kind}, first {cut:.1%}": (OMEGAS, (100 * curve.mean(axis=0)).tolist())
        for (kind, cut), curve in curves.items()
    }
    return lines(series, "ω", "share of ideal impact, %", f"{ground.world}: RW-EG by ω (E002-3)")


OMEGA = Study(
    "E002-3",
    "002",
    "RW-EG by ω (Fig. 3a, 3b)",
    "How much do virtual edges between pages with a common parent add to a random walk by search impact?",
    "the best ω lies below 0.5 on data of low skew and above 0.5 on skewed data, for clicks and for views; shares of "
    f"the ideal count as equal if they differ by at most {EVEN:.1%}, or by at most two standard errors over draws",
    "a world with queries, and 100 pages in its frontier",
    run,
)
