"""How many unknown pages does the first fetch of a page lead to?"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sought.beliefs.belief import Learner
from sought.beliefs.by_host import hosts_in, spread
from sought.record.fetches import Fetches
from sought.web.expression import brief
from sought.web.pages import Floats, Pages, Rows

_LATEST = 1000  # first fetches that count: early in a crawl every page leads to many
_AS_IF = 10.0  # every host is taken to have had so many average ones


@brief
@dataclass(frozen=True)
class FirstFinds:
    """Unknown URLs on a page when it is first fetched: the host's mean lately, shrunk to that of all.

    Lately: among the crawl's latest thousand first fetches.
    """

    goes_by_demand: ClassVar[bool] = False

    def learner(self) -> Learner:
        return _FirstFinds()


class _FirstFinds:
    """The latest ones in the order of time, whatever they were learned in."""

    def __init__(self) -> None:
        self.row: Rows = np.zeros(0, np.int64)
        self.time, self.found = np.zeros(0), np.zeros(0)

    def learn(self, fetches: Fetches) -> None:
        first = np.isposinf(fetches.gap)
        row = np.concatenate([self.row, fetches.row[first]])
        time = np.concatenate([self.time, fetches.time[first]])
        latest = np.lexsort((row, time))[-_LATEST:]
        finds = np.concatenate([self.found, fetches.found[first]])
        self.row, self.time, self.found = row[latest], time[latest], finds[latest]

    def column(self, pages: Pages) -> Floats:
        hosts, host = hosts_in(pages), pages.host[self.row]
        mean = self.found.sum() / max(1, len(self.found))
        finds, count = np.bincount(host, self.found, hosts), np.bincount(host, minlength=hosts)
        return spread((finds + _AS_IF * mean) / (count + _AS_IF), pages.host)
