"""How much have first fetches on the same host gained?"""

from dataclasses import dataclass

import numpy as np

from sought.beliefs.belief import Learner
from sought.beliefs.by_host import hosts_in, spread
from sought.beliefs.slots import grown
from sought.record.fetches import Fetches
from sought.web.expression import brief
from sought.web.pages import Floats, Pages, Rows

_PRIOR_COUNT = 5.0  # average first fetches that every host starts with


@brief
@dataclass(frozen=True)
class FirstGain:
    """Mean measured gain of first fetches, by host, shrunk to the mean over all: (Σ gain + 5·mean) / (n + 5).

    A fetch that helped no query counts with its gain of 0; one that was not measured does not count.
    """

    def learner(self) -> Learner:
        return _FirstGains()


class _FirstGains:
    """Sums by host.  Fetches wait until the next column, which has the hosts of rows."""

    def __init__(self) -> None:
        self.gain, self.count = np.zeros(0), np.zeros(0)
        self.waiting: list[tuple[Rows, Floats]] = []

    def learn(self, fetches: Fetches) -> None:
        first = np.isposinf(fetches.gap) & np.isfinite(fetches.gain)
        if first.any():
            self.waiting.append((fetches.row[first], fetches.gain[first]))

    def column(self, pages: Pages) -> Floats:
        self._settle(pages)
        fetched = self.count.sum()
        mean = self.gain.sum() / fetched if fetched else 0.0
        return spread((self.gain + _PRIOR_COUNT * mean) / (self.count + _PRIOR_COUNT), pages.host)

    def _settle(self, pages: Pages) -> None:
        """Add waiting fetches one by one, so that rounding does not depend on batches."""
        hosts = hosts_in(pages)
        self.gain, self.count = grown(self.gain, hosts), grown(self.count, hosts)
        for rows, gain in self.waiting:
            np.add.at(self.gain, pages.host[rows], gain)
            np.add.at(self.count, pages.host[rows], 1.0)
        self.waiting.clear()
