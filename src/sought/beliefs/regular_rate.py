"""How often does a page change, if it is fetched at regular times?"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Learner
from sought.beliefs.rate_history import DAY, NO_HISTORY, ChangeTallies, filled, gaps, rate_terms, refetches
from sought.record.fetches import Fetches
from sought.web.expression import brief
from sought.web.pages import Floats, Pages


@brief
@dataclass(frozen=True)
class RegularRate:
    """J. Cho, H. Garcia-Molina, Estimating Frequency of Change, ACM TOIT 2003, §4.2: λ = −ln((n − X + ½)/(n + ½))/I.

    X of n fetches found the page changed, I is the time between two.  The halves nearly remove the bias while λI is
    below about 1.5; the estimate is at most ln(2n + 1)/I.  A page that never changed has the rate 0.

    Departures: I is the mean gap where gaps differ, which makes rates too low (IntervalRate uses every gap).
    A page without history has the mean rate of those on its host, else of all, else one change a year.  A page fetched
    twice costs 24 bytes.
    """

    goes_by_demand: ClassVar[bool] = False

    def learner(self) -> Learner:
        return Regular(lambda fetches: fetches.changed)


class Regular:
    """The learner, for any definition of a change."""

    def __init__(self, is_change: Callable[[Fetches], NDArray[np.bool_]]) -> None:
        self.is_change = is_change
        self.tallies = ChangeTallies()

    def learn(self, fetches: Fetches) -> None:
        which = refetches(fetches)
        self.tallies.add(fetches.row[which], gaps(fetches, which), self.is_change(fetches)[which])

    def column(self, pages: Pages) -> Floats:
        return filled(pages, self.tallies.slots.rows, regular_rate(self.tallies))

    def terms(self, row: int) -> dict[str, Any]:
        slot = self.tallies.slots.find(row)
        if slot is None:
            return dict(NO_HISTORY)
        count, changes, time = (each[slot] for each in (self.tallies.count, self.tallies.changes, self.tallies.time))
        rate = regular_rate(self.tallies)[slot]
        error = np.sqrt(np.expm1(rate * time / count) / count) * count / time  # of λ, if X is binomial
        return rate_terms(rate, count, changes, standard_error_a_day=float(error) * DAY)


def regular_rate(tallies: ChangeTallies) -> Floats:
    """Changes a second, by slot."""
    count = tallies.count
    unchanged = (count - tallies.changes + 0.5) / (count + 0.5)
    rate: Floats = -np.log(unchanged) * count / tallies.time
    return np.maximum(rate, 0.0)  # not -0
