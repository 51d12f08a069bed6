"""What would a page gain from being fetched more often?  Measured by early fetches (probes), without a model.

A page is fetched in periods, each of which ends with a planned fetch.  A few periods also have a probe, at a random
time within.  A hash of the page's key and the start of the period decides on both, so a log that is read again has the
same probes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.beliefs.belief import Learner
from sought.beliefs.slots import Slots, grown
from sought.record.fetches import Fetches
from sought.web.checks import check_share
from sought.web.compiled import cached, readable
from sought.web.errors import BadInput
from sought.web.expression import brief
from sought.web.mixing import bits_of, fractions, mixed, salt
from sought.web.pages import Floats, Pages, Rows

_DAY = 86400.0
_BEGAN, _PHASE, _SAVED, _SEEN, _PROBES = range(5)
_PLANNED, _TO_PROBE, _PROBED_SAME, _PROBED_CHANGED = 1.0, 2.0, 3.0, 4.0  # phases; 0: never fetched
_SALT = 2020


def probe_at(key: NDArray[np.uint64], began: Floats, probes: float) -> Floats:
    """The share of its period at which a page is probed, from 0 to below 1; 1 without a probe."""
    drawn = fractions(mixed(mixed(key + salt(_SALT)) ^ bits_of(began)))
    return np.where(drawn < probes, drawn / probes, 1.0)


@brief
@dataclass(frozen=True)
class _Probed:
    """Beliefs about pages that have a probe in a share `probes` of their periods."""

    goes_by_demand: ClassVar[bool] = False

    probes: float = 0.05

    def __post_init__(self) -> None:
        check_share("probes", self.probes)
        if self.probes == 0:
            raise BadInput("probes is above 0: without probes nothing is learned")


@brief
@dataclass(frozen=True)
class PeriodStart(_Probed):
    """When the page's present period began: its last fetch that was no probe; -inf if there is none."""

    def learner(self) -> Learner:
        return _PeriodStarts(self.probes)


@brief
@dataclass(frozen=True)
class ProbeShare(_Probed):
    """The share of the page's present period at which its next fetch is due: below 1 if that is a probe, else 1."""

    def learner(self) -> Learner:
        return _ProbeShares(self.probes)


@brief
@dataclass(frozen=True)
class ProbedGain(_Probed):
    """How much fresher the page would have been at a higher rate, compared with an average page.

    Kolobov, Bubeck & Zimmert (Online Learning for Active Cache Synchronization, ICML 2020): if c(t) is the chance that
    a copy of age t is stale, fetches at rate r cost J(r) = r·∫c up to 1/r, and -J'(r) is the mean of (c(1/r) - c(s))/r
    over uniform s < 1/r.  A period of T seconds with a probe is one sample of it: T if the probe found the page
    unchanged and the planned fetch found it changed, else 0.  The column is the sum of sample · T, minus that of a page
    with average samples, over the square root of the time the log spans: seconds to the power of 3/2.
    """

    def learner(self) -> Learner:
        return _ProbedGains(self.probes)


class _Periods:
    """For each fetched row the present period, and sums over finished ones; 40 bytes.

    Keys are known from the table only, so fetches wait until the next column.
    """

    def __init__(self, probes: float) -> None:
        self.probes = float(probes)
        self.slots = Slots()
        self.state = np.zeros((0, 5))
        self.span = np.array([np.inf, -np.inf])  # the first and the last time in the log
        self.waiting: list[tuple[Rows, Floats, NDArray[np.bool_]]] = []

    def learn(self, fetches: Fetches) -> None:
        if len(fetches):
            self.waiting.append((fetches.row.copy(), fetches.time.copy(), fetches.changed.copy()))

    def take_in(self, pages: Pages) -> Floats:
        """Apply the waiting fetches; returns the state of every slot."""
        for row, time, changed in self._waited():
            slots = self.slots.assign(row)
            self.state = grown(self.state, self.slots.size)
            probed = probe_at(pages.key[row], time, self.probes) < 1.0
            _follow(slots, time, changed, probed, self.state)
            self.span = np.array([min(self.span[0], time.min()), max(self.span[1], time.max())])
        return self.state[: self.slots.size]

    def _waited(self) -> Iterator[tuple[Rows, Floats, NDArray[np.bool_]]]:
        waiting, self.waiting = self.waiting, []
        yield from waiting

    def terms(self, row: int) -> dict[str, Any]:
        slot = self.slots.find(row)
        state = self.state[slot] if slot is not None else np.zeros(5)
        return {"days_in_finished_periods": float(state[_SEEN] / _DAY), "periods_with_a_probe": int(state[_PROBES])}


class _PeriodStarts(_Periods):
    def column(self, pages: Pages) -> Floats:
        state, out = self.take_in(pages), np.full(len(pages), -np.inf)
        out[self.slots.rows] = state[:, _BEGAN]
        return out


class _ProbeShares(_Periods):
    def column(self, pages: Pages) -> Floats:
        state, out = self.take_in(pages), np.ones(len(pages))
        rows, to_probe = self.slots.rows, state[:, _PHASE] == _TO_PROBE
        out[rows[to_probe]] = probe_at(pages.key[rows[to_probe]], state[to_probe, _BEGAN], self.probes)
        return out


class _ProbedGains(_Periods):
    def column(self, pages: Pages) -> Floats:
        state, out = self.take_in(pages), np.zeros(len(pages))
        saved, seen = state[:, _SAVED], state[:, _SEEN]
        if seen.any():
            average = saved.sum() / seen.sum()
            out[self.slots.rows] = (saved - average * seen) / np.sqrt(self.span[1] - self.span[0])
        return out


@cached(
    types.void(
        readable(types.int64),
        readable(types.float64),
        readable(types.boolean),
        readable(types.boolean),
        types.float64[:, ::1],
    )
)
def _follow(slots: Rows, time: Floats, changed: NDArray[np.bool_], probed: NDArray[np.bool_], state: Floats) -> None:
    """Apply fetches one by one; `probed` is whether a period that begins with the fetch has a probe."""
    for i in range(len(slots)):
        page = state[slots[i]]
        if page[_PHASE] == _TO_PROBE:
            page[_PHASE] = _PROBED_CHANGED if changed[i] else _PROBED_SAME
            continue
        if page[_PHASE] != 0.0:
            period = max(time[i] - page[_BEGAN], 0.0)
            page[_SEEN] += period
            page[_PROBES] += page[_PHASE] != _PLANNED
            if page[_PHASE] == _PROBED_SAME and changed[i]:
                page[_SAVED] += period * period
        page[_BEGAN] = time[i]
        page[_PHASE] = _TO_PROBE if probed[i] else _PLANNED
