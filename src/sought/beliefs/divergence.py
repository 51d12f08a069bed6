"""Which curve does the divergence of a page from its copy follow?  Churn or scroll, by its history of changes."""

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.beliefs.belief import Learner
from sought.beliefs.by_host import hosts_in, spread
from sought.beliefs.drift_shapes import drifted
from sought.beliefs.slots import Slots, grown
from sought.record.fetches import Fetches
from sought.web.checks import check_choice, check_whole
from sought.web.compiled import Int, cached, compiled, readable
from sought.web.expression import brief
from sought.web.pages import Floats, Pages, Rows

Term = Literal["share", "rate", "life"]
MAX_PROFILES = 16
POINTS = 5  # of a profile; the crawl begins another one then
_SHARE, _RATE, _LIFE = range(3)

_LIVES = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
_STEPS = 4  # of the grid of rates, to a doubling
_SLOWEST, _FASTEST = -4, 8  # logarithms (of 2) of updates in the longest age that was seen
_SHORTEST = -12  # updates in the shortest, likewise: a page has drifted by nothing then
_PER_DOUBLING = 1e-4  # what a rate, or a life, twice as large has to better the sum of squares by

_MONTH = 30 * 86400.0
_AT_FIRST = {"share": 1.0, "rate": 1.0 / _MONTH}  # of pages, while nothing is known of any


@brief
@dataclass(frozen=True)
class Divergence:
    """A term of D(t) = share·E[min(N, K)]/K, N Poisson of mean K·rate·t, K = life (see drift_shapes.py).

    C. Olston, S. Pandey, Recrawl Scheduling Based on Information Longevity, WWW 2008, §4.1 and §4.2.  `share` of the
    page is not static; this part is replaced in about 1/`rate` seconds; and its items live through `life` updates: 1 is
    churn, more is scroll.  The curve is fitted to the points of the last `profiles` profiles of changes, by least
    squares on a grid: four rates to a doubling, six lives up to 32.  Of curves that fit equally well the slowest is
    taken, because a page that is believed to be fast is not fetched, and would never show that it is not.

    Departures: profiles do not overlap, and have five points at most.  There is no learning phase with forced
    refreshes.  As a prior, share and rate have one more point with the mean of the host (and the host one more page
    with the mean of all).  Before any page was fetched twice: all of a page changes in a month, by churn.  A page that
    was fetched twice takes about 40·profiles + 50 bytes in each of the three learners.
    """

    term: Term = "share"
    profiles: int = 3
    goes_by_demand: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_choice("Divergence: term", self.term, get_args(Term))
        check_whole("Divergence: profiles", self.profiles, 1, MAX_PROFILES)

    def learner(self) -> Learner:
        return _Divergences(self)


class _Divergences:
    """The points of each page, and the curve through them, which is fitted when the column is read."""

    def __init__(self, estimator: Divergence) -> None:
        self.term = estimator.term
        self.slots = Slots()
        self.points = np.zeros((0, estimator.profiles, POINTS, 2), np.float32)
        self.counts = np.zeros((0, estimator.profiles), np.uint8)
        self.base = np.zeros(0)
        self.latest = np.zeros(0, np.uint8)
        self.curves = np.zeros((0, 3))
        self.is_new = np.zeros(0, np.bool_)

    def learn(self, fetches: Fetches) -> None:
        tells = np.isfinite(fetches.base_gap) & (fetches.base_gap > 0.0) & np.isfinite(fetches.drift)
        slots, age = self.slots.assign(fetches.row[tells]), fetches.base_gap[tells]
        for name in ("points", "counts", "base", "latest", "curves", "is_new"):
            setattr(self, name, grown(getattr(self, name), self.slots.size))
        drift = np.clip(fetches.drift[tells], 0.0, 1.0)
        _add(slots, fetches.time[tells] - age, age, drift, self.points, self.counts, self.base, self.latest)
        self.is_new[slots] = True

    def column(self, pages: Pages) -> Floats:
        rows = self.slots.rows
        self._fit()
        share, rate, life = self.curves[: len(rows)].T
        if self.term == "life":
            out = np.ones(len(pages))
            out[rows] = life
            return out
        counts = share > 0.0 if self.term == "rate" else np.ones(len(rows), np.bool_)
        if not counts.any():
            return np.full(len(pages), _AT_FIRST[self.term])
        if self.term == "share":
            return self._shrunk(pages, share, counts)
        return np.exp(self._shrunk(pages, np.log(np.where(counts, rate, 1.0)), counts))

    def terms(self, row: int) -> dict[str, Any]:
        slot = self.slots.find(row)
        if slot is None:
            return {}
        share, rate, life = self.curves[slot].tolist()
        points = int(self.counts[slot].sum())
        own: dict[Term, float] = {"share": share, "rate": rate * 86400.0, "life": life}
        return {"points": points, "rate_a_day" if self.term == "rate" else self.term: own[self.term]}

    def _fit(self) -> None:
        slots = np.flatnonzero(self.is_new[: self.slots.size])
        _fit(slots, self.points, self.counts, self.curves, _LIVES, _grid())
        self.is_new[slots] = False

    def _shrunk(self, pages: Pages, known: Floats, counts: NDArray[np.bool_]) -> Floats:
        """The values of pages that count, each with one more point of the host's mean; others have the host's mean."""
        rows, hosts = self.slots.rows, hosts_in(pages)
        mean = known[counts].mean()
        host = pages.host[rows[counts]]
        by_host = (np.bincount(host, known[counts], hosts) + mean) / (np.bincount(host, minlength=hosts) + 1.0)
        out = spread(by_host, pages.host)
        points = np.where(counts, self.counts[: len(rows)].sum(axis=1), 0)
        out[rows] = (points * known + out[rows]) / (points + 1.0)
        return out


