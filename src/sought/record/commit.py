"""What has one commit put into the store?"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.record.outcome import Finished


class Commit(NamedTuple):
    """Fetches, pages with their links as they are now, rows with new anchors.

    Rows that were found since the commit before are the last of the table.
    """

    finished: Sequence[Finished]
    linked: Mapping[int, NDArray[np.uint32]]
    named: Sequence[int]
