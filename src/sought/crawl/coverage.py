"""How much of what people ask for has an answer?"""

from typing import Any

import numpy as np

from sought.crawl.workload import Asked
from sought.index.measure import Measure

POOR = 10  # results: a query with fewer has a poor answer


def coverage(measure: Measure, asked: Asked) -> dict[str, Any]:
    """How much of what is asked has an answer; shares of demand, and of the held-out part where there is one."""
    counts = measure.lists.counts
    found: dict[str, Any] = {"queries": int(np.count_nonzero(asked.rate)), "searches_a_week": float(asked.rate.sum())}
    for name, weights in (("", asked.weights), ("held_out_", asked.held_out_weights)):
        if weights.any():
            found[f"{name}unanswered"] = float(weights[counts == 0].sum())
            found[f"{name}poor"] = float(weights[(counts > 0) & (counts < POOR)].sum())
    return found
