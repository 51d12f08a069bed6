"""How much should the changes of long ago count?

Q. Tan, P. Mitra, Clustering-Based Incremental Web Crawling, TOIS 2010, Figure 5: the change ratio over time,
if all cycles count alike (NAD), only the last (SAD), the later the more (AAD), or each twice as much as the one before
(GAD).
"""

from collections.abc import Mapping
from typing import get_args

from sought.beliefs.cycle_change import Weighting
from sought.lab.studies.study import Claim, ResultTable, Statement, Study, StudyContext, Value, WorldResult, plain
from sought.lab.studies.tan_mitra_2010.cycles import (
    LITTLE,
    NEEDS,
    PAPER,
    RATIO,
    CycleWorld,
    Floats,
    judging,
    largest_first,
    mean,
    over_cycles,
    part_of,
)
from sought.policy.cluster_sampling import ClusterSampling
from sought.web.policy import Policy

WEIGHTINGS: tuple[Weighting, ...] = get_args(Weighting)
NAME = f"{PAPER}-figure-5"
WEEKS = 2
PART = 0.25  # of the cycles is the beginning, and the end
SLACK = 0.005  # of a change ratio
AT_FIRST = Statement(f"SAD is best at first: in the first {PART:.0%} of the cycles, to within {SLACK}")
IN_THE_END = Statement(f"AAD or GAD is best in the end: in the last {PART:.0%} of the cycles, to within {SLACK}")
OVERTAKES = Statement(f"NAD overtakes SAD: at first it is above by at most {SLACK}, in the end it is above")

Ratios = Mapping[str, Floats]


def arms(ground: CycleWorld) -> dict[str, Policy]:
    return {name: ClusterSampling(k=ground.clusters, weighting=name, cycle=ground.cycle) for name in WEIGHTINGS}


def _look(ground: CycleWorld, context: StudyContext) -> WorldResult:
    series_of = ground.series(arms(ground), LITTLE, context)
    return judged(ground.world.name, {name: series[RATIO] for name, series in series_of.items()})


def judged(world: str, ratios: Ratios) -> WorldResult:
    first = {name: part_of(values, 0.0, PART) for name, values in ratios.items()}
    last = {name: part_of(values, 1.0 - PART, 1.0) for name, values in ratios.items()}
    leads = first["SAD"] >= first["NAD"] - SLACK and last["NAD"] > last["SAD"]
    both = f"SAD {first['SAD']:.4f} and NAD {first['NAD']:.4f} at first, {last['SAD']:.4f} and {last['NAD']:.4f} then"
    claims = [
        Claim(AT_FIRST, first["SAD"] >= max(first.values()) - SLACK, largest_first(first)),
        Claim(IN_THE_END, max(last["AAD"], last["GAD"]) >= max(last.values()) - SLACK, largest_first(last)),
        Claim(OVERTAKES, leads, both),
    ]
    rows: list[list[Value]] = [
        [name, plain(first[name]), plain(last[name]), plain(mean(values))] for name, values in ratios.items()
    ]
    numbers: dict[str, Value] = {
        f"{row[0]} {when}": row[at] for row in rows for at, when in ((1, "at first"), (2, "in the end"), (3, "overall"))
    }
    columns = ["weighting", f"first {PART:.0%} of cycles", f"last {PART:.0%}", "all"]
    table = ResultTable(f"{world}: mean change ratio", columns, rows)
    figure = over_cycles(NAME, f"{world}: change ratio over time", ratios, "change ratio")
    return WorldResult(claims, numbers, [table], [figure])


CYCLE_WEIGHTS = Study(
    NAME,
    PAPER,
    "Figure 5: weights of cycles over time",
    "How much should the changes of long ago count?",
    NEEDS,
    (AT_FIRST, IN_THE_END, OVERTAKES),
    judging(WEEKS, _look),
    settings={"shares": [LITTLE], "weeks": WEEKS, "slack": SLACK},
    aliases=("E004-5",),
)
