"""Which impact has a page of this importance?  A parabola fitted to pages that were crawled.

The query-independent part of the hybrid policy, max(0, a + b·x + c·x²) with x the logarithm of importance (S. Pandey,
C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §5.4).  Departure: outside the range of x it was fitted to, the
curve is constant; a parabola would give ever larger values to the least important pages.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sought.web.errors import BadInput
from sought.web.expression import brief
from sought.web.pages import Floats

_ALIKE = 1e-9  # numbers that differ by less, relatively, are the same


@brief
@dataclass(frozen=True)
class ImportanceCurve:
    """max(0, a + b·z + c·z²), z = (x - middle) / spread, for x from `least` to `largest`; 0 before it is fitted."""

    a: float = 0.0
    b: float = 0.0
    c: float = 0.0
    middle: float = 0.0
    spread: float = 1.0
    least: float = 0.0
    largest: float = 0.0

    def __call__(self, x: ArrayLike) -> Floats:
        z = (np.clip(np.asarray(x, np.float64), self.least, self.largest) - self.middle) / self.spread
        return np.fmax(self.a + z * (self.b + z * self.c), 0.0)  # of NaN: 0

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """The coefficients of 1, x and x², as in the paper."""
        b, c = self.b / self.spread, self.c / self.spread**2
        return self.a - b * self.middle + c * self.middle**2, b - 2.0 * c * self.middle, c


def fit_importance_curve(x: ArrayLike, impact: ArrayLike) -> ImportanceCurve:
    """Least squares; a line through two different x, the mean if all are equal."""
    logs, wanted = np.asarray(x, np.float64), np.asarray(impact, np.float64)
    if logs.shape != wanted.shape or logs.ndim != 1:
        raise BadInput(f"importances of shape {logs.shape} do not fit impacts of shape {wanted.shape}")
    known = np.isfinite(logs) & np.isfinite(wanted)  # an importance of 0 has no logarithm
    if not known.any():
        return ImportanceCurve()
    logs, wanted = logs[known], wanted[known]
    middle, spread = float(logs.mean()), float(logs.std())
    least, largest = float(logs.min()), float(logs.max())
    if spread <= _ALIKE * max(abs(least), abs(largest)):
        return ImportanceCurve(float(wanted.mean()), least=least, largest=largest)
    a, b, c = _least_squares((logs - middle) / spread, wanted)
    return ImportanceCurve(a, b, c, middle, spread, least, largest)


def _least_squares(z: Floats, wanted: Floats) -> list[float]:
    """Normal equations: z is standardised, and sums without BLAS do not depend on the number of cores."""
    degree = min(2, len(np.unique(z)) - 1)
    powers = [z**i for i in range(degree + 1)]
    square = np.array([[float(np.sum(p * q)) for q in powers] for p in powers])
    right = np.array([float(np.sum(p * wanted)) for p in powers])
    fitted = np.zeros(3)
    # Importances that differ by rounding alone must not bend the curve: such directions are left out.
    fitted[: degree + 1] = np.linalg.lstsq(square, right, rcond=_ALIKE)[0]
    return fitted.tolist()


def rescale(total_impact: float, covered_impact: float) -> float:
    """The factor that corrects the impact by sketches of only some queries; 1 if these cover no present impact.

    With few sketches the query-based part of the hybrid would be too small compared with the other (Pandey & Olston do
    not correct this).
    """
    return max(1.0, total_impact / covered_impact) if covered_impact > 0.0 else 1.0
