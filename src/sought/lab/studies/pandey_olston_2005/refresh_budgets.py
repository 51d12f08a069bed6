"""How many fetches does a quality take, by users' gain, by staleness, by embarrassment?

S. Pandey, C. Olston, User-Centric Web Crawling, WWW 2005, Figure 4.  As printed it is in-sample twice over: rates and
gains are estimated over the weeks that judge them, and the threshold τ of both rivals is the one that did best there.
So it is done a second time without any of that, and what is left is the headline.

    in-sample   all pages seen in all weeks; τ by what came out; rivals by whole fetches, scheduled in advance
    first half  estimates from the first half of the weeks, τ by what came out in these; judged in the second half
    own         a crawl that learns from its own fetches; τ by its first half, judged by its second

The paper compares with changes at random, so what must hold is not about EBR that knows the weeks of changes
(panels.py); and the weeks to come are unknown, so it has no causal form.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from sought.lab.studies.bounds import lacks
from sought.lab.studies.figures import line_figure
from sought.lab.studies.pandey_olston_2005 import PAPER
from sought.lab.studies.pandey_olston_2005.gains_in_halves import SCORERS
from sought.lab.studies.pandey_olston_2005.panels import (
    BUDGETS,
    BY_ITSELF,
    FLOOR,
    FULL,
    HALF,
    IN_SAMPLE,
    KNOWN,
    LOSS,
    QUICK,
    REACHED,
    RIVALS,
    USER,
    Panel,
    Panels,
    panels,
)
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

NAME = f"{PAPER}-figure-4"
CAUSAL_NAME = f"{NAME}-causal"
CLEARLY = 0.8  # of the fetches that the better rival takes
ABOVE = 0.99
FEWEST = 20  # units

FEWER = Statement(
    f"for the quality of the better rival user-centric takes at most {CLEARLY:g} of its fetches, at every budget "
    f"(where that quality is below {FULL})"
)
HIGHER = Statement(
    f"where the better rival reaches {REACHED}, if it passes that between two budgets, user-centric is above {ABOVE}",
    f"above {ABOVE}",
)


def judging(name: str, protocols: Sequence[str]) -> Callable[[Path, StudyContext], WorldResult]:
    """The judge of a world by these protocols."""

    def judge(folder: Path, context: StudyContext) -> WorldResult:
        world = open_world(folder)
        if lack := lacks(world) or (f"fewer than {FEWEST} units" if world.units < FEWEST else ""):
            return WorldResult(lack=lack)
        return judged(world.name, panels(folder, context, protocols), name)

    return judge


def judged(world: str, panels: Panels, study: str) -> WorldResult:
    """As printed: in-sample only.  Causal: all others; in-sample is shown beside it."""
    mine = {key: panel for key, panel in panels.items() if (key[0] == IN_SAMPLE) == (study == NAME)}
    claims = [claim for key, panel in mine.items() for claim in claims_of(_label(*key), panel)]
    numbers = {name: value for key, panel in panels.items() for name, value in _numbers(_label(*key), panel)}
    numbers |= dict(_gaps(panels))
    figures = [_figure(world, _label(*key), study, panel) for key, panel in mine.items()]
    return WorldResult(claims, numbers, [_table(world, panels)], figures)


def claims_of(label: str, panel: Panel) -> list[Claim]:
    """None can be judged where too little is lost by never fetching; budgets at which known times win are named."""
    if not panel.can_tell:
        return [Claim(FEWER, None, f"too little is lost: {1 - panel.never:.4f} if never fetched", label)]
    ratios, reached = panel.ratios(), panel.at_reached()
    known = [(at, ratio) for at, ratio in zip(panel.budgets, ratios, strict=True) if not np.isnan(ratio)]
    details = [f"{ratio:.2f} at {at:.1%}" for at, ratio in known]
    outdone = [at for at, lead in panel.leads_over_known().items() if lead < 0]
    if outdone:
        details.append(f"{KNOWN} is better at {', '.join(outdone)}")
    claims = [Claim(FEWER, not any(ratio > CLEARLY for ratio in ratios), ", ".join(details), label)]
    if not np.isnan(reached):
        claims.append(Claim(HIGHER, reached > ABOVE, f"{reached:.4f}", label))
    return claims


def _label(protocol: str, scores: str) -> str:
    return f"{protocol}, {scores}"


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


def _gaps(panels: Panels) -> Iterable[tuple[str, Value]]:
    """What in-sample flatters: the lead over the better rival, in-sample less by estimates from the first half."""
    for scores in SCORERS:
        if (IN_SAMPLE, scores) in panels and (HALF, scores) in panels:
            for at, budget in enumerate(panels[HALF, scores].budgets):
                leads = [
                    panels[each, scores].quality[USER][at] - panels[each, scores].better(at)
                    for each in (IN_SAMPLE, HALF)
                ]
                yield f"{scores}: lead in-sample less lead by the first half, at {budget:.1%}", leads[0] - leads[1]


_NOTE = (
    "In the paper: user-centric is above 0.99 where the others reach 0.95; figures only.  With τ = 1 no page is ever "
    "stale for staleness-based refreshing, as nothing differs by more than all of it: it is then round-robin.  "
    f"“{KNOWN}” knows in which weeks pages change by τ or more: no rival of the paper's, and no crawler."
)


def _table(world: str, panels: Panels) -> ResultTable:
    rows: list[list[Value]] = []
    for (protocol, scores), panel in panels.items():
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
    return line_figure(study, title, series, "mean quality", "fetches a unit, % of pages")


_NEEDS = f"a world with queries and at least {FEWEST} units, in which never to fetch loses at least {LOSS}"

IN_SAMPLE_BUDGETS = Study(
    NAME,
    PAPER,
    "Fetches for a quality, in-sample (Figure 4)",
    "How many fetches does a quality take, if all rates and gains are known and τ is the best for each budget?",
    _NEEDS,
    (FEWER, HIGHER),
    judging(NAME, (IN_SAMPLE,)),
    settings={"budgets": list(BUDGETS), "clearly": CLEARLY},
    quick_settings={"budgets": list(QUICK)},
    aliases=("E000-4",),
)
CAUSAL_BUDGETS = Study(
    CAUSAL_NAME,
    PAPER,
    "Fetches for a quality, causal (Figure 4)",
    "How many fetches does a quality take, if the weeks to come are unknown?",
    _NEEDS,
    (FEWER, HIGHER),
    judging(CAUSAL_NAME, (IN_SAMPLE, HALF, BY_ITSELF)),
    settings={"budgets": list(BUDGETS), "clearly": CLEARLY},
    quick_settings={"budgets": list(QUICK)},
    aliases=("E000-4C",),
)
