"""What impact will a new page have, judged by the values of other orderings?  Learned from pages that were new once.

The combination of Tran, Turk, Cambazoglu & Nejdl (SIGIR 2015, §6).  They learn from a part of the frontier whose impact
is known.  A crawler knows the impact of pages it has fetched, with their features before the fetch (Training).  These
pages are the best by its own judgement, not a sample.  With fewer than 50 of them pages come in the order of RW; so do
the pages in one leaf of a tree.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from sought.beliefs.belief import Column, Supplied, Supplier
from sought.beliefs.holdings import Growth, Holdings
from sought.beliefs.impacts import IMPACTS, Impact, PageImpacts
from sought.beliefs.leaf_tree import LeafTree, fit_tree, fit_validated_tree
from sought.beliefs.learned_features import NAMES, Features, LearnedFeatures, Rows, Training
from sought.beliefs.online_linear import OnlineLinear
from sought.record.commit import Commit
from sought.web.checks import check_choice
from sought.web.expression import brief
from sought.web.pages import Pages, pieces

ENOUGH = 50  # pages to learn from
_GROWTH = 0.1  # of the pages to learn from, after which the model is fitted again
_SAMPLE = 20_000  # pages that a tree is fitted to: those of the lowest keys, which are hashes
_VALIDATED = 5_000  # of them, by which the shape of the tree is validated: two seconds
_LARGEST = 80.0  # logarithm of an impact, in single precision
_FREE = (1 << 28) - 1

Fitted = LeafTree | OnlineLinear
Model = Literal["tree", "linear"]
Target = Literal["impact", "log1p"]


@brief
@dataclass(frozen=True)
class LearnedScore(Supplied):
    """An impact that is learned from the values of other orderings; see the policy `Learned`."""

    model: Model = "tree"
    impact: Impact = "clicks"
    target: Target = "impact"
    needs: ClassVar[str] = "sklearn"

    def __post_init__(self) -> None:
        check_choice(f"{type(self).__name__}: model", self.model, get_args(Model))
        check_choice(f"{type(self).__name__}: impact", self.impact, IMPACTS)
        check_choice(f"{type(self).__name__}: target", self.target, get_args(Target))

    def supplier(self, holdings: Holdings) -> Supplier:
        return LearnedSupplier(self, holdings)


class LearnedSupplier:
    """Predictions for new rows; the present impact of fetched ones."""

    def __init__(self, belief: LearnedScore, holdings: Holdings) -> None:
        self.belief = belief
        self.table = holdings.table
        self.impacts = holdings.shared(PageImpacts)
        self.features = LearnedFeatures(belief.impact, holdings)
        self.training = Training(holdings.store, IMPACTS.index(belief.impact), len(NAMES))
        self.growth, self.validation = Growth(_GROWTH), Growth(1.0)
        self.basis: object = None  # of the impact to which the model was fitted
        self.shape = (0, 0)  # depth and least leaf of the tree
        self.model: Fitted | None = None

    def take(self, committed: Commit) -> None:
        """Keep the features of pages that are no longer new."""
        fetches, known = self.table.columns["fetches"], len(self.features)
        first = [each for each in committed.finished if each.row < known and fetches[each.row] == 1]
        if first:
            rows = np.array([each.row for each in first], np.int64)
            self.training.add(rows, np.array([each.outcome.time for each in first]), self.features.table(rows))

    def column(self, pages: Pages) -> Column:
        self.features.ask(pages)
        impact = self.impacts.of(self.belief.impact)
        if len(self.training) >= ENOUGH and self._is_due():
            self.model = self._fitted(impact)
        predicted = self._predicted(self.model, len(pages)) if self.model else self.features.walk
        return np.where(pages.is_new, predicted, impact)

    def terms(self, row: int) -> dict[str, Any]:
        features = dict(zip(NAMES, self.features.table(np.array([row], np.int64))[0].tolist(), strict=True))
        features["URL depth"] *= -1.0  # less is better: the feature is minus the slashes
        return {"learnt_from": len(self.training) if self.model else 0, "features": features}

    def _is_due(self) -> bool:
        before, self.basis = self.basis, self.impacts.basis
        return self.growth.is_due(len(self.training), 0) or before is not self.basis

    def _fitted(self, impact: Column) -> Fitted:
        rows, features = self.training.all()
        target = impact[rows] if self.belief.target == "impact" else np.log1p(impact[rows])
        return self._tree(rows, features, target) if self.belief.model == "tree" else _line(features, target)

    def _tree(self, rows: Rows, features: Features, target: Column) -> LeafTree:
        """Fit a tree; its shape is validated again when there are twice as many pages."""
        sample = np.argsort(self.table["key"][rows])[:_SAMPLE]
        if self.validation.is_due(len(rows), 0):
            few = sample[:_VALIDATED]
            tree = fit_validated_tree(features[few], target[few])
            self.shape = tree.max_depth, tree.min_leaf
        depth, leaf = self.shape
        return fit_tree(features[sample], target[sample], max_depth=depth, min_leaf=leaf)

    def _predicted(self, model: Fitted, rows: int) -> Column:
        value = np.empty(rows)
        for piece in pieces(rows):
            features = self.features.table(np.arange(piece.start, min(piece.stop, rows)))
            value[piece] = model.predict(features)
        if self.belief.target == "log1p":
            np.expm1(np.minimum(value, _LARGEST), out=value)
        return value if isinstance(model, OnlineLinear) else _in_order(value, self.features.walk)


def _in_order(value: Column, among_equals: Column) -> Column:
    """Non-negative values in single precision; the bits that this leaves free hold the order of ties."""
    bits = value.astype(np.float32).astype(np.float64).view(np.int64)
    bits += (among_equals * (_FREE / max(float(among_equals.max(initial=0.0)), np.finfo(np.float64).tiny))).astype(
        np.int64
    )
    return bits.view(np.float64)


def _line(features: Features, target: Column) -> OnlineLinear:
    """One pass in the order of fetches, with the present impact of the pages."""
    line = OnlineLinear(len(NAMES))
    line.learn(features, target)
    return line