@cache
def _grid() -> NDArray[np.float64]:
    """How much of a part has drifted, by life and by the logarithm of updates."""
    updates = np.exp2(np.arange((_FASTEST - _SHORTEST + 1) * _STEPS + 1) / _STEPS + _SHORTEST)
    return np.array([drifted(updates, np.full(len(updates), life)) for life in _LIVES])


_READ = readable(types.float64)
_POINTS = types.float32[:, :, :, ::1]
_COUNTS = types.uint8[:, ::1]


@cached(types.void(readable(types.int64), _READ, _READ, _READ, _POINTS, _COUNTS, types.float64[::1], types.uint8[::1]))
def _add(
    slots: Rows, base: Floats, age: Floats, drift: Floats, points: Any, counts: Any, bases: Floats, latest: Any
) -> None:
    """One point after the other; one of another base begins a profile, in the place of the oldest."""
    profiles = points.shape[1]
    for i in range(len(slots)):
        slot = slots[i]
        at = latest[slot]
        if counts[slot, at] and abs(base[i] - bases[slot]) > 1e-3:
            at = (at + 1) % profiles
            counts[slot, at], latest[slot] = 0, at
        bases[slot] = base[i]
        count = counts[slot, at]
        if count < points.shape[2]:
            points[slot, at, count, 0], points[slot, at, count, 1] = age[i], drift[i]
            counts[slot, at] = count + 1


@compiled
def _gather(points: Any, counts: Any, age: Floats, drift: Floats) -> Int:
    """The points of all profiles of a page, and how many they are."""
    size = 0
    for profile in range(len(counts)):
        for k in range(counts[profile]):
            age[size], drift[size] = points[profile, k, 0], points[profile, k, 1]
            size += 1
    return size


@compiled
def _place(age: Floats, size: Int, place: Rows, part: Floats) -> Any:
    """Where in the grid the ages are at the slowest rate; gives the longest."""
    longest = age[0]
    for k in range(1, size):
        longest = max(longest, age[k])
    for k in range(size):
        at = max((np.log2(age[k] / longest) + _SLOWEST - _SHORTEST) * _STEPS, 0.0)
        place[k] = np.int64(at)
        part[k] = at - place[k]
    return longest


@compiled
def _share(row: Floats, rate: Int, size: Int, place: Rows, part: Floats, drift: Floats) -> tuple[float, float]:
    """The share that fits best with a life and a rate, and by how much it lowers the sum of squares."""
    across, norm = 0.0, 0.0
    for k in range(size):
        before, after = row[place[k] + rate], row[place[k] + rate + 1]
        shape = before + part[k] * (after - before)
        across += drift[k] * shape
        norm += shape * shape
    share = min(across / norm, 1.0)
    return share, share * (2.0 * across - share * norm)


@cached(types.void(readable(types.int64), _POINTS, _COUNTS, types.float64[:, ::1], _READ, types.float64[:, ::1]))
def _fit(slots: Rows, points: Any, counts: Any, curves: Floats, lives: Floats, grid: Floats) -> None:
    room = points.shape[1] * points.shape[2]
    age, drift, part, place = np.empty(room), np.empty(room), np.empty(room), np.empty(room, np.int64)
    for slot in slots:
        size = _gather(points[slot], counts[slot], age, drift)
        curve, most = curves[slot], -np.inf
        curve[_SHARE], curve[_RATE], curve[_LIFE] = 0.0, 0.0, 1.0
        if drift[:size].max() == 0.0:
            continue
        longest = _place(age, size, place, part)
        for life in range(len(lives)):
            for rate in range((_FASTEST - _SLOWEST) * _STEPS + 1):
                share, better = _share(grid[life], rate, size, place, part, drift)
                better -= _PER_DOUBLING * (rate / _STEPS + np.log2(lives[life]))
                if better > most:
                    most = better
                    curve[_SHARE], curve[_LIFE] = share, lives[life]
                    curve[_RATE] = 2.0 ** (rate / _STEPS + _SLOWEST) / longest / lives[life]
