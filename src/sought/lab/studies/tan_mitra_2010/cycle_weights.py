"""E004-5: how much should the changes of long ago count?

Q. Tan, P. Mitra, Clustering-Based Incremental Web Crawling, TOIS 2010, Figure 5: the change ratio over time,
if all cycles count alike (NAD), only the last (SAD), the later the more (AAD), or each twice as much as the one before
(GAD).
"""

from collections.abc import Mapping
from typing import get_args

from sought.beliefs.cycle_change import Weighting
from sought.lab.studies.adapter import (
    Claim,
    Figure,
    Finding,
    ResultTable,
    Study,
    StudyContext,
    Value,
    WorldResult,
    claimed,
    finding,
    plain,
    verdict,
)
from sought.lab.studies.figures import lines
from sought.lab.studies.tan_mitra_2010.cycles import (
    LITTLE,
    NEEDS,
    RATIO,
    CycleWorld,
    Floats,
    mean,
    part_of,
    parts_of,
    told,
)
from sought.policy.cluster_sampling import ClusterSampling
from sought.web.policy import Policy

WEIGHTINGS: tuple[Weighting, ...] = get_args(Weighting)
WEEKS = 2
PART = 0.25  # of the cycles is the beginning, and the end
SLACK = 0.005  # of a change ratio

Ratios = Mapping[str, Floats]


def arms(ground: CycleWorld) -> dict[str, Policy]:
    return {name: ClusterSampling(k=ground.clusters, weighting=name, cycle=ground.cycle) for name in WEIGHTINGS}


def run(bench: StudyContext) -> Finding:
    def of(ground: CycleWorld) -> WorldResult:
        found = ground.series(arms(ground), LITTLE, bench)
        return judged(ground.world.name, {name: series[RATIO] for name, series in found.items()})

    parts = parts_of(bench, WEEKS, of)
    return finding("E004-5", bench, parts, shares=[LITTLE], weeks=WEEKS, slack=SLACK)


def judged(world: str, found: Ratios) -> WorldResult:
    first = {name: part_of(values, 0.0, PART) for name, values in found.items()}
    last = {name: part_of(values, 1.0 - PART, 1.0) for name, values in found.items()}
    claims = [
        Claim("SAD is best at first", first["SAD"] >= max(first.values()) - SLACK, told(first)),
        Claim("AAD or GAD is best in the end", max(last["AAD"], last["GAD"]) >= max(last.values()) - SLACK, told(last)),
        Claim(
            "NAD overtakes SAD",
            first["SAD"] >= first["NAD"] - SLACK and last["NAD"] > last["SAD"],
            f"SAD {first['SAD']:.4f} and NAD {first['NAD']:.4f} at first, {last['SAD']:.4f} and {last['NAD']:.4f} then",
        ),
    ]
    holds, because = verdict(claims)
    rows: list[list[Value]] = [
        [name, plain(first[name]), plain(last[name]), plain(mean(values))] for name, values in found.items()
    ]
    numbers: dict[str, Value] = {
        f"{row[0]} {when}": row[at] for row in rows for at, when in ((1, "at first"), (2, "in the end"), (3, "overall"))
    }
    columns = ["weighting", f"first {PART:.0%} of cycles", f"last {PART:.0%}", "all"]
    table = ResultTable(f"{world}: mean change ratio", columns, rows)
    title = f"{world}: change ratio over time"
    series = {name: (list(range(1, len(values) + 1)), values.tolist()) for name, values in found.items()}
    figure = Figure(title, lines(series, "cycle", "change ratio", f"{title} (E004-5)"))
    return WorldResult(world, holds, because, numbers, [claimed(world, claims), table], [figure])


CYCLE_WEIGHTS = Study(
    "E004-5",
    "004",
    "Weights of cycles over time (Figure 5)",
    "How much should the changes of long ago count?",
    f"in the first {PART:.0%} of the cycles SAD has the largest change ratio, in the last {PART:.0%} AAD or GAD has, "
    f"to within {SLACK}; NAD is not above SAD at first by more than that, and is above it in the end",
    NEEDS,
    run,
)
