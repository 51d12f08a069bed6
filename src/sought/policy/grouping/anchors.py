"""Where does a cluster lie among the others?  Seen from the largest ones."""

import numpy as np
from numpy.typing import ArrayLike

from sought.policy.checks import check_whole
from sought.policy.grouping.partition import Table, unit_rows
from sought.web.errors import BadInput


def anchor_distances(centroids: ArrayLike, sizes: ArrayLike, anchors: int = 10) -> Table:
    """A row of features for each cluster, so that `anchor_distances(…)[labels]` has one for each page.

    Q. Tan, P. Mitra, Clustering-Based Incremental Web Crawling, ACM TOIS 28(4), 2010, §3: word-cluster distances.
    Feature f belongs to the cluster that is f-th in size: 0 for itself, else which cluster this is (1, 2, …) when all
    others are ordered by distance to it, as a share of all clusters.  Where clusters are fewer than `anchors`, the
    features too many are 0.

    The paper does not say which distance: it is by cosine, like all else.  Ties go to the lower number.
    """
    centres, size = unit_rows(centroids), np.asarray(sizes)
    check_whole("anchors", anchors, 1, 10_000)
    if size.shape != (len(centres),):
        raise BadInput(f"{len(centres)} centroids have as many sizes, not {size.shape}")
    table = np.zeros((len(centres), anchors), np.float32)
    for f, anchor in enumerate(np.argsort(-size, kind="stable")[:anchors]):
        nearness = np.round((centres * centres[anchor]).sum(1), 9)  # so that rounding decides no tie
        nearness[anchor] = np.inf
        table[np.argsort(-nearness, kind="stable"), f] = np.arange(len(centres)) / len(centres)
    return table
