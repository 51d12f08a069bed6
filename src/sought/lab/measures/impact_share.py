"""Impact share: the search impact of the chosen pages over that of as many best pages of the frontier.

    share = Σ_{p chosen} I(p) / Σ_{p among the |chosen| best of the frontier} I(p)

G. B. Tran et al., A Random Walk Model for Optimization of Search Impact in Web Frontier Ranking, SIGIR 2015, fig. 4–5;
impact is defined in measures/impact.py.  Chosen are the pages of the frontier fetched since the run began.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from sought.lab.measures.impact import Impact, chosen
from sought.lab.measures.measure import Floats, check_choice
from sought.lab.replay.run import Run
from sought.web.expression import brief

By = Literal["click", "view"]


@brief
@dataclass(frozen=True)
class ImpactShare:
    """NaN until something is chosen, and where nothing has any impact."""

    by: By = "click"

    def __post_init__(self) -> None:
        check_choice("by", self.by, get_args(By))

    @property
    def name(self) -> str:
        return f"impact_share_{self.by}"

    def __call__(self, run: Run) -> Floats:
        impact, values = Impact.of(run), np.full(len(run.moments), np.nan)
        worth = impact.clicks if self.by == "click" else impact.views
        best = np.cumsum(np.sort(worth[impact.frontier])[::-1])
        for unit, pages in enumerate(chosen(run, impact.frontier)):
            count = np.count_nonzero(pages)
            if count and best[count - 1] > 0:
                values[unit] = worth[pages].sum() / best[count - 1]
        return values


MEASURES = (
    ImpactShare("click"),
    ImpactShare("view"),
)
