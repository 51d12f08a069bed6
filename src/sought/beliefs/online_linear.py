"""What will a page's impact be?  A linear model that is learned row by row, in one pass.

Online gradient descent on squared loss with adaptive, normalised steps, as in Vowpal Wabbit, which Tran, Turk,
Cambazoglu & Nejdl (A Random Walk Model for Optimization of Search Impact in Web Frontier Ranking, SIGIR 2015, §6) used
on their larger data.  The steps are those of S. Ross, P. Mineiro, J. Langford, Normalized Online Learning, UAI 2013,
Algorithm 2 (NAG): each feature has its own (AdaGrad), so that neither its scale nor its rarity matters.

Departures: features are a short fixed list, so nothing is hashed.  The target's scale does not matter either: errors
are measured in units of the largest target seen (theirs takes very many rows to reach a target of thousands).

scikit-learn's SGDRegressor has one step size for all features; with a StandardScaler before it, what is learned would
depend on where batches are cut, as the scaler sees a whole batch before its first row is learned.
"""

import numpy as np
from numba import float64, types, void
from numpy.typing import ArrayLike

from sought.web.compiled import cached, readable
from sought.web.errors import BadInput
from sought.web.pages import Floats

_MAX = float(np.finfo(np.float32).max)  # squares and products of three stay finite
_ROWS, _NORM, _SCALE = 0, 1, 2  # of `_state`


class OnlineLinear:
    """y = w·x + a constant.  Rows are learned one by one, so it does not matter where batches are cut."""

    def __init__(self, width: int, rate: float = 0.5) -> None:
        if width < 1 or not 0.0 < rate < np.inf:
            raise BadInput(f"OnlineLinear: width is at least 1 and rate above 0, not {width} and {rate}")
        self.width = width
        self.rate = rate
        self.weights = np.zeros(width + 1)  # the last one is the constant
        self._largest = np.zeros(width + 1)  # size of each feature so far
        self._squares = np.zeros(width + 1)  # of each feature's gradients, summed
        self._state = np.zeros(3)

    def learn(self, features: ArrayLike, target: ArrayLike) -> Floats:
        """Learn; returns the prediction for each row before its target was used, so errors are out of sample.

        Features that are not finite count as 0; a row with such a target is predicted and not learned.
        """
        rows, wanted = self._table(features), np.asarray(target, np.float64)
        if wanted.shape != (len(rows),):
            raise BadInput(f"{len(rows)} rows of features do not fit targets of shape {wanted.shape}")
        wanted = np.where(np.isfinite(wanted), np.clip(wanted, -_MAX, _MAX), np.nan)
        predicted = np.empty(len(rows))
        learned = self.weights, self._largest, self._squares, self._state
        _learn(rows.reshape(-1), wanted, self.rate, *learned, predicted)
        return predicted

    def predict(self, features: ArrayLike) -> Floats:
        """Predictions; sums run in the same order for each row, however many come at once."""
        rows = self._table(features)
        predicted = np.zeros(len(rows))
        for i, weight in enumerate(self.weights):
            predicted += weight * rows[:, i]
        return predicted

    def _table(self, features: ArrayLike) -> Floats:
        """Finite features with a 1 appended to each row."""
        given = np.asarray(features, np.float64)
        if given.ndim != 2 or given.shape[1] != self.width:
            raise BadInput(f"OnlineLinear: features are a table of rows × {self.width}, not of shape {given.shape}")
        rows = np.ones((len(given), self.width + 1))
        rows[:, :-1] = np.where(np.isfinite(given), np.clip(given, -_MAX, _MAX), 0.0)
        return rows


@cached(
    void(
        *(readable(float64), readable(float64), types.float64),
        *(float64[::1], float64[::1], float64[::1], float64[::1], float64[::1]),
    )
)
def _learn(
    features: Floats,
    target: Floats,
    rate: float,
    weights: Floats,
    largest: Floats,
    squares: Floats,
    state: Floats,
    predicted: Floats,
) -> None:
    """NAG; `largest` is its s, `squares` its G, and `state` holds t, N and the largest target."""
    width = len(weights)
    for row in range(len(target)):
        x = features[row * width : (row + 1) * width]
        predicted[row] = 0.0
        for i in range(width):
            if abs(x[i]) > largest[i]:
                weights[i] *= largest[i] / abs(x[i])
                largest[i] = abs(x[i])
            predicted[row] += weights[i] * x[i]
        if not np.isnan(target[row]):
            state[_SCALE] = max(state[_SCALE], abs(target[row]))
        if np.isnan(target[row]) or state[_SCALE] == 0.0:  # all targets were 0, and so are all predictions
            continue
        state[_ROWS] += 1.0
        for i in range(width):
            if x[i] != 0.0:
                state[_NORM] += (x[i] / largest[i]) ** 2
        pace = rate * np.sqrt(state[_ROWS] / state[_NORM]) * state[_SCALE]
        error = 2.0 * (predicted[row] - target[row]) / state[_SCALE]
        for i in range(width):
            squares[i] += (error * x[i]) ** 2
            if squares[i] > 0.0:
                weights[i] -= pace * error * x[i] / (largest[i] * np.sqrt(squares[i]))
