"""How likely are a page's fetches at each rate of change?"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.beliefs.rate_history import DAY
from sought.beliefs.slots import Slots, grown
from sought.web.compiled import Int, cached, readable
from sought.web.pages import Floats, Rows

GRID: Floats = np.geomspace(0.0005, 24.0, 64) / DAY
_LOG_GRID: Floats = np.log(GRID)
_MIN_SPREAD = 0.03  # a narrower posterior would lie between two rates of the grid
_UNCHANGED, _CHANGED, _LATEST = range(3)


class Evidence:
    """The logarithm of each page's likelihood Π (1 − e^{−λw}) · Π e^{−λw}, over gaps w that ended with a change or not.

    The second factor needs the sum of gaps only.  The first needs a number for each λ of the grid, so only pages that
    were seen to change have a row of `grid`: its number is the page's `place`, from 1 on, else 0.  With a half-life,
    evidence fades when the next fetch comes, not as time passes, so that it does not depend on when it is read.
    """

    def __init__(self, half_life: float) -> None:
        self.half_life = half_life or np.inf
        self.slots = Slots()
        self._sums = np.zeros((0, 3))
        self._counts = np.zeros((0, 2), np.int32)
        self._place = np.zeros(0, np.int32)
        self.grid = np.zeros((1, len(GRID)), np.float32)
        self._taken = 1

    def add(self, rows: Rows, time: Floats, gap: Floats, changed: NDArray[np.bool_]) -> None:
        slots, size = self.slots.assign(rows), self.slots.size
        self._sums, self._counts = grown(self._sums, size), grown(self._counts, size)
        self._place = grown(self._place, size)
        self._taken = int(_places(slots, changed, self._place, self._taken))
        self.grid = grown(self.grid, self._taken)
        _add(slots, time, gap, changed, self._sums, self._counts, self._place, self.grid, self.half_life)

    @property
    def fades(self) -> bool:
        return bool(np.isfinite(self.half_life))

    @property
    def place(self) -> NDArray[np.int32]:
        return self._place[: self.slots.size]

    @property
    def counts(self) -> NDArray[np.int32]:
        """Fetches and changes of each slot; these do not fade."""
        return self._counts[: self.slots.size]

    @property
    def unchanged(self) -> Floats:
        """Summed gaps that ended without a change, by slot."""
        return self._sums[: self.slots.size, _UNCHANGED]

    @property
    def changed(self) -> Floats:
        """Summed gaps that ended with a change, by slot."""
        return self._sums[: self.slots.size, _CHANGED]

    def moments(self, shape: Floats, scale: Floats) -> tuple[Floats, Floats]:
        """Posterior mean and variance of each slot's rate for a prior λ^(shape − 1) · e^(−scale·λ), a Gamma."""
        longer = scale + self.unchanged  # the posterior of a page that was never seen to change is a Gamma, too
        mean = shape / longer
        variance = mean / longer
        _moments(self.place, shape, longer, self.grid, mean, variance)
        return np.clip(mean, GRID[0], GRID[-1]), np.maximum(variance, (_MIN_SPREAD * mean) ** 2)

    def interval(self, slot: int | None, shape: float, scale: float) -> tuple[float, float, float]:
        """The mean of one page's rate, and an interval that holds it with probability 0.8."""
        place, longer = (int(self.place[slot]), scale + self.unchanged[slot]) if slot is not None else (0, scale)
        if not place:
            return float(np.clip(shape / longer, GRID[0], GRID[-1])), *_middle(shape, longer)
        log = shape * _LOG_GRID - longer * GRID + self.grid[place]
        density = np.exp(log - log.max())
        return float(np.sum(density * GRID) / density.sum()), *_quantiles(density, _LOG_GRID)


def _middle(shape: float, scale: float) -> tuple[float, float]:
    """The 10 % and 90 % quantiles of a Gamma."""
    log = np.linspace(-30.0, 5.0, 4096) / min(shape, shape**0.5) + np.log(shape / scale)
    density = shape * log - scale * np.exp(log)
    return _quantiles(np.exp(density - density.max()), log)


def _quantiles(density: Floats, log: Floats) -> tuple[float, float]:
    """The 10 % and 90 % quantiles of a distribution over logarithms of rates."""
    below = (np.cumsum(density) - density / 2) / density.sum()
    low, high = np.exp(np.interp((0.1, 0.9), below, log))
    return float(low), float(high)


_READ, _BITS, _SLOTS = readable(types.float64), readable(types.boolean), readable(types.int64)


@cached(types.int64(_SLOTS, _BITS, types.int32[::1], types.int64))
def _places(slots: Rows, changed: NDArray[np.bool_], place: NDArray[np.int32], taken: Int) -> Int:
    """Number pages that are seen to change for the first time; returns the next number."""
    for i in range(len(slots)):
        if changed[i] and place[slots[i]] == 0:
            place[slots[i]] = taken
            taken += 1
    return taken


@cached(
    types.void(
        _SLOTS,
        _READ,
        _READ,
        _BITS,
        types.float64[:, ::1],
        types.int32[:, ::1],
        readable(types.int32),
        types.float32[:, ::1],
        types.float64,
    )
)
def _add(
    slots: Rows,
    time: Floats,
    gap: Floats,
    changed: NDArray[np.bool_],
    sums: Floats,
    counts: NDArray[np.int32],
    place: NDArray[np.int32],
    grid: NDArray[np.float32],
    half_life: float,
) -> None:
    """Add fetches one by one; a fetch that comes after a later one has the weight that it would have had."""
    for i in range(len(slots)):
        page, count, at = sums[slots[i]], counts[slots[i]], place[slots[i]]
        latest = max(page[_LATEST], time[i]) if count[0] else time[i]
        fade = np.exp2((page[_LATEST] - latest) / half_life) if count[0] else 0.0
        weight = np.exp2((time[i] - latest) / half_life)
        page[_UNCHANGED] = page[_UNCHANGED] * fade + (0.0 if changed[i] else gap[i] * weight)
        page[_CHANGED] = page[_CHANGED] * fade + (gap[i] * weight if changed[i] else 0.0)
        page[_LATEST] = latest
        count[0] += 1
        count[1] += changed[i]
        if at and (changed[i] or fade < 1.0):
            for k in range(len(GRID)):
                evidence = weight * np.log(-np.expm1(-GRID[k] * gap[i])) if changed[i] else 0.0
                grid[at, k] = grid[at, k] * fade + evidence


@cached(types.void(readable(types.int32), _READ, _READ, types.float32[:, ::1], types.float64[::1], types.float64[::1]))
def _moments(
    place: NDArray[np.int32], shape: Floats, scale: Floats, grid: NDArray[np.float32], mean: Floats, variance: Floats
) -> None:
    """Moments of pages that were seen to change.  The grid is geometric, hence the exponent `shape`, not one less."""
    log = np.empty(len(GRID))
    for slot in range(len(place)):
        if place[slot] == 0:
            continue
        top = -np.inf
        for k in range(len(GRID)):
            log[k] = shape[slot] * _LOG_GRID[k] - scale[slot] * GRID[k] + grid[place[slot], k]
            top = max(top, log[k])
        whole, first, second = 0.0, 0.0, 0.0
        for k in range(len(GRID)):
            if log[k] > top - 20.0:
                part = np.exp(log[k] - top)
                whole += part
                first += part * GRID[k]
                second += part * GRID[k] * GRID[k]
        mean[slot] = first / whole
        variance[slot] = second / whole - mean[slot] * mean[slot]
