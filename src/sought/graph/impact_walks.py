"""How does search impact flow along links?  The walks RW and RW-EG of tran-et-al-2015.

    RW     x_j = α·Σ_{i→j} F_i·x_i/|L+_i| + (1-α)/n                     F_i = I_i/max I · (|L+_i|/max |L+|)^β
    RW-EG  x_j = α·[ω·(the sum above) + (1-ω)·Σ_i F'_i·x_i·w_ij/Σ_k w_ik] + (1-α)/n
           w_ij = how many pages link to both i and j ≠ i             F'_i = I_i/max I · (Σ_k w_ik/max)^β

I_i is the impact of i (clicks or views) plus ε.  Eq. 3–5 and 9–10 of the paper.  Mass leaks: it is not a Markov chain,
nothing is normalised, and nodes without links keep what they get.  0^0 = 1.

The virtual edges of RW-EG are never made.  With A the links, w = AᵀA without its diagonal: a step is a sum over the
links out of pages and one over the links into them.  `start`, `tolerance` and `rounds` are as in `walks`.
"""

from typing import Any

import numpy as np
from numba import types

from sought.graph.flow import Extrapolation, Floats, StopRule, block_mapper, blocks_of, solve_walk
from sought.graph.links import GraphLinks, Nodes, Numbers
from sought.graph.walks import initial_values, stop_rule
from sought.web.compiled import Int, cached, compiled, readable
from sought.web.errors import BadInput

Rule = tuple[float, float, float, float]  # epsilon, alpha·(ω or 1 − ω)/max I, β, most edges of a page

_NUMBERS, _NODES, _FLOATS = readable(types.int64), readable(types.uint32), readable(types.float64)
_VALUES = types.float64[::1]
_RULE: Any = types.UniTuple(types.float64, 4)  # type: ignore[no-untyped-call]  # numba


def rw(
    links: GraphLinks,
    impact: Floats,
    alpha: float = 0.85,
    beta: float = 0.0,
    epsilon: float = 0.001,
    start: Floats | None = None,
    tolerance: float = 1e-10,
    rounds: int = 100,
) -> Floats:
    """The walk along links, weighted by the impact of their sources."""
    stop = stop_rule(alpha, tolerance, rounds)
    impact, peak = _peak(links, impact, beta, epsilon)
    if not links.nodes:
        return np.zeros(0)
    base, weights = (1 - alpha) / links.nodes, np.empty(len(links.sources))
    rule = _rule(alpha / peak, links.degrees, beta, epsilon)
    _send(0, len(weights), links.degrees, impact[links.sources], rule, np.ones(len(weights)), weights)
    return solve_walk(links, weights, base, initial_values(start, links.nodes, base), stop)


def rw_eg(
    links: GraphLinks,
    impact: Floats,
    omega: float,
    alpha: float = 0.85,
    beta: float = 0.0,
    epsilon: float = 0.001,
    start: Floats | None = None,
    tolerance: float = 1e-10,
    rounds: int = 200,
) -> Floats:
    """The walk on the enriched graph: also along virtual edges to pages that share a parent.

    Frontier pages have virtual edges, too, so all nodes are iterated.
    """
    if not 0 <= omega <= 1:
        raise BadInput(f"omega must be from 0 to 1, not {omega}")
    if omega == 1 or not links.edges:
        return rw(links, impact, alpha, beta, epsilon, start, tolerance, rounds)
    stop = stop_rule(alpha, tolerance, rounds)
    impact, peak = _peak(links, impact, beta, epsilon)
    along = _rule(alpha * omega / peak, links.degrees, beta, epsilon)
    beside = _rule(alpha * (1 - omega) / peak, links.neighbours, beta, epsilon)
    base = (1 - alpha) / links.nodes
    return _enriched(links, impact, peak, along, beside, base, initial_values(start, links.nodes, base), stop)


def _peak(links: GraphLinks, impact: Floats, beta: float, epsilon: float) -> tuple[Floats, float]:
    """Checked impact as a contiguous array, and max I."""
    if len(impact) != links.nodes:
        raise BadInput(f"impact must have a value for each of {links.nodes} nodes, not {len(impact)}")
    most = float(impact.max(initial=0))
    if not (impact.min(initial=0) >= 0 and most < np.inf):  # a NaN makes the minimum NaN
        raise BadInput("impact must be finite and not negative")
    if not beta >= 0:
        raise BadInput(f"beta must not be negative, not {beta}")
    if not epsilon > 0:
        raise BadInput(f"epsilon must be positive, not {epsilon}")
    return np.ascontiguousarray(impact, np.float64), most + epsilon


