"""Does a series still grow, beyond what the number of pages explains?

The rule, for one figure (memory, descriptors, threads) of one process:

1. Only the second half of the run counts; the first is warm-up.
2. From each sample is taken what pages explain: `per_page` for each URL that the crawl has got to know since the second
   half began.  The share is a fixed allowance and not fitted: a leak that keeps step with the pages would be fitted
   away.
3. The second half is cut into WINDOWS windows with as many samples each; of each only the least value counts.  So a
   sawtooth is judged by its feet, if a tooth is no longer than a window.
4. The slope is the median of the slopes between all pairs of windows (Theil and Sen), so that single windows do not
   decide; it is taken of the second half, and of its first and last five windows.
5. It grows if all three slopes are above the limit: `units` plus `share` of the level over the second half.  One step
   up is no growth: one of the halves is flat.
6. And if it does not come to rest: the slope of the last windows is at least half that of the first.

A longer run finds smaller leaks: the allowance is for the second half, however long it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

WINDOWS = 10


@dataclass(frozen=True)
class Sample:
    """One figure at a time (seconds), and how many URLs were known then."""

    time: float
    value: float
    pages: int = 0


@dataclass(frozen=True)
class Allowance:
    """What is no growth, over the second half: so many units and a share of the level; and for each page."""

    units: float
    share: float = 0.0
    per_page: float = 0.0

    def over(self, level: float) -> float:
        return self.units + self.share * level


@dataclass(frozen=True)
class Growth:
    """In units a minute: of the second half, of its two halves, and the limit; `level` is where the half began."""

    level: float
    slopes: tuple[float, float, float]
    limit: float

    @property
    def slope(self) -> float:
        return self.slopes[0]

    @property
    def is_leak(self) -> bool:
        _, before, lately = self.slopes
        return min(self.slopes) > self.limit and lately >= before / 2


MEMORY = Allowance(units=6.0, share=0.03, per_page=0.01)  # megabytes: 10 KB for each URL
DESCRIPTORS = Allowance(units=6.0)
THREADS = Allowance(units=4.0)


def growth(samples: Sequence[Sample], allowance: Allowance) -> Growth | None:
    """Of one series; None if there are too few samples in the second half to tell."""
    if not samples:
        return None
    first, last = samples[0].time, samples[-1].time
    middle = (first + last) / 2
    late = [each for each in samples if each.time >= middle]
    if len(late) < 2 * WINDOWS or last <= middle:
        return None
    feet = _feet(late, allowance.per_page)
    half = WINDOWS // 2
    slopes = (_slope(feet), _slope(feet[:half]), _slope(feet[half:]))
    level = feet[0][1]
    return Growth(level, slopes, allowance.over(level) / ((last - middle) / 60.0))


def _feet(late: Sequence[Sample], per_page: float) -> list[tuple[float, float]]:
    """Minute and least value of each window, less what pages explain."""
    known, feet = late[0].pages, []
    for number in range(WINDOWS):
        window = late[number * len(late) // WINDOWS : (number + 1) * len(late) // WINDOWS]
        least = min(each.value - per_page * (each.pages - known) for each in window)
        feet.append((sum(each.time for each in window) / len(window) / 60.0, least))
    return feet


def _slope(points: Sequence[tuple[float, float]]) -> float:
    return median((b - a) / (t - s) for (s, a), (t, b) in combinations(points, 2))
