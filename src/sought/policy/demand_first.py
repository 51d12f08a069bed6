"""New pages by the expected gain of their first fetch."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.first_gain import FirstGain
from sought.beliefs.prospect import Prospect
from sought.policy.breadth_first import BreadthFirst
from sought.web.errors import BadInput
from sought.web.expression import brief
from sought.web.pages import Floats, Pages, pieces

_MAX = float(np.finfo(np.float64).max) / 4  # so that changing the last bits does not overflow
# The last bits of a value hold the order of ties: 13 for depth, 27 for the row.
_DEPTH_BITS, _ROW_BITS = 13, 27


@brief
@dataclass(frozen=True)
class DemandFirst:
    """Prospect + `prior` · the mean gain of first fetches on the same host; ties are broken breadth first.

    A simple order.  The prospect is based on the words of addresses and anchors, so it misses pages that answer queries
    without these words; the host's mean makes up for some of that, equally for all pages of the host.  Both estimate
    the same gain in part, hence `prior`, a weight from 0 to 1.  The order ignores that pages of one batch may answer
    the same query, how long a gain lasts, and which links a page would bring.  Values that differ by less than one in
    four thousand count as equal: no belief is more precise.
    """

    order_matters: ClassVar[bool] = True  # among equals

    prior: float = 0.5

    def __post_init__(self) -> None:
        if type(self.prior) not in (int, float) or not 0.0 <= self.prior <= 1.0:
            raise BadInput(f"DemandFirst: prior is a number from 0 to 1, not {self.prior!r}")

    @property
    def beliefs(self) -> tuple[Prospect, FirstGain]:
        return Prospect(), FirstGain()

    def __call__(self, pages: Pages, now: float) -> Floats:
        prospect, first_gain = (pages.belief(belief) for belief in self.beliefs)
        value = BreadthFirst()(pages, now)  # at most 0: for pages without an expected gain
        for piece in pieces(len(pages)):
            with np.errstate(over="ignore", invalid="ignore"):
                gain = prospect[piece] + self.prior * first_gain[piece]
            rows = np.flatnonzero((gain > 0.0) & np.isneginf(pages.last_fetch[piece]))
            value[piece][rows] = _distinct(gain[rows], pages.depth[piece][rows], piece.start + rows)
        return value


def _distinct(gain: Floats, depth: NDArray[np.uint16], row: NDArray[np.int64]) -> Floats:
    """Gains whose last bits hold the place of the row in a queue; positive floats are ordered as their bits are."""
    bits = np.minimum(gain, _MAX).view(np.int64)
    bits |= (1 << _DEPTH_BITS + _ROW_BITS) - 1
    bits -= np.minimum(depth, (1 << _DEPTH_BITS) - 1).astype(np.int64) << _ROW_BITS
    bits -= np.minimum(row, (1 << _ROW_BITS) - 1)
    return bits.view(np.float64)
