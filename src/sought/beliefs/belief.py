"""What is a belief?  A value that names one column of estimates about every page.

A belief is a frozen dataclass whose `repr` is its name.  A policy names the beliefs it reads in its attribute `beliefs`
and finds their columns in `Pages.beliefs`.  There are two kinds.  An `Estimator` learns from the log of fetches: the
crawl gives every fetch to its learner.  A `Supplied` belief is computed from other state of the crawl: its links, the
words it has read, the answers it would give.
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

    The state does not depend, to the last bit, on how the log is cut into batches and when the column is read, so a
    crawl that replays its log continues as if it had not been interrupted.  If the log comes row by row instead of in
    order of time, only the rounding of sums over pages differs.
    """

    def learn(self, fetches: Fetches) -> None:
        """Learn from the fetches since the last call."""

    def column(self, pages: Pages) -> Floats:
        """The belief about every row of `pages`, which has all rows that were learned from."""


@runtime_checkable
class HasTerms(Protocol):
    """A learner that can list the terms of a belief."""

    def terms(self, row: int) -> dict[str, Any]:
        """The terms of a row's belief, for people; called after `column`."""


class Estimator(Protocol):
    """A belief that is learned from the log of fetches.

    Like a policy it may have an attribute `beliefs`: supplied beliefs that its learner reads from `pages`.
    """

    def learner(self) -> Learner:
        """A new learner."""


class Supplier(Protocol):
    """The state of one supplied belief, made from the store and then kept up with every commit."""

    def take(self, commit: Commit) -> None:
        """Note what has changed.  This must be cheap: there are many commits and few columns."""

    def column(self, pages: Pages) -> Column:
        """The belief about every row of the table."""

    def terms(self, row: int) -> dict[str, Any]:
        """What the belief about a row is made of, for people; called after `column`."""


@brief
@dataclass(frozen=True)
class Supplied:
    """A belief that is computed from the state of a crawl; each is a subclass.

    `goes_by_demand` is false if the column means something without queries.
    """

    goes_by_demand: ClassVar[bool] = True
    is_abstract: ClassVar[bool] = True

    def supplier(self, holdings: Holdings) -> Supplier:
        """Computes the column."""
        raise NotImplementedError(f"{type(self).__name__} has no supplier")


Belief = Estimator | Supplied
