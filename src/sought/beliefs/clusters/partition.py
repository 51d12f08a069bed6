"""Which cluster is each row in, for every number of clusters, and where do new rows belong?"""

from dataclasses import dataclass

import numpy as np
from numba import float32, float64, int32, int64, void
from numpy.typing import ArrayLike, NDArray

from sought.beliefs.clusters.vectors import Columns, FeatureRows, Values, vectors_of
from sought.web.checks import check_whole
from sought.web.compiled import cached, readable
from sought.web.errors import BadInput
from sought.web.pages import Floats, Rows

Labels = NDArray[np.int32]
Table = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Partition:
    """A tree of splits.

    `labels` has the cluster of each row; `centroids` the means of their rows, each of length 1 (or 0: rows of zeros).
    `history[j - 1]` is τ for j clusters, and cluster j was split off from cluster `parents[j]`, which is below j.
    """

    labels: Labels
    centroids: Table
    sizes: Rows
    history: Floats
    parents: Labels

    def __len__(self) -> int:
        return len(self.sizes)

    def at(self, k: int) -> "Partition":
        """As they were when there were `k`: what clustering with that `k` would have given."""
        if k < 1:
            raise BadInput(f"there is at least one cluster, not {k}")
        if k >= len(self):
            return self
        now = np.arange(len(self), dtype=np.int32)
        for number in range(k, len(self)):
            now[number] = now[self.parents[number]]
        sizes = np.zeros(k, np.int64)
        np.add.at(sizes, now, self.sizes)
        sums = np.zeros((k, self.centroids.shape[1]))
        np.add.at(sums, now, self.centroids * self.sizes[:, None].astype(np.float64))
        centroids = (sums / np.maximum(sizes, 1)[:, None]).astype(np.float32)
        return Partition(now[self.labels], centroids, sizes, self.history[:k], self.parents[:k])


def criterion(rows: ArrayLike | FeatureRows, labels: ArrayLike) -> float:
    """τ of any clustering: the sum over clusters of the length of the sum of their rows."""
    vectors, of = vectors_of(rows), np.ascontiguousarray(labels, np.int32)
    if of.shape != (len(vectors),) or (len(of) and of.min() < 0):
        raise BadInput(f"{len(vectors):,} rows have as many labels from 0 on")
    sums = np.zeros((int(of.max(initial=0)) + 1, vectors.width))
    _add_up(vectors.values, vectors.columns, vectors.bounds, of, sums)
    return float(np.sqrt((sums * sums).sum(1)).sum())


def assigned(rows: ArrayLike | FeatureRows, centroids: ArrayLike) -> tuple[Labels, Table]:
    """The nearest centroid of each row, and the cosine; rows of zeros: cluster 0, as `bisected` does, and cosine 0.

    Among equally near ones the first.
    """
    vectors, centres = vectors_of(rows), unit_rows(centroids)
    if not len(centres) or centres.shape[1] != vectors.width:
        raise BadInput(f"centroids are a table of clusters × {vectors.width}, not of shape {centres.shape}")
    across = np.ascontiguousarray(centres.T, np.float32)
    labels, cosine = np.zeros(len(vectors), np.int32), np.zeros(len(vectors), np.float32)
    spare = np.zeros(len(centres), np.float32)
    _nearest(vectors.values, vectors.columns, vectors.bounds, across, spare, labels, cosine)
    labels[vectors.is_zero] = 0
    return labels, np.clip(cosine, -1.0, 1.0)


def unit_rows(centroids: ArrayLike) -> Floats:
    """Each of length 1, or of zeros."""
    centres = np.asarray(centroids, np.float64)
    if centres.ndim != 2 or not np.isfinite(centres).all():
        raise BadInput(f"centroids are a table of finite numbers, not of shape {centres.shape}")
    length = np.sqrt((centres * centres).sum(1, keepdims=True))
    return np.asarray(centres / np.where(length > 0, length, 1.0))


_VALUES, _COLUMNS, _BOUNDS = readable(float32), readable(int32), readable(int64)


@cached(void(_VALUES, _COLUMNS, _BOUNDS, readable(int32), float64[:, ::1]))
def _add_up(values: Values, columns: Columns, bounds: Rows, labels: Labels, sums: Floats) -> None:
    is_sparse = len(columns) > 0
    for row in range(len(labels)):
        total, begin = sums[labels[row]], bounds[row]
        for i in range(begin, bounds[row + 1]):
            total[columns[i] if is_sparse else i - begin] += values[i]


@cached(void(_VALUES, _COLUMNS, _BOUNDS, float32[:, ::1], float32[::1], int32[::1], float32[::1]))
def _nearest(
    values: Values, columns: Columns, bounds: Rows, across: Table, spare: Values, labels: Labels, cosine: Values
) -> None:
    """Column by column for all clusters at once: they can be added side by side without changing the order of any."""
    is_sparse = len(columns) > 0
    for row in range(len(labels)):
        begin = bounds[row]
        spare[:] = 0.0
        for i in range(begin, bounds[row + 1]):
            weight, centres = values[i], across[columns[i] if is_sparse else i - begin]
            for c in range(len(spare)):
                spare[c] += weight * centres[c]
        best = 0
        for c in range(1, len(spare)):
            if spare[c] > spare[best]:
                best = c
        labels[row], cosine[row] = best, spare[best]


# ---- Where does a cluster lie among the others?  Seen from the largest ones.


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
