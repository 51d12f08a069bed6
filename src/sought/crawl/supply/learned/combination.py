"""What impact will a new page have, to judge by what all others say of it?  Learnt from pages that were new once.

The combination of Tran, Turk, Cambazoglu & Nejdl (SIGIR 2015, §6).  They learn from a part of the frontier whose impact
is known; a crawler knows it of pages it has fetched, by what was said of them before (training.py).  Those are the best
by its own judgement, not a sample.  Until there are 50 of them pages come in the order of RW, and so do those of one
leaf of a tree.
"""

from typing import Any

import numpy as np

from sought.crawl.supply.growth import Growth
from sought.crawl.supply.holdings import Holdings
from sought.crawl.supply.impacts import Impacts
from sought.crawl.supply.learned.signs import NAMES, Features, Made, Rows, Signs
from sought.crawl.supply.learned.training import Training
from sought.crawl.supply.supplier import Column, Committed
from sought.policy import Learned, Pages
from sought.policy.leaf_tree import LeafTree, fit_tree
from sought.policy.online_linear import OnlineLinear
from sought.policy.pages import pieces
from sought.policy.random_walk import IMPACTS
from sought.policy.validated_tree import fit_validated_tree

ENOUGH = 50  # pages to learn from
_GROWTH = 0.1  # so many more, and the model is fitted again
_SAMPLE = 20_000  # pages a tree is grown of: those of the lowest keys, which are hashes
_VALIDATED = 5_000  # of them its shape is validated by: two seconds
_LARGEST = 80.0  # logarithm of an impact, in single precision
_FREE = (1 << 28) - 1

Model = LeafTree | OnlineLinear


class Combination:
    """Predictions for new rows; of fetched ones the impact they have."""

    def __init__(self, belief: Learned, holdings: Holdings, made: Made) -> None:
        self.belief = belief
        self.table = holdings.table
        self.impacts = holdings.part(Impacts)
        self.signs = Signs(belief.impact, holdings, made)
        self.training = Training(holdings.store, IMPACTS.index(belief.impact), len(NAMES))
        self.growth, self.validation = Growth(_GROWTH), Growth(1.0)
        self.basis: object = None  # of the impact that the model was fitted to
        self.shape = (0, 0)  # depth and least leaf of the tree
        self.model: Model | None = None

    def take(self, committed: Committed) -> None:
        """Keep what was said of pages that are no longer new."""
        fetches, known = self.table.columns["fetches"], len(self.signs)
        first = [each for each in committed.finished if each.row < known and fetches[each.row] == 1]
        if first:
            rows = np.array([each.row for each in first], np.int64)
            self.training.add(rows, np.array([each.outcome.time for each in first]), self.signs.of(rows))

    def column(self, pages: Pages) -> Column:
        self.signs.ask(pages)
        impact = self.impacts.of(self.belief.impact)
        if len(self.training) >= ENOUGH and self._is_due():
            self.model = self._fitted(impact)
        said = self._predicted(self.model, len(pages)) if self.model else self.signs.walk
        return np.where(pages.is_new, said, impact)

    def terms(self, row: int) -> dict[str, Any]:
        said = dict(zip(NAMES, self.signs.of(np.array([row], np.int64))[0].tolist(), strict=True))
        said["URL depth"] *= -1.0  # less is better: the feature is minus the slashes
        return {"learnt_from": len(self.training) if self.model else 0, "features": said}

    def _is_due(self) -> bool:
        before, self.basis = self.basis, self.impacts.basis
        return self.growth.is_due(len(self.training), 0) or before is not self.basis

    def _fitted(self, impact: Column) -> Model:
        rows, features = self.training.all()
        target = impact[rows] if self.belief.target == "impact" else np.log1p(impact[rows])
        return self._tree(rows, features, target) if self.belief.model == "tree" else _line(features, target)

    def _tree(self, rows: Rows, features: Features, target: Column) -> LeafTree:
        """Its shape is validated again when there are twice as many pages."""
        sample = np.argsort(self.table["key"][rows])[:_SAMPLE]
        if self.validation.is_due(len(rows), 0):
            few = sample[:_VALIDATED]
            found = fit_validated_tree(features[few], target[few])
            self.shape = found.max_depth, found.min_leaf
        depth, leaf = self.shape
        return fit_tree(features[sample], target[sample], max_depth=depth, min_leaf=leaf)

    def _predicted(self, model: Model, rows: int) -> Column:
        value = np.empty(rows)
        for piece in pieces(rows):
            features = self.signs.of(np.arange(piece.start, min(piece.stop, rows)))
            value[piece] = model.predict(features)
        if self.belief.target == "log1p":
            np.expm1(np.minimum(value, _LARGEST), out=value)
        return value if isinstance(model, OnlineLinear) else _in_order(value, self.signs.walk)


def _in_order(value: Column, among_equals: Column) -> Column:
    """Values, which are not negative, in single precision: the bits that leaves free hold the order among equals."""
    bits = value.astype(np.float32).astype(np.float64).view(np.int64)
    bits += (among_equals * (_FREE / max(float(among_equals.max(initial=0.0)), np.finfo(np.float64).tiny))).astype(
        np.int64
    )
    return bits.view(np.float64)


def _line(features: Features, target: Column) -> OnlineLinear:
    """One pass in the order of fetches, by what the pages bring now."""
    line = OnlineLinear(len(NAMES))
    line.learn(features, target)
    return line
