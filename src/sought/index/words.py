"""A workload of single words instead of queries: the published variant, which needs less of everything."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sought.index.filing import normal


def single_words(queries: Sequence[str], weights: NDArray[np.float64]) -> tuple[list[str], NDArray[np.float64]]:
    """The words of all queries and their weights; a word weighs as much as the queries that hold it.

    Pandey & Olston 2005, §5.1.1.  A page with one word of a query then counts for a part of it, so "new york" also
    favours what is new.  Weights sum to 1 again.
    """
    summed: dict[str, float] = {}
    for form, weight in zip(normal(queries), weights.tolist(), strict=True):
        for word in form.split():
            summed[word] = summed.get(word, 0.0) + weight
    found = np.fromiter(summed.values(), np.float64, len(summed))
    return list(summed), found / found.sum() if found.any() else found
