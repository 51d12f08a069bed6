"""Which distribution does a number have, given features?  A regression tree whose leaves keep distributions.

The score S' that a page may have for a query, before it is fetched, is the mean of a leaf, or its distribution
(S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §4.2 and §6.1).  scikit-learn fits the tree; it is
kept in columns and evaluated without scikit-learn.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import float32, float64, int32, types, void
from numpy.typing import ArrayLike, NDArray

from sought.web.compiled import Int, cached, readable
from sought.web.errors import BadInput
from sought.web.pages import Floats

Features = NDArray[np.float32]
Numbers = NDArray[np.int32]

QUANTILES = 32
MIN_LEAF = 20
MAX_DEPTH = 12  # at most 4096 leaves, half a megabyte of quantiles
_LEAF = -1
_SEED = 0  # which of two equally good splits is taken
_MAX = float(np.finfo(np.float32).max)


@dataclass(frozen=True, eq=False)
class LeafTree:
    """Node i sends a row to `left[i]` if its feature number `feature[i]` is at most `threshold[i]`, else to `right[i]`.

    Node 0 is the root; a leaf has feature -1, and `left` is its number.  Features that are NaN count as 0.
    `quantiles` are the means of 32 slices of equal mass of a leaf's distribution, ascending: their mean is the leaf's.
    """

    width: int
    feature: Numbers
    threshold: Floats
    left: Numbers
    right: Numbers
    means: NDArray[np.float32]
    quantiles: NDArray[np.float32]

    def predict_leaf(self, features: ArrayLike) -> Numbers:
        """The leaf of each row."""
        rows = _matrix(features, self.width)
        leaf = np.empty(len(rows), np.int32)
        _descend(rows.reshape(-1), self.width, self.feature, self.threshold, self.left, self.right, leaf)
        return leaf

    def predict(self, features: ArrayLike) -> NDArray[np.float32]:
        """The mean of each row's leaf."""
        return self.means[self.predict_leaf(features)]


def fit_tree(
    features: ArrayLike,
    target: ArrayLike,
    weight: ArrayLike | None = None,
    min_leaf: int = MIN_LEAF,
    max_depth: int = MAX_DEPTH,
) -> LeafTree:
    """The tree of least squares; a single leaf if there are few rows, with 0 if there are none.

    Rows with a target that is not finite, or a weight that is not above 0, do not count.
    """
    if min_leaf < 1 or max_depth < 1:
        raise BadInput(f"a tree's min_leaf and max_depth are at least 1, not {min_leaf} and {max_depth}")
    rows, wanted, mass = training(features, target, weight)
    if not len(rows):
        return _stump(rows.shape[1])
    from sklearn.tree import DecisionTreeRegressor  # takes a second

    model = DecisionTreeRegressor(min_samples_leaf=min_leaf, max_depth=max_depth, random_state=_SEED)
    grown = model.fit(rows, wanted, mass).tree_
    is_leaf = grown.children_left == _LEAF
    numbers = np.cumsum(is_leaf) - 1
    left = np.where(is_leaf, numbers, grown.children_left).astype(np.int32)
    feature = np.where(is_leaf, _LEAF, grown.feature).astype(np.int32)
    leaf = numbers[grown.apply(rows)]
    means = grown.value[is_leaf, 0, 0].astype(np.float32)
    columns = feature, grown.threshold.astype(np.float64), left, grown.children_right.astype(np.int32)
    return LeafTree(rows.shape[1], *columns, means, _quantiles(leaf, wanted, mass, len(means)))


def training(features: ArrayLike, target: ArrayLike, weight: ArrayLike | None) -> tuple[Features, Floats, Floats]:
    """Features, targets and weights of the rows that count, all of them finite."""
    wanted = np.asarray(target, np.float64)
    mass = np.ones(len(wanted)) if weight is None else np.asarray(weight, np.float64)
    rows = _matrix(features)
    if not len(rows) == len(wanted) == len(mass):
        raise BadInput(f"{len(rows)} rows of features, {len(wanted)} targets and {len(mass)} weights do not fit")
    counts = np.isfinite(wanted) & np.isfinite(mass) & (mass > 0.0)
    return np.nan_to_num(rows[counts]), np.clip(wanted[counts], -_MAX, _MAX), mass[counts]


def _matrix(features: ArrayLike, width: int | None = None) -> Features:
    with np.errstate(over="ignore"):  # beyond single precision is as good as infinite
        rows = np.ascontiguousarray(features, np.float32)
    if rows.ndim != 2 or width not in (None, rows.shape[1]):
        raise BadInput(f"features are a table of rows × {width or 'features'}, not of shape {rows.shape}")
    return rows


