"""Quality: what attention finds in the answers, over what it would find if every copy were up to date.

    Q = Σ_q f_q·found_q / Σ_q f_q·ideal_q

S. Pandey, C. Olston, User-Centric Web Crawling, WWW 2005, eq. 5 (index/quality.py).  Where nothing can be found Q = 1.
"""

from dataclasses import dataclass
from typing import get_args

import numpy as np

from sought.lab.demand import Part
from sought.lab.measures.measure import Floats, When, check_choice, named
from sought.lab.run import Run


@dataclass(frozen=True)
class Quality:
    """Before or after the fetches of a unit, by the demand that judges or by the one that the crawler knows."""

    when: When = "after"
    part: Part = "judged"

    def __post_init__(self) -> None:
        check_choice("when", self.when, get_args(When))
        check_choice("part", self.part, get_args(Part))

    @property
    def name(self) -> str:
        return named("quality", "known" * (self.part == "known"), "before" * (self.when == "before"))

    def __call__(self, run: Run) -> Floats:
        weights = run.weights(self.part)
        found = run.answers.after if self.when == "after" else run.answers.before
        return ratio((weights * found).sum(axis=1), (weights * run.answers.ideal).sum(axis=1))


def ratio(found: Floats, ideal: Floats) -> Floats:
    """Quality; 1 where there is nothing to be found."""
    return np.divide(found, ideal, out=np.ones_like(ideal), where=ideal > 0)
