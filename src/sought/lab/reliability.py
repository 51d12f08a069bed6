"""Of what was said to happen with a chance of so much, did so much happen?

A. H. Murphy, R. L. Winkler, Reliability of subjective probability forecasts, 1977; G. W. Brier, Verification of
forecasts expressed in terms of probability, 1950.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

BINS = 10
LEAST = 1e-3  # nobody is taken to be surer than that, or one surprise would outweigh all else


@dataclass(frozen=True)
class Forecasts:
    """Chances of a change, and whether there was one; `before` is how often each page had been looked at again."""

    chance: Floats
    changed: Flags
    before: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.chance)

    def some(self, which: Flags) -> "Forecasts":
        return Forecasts(self.chance[which], self.changed[which], self.before[which])

    @property
    def likelihood(self) -> float:
        """The mean of the logarithm of the chance of what came."""
        chance = np.clip(self.chance, LEAST, 1.0 - LEAST)
        return float(np.mean(np.log(np.where(self.changed, chance, 1.0 - chance)))) if len(self) else np.nan

    @property
    def brier(self) -> float:
        return float(np.mean((self.chance - self.changed) ** 2)) if len(self) else np.nan

    @property
    def ratio(self) -> float:
        """Changes expected over changes found."""
        return float(self.chance.sum() / self.changed.sum()) if self.changed.any() else np.nan

    @property
    def slope(self) -> float:
        """Of what came over what was said, by least squares; 1 if all is well, less if chances differ too much."""
        spread = float(np.var(self.chance)) if len(self) else 0.0
        return float(np.mean((self.chance - self.chance.mean()) * self.changed)) / spread if spread > 0 else np.nan

    def table(self) -> list[tuple[float, float, int]]:
        """In ten bins of equal width that are not empty: mean chance, share that changed, how many."""
        which = np.minimum((self.chance * BINS).astype(np.int64), BINS - 1)
        count = np.bincount(which, minlength=BINS)
        said, came = (np.bincount(which, each, BINS) for each in (self.chance, self.changed.astype(np.float64)))
        return [(float(said[b] / count[b]), float(came[b] / count[b]), int(count[b])) for b in np.flatnonzero(count)]


def together(parts: list[Forecasts]) -> Forecasts:
    empty = Forecasts(np.zeros(0), np.zeros(0, np.bool_), np.zeros(0, np.int64))
    every = [empty, *parts]
    return Forecasts(
        np.concatenate([each.chance for each in every]),
        np.concatenate([each.changed for each in every]),
        np.concatenate([each.before for each in every]),
    )
