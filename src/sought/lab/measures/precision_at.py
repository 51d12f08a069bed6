"""MP@k: mean average precision of the first k results, relevant both in the copy and on the Web.

    P_q = Σ_{r≤k} rel(p_r)·precision@r / min(k, R_q),   precision@r = (1/r)·Σ_{j≤r} rel(p_j)

and without the divisor as printed.  Q. Tan, P. Mitra, Clustering-based Incremental Web Crawling, TOIS 2010, eq. 17–18
(with the sum's index put right).  People judged there; here rel(p) says that both the copy and the live page score at
least as much as the 20th result of the live Web does (any score, if it has fewer), and R_q is how many live pages do.
Queries to which the live Web has no answer are left out; so a repository in step with the Web has 1.  Lists are those
of the repository after the fetches of a unit.  The mean is over the queries that are asked, each counted once, or
(weighted) as often as it is asked.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from sought.lab.judge.judge import Ranked, Results, places
from sought.lab.measures.freshness_at import mean_over_queries
from sought.lab.measures.measure import Floats, check_choice, check_depth, named
from sought.lab.replay.run import Run
from sought.lab.worlds.world import Numbers
from sought.web.expression import brief

Form = Literal["ap", "printed"]
RELEVANT = 20  # the live result whose score the relevant ones reach


@brief
@dataclass(frozen=True)
class PrecisionAt:
    """NaN for units in which no query that is asked has an answer."""

    k: int = 10
    form: Form = "ap"
    weighted: bool = False

    def __post_init__(self) -> None:
        check_depth(self.k)
        check_choice("form", self.form, get_args(Form))

    @property
    def name(self) -> str:
        return named(f"mp@{self.k}", "printed" * (self.form == "printed"), "weighted" * self.weighted)

    def __call__(self, run: Run) -> Floats:
        ranked, asked = run.judge.ranked, run.weights("judged")
        page, values = run.world.versions.page, np.zeros(len(run.moments))
        for moment in run.walk():
            live = run.searchable(moment.live)
            least, relevant = _relevance(ranked.lists(live), ranked.queries)
            top = ranked.lists(run.searchable(moment.after)).top(self.k)
            shares = _precisions(ranked, top, live[page[top.version]], least)
            per = np.minimum(self.k, relevant) if self.form == "ap" else relevant > 0
            values[moment.unit] = mean_over_queries(shares, per.astype(np.float64), asked[moment.unit], self.weighted)
        return values


def _relevance(live: Results, queries: int) -> tuple[Floats, Numbers]:
    """The score from which on results are relevant to each query, and how many live ones are."""
    least = np.zeros(queries)
    last = live.rank == RELEVANT
    least[live.query[last]] = live.score[last]
    return least, np.bincount(live.query[live.score >= least[live.query]], minlength=queries)


def _precisions(ranked: Ranked, top: Results, live: Numbers, least: Floats) -> Floats:
    """Σ rel·precision@r of every query, where `live` are the versions that the results have on the Web."""
    now = ranked.scores_of(live, top.query)
    relevant = (now > 0) & (now >= least[top.query]) & (top.score >= least[top.query])
    so_far = np.concatenate(([0], np.cumsum(relevant)))
    at = np.arange(len(relevant))
    precision = (so_far[at + 1] - so_far[at - places(top.query)]) / top.rank
    return np.bincount(top.query, relevant * precision, len(least)).astype(np.float64)


MEASURES = (
    PrecisionAt(),
    PrecisionAt(form="printed"),
)
