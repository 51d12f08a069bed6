"""What is a belief?  A value that names one column: something that is believed of every page.

A belief is a frozen dataclass whose `repr` is its name.  A policy names the beliefs it reads in its attribute `beliefs`
and finds their columns in `Pages.beliefs`.  There are two kinds.  An `Estimator` is learnt from the log of fetches: the
crawl gives its learner every fetch.  What no log of fetches tells is `Supplied`, from what a crawl holds beside it: its
links, the words it has read, the answers it would give.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.holdings import Holdings
from sought.record.commit import Commit
from sought.record.fetches import Fetches
from sought.web.expression import brief
from sought.web.pages import Floats, Pages

Column = NDArray[np.float64]


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


@runtime_checkable
class Telling(Protocol):
    """A learner that can say what a belief is made of."""

    def terms(self, row: int) -> dict[str, Any]:
        """For people; called after `column`."""


class Estimator(Protocol):
    """A belief that is learnt from the log of fetches.

    It may have an attribute `beliefs` like a policy: supplied ones, which its learner finds in `pages` beside what is
    observed.
    """

    def learner(self) -> Learner:
        """A learner that has seen nothing yet."""


class Supplier(Protocol):
    """The state behind one supplied belief, made from the store and then kept up with every commit."""

    def take(self, commit: Commit) -> None:
        """Note what has changed.  Little is done here: commits are many, columns few."""

    def column(self, pages: Pages) -> Column:
        """The belief about every row of the table."""

    def terms(self, row: int) -> dict[str, Any]:
        """What the belief about a row is made of, for people; called after `column`."""


@brief
@dataclass(frozen=True)
class Supplied:
    """A belief that follows from what a crawl holds.  Subclasses are values that say what the column is.

    Those that say something while nobody asks anything do not go by demand.
    """

    goes_by_demand: ClassVar[bool] = True
    is_abstract: ClassVar[bool] = True

    def supplier(self, holdings: Holdings) -> Supplier:
        """Who fills in the column."""
        raise NotImplementedError(f"{type(self).__name__} says nothing of who supplies it")


Belief = Estimator | Supplied