def _rule(part: float, edges: Numbers, beta: float, epsilon: float) -> Rule:
    return float(epsilon), part, float(beta), float(edges.max(initial=1)) if beta else 1.0


def _enriched(
    links: GraphLinks,
    impact: Floats,
    peak: float,
    along: Rule,
    beside: Rule,
    base: float,
    values: Floats,
    stop: StopRule,
) -> Floats:
    """In each round, a sum over links out of pages and one over links into them.

    A page passes on at most alpha·I/max I of its value: after values changed by Δ, the residual is at most the sum of
    that times |Δ|, far less than alpha·|Δ| if most pages have little impact.
    """
    inward, sent, held = links.inward, np.empty(links.nodes), np.empty(len(links.sources))
    begin = (links.neighbours, impact, beside, values, sent)
    out = (links.sources, links.bounds, links.targets, impact, along, values, sent, held)
    into = (*inward, links.neighbours, impact, beside, base, held, values, sent)
    _send(0, 0, *begin)  # all compiled here, not by every thread
    _spread(0, 0, *out)
    _collect(0, 0, *into)
    rows, columns, leaps = blocks_of(links.bounds), blocks_of(inward.bounds), Extrapolation()
    with block_mapper(links) as each:
        list(each(lambda block: _send(block[0], block[1], *begin), columns))
        for _ in range(stop.rounds):
            list(each(lambda block: _spread(block[0], block[1], *out), rows))
            moved = sum(each(lambda block: _collect(block[0], block[1], *into), columns))
            if stop.reached(moved / peak, 1.0):
                break
            if leaps.apply(values):
                list(each(lambda block: _send(block[0], block[1], *begin), columns))
    return values


@compiled
def _share(impact: float, edges: Int, rule: Rule) -> float:
    """The share of its value that a page sends along each of its edges."""
    epsilon, part, beta, most = rule
    if edges == 0:
        return 0.0
    share: float = part * (impact + epsilon) / edges
    if beta != 0.0:
        share *= (edges / most) ** beta
    return share


@cached(types.void(types.int64, types.int64, _NUMBERS, _FLOATS, _RULE, _FLOATS, _VALUES))
def _send(low: Int, high: Int, edges: Numbers, impact: Floats, rule: Rule, values: Floats, sent: Floats) -> None:
    for i in range(low, high):
        sent[i] = values[i] * _share(impact[i], edges[i], rule)


@cached(
    types.void(types.int64, types.int64, _NODES, _NUMBERS, _NODES, _FLOATS, _RULE, _FLOATS, _FLOATS, _VALUES),
)
def _spread(
    low: Int,
    high: Int,
    core: Nodes,
    bounds: Numbers,
    targets: Nodes,
    impact: Floats,
    along: Rule,
    values: Floats,
    sent: Floats,
    held: Floats,
) -> None:
    """What each target of a page receives from it: its own share, and those of its other targets."""
    for i in range(low, high):
        value = values[core[i]] * _share(impact[core[i]], bounds[i + 1] - bounds[i], along)
        j, end = np.uint64(bounds[i]), np.uint64(bounds[i + 1])
        while j < end:
            value += sent[targets[j]]
            j += np.uint64(1)
        held[i] = value


@cached(
    types.float64(
        types.int64, types.int64, _NUMBERS, _NODES, _NUMBERS, _FLOATS, _RULE, types.float64, _FLOATS, _VALUES, _VALUES
    )
)
def _collect(
    low: Int,
    high: Int,
    bounds: Numbers,
    sources: Nodes,
    neighbours: Numbers,
    impact: Floats,
    beside: Rule,
    base: float,
    held: Floats,
    values: Floats,
    sent: Floats,
) -> float:
    """Update what a page receives, except from itself (the diagonal of AᵀA); returns the change, times impact."""
    moved = 0.0
    for i in range(low, high):
        j, end = np.uint64(bounds[i]), np.uint64(bounds[i + 1])
        value = base - (bounds[i + 1] - bounds[i]) * sent[i]
        while j < end:
            value += held[sources[j]]
            j += np.uint64(1)
        moved += (impact[i] + beside[0]) * abs(value - values[i])
        values[i] = value
        sent[i] = value * _share(impact[i], neighbours[i], beside)
    return moved
