"""How often does a page change, if only a few numbers may be kept for it?"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.beliefs.belief import Learner
from sought.beliefs.rate_history import DAY, NO_HISTORY, filled, gaps, rate_terms, refetches
from sought.beliefs.slots import Slots, grown
from sought.record.fetches import Fetches
from sought.web.checks import check_positive
from sought.web.compiled import cached, readable
from sought.web.errors import BadInput
from sought.web.expression import brief
from sought.web.pages import Floats, Pages, Rows

_MIN, _MAX = 0.0005 / DAY, 7.0 / DAY
_RATE, _COUNT, _CHANGES, _TIME = range(4)


@brief
@dataclass(frozen=True)
class OnlineRate:
    """Stochastic approximation: λ ← λ + a·(o − (1 − e^{−λw})), a = c/k^power at the k-th gap w that ended with bit o.

    K. Avrachenkov, K. Patil, G. Thoppe, Online Algorithms for Estimating Change Rates of Web Pages, Performance
    Evaluation 2022 (first in VALUETOOLS 2020): for any gaps, λ converges to the rate if power is above ½ and at most 1.

    Departures: c is `step` over the page's mean gap so far (as if all had taken a day more), so that one number suits
    pages fetched every day and every year; rates start at and stay in [0.0005, 7] changes a day.  A page without
    history has the mean rate of those on its host, else of all, else one change a year.  A page fetched twice costs
    32 bytes.
    """

    step: float = 1.0
    power: float = 0.75
    goes_by_demand: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_positive("OnlineRate: step", self.step)
        check_positive("OnlineRate: power", self.power)
        if not 0.5 < self.power <= 1.0:
            raise BadInput(f"OnlineRate: power is a number above 0.5 and up to 1, not {self.power!r}")

    def learner(self) -> Learner:
        return _OnlineRates(self)


class _OnlineRates:
    def __init__(self, estimator: OnlineRate) -> None:
        self.step, self.power = float(estimator.step), float(estimator.power)
        self.slots = Slots()
        self.state = np.zeros((0, 4))

    def learn(self, fetches: Fetches) -> None:
        which = refetches(fetches)
        slots = self.slots.assign(fetches.row[which])
        self.state = grown(self.state, self.slots.size)
        _move(slots, gaps(fetches, which), fetches.changed[which], self.state, self.step, self.power)

    def column(self, pages: Pages) -> Floats:
        return filled(pages, self.slots.rows, self.state[: self.slots.size, _RATE])

    def terms(self, row: int) -> dict[str, Any]:
        slot = self.slots.find(row)
        if slot is None:
            return dict(NO_HISTORY)
        return rate_terms(self.state[slot, _RATE], self.state[slot, _COUNT], self.state[slot, _CHANGES])


@cached(
    types.void(
        readable(types.int64),
        readable(types.float64),
        readable(types.boolean),
        types.float64[:, ::1],
        types.float64,
        types.float64,
    )
)
def _move(slots: Rows, gap: Floats, changed: NDArray[np.bool_], state: Floats, step: float, power: float) -> None:
    for i in range(len(slots)):
        page = state[slots[i]]
        page[_COUNT] += 1.0
        page[_TIME] += gap[i]
        length = (page[_TIME] + DAY) / page[_COUNT]  # a day more, so that a short first gap makes no large step
        change = 1.0 if changed[i] else 0.0
        rate = max(page[_RATE], _MIN)
        rate += step / (page[_COUNT] ** power * length) * (change + np.expm1(-rate * gap[i]))
        page[_RATE] = min(max(rate, _MIN), _MAX)
        page[_CHANGES] += change
