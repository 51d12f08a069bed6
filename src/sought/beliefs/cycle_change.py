"""How likely is a page to change in a cycle?  By the cycles in which it was found changed or unchanged."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.beliefs.belief import Learner
from sought.beliefs.cycles import WEEK, check_cycle, cycles_at, first_discovery
from sought.beliefs.slots import Slots, grown
from sought.record.fetches import Fetches
from sought.web.checks import check_choice
from sought.web.compiled import cached, compiled, readable
from sought.web.expression import brief
from sought.web.pages import Floats, Pages, Rows

Weighting = Literal["NAD", "SAD", "AAD", "GAD"]
Form = Literal["fixed", "printed"]
_NAD, _SAD, _AAD, _GAD = range(4)
_MIN_GAP = 1e-6  # seconds; times are kept to the microsecond, so a shorter one is none
_DAY = 86400.0
_TOP, _BOTTOM = range(2)
_CYCLE, _BIT, _SEEN, _CHANGED = range(4)


@brief
@dataclass(frozen=True)
class CycleChange:
    """φ, the probability that a page changes in a cycle (Tan & Mitra, TOIS 2010, §4.2, eq. 10 to 13).

    Cycles are weighted: NAD all alike, SAD only the last, AAD as 1, 2, 3, …, GAD as 1, 2, 4, ….  `printed` is their
    λ = Σ w·[changed]/n and φ = 1 - exp(-λ) over all n cycles so far.  It divides twice, by Σ w = 1 and by n, and counts
    a cycle in which the page was not fetched as one without a change.

    Departures of `fixed`: φ is the weighted share of cycles with a change among those in which the page was fetched
    (for SAD the last of these).  A page without such a cycle has the share over all pages.
    Departures of both: cycle 0, in which a crawl begins, and cycle 1 count as one.  A page fetched several times in a
    cycle has changed in it if one of these fetches found a change.  A first fetch does not count.  A change after
    several cycles without a fetch counts as one.

    A fetched page takes 32 bytes.  Fetches wait for the first table, which has the start of cycles: 17 bytes each.
    """

    goes_by_demand: ClassVar[bool] = False

    weighting: Weighting = "GAD"
    form: Form = "fixed"
    cycle: float = WEEK

    def __post_init__(self) -> None:
        check_choice("CycleChange: weighting", self.weighting, get_args(Weighting))
        check_choice("CycleChange: form", self.form, get_args(Form))
        check_cycle("CycleChange: cycle", self.cycle)

    def learner(self) -> Learner:
        return _CycleChanges(self)


class _CycleChanges:
    """For each row its latest cycle, whether it changed in it, and weighted sums over the cycles before.

    A fetch that is applied after one of a later cycle counts as a cycle of its own.
    """

    def __init__(self, estimator: CycleChange) -> None:
        self.cycle, self.is_printed = float(estimator.cycle), estimator.form == "printed"
        self.weighting = get_args(Weighting).index(estimator.weighting)
        self.slots = Slots()
        self.sums = np.zeros((0, 2))
        self.last = np.zeros((0, 4), np.int32)
        self.first: float | None = None
        self.latest = 1
        self.waiting: list[tuple[Rows, Floats, NDArray[np.bool_]]] = []

    def learn(self, fetches: Fetches) -> None:
        timed = np.isfinite(fetches.time)
        if timed.any():
            row = np.where(np.isfinite(fetches.gap) & (fetches.gap >= _MIN_GAP), fetches.row, -1)
            self.waiting.append((row[timed], fetches.time[timed], fetches.changed[timed]))
            self._settle()

    def _settle(self) -> None:
        """Apply waiting fetches, once it is known when cycles begin."""
        if self.first is None:
            return
        for row, time, changed in self.waiting:
            number = np.clip(cycles_at(time, self.first, self.cycle), 1, 2**31 - 1).astype(np.int64)
            self.latest = max(self.latest, int(number.max()))
            tells = row >= 0
            slots = self.slots.assign(row[tells])
            self.sums, self.last = grown(self.sums, self.slots.size), grown(self.last, self.slots.size)
            _add(slots, number[tells], changed[tells], self.sums, self.last, self.weighting)
        self.waiting.clear()

    def column(self, pages: Pages) -> Floats:
        if self.first is None and len(pages):
            self.first = first_discovery(pages)
        self._settle()
        out = np.full(len(pages), self._of_others())
        out[self.slots.rows] = self._of_seen()
        return out

    def terms(self, row: int) -> dict[str, Any]:
        """φ, its cycles, and the corresponding rate; if `fixed`, with half a cycle more so that the rate is finite."""
        slot = self.slots.find(row)
        if slot is None:
            return {"phi": self._of_others(), "cycles_seen": 0, "cycles_changed": 0, "changes_a_day": None}
        phi, seen = float(self._of_seen()[slot]), int(self.last[slot, _SEEN])
        a_cycle = -math.log1p(-phi if self.is_printed else -phi * seen / (seen + 0.5))
        return {
            "phi": phi,
            "cycles_seen": seen,
            "cycles_changed": int(self.last[slot, _CHANGED]),
            "changes_a_day": a_cycle * _DAY / self.cycle,
        }

    def _of_others(self) -> float:
        """φ of pages without a history."""
        size = self.slots.size
        if self.is_printed or not size:
            return 0.0
        return int(self.last[:size, _CHANGED].sum(dtype=np.int64)) / int(self.last[:size, _SEEN].sum(dtype=np.int64))

    def _of_seen(self) -> Floats:
        """φ by slot."""
        size = self.slots.size
        sums, last = self.sums[:size], self.last[:size]
        weight = last[:, _CYCLE].astype(np.float64) if self.weighting == _AAD else np.ones(size)
        top = sums[:, _TOP] + weight * last[:, _BIT]
        if not self.is_printed:
            return top / (sums[:, _BOTTOM] + weight)
        return -np.expm1(-top * self._printed_scale(last[:, _CYCLE]) / self.latest)

    def _printed_scale(self, cycle: NDArray[np.int32]) -> Floats:
        """From a sum as of a page's latest cycle to Σ w·[changed] over all cycles so far."""
        n, ago = self.latest, cycle.astype(np.float64) - self.latest
        if self.weighting == _SAD:
            return np.where(ago == 0, 1.0, 0.0)
        if self.weighting == _GAD:
            return np.exp2(ago) / (2.0 - math.ldexp(1.0, 1 - n))
        return np.full(len(cycle), 1.0 / n if self.weighting == _NAD else 2.0 / (n * (n + 1.0)))


