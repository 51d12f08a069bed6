"""Who fills in a column that no log of fetches tells?"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sought.crawl.outcome import Finished
from sought.policy import Pages

Column = NDArray[np.float64]


class Committed(NamedTuple):
    """What one commit has put into the store: fetches, pages with their links as they are now, rows with new anchors.

    Rows that were found since the commit before are the last of the table.
    """

    finished: Sequence[Finished]
    linked: Mapping[int, NDArray[np.uint32]]
    named: Sequence[int]


class Supplier(Protocol):
    """The state behind one belief, made from the store and then kept up with every commit."""

    def take(self, committed: Committed) -> None:
        """Note what has changed.  Little is done here: commits are many, columns few."""

    def column(self, pages: Pages) -> Column:
        """The belief about every row of the table."""

    def terms(self, row: int) -> dict[str, Any]:
        """What the belief about a row is made of, for people; called after `column`."""
