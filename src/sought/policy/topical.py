"""New pages that seem to be about a topic, or are near such pages, before all others."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Belief
from sought.beliefs.topic_distance import Hops
from sought.beliefs.topic_names import Named
from sought.policy.backlinks import Backlinks
from sought.policy.ordering import first
from sought.policy.split import Split
from sought.web.checks import check_topic, check_whole
from sought.web.errors import BadInput
from sought.web.expression import brief
from sought.web.pages import NEVER, Floats, Pages
from sought.web.policy import Policy, beliefs_of, importance_in, order_matters, reads_links

_FARTHEST = 250


@brief
@dataclass(frozen=True)
class Topical:
    """Two queues, each in the order of another ordering (Cho, Garcia-Molina & Page 1998, §5, Figures 11 and 13).

    A page is in the hot queue if its address or an anchor names the topic, or if it is at most `distance` links away
    from a hot fetched page (`Hops`, `count`).  With distance = 0 this is their basic similarity crawler; with 3, the
    default, their modified one, which follows the links of pages whose own distance is below 3.

    The hot queue has new pages only; known pages keep the values of the order, behind the hot queue.
    """

    paper: ClassVar[str] = "cho-garcia-molina-page-1998"

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
    def reads_links(self) -> bool:
        return reads_links(self.order)

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        return (Named(self.topic), self._hops, *beliefs_of(self.order))

    @property
    def _hops(self) -> Hops:
        return Hops(self.topic, self.count, self.distance + 1)

    def importance(self, pages: Pages) -> Floats:
        """Pages about the topic, then pages named after it, then pages near these, then all others.

        In each group by the order's importance, or by backlinks if it has none.
        """
        order, hops = importance_in(self.order) or Backlinks(), pages.belief(self._hops)
        value = first(order.importance(pages), hops <= self.distance)
        return first(first(value, self._is_named(pages)), hops == 0)

    def __call__(self, pages: Pages, now: float) -> Floats:
        return first(self.order(pages, now), self._is_queued(pages))

    def explained(self, pages: Pages, row: int, now: float) -> dict[str, Any]:
        """The queue of a row and its value there; the combined value means nothing to people."""
        value = float(self.order(pages, now)[row])
        return {"hot_queue": bool(self._is_queued(pages)[row]), "value": value if value > NEVER else None}

    def _is_queued(self, pages: Pages) -> NDArray[np.bool_]:
        """Whether a page is in the hot queue."""
        return pages.is_new & (self._is_named(pages) | (pages.belief(self._hops) <= self.distance))

    def _is_named(self, pages: Pages) -> NDArray[np.bool_]:
        return pages.belief(Named(self.topic)) > 0


def topical(topic: str, policy: Policy) -> Policy:
    """The same policy, but new pages near the topic come first, in the policy's order.

    The known side of a Split stays as it is.  A policy that ranks no new pages shares the fetches with
    `Topical(topic)`, half and half.
    """
    if isinstance(policy, Split):
        return replace(policy, new=topical(topic, policy.new))
    return Topical(topic, policy) if _ranks_new_pages(policy) else Split(new=Topical(topic), known=policy)


def _ranks_new_pages(policy: Policy) -> bool:
    """Whether it gives a value to a page about which nothing is known."""
    unknown = np.full(1, NEVER)
    page = Pages(
        key=np.zeros(1, np.uint64),
        host=np.zeros(1, np.uint32),
        depth=np.zeros(1, np.uint16),
        found=np.zeros(1),
        last_fetch=unknown,
        last_change=unknown,
        fetches=np.zeros(1, np.uint16),
        changes=np.zeros(1, np.uint16),
        inlinks=np.zeros(1, np.uint32),
        signal=unknown,
        live=np.zeros(1, np.bool_),
        linked=unknown,
        unlinked=unknown,
        beliefs={belief: np.zeros(1) for belief in beliefs_of(policy)},
    )
    return bool(policy(page, 0.0)[0] > NEVER)
