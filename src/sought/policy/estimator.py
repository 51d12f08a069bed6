"""From the log of fetches to columns: what does the crawler believe about its pages?

An estimator is a value: a frozen dataclass whose `repr` is its name.  A policy names the estimators it reads in its
attribute `beliefs`; the crawl runs a learner for each and hands their columns over in `Pages.beliefs`.  Beliefs that
no log of fetches tells are supplied by the crawl (supplied.py).
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sought.policy.pages import Floats, Pages
from sought.policy.policy import Policy
from sought.policy.supplied import Supplied

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fetches:
    """Finished fetches as columns, in the order in which they were applied.

    `gap` is the seconds since the row's fetch before, inf at its first; `gain` the measured change of the quality's
    numerator, NaN where nobody measured.
    """

    row: Rows
    time: Floats
    gap: Floats
    changed: NDArray[np.bool_]
    gain: Floats

    def __len__(self) -> int:
        return len(self.row)


class Learner(Protocol):
    """The state of an estimator over one crawl.

    However the log is cut into batches, and whenever in between the column is asked for, the state is the same to the
    last bit: a crawl that replays its log goes on as if nothing had happened.  If the log comes page by page instead,
    each page's fetches in order, only the rounding of sums over pages differs.
    """

    def learn(self, fetches: Fetches) -> None:
        """Take in what was fetched since."""

    def column(self, pages: Pages) -> Floats:
        """The belief about every row of `pages`, among which is every row that was learnt."""


class Estimator(Protocol):
    """A belief that is learnt from the log of fetches."""

    def learner(self) -> Learner:
        """A learner that has seen nothing yet."""


Belief = Estimator | Supplied


def beliefs_of(policy: Policy) -> tuple[Belief, ...]:
    """What a policy reads from `Pages.beliefs`, each once, in the order in which it names them."""
    return tuple(dict.fromkeys(getattr(policy, "beliefs", ())))
