"""What was seen of some pages, told of all that are in the same directories."""

import numpy as np

from sought.policy.estimator import Rows
from sought.policy.grouping.folder import Folder
from sought.policy.pages import Floats, Pages


def drawn_to(prior: Floats, pages: Pages, rows: Rows, total: Floats, count: Floats, as_if: float) -> Floats:
    """The mean in the directory of every page, `total` over `count` of these rows, drawn to the page's prior.

    Each is taken to have seen `as_if` more of its prior; where nothing was seen it is the prior.
    """
    if not len(rows):
        return prior
    folder = pages.belief(Folder())
    names, group = np.unique(folder[rows], return_inverse=True)
    at = np.minimum(np.searchsorted(names, folder), len(names) - 1)
    totals, counts = (np.bincount(group, each)[at] for each in (total, count))
    return np.where(names[at] == folder, (totals + as_if * prior) / (counts + as_if), prior)
