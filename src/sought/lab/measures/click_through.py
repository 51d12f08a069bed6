"""Click-through rate: how often pages chosen from the frontier are clicked when they are seen.

    CTR = mean over chosen pages with views > 0 of clicks(p) / views(p)

G. B. Tran et al., A Random Walk Model for Optimization of Search Impact in Web Frontier Ranking, SIGIR 2015, fig. 6;
there divided by that of the best method, which is left to the table.  Clicks and views are those of
measures/impact.py, chosen the pages of the frontier that have been fetched since the run began.
"""

from dataclasses import dataclass

import numpy as np

from sought.lab.measures.impact import Impact, chosen
from sought.lab.measures.measure import Floats
from sought.lab.replay.run import Run
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class ClickThrough:
    """NaN until a page with views is chosen."""

    @property
    def name(self) -> str:
        return "ctr"

    def __call__(self, run: Run) -> Floats:
        impact, values = Impact.of(run), np.full(len(run.moments), np.nan)
        for unit, pages in enumerate(chosen(run, impact.frontier)):
            seen = pages & (impact.views > 0)
            if seen.any():
                values[unit] = (impact.clicks[seen] / impact.views[seen]).mean()
        return values


MEASURES = (ClickThrough(),)
