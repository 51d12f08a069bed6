"""How deep a tree, and how large its leaves?  What predicts best in cross-validation.

For the combination of policies by a decision tree: features are their scores, the target is impact (Tran, Turk,
Cambazoglu & Nejdl, A Random Walk Model for Optimization of Search Impact in Web Frontier Ranking, SIGIR 2015, §6).
Or the target is log1p of impact: pages are ranked by what is predicted, and no way back is needed for that.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sought.policy.leaf_tree import Features, LeafTree, fit_tree, training
from sought.policy.pages import Floats

DEPTHS = (2, 5, 8, 12)
LEAVES = (100, 20, 5)  # rows in a leaf at least
FOLDS = 5
_SEED = 2


@dataclass(frozen=True, eq=False)
class ValidatedTree:
    """A tree grown of all rows; `errors` are mean squares out of sample, DEPTHS × LEAVES."""

    tree: LeafTree
    max_depth: int
    min_leaf: int
    errors: Floats


def fit_validated_tree(features: ArrayLike, target: ArrayLike) -> ValidatedTree:
    """Among equally good trees the simplest; it is the simplest of all where rows are too few to tell."""
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
        cv=KFold(FOLDS, shuffle=True, random_state=_SEED),
        refit=False,
    )
    found = search.fit(rows, wanted).cv_results_["mean_test_score"]
    return -np.asarray(found, np.float64).reshape(len(DEPTHS), len(LEAVES))
