"""How often does a random surfer visit each page?  PageRank.

    pr98   IR(p) = (1-d) + d·Σ_{t→p} IR(t)/c_t, d = 0.9; sums to the number of nodes
           J. Cho, H. Garcia-Molina, L. Page, Efficient Crawling Through URL Ordering, WWW7 1998, §2.1
    pr     the same as a probability, alpha = 0.85
           S. Brin, L. Page, The Anatomy of a Large-Scale Hypertextual Web Search Engine, WWW7 1998

From a page without links the surfer jumps to any page.  That multiplies all values by the same number, so the equations
are solved as if such mass were lost, and the solution is divided by its sum.

Each walk takes the vector of an earlier one as `start`; nodes beyond its end are new.  `tolerance` bounds the L1
distance between the result and the exact solution, unless `rounds` passes come first.
"""

import math

import numpy as np

from sought.graph.flow import Floats, StopRule, solve_walk
from sought.graph.links import GraphLinks
from sought.web.errors import BadInput


def pr98(
    links: GraphLinks, d: float = 0.9, start: Floats | None = None, tolerance: float = 1e-8, rounds: int = 100
) -> Floats:
    """PageRank as in 1998: sums to the number of nodes; `tolerance` is per node."""
    before = None if start is None else start / max(links.nodes, 1)
    return links.nodes * pr(links, d, before, tolerance, rounds)


def pr(
    links: GraphLinks, alpha: float = 0.85, start: Floats | None = None, tolerance: float = 1e-10, rounds: int = 100
) -> Floats:
    """PageRank as a probability: sums to 1."""
    stop = stop_rule(alpha, tolerance, rounds, relative=True)
    if not links.nodes:
        return np.zeros(0)
    base = (1 - alpha) / links.nodes
    before = initial_values(start, links.nodes, base)
    if start is not None:  # scaled from a sum of 1 to the sum before normalisation
        before *= (1 - alpha) / (1 - alpha * min(float(before[links.sources].sum()), 1.0))
    solution = solve_walk(links, alpha / links.degrees, base, before, stop)
    solution /= solution.sum()
    return solution


def stop_rule(alpha: float, tolerance: float, rounds: int, *, relative: bool = False) -> StopRule:
    """The stopping rule of checked parameters."""
    if not 0 <= alpha < 1:
        raise BadInput(f"alpha (or d) must be at least 0 and less than 1, not {alpha}")
    if not (tolerance > 0 and math.isfinite(tolerance)):
        raise BadInput(f"tolerance must be positive, not {tolerance}")
    if rounds < 1:
        raise BadInput(f"rounds must be 1 or more, not {rounds}")
    return StopRule(alpha, tolerance, rounds, relative)


def initial_values(start: Floats | None, nodes: int, base: float) -> Floats:
    """A start vector: earlier values, and `base` for new nodes."""
    values = np.full(nodes, base)
    if start is not None:
        values[: len(start)] = start[:nodes]
    return values