@compiled
def _fade(weighting: int, cycles: int) -> float:
    """What is left of the weight of a cycle, so many cycles later."""
    if weighting == _GAD:
        return np.exp2(-float(cycles))  # type: ignore[no-any-return]  # a float
    return 0.0 if weighting == _SAD else 1.0


@cached(
    types.void(
        *(readable(types.int64), readable(types.int64), readable(types.bool_)),
        *(types.float64[:, ::1], types.int32[:, ::1], types.int64),
    )
)
def _add(
    slots: Rows, number: Rows, changed: NDArray[np.bool_], sums: Floats, last: NDArray[np.int32], weighting: int
) -> None:
    for i in range(len(slots)):
        total, now = sums[slots[i]], last[slots[i]]
        bit = 1 if changed[i] else 0
        if now[_SEEN] > 0 and number[i] == now[_CYCLE]:
            if bit > now[_BIT]:
                now[_BIT] = 1
                now[_CHANGED] += 1
            continue
        is_late = now[_SEEN] > 0 and number[i] < now[_CYCLE]
        cycle = number[i] if is_late else now[_CYCLE]
        weight = float(cycle) if weighting == _AAD else 1.0
        if is_late:
            weight *= _fade(weighting, now[_CYCLE] - cycle)
            total[_TOP] += weight * bit
            total[_BOTTOM] += weight
        else:
            if now[_SEEN] > 0:
                fade = _fade(weighting, number[i] - cycle)
                total[_TOP] = (total[_TOP] + weight * now[_BIT]) * fade
                total[_BOTTOM] = (total[_BOTTOM] + weight) * fade
            now[_CYCLE], now[_BIT] = number[i], bit
        now[_SEEN] += 1
        now[_CHANGED] += bit
