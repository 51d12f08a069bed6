"""Age: how long copies have been out of date.

    A(p; t) = 0 if fresh, else t - time of the first change after the copied version;  A(U; t) = Σ A(p; t) / |U|

J. Cho, H. Garcia-Molina, Synchronizing a database to improve freshness, SIGMOD 2000; Q. Tan, P. Mitra, TOIS 2010, eq.
3–4, whose "modification time" must be that of the first change missed.  U as for freshness: a page that was never
fetched is out of date since its birth, a deleted page whose copy is held since its deletion.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from sought.lab.measures.measure import Floats, When, check_choice, held, named
from sought.lab.measures.reading import ReadCopies
from sought.lab.replay.run import Run
from sought.lab.worlds.world import Numbers
from sought.web.expression import brief

Scale = Literal["units", "seconds"]


@brief
@dataclass(frozen=True)
class Age:
    """In units of the world, or in seconds.  NaN where there are neither pages nor copies."""

    when: When = "after"
    scale: Scale = "units"

    def __post_init__(self) -> None:
        check_choice("when", self.when, get_args(When))
        check_choice("scale", self.scale, get_args(Scale))

    @property
    def name(self) -> str:
        return named("age", "seconds" * (self.scale == "seconds"), "before" * (self.when == "before"))

    def __call__(self, run: Run) -> Floats:
        reading, values = ReadCopies(run.world), np.full(len(run.moments), np.nan)
        for moment in run.walk():
            copies = held(moment, self.when)
            values[moment.unit] = _mean_age(reading, copies, moment.live, moment.time)
        return values / run.world.unit if self.scale == "units" else values


def _mean_age(reading: ReadCopies, copies: Numbers, live: Numbers, time: float) -> float:
    counted = int((reading.there(live) | reading.there(copies)).sum())
    stale = np.flatnonzero(reading.stale(copies, live))
    ages = time - reading.since(stale, copies[stale])
    return float(ages.sum()) / counted if counted else np.nan


MEASURES = (
    Age(),
    Age("before"),
)
