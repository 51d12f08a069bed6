"""Weights of a Poisson regression with log link: E[y] = exp(x·w).

scikit-learn's `PoissonRegressor` minimises the same function, and the tests hold both against each other.  It is not
used here because the default policy would then need 200 MB more on disk and a second to import.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.web.expression import brief
from sought.web.pages import Floats

_STEPS = 200
_HALVINGS = 40


def poisson_weights(x: Floats, y: Floats, weight: Floats, ridge: Floats, close: float = 1e-9) -> Floats:
    """The w that minimises Σ weight·(exp(x·w) - y·x·w) / Σ weight + Σ ridge·w² / 2, by Newton's method.

    `ridge` has one number for each column of x.  It ends when no slope is above `close`.
    """
    share = weight / weight.sum()
    solution = np.zeros(x.shape[1])
    loss = _loss(x, y, share, ridge, solution)
    for _ in range(_STEPS):
        expected = np.exp(x @ solution)
        slope = x.T @ (share * (expected - y)) + ridge * solution
        if np.abs(slope).max() <= close:
            break
        bend = (x.T * (share * expected)) @ x + np.diag(ridge)
        step = np.linalg.solve(bend, slope)
        for _ in range(_HALVINGS):
            fresh = solution - step
            better = _loss(x, y, share, ridge, fresh)
            if better <= loss:
                break
            step /= 2.0
        else:
            break  # as close as rounding allows
        solution, loss = fresh, better
    return solution


def _loss(x: Floats, y: Floats, share: Floats, ridge: Floats, weights: Floats) -> float:
    linear = x @ weights
    with np.errstate(over="ignore"):
        return float(np.sum(share * (np.exp(linear) - y * linear)) + np.sum(ridge * weights**2) / 2.0)


# ---- From what is known of a page that was never fetched to the gain that its first fetch is expected to bring.
#
# E[gain] = prior · exp(w·z).  The prior is a sum of what may bring people to the page, each with a share; z are mostly
# the logarithms of the same features, each beside the typical page.  The weights are those of a Poisson regression (a
# quasi-likelihood, which keeps the sum of what is expected at the sum of what came), drawn to 0: before anything is
# learned the prior holds.  Fetches that were unlikely to be chosen count for those that were not: 1/chance, at most 20
# (D. G. Horvitz, D. J. Thompson, A generalization of sampling without replacement from a finite universe, JASA 1952).


CLIPPED = 20.0  # weight of a fetch
LEAST = 10  # first fetches to learn from: fewer would hardly move a weight
FELLOWS, FOLDER, TYPICAL = 0.15, 0.15, 0.02  # shares of the prior
HERITAGE, GUESSED = 0.35, 0.3  # of heirs
OF_HEIRS = 0.25  # what else there is counts for so much less there
_DRAWN = 30.0  # how strongly weights are drawn to 0, in fetches
_FREELY = 3.0  # the constant, how much is expected altogether, has so much more freedom than the others
_FURTHEST = np.log(20.0)  # from the prior, as a factor
_LARGEST = 5.0  # logarithm
_LATEST = 2.0  # the i-th of n fetches counts (i/n)²
_WILDEST = 100.0  # times what was expected: a fetch that brought more teaches no more
_NOISE, _FAINT = 0.05, 0.005  # of a typical page: what is less counts as nothing; of prospects
_DEEP = 3.0  # directories that make a difference


class EntryFeatures(NamedTuple):
    """Columns: what is known of pages before their first fetches, in the unit of gains but for the last three.

    `heritage` is the search value of pages that were found to have moved there, `guessed` that of pages that look as if
    they had; `fellows` is the presence of what else their parents link to, `folder` that of pages in the same
    directory, `typical` that of all pages; `host` is what first fetches on the host have brought, beside all;
    `inlinks` how many pages link there, `depth` how many directories deep they are.
    """

    prospect: Floats
    heritage: Floats
    guessed: Floats
    fellows: Floats
    folder: Floats
    typical: Floats
    host: Floats
    inlinks: Floats
    depth: Floats


WEIGHTS = (
    *("all", "prospect", "is_heir", "heritage", "is_guessed_heir", "fellows", "folder", "host", "inlinks", "depth"),
)


@brief
@dataclass(frozen=True)
class EntryModel:
    """Weights in the order of WEIGHTS, and how many first fetches they were learned from."""

    weights: tuple[float, ...] = (0.0,) * len(WEIGHTS)
    learnt_from: int = 0

    def expected(self, known: EntryFeatures) -> Floats:
        """Gain of the first fetch of each page."""
        expected = prior(known)
        if any(self.weights):
            bent = sum(weight * sign for weight, sign in zip(self.weights, _signs(known), strict=True))
            expected *= np.exp(np.clip(bent, -_FURTHEST, _FURTHEST))
        return expected


def prior(known: EntryFeatures) -> Floats:
    """What is expected before anything is learned.

    What a page was worth tells so much of its heir that all else tells little more.
    """
    left = np.where(known.heritage > 0.0, HERITAGE * known.heritage, GUESSED * known.guessed)
    of_any = known.prospect + FELLOWS * known.fellows + FOLDER * known.folder + TYPICAL * known.typical
    return np.where(left > 0.0, left + OF_HEIRS * of_any, of_any)


def fit(known: EntryFeatures, gain: Floats, chance: Floats) -> EntryModel:
    """Learn from first fetches, the earliest first; `chance` is that with which each was chosen, NaN if not known.

    What a fetch brings becomes less as answers get better, so the last ones count most, whatever their number.
    """
    expected = prior(known)
    used = expected > 0.0
    if np.count_nonzero(used) < LEAST:
        return EntryModel()
    signs = np.stack(_signs(known), axis=1)[used]
    counted = np.where(np.isnan(chance), 1.0, 1.0 / np.maximum(chance, 1.0 / CLIPPED))[used]
    counted *= (np.arange(1, len(counted) + 1) / len(counted)) ** _LATEST
    expected, gain = expected[used], np.maximum(gain[used], 0.0)  # one may push better pages down
    # The prior is what a Poisson regression calls exposure: rates beside it, weighted by it.
    weight = counted * expected / np.average(expected, weights=counted)
    effective = float(counted.sum() ** 2 / np.sum(counted**2))  # as many fetches of one weight tell as much
    ridge = np.full(len(WEIGHTS), _DRAWN / effective)
    weights = poisson_weights(signs, np.minimum(gain / expected, _WILDEST), weight, ridge, close=1e-6)
    return EntryModel(tuple(weights.tolist()), len(gain))


def _signs(known: EntryFeatures) -> list[Floats]:
    """The columns that weights are for."""
    is_heir, is_guessed = known.heritage > 0.0, known.guessed > 0.0
    return [
        np.full(len(known.prospect), _FREELY),
        _log_ratio(known.prospect, known.typical, _FAINT),
        is_heir.astype(np.float64),
        np.where(is_heir, _log_ratio(known.heritage, known.typical), 0.0),
        (is_guessed & ~is_heir).astype(np.float64),
        _log_ratio(known.fellows, known.typical),
        _log_ratio(known.folder, known.typical),
        np.log(np.maximum(known.host, _NOISE)),
        np.log1p(known.inlinks) - np.log(2.0),
        np.minimum(known.depth / _DEEP, _LARGEST),
    ]


def _log_ratio(value: Floats, typical: Floats, noise: float = _NOISE) -> Floats:
    """Logarithm of a value relative to a typical one; 0 where nothing is typical yet."""
    is_known: NDArray[np.bool_] = typical > 0.0
    unit = np.where(is_known, typical, 1.0)
    logs = np.log(value / unit + noise) - np.log(1.0 + noise)
    return np.where(is_known, np.minimum(logs, _LARGEST), 0.0)
