"""How important is each page, estimated online?

OPIC: every page holds cash.  When it is visited, its cash is added to its history and split over its links.
S. Abiteboul, M. Preda, G. Cobena, Adaptive On-Line Page Importance Computation, WWW 2003.

A page without links gives its cash to a virtual root, which spreads it over all pages at once; this is kept as one
number owed to every page.  Departure from the paper: other pages give the root nothing.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.graph.links import Nodes, Numbers, grown
from sought.web.compiled import Int, cached, readable

Floats = NDArray[np.float64]

_NUMBERS, _FLOATS = readable(types.int64), types.float64[::1]


class OpicCash:
    """Cash and history of a crawl while it grows.

    Invariant: once there is a node, the cash of all nodes sums to 1.  A node's cash is `_cash` plus what the root has
    spread since `_paid`.
    """

    def __init__(self) -> None:
        self.nodes = 0
        self._cash, self._paid, self._history = np.zeros(0), np.zeros(0), np.zeros(0)
        self._spread = np.zeros(1)  # what the root has given to each node in all

    @property
    def cash(self) -> Floats:
        """The cash of each node."""
        held: Floats = self._cash[: self.nodes] + (self._spread[0] - self._paid[: self.nodes])
        return held

    def grow(self, nodes: int) -> None:
        """Increase the number of nodes.  The first ones share all cash; later ones begin with none."""
        if nodes <= self.nodes:
            return
        if nodes > len(self._cash):
            self._cash, self._paid = grown(self._cash, nodes), grown(self._paid, nodes)
            self._history = grown(self._history, nodes)
        self._paid[self.nodes : nodes] = self._spread[0]
        if not self.nodes:
            self._cash[:nodes] = 1.0 / nodes
        self.nodes = nodes

    def visit(self, sources: Numbers, bounds: Numbers, targets: Nodes) -> None:
        """In order, sources[i] gives its cash to targets[bounds[i]:bounds[i + 1]]."""
        owners, starts = np.ascontiguousarray(sources, np.int64), np.ascontiguousarray(bounds, np.int64)
        rows = np.ascontiguousarray(targets, np.uint32)
        if len(owners) and (owners.min() < 0 or max(int(owners.max()), int(rows.max(initial=0))) >= self.nodes):
            raise ValueError(f"a link from or to a node beyond the {self.nodes} there are")
        _visit(owners, starts, rows, self.nodes, self._cash, self._paid, self._history, self._spread)

    def importance(self) -> Floats:
        """Each node's share of all cash ever held; sums to 1."""
        held: Floats = self._history[: self.nodes] + self.cash
        return held / held.sum() if len(held) else held


@cached(types.void(_NUMBERS, _NUMBERS, readable(types.uint32), types.int64, _FLOATS, _FLOATS, _FLOATS, _FLOATS))
def _visit(
    sources: Numbers,
    bounds: Numbers,
    targets: Nodes,
    nodes: Int,
    cash: Floats,
    paid: Floats,
    history: Floats,
    spread: Floats,
) -> None:
    for i in range(sources.size):
        node, links = sources[i], bounds[i + 1] - bounds[i]
        held = cash[node] + (spread[0] - paid[node])
        history[node] += held
        cash[node], paid[node] = 0.0, spread[0]
        if links == 0:
            spread[0] += held / nodes
        for j in range(bounds[i], bounds[i + 1]):
            cash[targets[j]] += held / links
