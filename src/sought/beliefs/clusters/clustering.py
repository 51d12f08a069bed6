"""Which cluster is each page in?  Kept up with fetches, and made anew now and then.

Clusters are made when a policy first reads them, and again when fetches have grown by half: from the features of all
pages with a copy, or of the 300,000 with the lowest keys.  That is done while a plan is made, so the crawl waits for
it.  In between, a page that is fetched gets new features, and belongs to the nearest centre.

A crawl that is open for reading only uses the stored clusters, however old, and makes its own if there are none.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, get_args

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Column, Supplied, Supplier
from sought.beliefs.clusters.bisection import bisected
from sought.beliefs.clusters.collection import Rows, collect
from sought.beliefs.clusters.feature_names import DIMS, GROUPS, MAX_CLUSTERS, Features, kind_of, names_of
from sought.beliefs.clusters.features import Described
from sought.beliefs.clusters.model import Model, load, save
from sought.beliefs.clusters.partition import assigned
from sought.beliefs.clusters.scaling import Kind, fit_scaling
from sought.beliefs.clusters.versions import PageVersions
from sought.beliefs.holdings import Holdings
from sought.record.commit import Commit
from sought.record.table import State
from sought.web.checks import check_choice, check_whole
from sought.web.expression import brief
from sought.web.pages import Pages

_GROWTH = 1.5  # growth of fetches after which clusters are made again
_MAX = 300_000  # pages that are clustered
_MIN = 2
_BATCH = 1 << 17


@brief
@dataclass(frozen=True)
class _OfClusters(Supplied):
    k: int = 100
    features: Features = "static+dynamic"

    goes_by_demand: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_whole(f"{type(self).__name__}: k", self.k, 1, MAX_CLUSTERS)
        check_choice(f"{type(self).__name__}: features", self.features, get_args(Features))


@brief
@dataclass(frozen=True)
class Cluster(_OfClusters):
    """The number of a page's cluster; -1 if it was never fetched.

    Q. Tan, P. Mitra, Clustering-Based Incremental Web Crawling, ACM TOIS 2010: repeated bisection of `features` of all
    pages into `k` clusters.
    """

    def supplier(self, holdings: Holdings) -> Supplier:
        return ClusterSupplier(self, holdings)


@brief
@dataclass(frozen=True)
class Closeness(_OfClusters):
    """How close a page is to the centre of its cluster: the cosine; -1 if it has no cluster."""

    def supplier(self, holdings: Holdings) -> Supplier:
        return ClosenessSupplier(self, holdings)


class Clustering:
    """The clusters of one number and one set of features; shared through `Holdings`."""

    def __init__(self, holdings: Holdings, k: int, features: Features, dims: int = DIMS) -> None:
        self.holdings, self.store, self.table = holdings, holdings.store, holdings.table
        self.k, self.groups, self.dims = k, GROUPS[features], dims
        self.name = f"{k} {features} {dims}"
        self.versions = holdings.shared(PageVersions)
        self.model = load(self.name, self.store, self.kinds)
        self.noted: set[int] = set()  # fetched since
        self.labels = np.zeros(0, np.int32)
        self.closeness = np.zeros(0, np.float32)
        self.searchable = np.zeros(0, np.bool_)  # when labels were given
        self.asked = False  # whether labels have been given
        self._described: Described | None = None

    @cached_property
    def names(self) -> list[str]:
        return [name for group in self.groups for name in names_of(group, self.dims)]

    @cached_property
    def kinds(self) -> list[Kind]:
        return [kind_of(name) for name in self.names]

    def take(self, committed: Commit) -> None:
        if self.asked:
            self.noted.update(each.row for each in committed.finished)

    def look(self, pages: Pages) -> None:
        """Bring labels up to date."""
        self.versions.look(pages)
        fetches = int(pages.fetches.sum(dtype=np.int64))
        if self._is_due(fetches):
            self._cluster(fetches)
        self._grow(len(self.table))
        if self.model is not None:
            self._label(self.model, self._stale(self.model))
        self.noted.clear()

    def features(self, rows: Rows) -> NDArray[np.float32]:
        """Unscaled features of rows (ascending); to be called when there are clusters."""
        assert self.model is not None
        return self._describing(self.model).of(rows, self.groups)

    @property
    def sizes(self) -> Rows:
        """How many pages are in each cluster now."""
        count = 0 if self.model is None else len(self.model.centroids)
        return np.bincount(self.labels[self.labels >= 0], minlength=count)

    def _describing(self, model: Model) -> Described:
        """The features by the collection of a model, made when first needed."""
        if self._described is None or self._described.collection is not model.collection:
            self._described = Described(self.holdings, model.collection)
        return self._described

    def _is_due(self, fetches: int) -> bool:
        if self.model is None:
            return True
        return self.store.writable and fetches >= _GROWTH * self.model.fetches

    def _cluster(self, fetches: int) -> None:
        rows = self._copies()
        if len(rows) < _MIN:
            return
        collection = collect(self.holdings, rows, self.groups, self.dims)
        described = Described(self.holdings, collection)
        raw = described.of(rows, self.groups)
        scaling = fit_scaling(raw, self.kinds)
        scaled = scaling(raw)
        self.model = model = Model(collection, scaling, bisected(scaled, self.k).centroids, fetches)
        self._described = described
        self._grow(len(self.table))
        self.labels[rows], self.closeness[rows] = assigned(scaled, model.centroids)
        self._label(model, np.setdiff1d(self.versions.rows(), rows, assume_unique=True))
        self.searchable, self.asked = self.table.is_searchable, True
        if self.store.writable:
            save(model, self.name, self.store)

    def _copies(self) -> Rows:
        """Pages that clusters are made of."""
        rows = np.flatnonzero((self.table["state"] == State.LIVE) & (self.table["fetches"] > 0))
        if len(rows) > _MAX:
            rows = np.sort(rows[np.argsort(self.table["key"][rows])[:_MAX]])
        return rows

    def _grow(self, size: int) -> None:
        more = size - len(self.labels)
        if more:
            self.labels = np.concatenate([self.labels, np.full(more, -1, np.int32)])
            self.closeness = np.concatenate([self.closeness, np.full(more, -1.0, np.float32)])
            self.searchable = np.concatenate([self.searchable, np.zeros(more, np.bool_)])

    def _stale(self, model: Model) -> Rows:
        """Rows whose label may have changed, also because words are known of searchable pages only."""
        have_moved = self._describing(model).look()
        searchable, before = self.table.is_searchable, self.searchable
        self.searchable = searchable
        if have_moved or not self.asked:
            self.asked = True
            return self.versions.rows()
        known = self.labels >= 0
        turned = np.flatnonzero(known & (searchable != before))
        rows = np.union1d(turned, np.fromiter(self.noted, np.int64, len(self.noted)))
        return rows[self.versions.of(rows)["versions"] > 0]

    def _label(self, model: Model, rows: Rows) -> None:
        for at in range(0, len(rows), _BATCH):
            some = rows[at : at + _BATCH]
            scaled = model.scaling(self._describing(model).of(some, self.groups))
            self.labels[some], self.closeness[some] = assigned(scaled, model.centroids)

    def place(self, row: int) -> dict[str, Any]:
        """The cluster of one row, without bringing others up to date; nothing if it has none."""
        rows = np.array([row], np.int64)
        if self.model is None or not self.versions.of(rows)["versions"][0]:
            return {}
        label, cosine = assigned(self.model.scaling(self.features(rows)), self.model.centroids)
        return {"cluster": int(label[0]), "of": len(self.model.centroids), "closeness": float(cosine[0])}

    def terms(self, row: int) -> dict[str, Any]:
        """The cluster of a row and its features."""
        placed = self.place(row)
        if not placed:
            return {}
        values = self.features(np.array([row], np.int64))[0].tolist()
        features = dict(zip(self._spelled, values, strict=True))
        return placed | {"pages_in_it": int(self.sizes[placed["cluster"]]), "features": features}

    @property
    def _spelled(self) -> list[str]:
        """Names of features, with the domains and keywords that they stand for."""
        assert self.model is not None  # as above
        collection = self.model.collection
        known = {f"domain {i}": f"domain {name}" for i, name in enumerate(collection.domains, 1)}
        known |= {f"rank for keyword {i}": f"rank for '{word}'" for i, word in enumerate(collection.keywords, 1)}
        return [known.get(name, name) for name in self.names]


class ClusterSupplier:
    """The number of each page's cluster."""

    def __init__(self, belief: Cluster, holdings: Holdings, dims: int = DIMS) -> None:
        self.clustering = holdings.shared(Clustering, belief.k, belief.features, dims)

    def take(self, committed: Commit) -> None:
        """`Clustering` does."""

    def column(self, pages: Pages) -> Column:
        self.clustering.look(pages)
        return self.clustering.labels.astype(np.float64)

    def terms(self, row: int) -> dict[str, Any]:
        return self.clustering.terms(row)


class ClosenessSupplier(ClusterSupplier):
    """The cosine of each page with the centre of its cluster."""

    def __init__(self, belief: Closeness, holdings: Holdings, dims: int = DIMS) -> None:
        self.clustering = holdings.shared(Clustering, belief.k, belief.features, dims)

    def column(self, pages: Pages) -> Column:
        self.clustering.look(pages)
        return self.clustering.closeness.astype(np.float64)

    def terms(self, row: int) -> dict[str, Any]:
        """Those of `Cluster` include it."""
        return {}
