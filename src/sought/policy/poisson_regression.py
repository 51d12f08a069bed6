"""Weights of a Poisson regression with log link: E[y] = exp(x·w).

scikit-learn's `PoissonRegressor` minimises the same function, and the tests hold both against each other.  It is not
used here because the default policy would then need 200 MB more on disk and a second to import.
"""

import numpy as np

from sought.policy.pages import Floats

_STEPS = 200
_HALVINGS = 40


def poisson_weights(x: Floats, y: Floats, weight: Floats, ridge: Floats, close: float = 1e-9) -> Floats:
    """The w that minimises Σ weight·(exp(x·w) - y·x·w) / Σ weight + Σ ridge·w² / 2, by Newton's method.

    `ridge` has one number for each column of x.  It ends when no slope is above `close`.
    """
    share = weight / weight.sum()
    found = np.zeros(x.shape[1])
    loss = _loss(x, y, share, ridge, found)
    for _ in range(_STEPS):
        expected = np.exp(x @ found)
        slope = x.T @ (share * (expected - y)) + ridge * found
        if np.abs(slope).max() <= close:
            break
        bend = (x.T * (share * expected)) @ x + np.diag(ridge)
        step = np.linalg.solve(bend, slope)
        for _ in range(_HALVINGS):
            fresh = found - step
            better = _loss(x, y, share, ridge, fresh)
            if better <= loss:
                break
            step /= 2.0
        else:
            break  # as close as rounding allows
        found, loss = fresh, better
    return found


def _loss(x: Floats, y: Floats, share: Floats, ridge: Floats, weights: Floats) -> float:
    linear = x @ weights
    with np.errstate(over="ignore"):
        return float(np.sum(share * (np.exp(linear) - y * linear)) + np.sum(ridge * weights**2) / 2.0)
