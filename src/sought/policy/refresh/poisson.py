"""How often should each page be fetched, if fetches come at random, too?

Y. Azar, E. Horvitz, E. Lubetzky, Y. Peres and D. Shahaf, Tractable near-optimal policies for crawling, PNAS 2018.
"""

import numpy as np

from sought.policy.pages import Floats


def poisson_rates(rate: Floats, weight: Floats, total: float, floor: float = 0.0) -> Floats:
    """Fetches per unit of time: they sum to `total` and make Σ weight · ρ/(ρ + rate), weighted freshness, largest.

    Pages of little weight for how fast they change get nothing; with `floor`, a share from 0 to 1, every page has at
    least that share of an even part (Kolobov et al., Staying up to Date with Online Content Changes, NeurIPS 2019,
    supplement §9.3).  Pages that never change (rate 0) get nothing.  Exact; takes a sort.
    """
    out = np.zeros(len(rate))
    moves = np.flatnonzero(rate > 0.0)
    if total <= 0.0 or not len(moves):
        return out
    least = floor * total / len(moves)
    change, root = rate[moves], np.sqrt(np.maximum(weight[moves], 0.0) * rate[moves])
    worth = root / (change + least)  # the square root of what the first fetch beyond the floor adds
    order = np.argsort(worth)
    scale = _scale(worth[order], root[order], change[order], total, least)
    out[moves] = np.maximum(root * scale - change, least)
    return out


def _scale(worth: Floats, root: Floats, change: Floats, total: float, least: float) -> float:
    """1/√price: what the roots are multiplied by.  Pages are dropped to the floor from the least worthy on."""
    roots, changes = (np.cumsum(column[::-1])[::-1] for column in (root, change))  # of this page and all after it
    spare = total - least * np.arange(len(root)) + changes
    above = worth * spare > roots
    first = int(np.argmax(above))
    return float(spare[first] / roots[first]) if above.any() else 0.0
