"""What did one commit put into the store?"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.record.outcome import Finished


class Commit(NamedTuple):
    """The value that apply, index and gain return together; beliefs, observers and the next plan read it.

    `finished` are the fetches with their gains, `linked` the present links of pages that were read, `named` the rows
    that have new anchor texts.  Rows found since the previous commit are the last ones of the table.
    """

    finished: Sequence[Finished]
    linked: Mapping[int, NDArray[np.uint32]]
    named: Sequence[int]
