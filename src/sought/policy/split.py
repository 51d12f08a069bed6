"""Two rankings, one of new and one of known pages, merged by a fixed share."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Belief
from sought.policy.breadth_first import BreadthFirst
from sought.policy.ranking import best
from sought.policy.round_robin import RoundRobin
from sought.web.checks import check_share
from sought.web.errors import BadInput
from sought.web.expression import brief
from sought.web.pages import NEVER, Floats, Pages, pieces
from sought.web.policy import Policy, beliefs_of, order_matters, reads_links

_EXACT = 200_000


@brief
@dataclass(frozen=True)
class Split:
    """Of any number of fetches taken from the top, `share` go to `new` and the rest to `known`.

    The i-th choice of a side with share s has position i/s, so any prefix of the merged ranking keeps the proportion,
    within the first 200,000 choices of a side; further choices follow in their side's order.  When one side has no more
    pages the other takes its place.
    """

    new: Policy = field(default_factory=BreadthFirst)
    known: Policy = field(default_factory=RoundRobin)
    share: float = 0.5

    def __post_init__(self) -> None:
        check_share("Split: share", self.share)
        for side in (self.new, self.known):
            if not callable(side):
                raise BadInput(f"Split: not a policy: {side!r}")

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        return beliefs_of(self.new) + beliefs_of(self.known)

    @property
    def order_matters(self) -> bool:
        return order_matters(self.new) or order_matters(self.known)

    @property
    def reads_links(self) -> bool:
        return reads_links(self.new) or reads_links(self.known)

    def __call__(self, pages: Pages, now: float) -> Floats:
        value = np.full(len(pages), NEVER)
        for policy, share in ((self.new, self.share), (self.known, 1.0 - self.share)):
            # A side without a share may get the whole budget if the other side has no pages.
            side = policy(replace(pages, pace=pages.pace * (share or 1.0)), now)
            position = _positions(side if side.flags.writeable else side.copy(), pages.key)
            del side
            # A side without a share comes after everything else instead of never, so that no budget is idle.
            position *= -1.0 / share if share > 0 else -1e12
            np.maximum(value, position, out=value)
        return value


def _positions(values: Floats, key: NDArray[np.uint64]) -> Floats:
    """1 for the largest, 2 for the next, …, inf for NEVER; beyond the first `_EXACT` only the order is right.

    Works in place: at ten million rows every copy is 80 MB.
    """
    ranked = values > NEVER
    count = int(np.count_nonzero(ranked))
    np.copyto(values, NEVER, where=~ranked)  # NaN
    top = best(values, key, min(count, _EXACT))
    if count > len(top):
        most, position = values[top[-1]], values
        least = min(values[piece][ranked[piece]].min(initial=np.inf) for piece in pieces(len(values)))
        scale = count / max(1.0, _floats_between(most, np.array([least]))[0])
        for piece in pieces(len(values)):
            behind = _floats_between(most, values[piece]) * scale + len(top) + 1
            position[piece] = np.where(values[piece] > NEVER, behind, np.inf)
    else:
        position = np.full(len(values), np.inf)
    position[top] = np.arange(1, len(top) + 1)
    return position


def _floats_between(most: float, values: Floats) -> Floats:
    """How many floats lie between each value and `most`: this separates small numbers beside large ones, too."""
    top, bits = ((v + 0.0).view(np.int64) for v in (np.array([most]), values))  # + 0.0: a copy, and no -0.0
    for ordinal in (top, bits):
        ordinal ^= (ordinal >> 63) & np.iinfo(np.int64).max
    return (top - bits).view(np.uint64).astype(np.float64)
