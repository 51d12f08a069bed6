"""New pages that seem to be about a topic, or near such pages, before all others."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sought.policy.backlinks import Backlinks
from sought.policy.checks import check_topic, check_whole
from sought.policy.estimator import Belief, beliefs_of
from sought.policy.ordering import first, importance_in, of_new
from sought.policy.page_rank import PageRank
from sought.policy.pages import Floats, Pages
from sought.policy.policy import Policy, order_matters
from sought.policy.split import Split
from sought.policy.topic import Hops, Named
from sought.web.errors import BadInput

_FARTHEST = 250


@dataclass(frozen=True)
class Topical:
    """Two queues, each in the order of another ordering (Cho, Garcia-Molina & Page 1998, §5, Figures 11 and 13).

    A page is in the hot queue if its address or an anchor names the topic, or if it is at most `distance` links away
    from a fetched page that is hot (`Hops`, `count`).  With distance = 0 it is their basic similarity crawler; with 3,
    the default, their modified one, which takes up the links of pages whose own distance is below 3.
    """

    topic: str
    order: Policy = field(default_factory=Backlinks)
    distance: int = 3
    count: int = 10

    def __post_init__(self) -> None:
        check_topic("Topical", self.topic)
        check_whole("Topical: distance", self.distance, 0, _FARTHEST)
        check_whole("Topical: count", self.count, 1, 65535)
        if not callable(self.order):
            raise BadInput(f"Topical: order is a policy, not {self.order!r}")

    @property
    def order_matters(self) -> bool:
        return order_matters(self.order)

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        return (Named(self.topic), *self._near, *beliefs_of(self.order))

    @property
    def _near(self) -> tuple[Hops, ...]:
        return (Hops(self.topic, self.count, self.distance + 1),) if self.distance else ()

    def importance(self, pages: Pages) -> Floats:
        """As far as the order has one; pages near the topic before all others."""
        order = importance_in(self.order)
        return first(order.importance(pages) if order else np.zeros(len(pages)), self._hot(pages))

    def __call__(self, pages: Pages, now: float) -> Floats:
        return of_new(pages, first(self.order(pages, now), self._hot(pages)))

    def _hot(self, pages: Pages) -> NDArray[np.bool_]:
        hot = pages.belief(Named(self.topic)) > 0
        for hops in self._near:
            hot |= pages.belief(hops) <= self.distance
        return hot


def topical(topic: str, policy: Policy) -> Policy:
    """The same policy, but new pages near the topic come first: in its own order if that is
    by an importance, else by PageRank.

    Of a Split the side of known pages stays as it is.
    """
    if isinstance(policy, Split):
        return replace(policy, new=topical(topic, policy.new))
    return Topical(topic, policy if importance_in(policy) else PageRank())
