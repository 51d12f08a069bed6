"""Between which bounds does the divergence of a page from its copy lie, if it is only assumed never to shrink?"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numba import types

from sought.beliefs.belief import Learner
from sought.beliefs.divergence import MAX_PROFILES
from sought.beliefs.slots import Slots, grown
from sought.record.fetches import Fetches
from sought.web.checks import check_choice, check_whole
from sought.web.compiled import cached, readable
from sought.web.expression import brief
from sought.web.pages import Floats, Pages, Rows

Bound = Literal["reach", "worth", "share"]
_BASE, _AGE, _DRIFT, _LOW, _HIGH = range(5)


@brief
@dataclass(frozen=True)
class DivergenceBounds:
    """Bounds by the profiles of changes of a page: means over its last `profiles` ones.

    C. Olston, S. Pandey, Recrawl Scheduling Based on Information Longevity, WWW 2008, §4.3.  A profile covers a page up
    to an age, its `reach`; `share` of the page had drifted by then.  Between two points the drift may have come right
    after the first or right before the second, which bounds the area under it and so U = t·D(t) - ∫D; `worth` is the
    middle of these bounds at the reach, in seconds.  All are 0 for a page that was not fetched again.  A point below an
    earlier one of its profile counts as equal to it.
    """

    term: Bound = "worth"
    profiles: int = 3
    goes_by_demand: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_choice("DivergenceBounds: term", self.term, get_args(Bound))
        check_whole("DivergenceBounds: profiles", self.profiles, 1, MAX_PROFILES)

    def learner(self) -> Learner:
        return _Bounds(self)


class _Bounds:
    """For each profile its base, its last point, and the bounds of the area under the drift up to it."""

    def __init__(self, estimator: DivergenceBounds) -> None:
        self.term = estimator.term
        self.slots = Slots()
        self.profiles = np.zeros((0, estimator.profiles, 5))
        self.latest = np.zeros(0, np.int64)

    def learn(self, fetches: Fetches) -> None:
        tells = np.isfinite(fetches.base_gap) & (fetches.base_gap > 0.0) & np.isfinite(fetches.drift)
        slots, age = self.slots.assign(fetches.row[tells]), fetches.base_gap[tells]
        self.profiles, self.latest = grown(self.profiles, self.slots.size), grown(self.latest, self.slots.size)
        drift = np.clip(fetches.drift[tells], 0.0, 1.0)
        _add(slots, fetches.time[tells] - age, age, drift, self.profiles, self.latest)

    def column(self, pages: Pages) -> Floats:
        out = np.zeros(len(pages))
        out[self.slots.rows] = self._means(slice(0, self.slots.size))[self.term]
        return out

    def terms(self, row: int) -> dict[str, Any]:
        slot = self.slots.find(row)
        if slot is None:
            return {}
        means = self._means(slice(slot, slot + 1))
        day = 1.0 if self.term == "share" else 86400.0
        names = {"reach": ("reach",), "worth": ("worth", "worth_at_least", "worth_at_most"), "share": ("share",)}
        return {name: float(means[name][0]) / day for name in names[self.term]}

    def _means(self, slots: slice) -> dict[str, Floats]:
        _, age, drift, low, high = np.moveaxis(self.profiles[slots], 2, 0)
        count = np.maximum(np.count_nonzero(age, axis=1), 1)
        bounds = {
            "reach": age,
            "share": drift,
            "worth_at_least": age * drift - high,
            "worth_at_most": age * drift - low,
        }
        means = {name: values.sum(axis=1) / count for name, values in bounds.items()}
        return means | {"worth": 0.5 * (means["worth_at_least"] + means["worth_at_most"])}


_READ = readable(types.float64)


@cached(types.void(readable(types.int64), _READ, _READ, _READ, types.float64[:, :, ::1], types.int64[::1]))
def _add(slots: Rows, base: Floats, age: Floats, drift: Floats, profiles: Floats, latest: Rows) -> None:
    """Add points one by one; a point of another base begins a profile, which replaces the oldest."""
    for i in range(len(slots)):
        slot = slots[i]
        profile = profiles[slot, latest[slot]]
        if profile[_AGE] > 0.0 and abs(base[i] - profile[_BASE]) > 1e-3:
            latest[slot] = (latest[slot] + 1) % profiles.shape[1]
            profile = profiles[slot, latest[slot]]
            profile[:] = 0.0
        profile[_BASE] = base[i]
        passed = age[i] - profile[_AGE]
        if passed > 0.0:
            before, profile[_DRIFT] = profile[_DRIFT], max(profile[_DRIFT], drift[i])
            profile[_LOW] += passed * before
            profile[_HIGH] += passed * profile[_DRIFT]
            profile[_AGE] = age[i]