def _stump(width: int) -> LeafTree:
    leaf, nothing = np.array([_LEAF], np.int32), np.zeros(1, np.int32)
    none = np.zeros((1, QUANTILES), np.float32)
    return LeafTree(width, leaf, np.zeros(1), nothing, leaf, none[:, 0].copy(), none)


def _quantiles(leaf: NDArray[Any], target: Floats, mass: Floats, leaves: int) -> NDArray[np.float32]:
    """The quantiles of each leaf; leaf by leaf, for sums over all leaves would lose the digits of small ones."""
    order = np.lexsort((target, leaf))
    bounds = np.searchsorted(leaf[order], np.arange(leaves + 1))
    out = np.empty((leaves, QUANTILES), np.float32)
    for i in range(leaves):
        rows = order[bounds[i] : bounds[i + 1]]
        out[i] = _slices(target[rows], mass[rows])
    return out


def _slices(values: Floats, mass: Floats) -> Floats:
    """Means of slices of equal mass; a value across a cut counts on both sides in proportion."""
    upto = np.concatenate([[0.0], np.cumsum(mass / mass.max())])
    total = np.concatenate([[0.0], np.cumsum(values * (mass / mass.max()))])
    cuts = np.linspace(0.0, upto[-1], QUANTILES + 1)
    means = np.diff(np.interp(cuts, upto, total)) / (upto[-1] / QUANTILES)
    return np.maximum.accumulate(np.clip(means, values[0], values[-1]))  # rounding makes no disorder


@cached(
    void(
        *(readable(float32), types.int64, readable(int32), readable(float64), readable(int32), readable(int32)),
        int32[::1],
    )
)
def _descend(
    features: Features, width: Int, feature: Numbers, threshold: Floats, left: Numbers, right: Numbers, leaf: Numbers
) -> None:
    for row in range(len(leaf)):
        node = 0
        while feature[node] >= 0:
            value = features[row * width + feature[node]]
            if value != value:
                value = np.float32(0.0)
            node = left[node] if value <= threshold[node] else right[node]
        leaf[row] = left[node]


# ---- How deep is the tree, and how large are its leaves?  As cross-validation says.
#
# For the combination of policies by a decision tree: features are their scores, the target is impact (Tran, Turk,
# Cambazoglu & Nejdl, A Random Walk Model for Optimization of Search Impact in Web Frontier Ranking, SIGIR 2015, §6). Or
# the target is log1p of impact: pages are ranked by what is predicted, and no way back is needed for that.


DEPTHS = (2, 5, 8, 12)
LEAVES = (100, 20, 5)  # rows in a leaf at least
FOLDS = 5
_VALIDATED_TREE_SEED = 2


@dataclass(frozen=True, eq=False)
class ValidatedTree:
    """A tree fitted to all rows; `errors` are mean squared errors out of sample, DEPTHS × LEAVES."""

    tree: LeafTree
    max_depth: int
    min_leaf: int
    errors: Floats


def fit_validated_tree(features: ArrayLike, target: ArrayLike) -> ValidatedTree:
    """The best tree, of equally good ones the simplest; with too few rows for validation the simplest of all."""
    rows, wanted, _ = training(features, target, None)
    errors = np.zeros((len(DEPTHS), len(LEAVES)))
    if len(rows) >= 2 * FOLDS:
        errors = _errors(rows, wanted)
    depth, leaf = np.unravel_index(int(np.argmin(errors)), errors.shape)
    chosen = DEPTHS[depth], LEAVES[leaf]
    return ValidatedTree(fit_tree(rows, wanted, max_depth=chosen[0], min_leaf=chosen[1]), *chosen, errors)


def _errors(rows: Features, wanted: Floats) -> Floats:
    from sklearn.model_selection import GridSearchCV, KFold  # takes a second
    from sklearn.tree import DecisionTreeRegressor

    search = GridSearchCV(
        DecisionTreeRegressor(random_state=0),
        {"max_depth": DEPTHS, "min_samples_leaf": LEAVES},  # the last one varies fastest
        scoring="neg_mean_squared_error",
        cv=KFold(FOLDS, shuffle=True, random_state=_VALIDATED_TREE_SEED),
        refit=False,
    )
    scores = search.fit(rows, wanted).cv_results_["mean_test_score"]
    return -np.asarray(scores, np.float64).reshape(len(DEPTHS), len(LEAVES))
