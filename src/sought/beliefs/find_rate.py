"""How many unknown pages would a page lead to, if it were fetched again?"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Learner
from sought.beliefs.by_host import hosts_in, spread
from sought.beliefs.death_rate import WEEK
from sought.beliefs.rate_history import YEAR, refetches
from sought.beliefs.slots import Slots, grown
from sought.record.fetches import Fetches
from sought.web.checks import check_choice
from sought.web.expression import brief
from sought.web.pages import Floats, Pages

_AS_IF = 4.0 * WEEK  # a page is taken to have been watched for so long already, with the links of its host's others
What = Literal["mean", "shape"]


@brief
@dataclass(frozen=True)
class FindRate:
    """Unknown URLs that appear on a page in a second: the mean of a Gamma posterior, or its shape.

    Counted at fetches that came after another.  A page that was not looked at twice has the mean of its host for each
    link that it has, which is shrunk to that of all hosts, as if it had been watched for four weeks.
    """

    what: What = "mean"
    goes_by_demand: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_choice("FindRate: what", self.what, get_args(What))

    def learner(self) -> Learner:
        return _Finds(self.what)


class _Finds:
    """URLs found and seconds watched, of every page that was fetched twice."""

    def __init__(self, what: What) -> None:
        self.what = what
        self.slots = Slots()
        self.found, self.time = np.zeros(0), np.zeros(0)

    def learn(self, fetches: Fetches) -> None:
        which = refetches(fetches)
        slots = self.slots.assign(fetches.row[which])
        self.found, self.time = grown(self.found, self.slots.size), grown(self.time, self.slots.size)
        np.add.at(self.found, slots, fetches.found[which])
        np.add.at(self.time, slots, fetches.gap[which])

    def column(self, pages: Pages) -> Floats:
        rows, size = self.slots.rows, sizes(pages)
        finds, time = self.found[: len(rows)], self.time[: len(rows)]
        mean = size * spread(self._host_means(pages.host[rows], finds, time * size[rows], hosts_in(pages)), pages.host)
        shape = mean * _AS_IF
        shape[rows] += finds
        if self.what == "shape":
            return shape
        mean[rows] = shape[rows] / (time + _AS_IF)
        return mean

    def _host_means(self, host: NDArray[np.uint32], finds: Floats, time: Floats, hosts: int) -> Floats:
        of_all = (finds.sum() + 1.0) / (time.sum() + YEAR)
        founds, times = (np.bincount(host, each, hosts) for each in (finds, time))
        means: Floats = (founds + of_all * YEAR) / (times + YEAR)
        return means

    def terms(self, row: int) -> dict[str, Any]:
        slot = self.slots.find(row)
        if slot is None or self.what == "shape":
            return {}
        return {"found": int(self.found[slot]), "watched_for_weeks": float(self.time[slot]) / WEEK}


def sizes(pages: Pages) -> Floats:
    """How many links each page has, and one, beside the average of those that have any; 1 if no links are known."""
    if pages.links is None or not len(pages.links.targets):
        return np.ones(len(pages))
    many = np.diff(pages.links.bounds)
    finds = np.zeros(len(pages))
    finds[pages.links.sources] = many
    beside: Floats = (finds + 1.0) / (many.mean() + 1.0)
    return beside
