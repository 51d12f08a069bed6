"""From the log of fetches to columns: what does the crawler believe about its pages?

An estimator is a value: a frozen dataclass whose `repr` is its name.  A policy names the estimators it reads in its
attribute `beliefs`; the crawl runs a learner for each and hands their columns over in `Pages.beliefs`.  Beliefs that
no log of fetches tells are supplied by the crawl (supplied.py).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sought.policy.pages import Floats, Pages
from sought.policy.policy import Policy
from sought.policy.supplied import Supplied

Rows = NDArray[np.int64]
PAGE, GONE, MOVED = range(3)  # fates


@dataclass(frozen=True, slots=True)
class Fetches:
    """Finished fetches as columns, in the order in which they were applied.

    `gap` is the seconds since the row's fetch before, inf at its first; `gain` the measured change of the quality's
    numerator, NaN where nobody measured.  `difference` is the share of its shingles that are others than at the fetch
    before; 1 at the first, and where the page has gone or moved.  `modified` is when the server says it was last
    modified, NaN if it does not say.  `signalled`: whether a signal later than the fetch before had arrived.

    Now and then a version becomes the base of a profile of changes; at later fetches `base_gap` is the seconds since it
    was fetched, and `drift` the share of shingles that differ from it.  Both are NaN at the fetch of a base itself.

    `fate` is what the row stands for now: a PAGE, nothing since it has GONE (also one that redirects to nowhere, or out
    of the crawl), or another since it has MOVED.  `doubted`: whether it was before this fetch (see Pages); `seen_gap`
    is the seconds since it was last seen by then, inf at the first fetch.  A fetch that failed has seen nothing.
    `found` URLs were never heard of before this fetch.  `expected` is the gain that the policy expected, and `chance`
    the probability with which it chose the row; NaN if it did not say.
    """

    row: Rows
    time: Floats
    gap: Floats
    changed: NDArray[np.bool_]
    gain: Floats
    difference: Floats
    modified: Floats
    signalled: NDArray[np.bool_]
    base_gap: Floats
    drift: Floats
    fate: NDArray[np.uint8]
    doubted: NDArray[np.bool_]
    seen_gap: Floats
    found: Rows
    expected: Floats
    chance: Floats

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


Belief = Estimator | Supplied


def beliefs_of(policy: Policy | Belief) -> tuple[Belief, ...]:
    """What a policy, or a belief, reads from `Pages.beliefs`, and what these read; each once, as they are named."""
    return tuple(dict.fromkeys(_named(policy)))


def _named(value: object) -> Iterator[Belief]:
    for belief in getattr(value, "beliefs", ()):
        yield belief
        if belief is not value:  # an ordering is the belief it ranks by
            yield from _named(belief)
