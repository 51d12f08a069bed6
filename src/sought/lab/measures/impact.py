"""Search impact: expected views and clicks of pages of the frontier.

    views(p) = Σ_q f_q·[R(p, q) ≤ 10]        clicks(p) = Σ_q f_q·I(R(p, q))

R is the rank among all live pages.  Both are expectations, not counts of a sample.  The frontier are
the pages live at the beginning of a run of which there is no copy, and which a copy links to (all, if there is none at
all); the truth is that of the same moment, by the demand that judges.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sought.lab.judge.judge import links_at
from sought.lab.measures.measure import Floats
from sought.lab.replay.run import Run
from sought.lab.worlds.world import NOTHING
from sought.web.expression import brief

SHOWN = 10  # results on a page of them


@brief
@dataclass(frozen=True)
class Impact:
    """Views and clicks of every page, and whether it belongs to the frontier."""

    views: Floats
    clicks: Floats
    frontier: NDArray[np.bool_]

    @staticmethod
    def of(run: Run) -> "Impact":
        time = float(run.moments[0])
        live = run.searchable(run.world.live(time))
        results = run.judge.ranked.lists(live)
        asked = run.judge.demand.weights("judged", time)[results.query]
        seen = asked * (results.rank <= SHOWN)
        clicked = asked * run.judge.visibility.table(int(results.rank.max(initial=0)))[results.rank]
        page, count = run.world.versions.page[results.version], len(live)
        frontier = (live != NOTHING) & (run.searchable(run.copies) == NOTHING)
        if (run.copies != NOTHING).any():
            frontier &= np.isin(np.arange(count), links_at(run.world, run.copies)[1])
        return Impact(
            np.bincount(page, seen, count).astype(np.float64),
            np.bincount(page, clicked, count).astype(np.float64),
            frontier,
        )


def chosen(run: Run, frontier: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """Which pages of the frontier have been fetched by the end of every unit."""
    taken, units = np.zeros(len(frontier), np.bool_), []
    for unit in range(len(run.moments)):
        pages = run.log.page[run.log.of(unit)]
        taken[pages[pages != NOTHING]] = True
        units.append(taken & frontier)
    return units
