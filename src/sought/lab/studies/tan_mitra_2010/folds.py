"""How many clusters?  As many as still bring pages that were not clustered closer to a centre.

Q. Tan, P. Mitra, Clustering-Based Incremental Web Crawling, ACM TOIS 28(4), 2010, Fig. 1: v-fold cross-validation.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from sought.beliefs.clusters.bisection import bisected
from sought.beliefs.clusters.partition import assigned
from sought.beliefs.clusters.vectors import FeatureRows, vectors_of
from sought.web.checks import check_positive, check_whole
from sought.web.errors import BadInput
from sought.web.pages import Floats

KS = (5, 10, 25, 50, 75, 100, 125, 150, 200)


def fold_scores(rows: ArrayLike | FeatureRows, ks: Sequence[int] = KS, folds: int = 10, seed: int = 0) -> Floats:
    """τ per page left out, for each number of clusters: the mean cosine with the nearest centre, over all folds.

    Splits are nested, so that one clustering per fold, into the most clusters, has all the others in it.
    """
    vectors = vectors_of(rows)
    check_whole("folds", folds, 2, 1000)
    if len(vectors) < folds:
        raise BadInput(f"{len(vectors)} rows do not fill {folds} folds")
    if not len(ks) or min(ks) < 1:
        raise BadInput("numbers of clusters to try are whole numbers from 1 on")
    fold = np.random.default_rng(seed).permutation(len(vectors)) % folds
    scores = np.zeros((folds, len(ks)))
    for i in range(folds):
        test = vectors.taken(np.flatnonzero(fold == i))
        clusters = bisected(vectors.taken(np.flatnonzero(fold != i)), int(max(ks)), seed)
        scores[i] = [assigned(test, clusters.at(k).centroids)[1].mean(dtype=np.float64) for k in ks]
    return np.asarray(scores.mean(0), np.float64)


def knee(ks: Sequence[int], scores: ArrayLike, share: float = 0.01) -> int:
    """The smallest number from which the next one raises the score by less than a `share` of it; else the largest."""
    check_positive("share", share)
    order, values = np.argsort(ks, kind="stable"), np.asarray(scores, np.float64)
    if not len(ks) or values.shape != (len(ks),):
        raise BadInput(f"{len(ks)} numbers of clusters have as many scores, not {values.shape}")
    for here, there in pairwise(order):
        if values[there] - values[here] < share * values[here]:
            return int(ks[here])
    return int(ks[order[-1]])
