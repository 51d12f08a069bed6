"""Where do searchers' clicks lead a surfer who remembers only what was looked for?

    RW     x_j = α·Σ_{i→j} F_i·x_i/|L+_i| + (1-α)/n                     F_i = I_i/max I · (|L+_i|/max |L+|)^β
    RW-EG  x_j = α·[ω·(the sum above) + (1-ω)·Σ_i F'_i·x_i·w_ij/Σ_k w_ik] + (1-α)/n
           w_ij = how many pages link to both i and j ≠ i             F'_i = I_i/max I · (Σ_k w_ik/max)^β

I_i is the impact of i (clicks or views) plus ε.  Specification §3.3 and §3.4 (seed 002, eq. 3–5, 9–10).  Mass leaks: it
is not a Markov chain, nothing is normalised, and nodes without links keep what they get.  0^0 = 1.

The virtual edges of RW-EG are never made.  With A the links, w = AᵀA without its diagonal: a step is a sum over the
links out of pages and one over the links into them.  `start`, `tolerance` and `rounds` are as in `walks`.
"""

from typing import Any

import numpy as np
from numba import types

from sought.graph.flow import Floats, Leaps, Stop, blocks_of, settled, team
from sought.graph.links import GraphLinks, Nodes, Numbers
from sought.graph.walks import begun, checked
from sought.web.compiled import Int, cached, compiled, readable
from sought.web.errors import BadInput

Rule = tuple[float, float, float, float]  # of passing on: epsilon, alpha·(ω or 1 − ω)/max I, β, most edges of a page

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
    """The walk that follows links out of pages of impact."""
    stop = checked(alpha, tolerance, rounds)
    impact, peak = _peak(links, impact, beta, epsilon)
    if not links.nodes:
        return np.zeros(0)
    base, weights = (1 - alpha) / links.nodes, np.empty(len(links.sources))
    rule = _rule(alpha / peak, links.degrees, beta, epsilon)
    _pass_on(0, len(weights), links.degrees, impact[links.sources], rule, np.ones(len(weights)), weights)
    return settled(links, weights, base, begun(start, links.nodes, base), stop)


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
    """The walk on the enriched graph: from a page of impact also to those that are linked beside it.

    Frontier pages have virtual edges too, so all nodes are iterated.
    """
    if not 0 <= omega <= 1:
        raise BadInput(f"omega must be from 0 to 1, not {omega}")
    if omega == 1 or not links.edges:
        return rw(links, impact, alpha, beta, epsilon, start, tolerance, rounds)
    stop = checked(alpha, tolerance, rounds)
    impact, peak = _peak(links, impact, beta, epsilon)
    along = _rule(alpha * omega / peak, links.degrees, beta, epsilon)
    beside = _rule(alpha * (1 - omega) / peak, links.neighbours, beta, epsilon)
    base = (1 - alpha) / links.nodes
    return _enriched(links, impact, peak, along, beside, base, begun(start, links.nodes, base), stop)


def _peak(links: GraphLinks, impact: Floats, beta: float, epsilon: float) -> tuple[Floats, float]:
    """Impact as compiled code takes it, and max I."""
    if len(impact) != links.nodes:
        raise BadInput(f"impact must have a value for each of {links.nodes} nodes, not {len(impact)}")
    most = float(impact.max(initial=0))
    if not (impact.min(initial=0) >= 0 and most < np.inf):  # where one is not a number, neither is the least
        raise BadInput("impact must be finite and not negative")
    if not beta >= 0:
        raise BadInput(f"beta must not be negative, not {beta}")
    if not epsilon > 0:
        raise BadInput(f"epsilon must be positive, not {epsilon}")
    return np.ascontiguousarray(impact, np.float64), most + epsilon


def _rule(part: float, edges: Numbers, beta: float, epsilon: float) -> Rule:
    return float(epsilon), part, float(beta), float(edges.max(initial=1)) if beta else 1.0


def _enriched(
    links: GraphLinks, impact: Floats, peak: float, along: Rule, beside: Rule, base: float, values: Floats, stop: Stop
) -> Floats:
    """Round by round, a sum over the links out of pages and one over those into them.

    A page passes on at most alpha·I/max I of what it holds: when values moved by Δ, what is left of the equations is at
    most the sum of that times |Δ|.  It is far less than alpha·|Δ| where most pages have little impact.
    """
    inward, sent, held = links.inward, np.empty(links.nodes), np.empty(len(links.sources))
    begin = (links.neighbours, impact, beside, values, sent)
    out = (links.sources, links.bounds, links.targets, impact, along, values, sent, held)
    into = (*inward, links.neighbours, impact, beside, base, held, values, sent)
    _pass_on(0, 0, *begin)  # all compiled here, not by every thread
    _spread(0, 0, *out)
    _collect(0, 0, *into)
    rows, columns, leaps = blocks_of(links.bounds), blocks_of(inward.bounds), Leaps()
    with team(links) as each:
        list(each(lambda block: _pass_on(block[0], block[1], *begin), columns))
        for _ in range(stop.rounds):
            list(each(lambda block: _spread(block[0], block[1], *out), rows))
            moved = sum(each(lambda block: _collect(block[0], block[1], *into), columns))
            if stop.reached(moved / peak, 1.0):
                break
            if leaps.taken(values):
                list(each(lambda block: _pass_on(block[0], block[1], *begin), columns))
    return values


@compiled
def _passed(impact: float, edges: Int, rule: Rule) -> float:
    """What share of its mass a page sends along each of its edges."""
    epsilon, part, beta, most = rule
    if edges == 0:
        return 0.0
    share: float = part * (impact + epsilon) / edges
    if beta != 0.0:
        share *= (edges / most) ** beta
    return share


@cached(types.void(types.int64, types.int64, _NUMBERS, _FLOATS, _RULE, _FLOATS, _VALUES))
def _pass_on(low: Int, high: Int, edges: Numbers, impact: Floats, rule: Rule, values: Floats, sent: Floats) -> None:
    for i in range(low, high):
        sent[i] = values[i] * _passed(impact[i], edges[i], rule)


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
    """What a page gives to each that it links to: from itself, and from the others it links to."""
    for i in range(low, high):
        value = values[core[i]] * _passed(impact[core[i]], bounds[i + 1] - bounds[i], along)
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
    """What a page gets, without what came from itself (the diagonal of AᵀA).  How much that moved, times impact."""
    moved = 0.0
    for i in range(low, high):
        j, end = np.uint64(bounds[i]), np.uint64(bounds[i + 1])
        value = base - (bounds[i + 1] - bounds[i]) * sent[i]
        while j < end:
            value += held[sources[j]]
            j += np.uint64(1)
        moved += (impact[i] + beside[0]) * abs(value - values[i])
        values[i] = value
        sent[i] = value * _passed(impact[i], neighbours[i], beside)
    return moved
