"""Calibration: did fetches gain what the policy expected?

The expected gain of a fetch (`expects`) beside the measured gain, as `sought status` shows them
(operate/calibration.py), over all fetches of a run.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from sought.lab.measures.measure import Floats, check_choice, named
from sought.lab.replay.run import Measured, Run
from sought.operate.calibration import Calibration, calibration
from sought.web.expression import brief

Figure = Literal["slope", "rank_correlation", "top_tenth", "sum_ratio"]
Which = Literal["new", "known"]


@brief
@dataclass(frozen=True)
class Calibrated:
    """One figure, of the fetches of new pages or of known ones.

    A unit has few fetches, so every unit has the figure of the whole run; NaN without expectations.
    """

    figure: Figure = "slope"
    pages: Which = "new"

    def __post_init__(self) -> None:
        check_choice("figure", self.figure, get_args(Figure))
        check_choice("pages", self.pages, get_args(Which))

    @property
    def name(self) -> str:
        return named("calibration", self.figure, "known" * (self.pages == "known"))

    def __call__(self, run: Run) -> Floats:
        value: float = getattr(calibration_of(run, self.pages), self.figure)
        return np.full(len(run.moments), value)


def calibration_of(run: Run, pages: Which = "new") -> Calibration:
    """All figures of a run; without fetches if no crawl made it."""
    return calibrated(run.log.measured, pages) if run.log.measured else Calibration(0)


def calibrated(measured: Measured, pages: Which = "new") -> Calibration:
    """All figures of recorded fetches."""
    mine = measured.first == (pages == "new")
    return calibration(measured.expected[mine], measured.gain[mine], measured.chance[mine])


MEASURES = (
    Calibrated("slope"),
    Calibrated("rank_correlation"),
    Calibrated("top_tenth"),
    Calibrated("sum_ratio"),
    Calibrated("slope", "known"),
    Calibrated("rank_correlation", "known"),
    Calibrated("top_tenth", "known"),
    Calibrated("sum_ratio", "known"),
)
