"""Where do searchers' clicks lead a surfer who remembers only what was looked for?

    RW     x_j = α·Σ_{i→j} F_i·x_i/|L+_i| + (1-α)/n                     F_i = I_i/max I · (|L+_i|/max |L+|)^β
    RW-EG  x_j = α·[ω·(the sum above) + (1-ω)·Σ_i F'_i·x_i·w_ij/Σ_k w_ik] + (1-α)/n
           w_ij = how many pages link to both i and j ≠ i             F'_i = I_i/max I · (Σ_k w_ik/max)^β

I_i is the impact of i (clicks or views) plus ε.  Specification §3.3 and §3.4 (seed 002, eq. 3–5, 9–10).  Mass leaks: it
is not a Markov chain, nothing is normalised, and nodes without links keep what they get.  0^0 = 1.

The virtual edges of RW-EG are never made.  With A the links, w = AᵀA without its diagonal: a step is a sum over the
links out of pages and one over the links into them.  `start`, `tolerance` and `rounds` are as in `walks`.
"""

import numpy as np

from sought.graph.flow import Floats, Leaps, Stop, gathering, settled, team
from sought.graph.links import Links
from sought.graph.walks import begun, checked
from sought.web.errors import BadInput


def rw(
    links: Links,
    impact: Floats,
    alpha: float = 0.85,
    beta: float = 0.0,
    epsilon: float = 0.001,
    start: Floats | None = None,
    tolerance: float = 1e-10,
    rounds: int = 100,
) -> Floats:
    """The walk that follows links out of pages of impact."""
    stop, shares = checked(alpha, tolerance, rounds), _shares(links, impact, beta, epsilon)
    if not links.nodes:
        return np.zeros(0)
    base = (1 - alpha) / links.nodes
    return settled(links, alpha * _followed(links, shares, beta), base, begun(start, links.nodes, base), stop)


def rw_eg(
    links: Links,
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
    stop, shares = checked(alpha, tolerance, rounds), _shares(links, impact, beta, epsilon)
    along = alpha * omega * _followed(links, shares, beta)
    beside = alpha * (1 - omega) * _shared(links, shares, beta)
    base = (1 - alpha) / links.nodes
    return _enriched(links, along, beside, base, begun(start, links.nodes, base), stop)


def _shares(links: Links, impact: Floats, beta: float, epsilon: float) -> Floats:
    """I_i / max I."""
    if len(impact) != links.nodes:
        raise BadInput(f"impact must have a value for each of {links.nodes} nodes, not {len(impact)}")
    if not (np.isfinite(impact).all() and (impact >= 0).all()):
        raise BadInput("impact must be finite and not negative")
    if not beta >= 0:
        raise BadInput(f"beta must not be negative, not {beta}")
    if not epsilon > 0:
        raise BadInput(f"epsilon must be positive, not {epsilon}")
    smoothed: Floats = impact + epsilon
    smoothed /= smoothed.max(initial=epsilon)
    return smoothed


def _followed(links: Links, shares: Floats, beta: float) -> Floats:
    """What share of its mass a page sends along each of its links."""
    degrees = links.degrees
    factors: Floats = shares[links.sources] * (degrees / degrees.max(initial=1)) ** beta / degrees
    return factors


def _shared(links: Links, shares: Floats, beta: float) -> Floats:
    """What share of its mass a page sends along each of its virtual edges, for each page that links to both."""
    weights = np.empty(links.nodes)
    with team(links) as each:  # Σ_k w_jk = the other links of all pages that link to j
        everyone = np.arange(links.nodes, dtype=np.uint32)
        gathering(each, everyone, links.inward)((links.degrees - 1).astype(np.float64), 0.0, weights)
    factors = shares * (weights / max(weights.max(), 1.0)) ** beta
    sent: Floats = np.divide(factors, weights, out=np.zeros(links.nodes), where=weights > 0)
    return sent


def _enriched(links: Links, along: Floats, beside: Floats, base: float, values: Floats, stop: Stop) -> Floats:
    rows, everyone = np.arange(len(links.sources), dtype=np.uint32), np.arange(links.nodes, dtype=np.uint32)
    to_itself = np.diff(links.inward.bounds) * beside  # what the diagonal of AᵀA would add
    held, fresh, leaps = np.empty(len(rows)), np.empty(links.nodes), Leaps()
    with team(links) as each:
        out, into = gathering(each, rows, (links.bounds, links.targets)), gathering(each, everyone, links.inward)
        for _ in range(stop.rounds):
            out(values * beside, 0.0, held)
            held += along * values[links.sources]
            into(held, base, fresh)
            fresh -= to_itself * values
            moved = float(np.abs(fresh - values).sum())
            values, fresh = fresh, values
            if stop.reached(moved, 1.0):
                break
            leaps.taken(values)
    return values
