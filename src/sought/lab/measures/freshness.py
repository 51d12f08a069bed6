"""Freshness: the share of pages whose copy shows what the Web shows.

    F(U; t) = |{p in U: copy of p = p}| / |U|

J. Cho, H. Garcia-Molina, Synchronizing a database to improve freshness, SIGMOD 2000; Q. Tan, P. Mitra, TOIS 2010, eq.
1–2.  There U is what is stored.  Here U also has live pages that are not stored, or fetching nothing would be perfect.
A deleted page whose copy is still held is in U and stale.  Pages are equal if title and text are.
"""

from dataclasses import dataclass
from typing import get_args

import numpy as np

from sought.lab.measures.measure import Floats, When, check_choice, held, named
from sought.lab.measures.reading import ReadCopies
from sought.lab.replay.run import Run
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class Freshness:
    """Before or after the fetches of a unit.  NaN where there are neither pages nor copies."""

    when: When = "after"

    def __post_init__(self) -> None:
        check_choice("when", self.when, get_args(When))

    @property
    def name(self) -> str:
        return named("freshness", "before" * (self.when == "before"))

    def __call__(self, run: Run) -> Floats:
        reading, values = ReadCopies(run.world), np.full(len(run.moments), np.nan)
        for moment in run.walk():
            copies = held(moment, self.when)
            counted = reading.there(moment.live) | reading.there(copies)
            if counted.any():
                values[moment.unit] = 1 - reading.stale(copies, moment.live)[counted].mean()
        return values


MEASURES = (
    Freshness(),
    Freshness("before"),
)
