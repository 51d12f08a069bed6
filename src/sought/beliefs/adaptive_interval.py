"""When is the next fetch of a page due?  Its interval grows each time it is found unchanged, and shrinks otherwise."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.beliefs.ages import ages, known_only
from sought.beliefs.belief import Learner
from sought.beliefs.slots import Slots, grown
from sought.record.fetches import Fetches
from sought.web.checks import check_choice, check_positive, check_share
from sought.web.compiled import Bool, cached, readable
from sought.web.errors import BadInput
from sought.web.expression import brief
from sought.web.pages import Floats, Pages, Rows

Form = Literal["nutch", "storm"]
_DAY = 86400.0
_MINUTE = 60.0
_INTERVAL, _CHANGED, _WAIT = range(3)


@brief
@dataclass(frozen=True)
class AdaptiveInterval:
    """Seconds from a page's last fetch to the next, by the rules of `Nutch` and `StormCrawler` (see there).

    A first fetch sets `start`.  An unchanged page's interval is multiplied by 1 + `up`.  A changed one's by 1 - `down`
    in the form `nutch`; in the form `storm` it goes that share of the way to `shortest`, and intervals are cut to whole
    minutes.  `sync` (`nutch` only) is how much of the time since the last change the next fetch is brought forward.
    A fetched page costs 24 bytes.
    """

    goes_by_demand: ClassVar[bool] = False

    form: Form = "nutch"
    start: float = 30 * _DAY
    up: float = 0.4
    down: float = 0.2
    shortest: float = _MINUTE
    longest: float = 365 * _DAY
    sync: float = 0.0

    def __post_init__(self) -> None:
        check_choice("form", self.form, get_args(Form))
        for name in ("start", "shortest", "longest"):
            check_positive(name, getattr(self, name))
        check_positive("up", self.up, or_zero=True)
        check_share("down", self.down, below_one=True)
        check_share("sync", self.sync, below_one=True)
        if not 1.0 <= self.shortest <= self.start <= self.longest:
            raise BadInput("intervals are seconds, at least 1, and shortest <= start <= longest")
        if self.form == "storm" and (self.sync or self.shortest < _MINUTE):
            raise BadInput("intervals in whole minutes are at least 60 seconds, and not synchronised")

    def learner(self) -> Learner:
        return _Intervals(self)


class _Intervals:
    """For each fetched row its interval, when it was last found changed, and the resulting waiting time."""

    def __init__(self, rule: AdaptiveInterval) -> None:
        self.rule = rule
        self.slots = Slots()
        self.state = np.zeros((0, 3))

    def learn(self, fetches: Fetches) -> None:
        slots = self.slots.assign(fetches.row)
        self.state = grown(self.state, self.slots.size)
        first, rule = np.isposinf(fetches.gap), self.rule
        numbers = np.array([rule.start, rule.up, rule.down, rule.shortest, rule.longest, rule.sync], np.float64)
        _adapt(slots, fetches.time, first, fetches.changed, self.state, rule.form == "storm", numbers)

    def column(self, pages: Pages) -> Floats:
        out = np.full(len(pages), float(self.rule.start))
        out[self.slots.rows] = self.state[: self.slots.size, _WAIT]
        return out

    def terms(self, row: int) -> dict[str, Any]:
        slot = self.slots.find(row)
        if slot is None:
            return {"interval_in_days": self.rule.start / _DAY}
        interval, _, wait = self.state[slot] / _DAY
        return {"interval_in_days": float(interval), "days_to_the_next_fetch": float(wait)}


def due(pages: Pages, now: float, wait: Floats) -> Floats:
    """Age as a share of the waiting time: from 1 on a page is due."""
    return known_only(pages, ages(pages, now) / np.clip(wait, 1.0, 1e12))


_FLAGS = readable(types.boolean)


@cached(
    types.void(
        readable(types.int64),
        readable(types.float64),
        _FLAGS,
        _FLAGS,
        types.float64[:, ::1],
        types.boolean,
        readable(types.float64),
    )
)
def _adapt(
    slots: Rows,
    time: Floats,
    first: NDArray[np.bool_],
    changed: NDArray[np.bool_],
    state: Floats,
    is_storm: Bool,
    numbers: Floats,
) -> None:
    """Apply fetches one by one; an interval of 0 marks a page without history."""
    start, up, down, shortest, longest, sync = numbers
    for i in range(len(slots)):
        page = state[slots[i]]
        interval = page[_INTERVAL]
        if first[i] or interval == 0.0:
            interval, page[_CHANGED] = start, time[i]
        elif not changed[i]:
            interval *= 1.0 + up
        else:
            interval = (1.0 - down) * interval + (down * shortest if is_storm else 0.0)
            page[_CHANGED] = time[i]
        unchanged_for = max(time[i] - page[_CHANGED], 0.0) if sync > 0.0 else 0.0
        interval = min(max(interval, unchanged_for, shortest), longest)
        if is_storm:
            interval = np.floor(interval / _MINUTE) * _MINUTE
        page[_INTERVAL] = interval
        page[_WAIT] = max(interval - min(sync * unchanged_for, sync * longest), shortest)
