"""Change ratio: the share of refetched pages that had changed.

    none         |C| / |D|
    default      Σ_C w / Σ_D w
    printed      Σ_C w / |C|
    cho_ntoulas  Σ_C w / |D|

D are the pages fetched in a unit of which there was a copy, C those of them that show a reader something else than the
copy (or nothing any more), w is PageRank at the world's start.  F. Douglis et al., USITS 1997; J. Cho, A. Ntoulas, VLDB
2002; Q. Tan, P. Mitra, TOIS 2010, eq. 5 (printed), which is but the mean weight of what changed.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from sought.graph.links import links_of
from sought.graph.walks import pr
from sought.lab.judge.judge import links_at
from sought.lab.measures.measure import Floats, check_choice, named
from sought.lab.measures.reading import ReadCopies
from sought.lab.replay.run import Run
from sought.lab.worlds.world import NOTHING, World
from sought.web.expression import brief

Weighting = Literal["none", "default", "printed", "cho_ntoulas"]


@brief
@dataclass(frozen=True)
class ChangeRatio:
    """NaN for units in which nothing was fetched again, or (printed) nothing had changed."""

    weighting: Weighting = "none"

    def __post_init__(self) -> None:
        check_choice("weighting", self.weighting, get_args(Weighting))

    @property
    def name(self) -> str:
        kinds = {"none": "", "default": "weighted"}
        return named("change_ratio", kinds.get(self.weighting, self.weighting))

    def __call__(self, run: Run) -> Floats:
        weights = np.ones(len(run.world.urls)) if self.weighting == "none" else _weights(run.world)
        reading, values = ReadCopies(run.world), np.full(len(run.moments), np.nan)
        for moment in run.walk():
            pages, versions = run.log.page[moment.fetched], run.log.version[moment.fetched]
            observed = (pages != NOTHING) & ((versions == NOTHING) | run.world.is_observation[versions])
            pages = np.unique(pages[observed])
            pages = pages[reading.there(moment.before[pages])]
            changed = pages[reading.shown[moment.before[pages]] != reading.shown[moment.after[pages]]]
            counts = {"printed": len(changed), "cho_ntoulas": len(pages)}
            per = counts.get(self.weighting, float(weights[pages].sum()))
            if per:
                values[moment.unit] = weights[changed].sum() / per
        return values


def _weights(world: World) -> Floats:
    return pr(links_of(*links_at(world, world.live(world.start)), len(world.urls)))


MEASURES = (
    ChangeRatio(),
    ChangeRatio("default"),
    ChangeRatio("printed"),
    ChangeRatio("cho_ntoulas"),
)
