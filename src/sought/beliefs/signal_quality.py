"""How good are the signals of a host: how many changes do they report, and how many signals are false?"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.beliefs.belief import Learner
from sought.beliefs.by_host import hosts_in, spread
from sought.beliefs.slots import Slots, grown
from sought.record.fetches import Fetches
from sought.web.compiled import Bool, cached, compiled, readable
from sought.web.expression import brief
from sought.web.pages import Floats, Pages, Rows

_MIN_GAP = 1e-6
_HOUR, _AGES = 3600.0, 16  # gaps are counted in bins: doublings of an hour
_FETCHES, _GAP, _SIGNALLED, _IN_VAIN, _UNCHANGED, _CHANGED = range(6)
_BY_GAP = _CHANGED + 2 * _AGES  # from _CHANGED on: counts, then sums of gaps; not signalled, then signalled
_WIDTH = _BY_GAP + 2 * _AGES
_ROUNDS, _HALVINGS, _CLOSE = 50, 40, 1e-10
_Term = Literal["recall", "false", "strength"]


@brief
@dataclass(frozen=True)
class SignalRecall:
    """The share of changes on a page's host that signals report.

    For the model of R. Busa-Fekete et al., A Scalable Crawling Algorithm Utilizing Noisy Change-Indicating Signals, WWW
    2025.  A page has changed with probability 1 - exp(-α·gap - κ·n), n being 1 if it was signalled, else 0; α and κ,
    neither below 0, are those that fit the fetches of the host best.  With γ signals a second, γ·exp(-κ) are false, the
    others report changes, and α changes a second are not signalled.

    The prior of a host is half a fetch that found a change and half one that did not, after its mean gap, and one false
    signal: signals count little until there is evidence for them.  Departures: a sitemap reports the latest change
    only, so n is never above 1, and γ is corrected for hidden signals as a rate of change is.  Gaps are distinguished
    by doublings only.  Signals that come right after a fetch count in the fit, because the log does not have their
    times.  A host takes 600 bytes.
    """

    goes_by_demand: ClassVar[bool] = False

    def learner(self) -> Learner:
        return _Quality("recall")


@brief
@dataclass(frozen=True)
class FalseSignals:
    """False signals a second, of one page of the host; by the same fit as SignalRecall."""

    goes_by_demand: ClassVar[bool] = False

    def learner(self) -> Learner:
        return _Quality("false")


@brief
@dataclass(frozen=True)
class SignalStrength:
    """How much evidence a signal is: κ of the same fit as SignalRecall.

    By the signal alone, a signalled page has changed with probability 1 - exp(-κ).  It is 0 until there is evidence for
    the signals of the host, and about 0 if pages are signalled whether they change or not.  The fit treats the pages of
    a host as alike: if all are signalled and fast ones are fetched more often, the changes that short gaps find beyond
    the mean of the host are attributed to signals.
    """

    goes_by_demand: ClassVar[bool] = False

    def learner(self) -> Learner:
        return _Quality("strength")


class _Terms(NamedTuple):
    """The fitted terms of hosts."""

    recall: Floats
    false: Floats  # signals a second
    strength: Floats


class _Quality:
    """Sums by host.  Fetches wait until the next column, which has the hosts of rows."""

    def __init__(self, term: _Term) -> None:
        self.term = term
        self.slots = Slots()
        self.sums = np.zeros((0, _WIDTH))
        self.fitted = np.zeros((0, 2))
        self.is_new = np.zeros(0, np.bool_)
        self.host: NDArray[np.uint32] = np.zeros(0, np.uint32)
        self.waiting: list[tuple[Rows, Floats, NDArray[np.bool_], NDArray[np.bool_]]] = []

    def learn(self, fetches: Fetches) -> None:
        tells = np.isfinite(fetches.gap) & (fetches.gap >= _MIN_GAP)
        if tells.any():
            columns = fetches.row, fetches.gap, fetches.signalled, fetches.changed
            self.waiting.append(tuple(column[tells] for column in columns))  # type: ignore[arg-type]  # four of them

    def column(self, pages: Pages) -> Floats:
        self._settle(pages)
        slots = np.flatnonzero(self.is_new[: self.slots.size])
        _fit(slots, self.sums, self.fitted)
        self.is_new[slots] = False
        by_host = np.zeros(hosts_in(pages))
        by_host[self.slots.rows] = getattr(self._quality(slice(self.slots.size)), self.term)
        return spread(by_host, pages.host)

    def terms(self, row: int) -> dict[str, Any]:
        slot = self.slots.find(int(self.host[row]))
        if slot is None:
            return {}
        value = float(getattr(self._quality(slice(slot, slot + 1)), self.term)[0])
        fetches, signalled = self.sums[slot, [_FETCHES, _SIGNALLED]].tolist()
        name, value = ("false_a_day", value * 86400.0) if self.term == "false" else (self.term, value)
        return {"fetches": int(fetches), "signalled": int(signalled), name: value}

    def _quality(self, slots: slice) -> _Terms:
        return quality_of(self.sums[slots], self.fitted[slots])

    def _settle(self, pages: Pages) -> None:
        self.host = pages.host
        for row, gap, signalled, changed in self.waiting:
            slots = self.slots.assign(pages.host[row].astype(np.int64))
            for name in ("sums", "fitted", "is_new"):
                setattr(self, name, grown(getattr(self, name), self.slots.size))
            _add(slots, gap, signalled, changed, self.sums)
            self.is_new[slots] = True
        self.waiting.clear()


def quality_of(sums: Floats, fitted: Floats) -> _Terms:
    """The terms of hosts with these sums and fits."""
    fetches, gap, signalled = sums[:, _FETCHES], sums[:, _GAP], sums[:, _SIGNALLED]
    signals = np.log((fetches + 0.5) / (fetches - signalled + 0.5)) * fetches / gap
    false = signals * np.exp(-fitted[:, 1])
    true = signals - false
    return _Terms(np.where(signalled > 0.0, true / (fitted[:, 0] + true), 0.0), false, fitted[:, 1])


_SUMS = types.float64[:, ::1]
_BITS = readable(types.bool_)


@cached(types.void(readable(types.int64), readable(types.float64), _BITS, _BITS, _SUMS))
def _add(slots: Rows, gap: Floats, signalled: Any, changed: Any, sums: Floats) -> None:
    for i in range(len(slots)):
        host = sums[slots[i]]
        host[_FETCHES] += 1.0
        host[_GAP] += gap[i]
        if signalled[i]:
            host[_SIGNALLED] += 1.0
        if changed[i]:
            age = np.int64(min(max(np.log2(gap[i] / _HOUR), 0.0), _AGES - 1.0))
            at = age + _AGES if signalled[i] else age
            host[_CHANGED + at] += 1.0
            host[_BY_GAP + at] += gap[i]
        else:
            host[_UNCHANGED] += gap[i]
            if signalled[i]:
                host[_IN_VAIN] += 1.0


@compiled
def _chance(x: float) -> tuple[float, float, float]:
    """ln(1 - exp(-x)), its slope and its curvature."""
    slope = 1.0 / np.expm1(x)
    return np.log(-np.expm1(-x)), slope, -slope * (1.0 + slope)


@compiled
def _likelihood(host: Floats, scale: float, a: float, k: float) -> tuple[float, float, float, float, float, float]:
    """The logarithm at α = a/scale and κ = k, its gradient, and its second derivatives by a·a, a·k and k·k."""
    level, slope, bend = _chance(a)
    idle = host[_UNCHANGED] / scale + 0.5
    value, by_a, by_k = 0.5 * level - idle * a, 0.5 * slope - idle, -host[_IN_VAIN] - 1.0
    value += by_k * k
    by_aa, by_ak, by_kk = 0.5 * bend, 0.0, 0.0
    for at in range(2 * _AGES):
        count = host[_CHANGED + at]
        if count > 0.0:
            gap, signal = host[_BY_GAP + at] / count / scale, 1.0 if at >= _AGES else 0.0
            level, slope, bend = _chance(gap * a + signal * k)
            value += count * level
            by_a += count * slope * gap
            by_k += count * slope * signal
            by_aa += count * bend * gap * gap
            by_ak += count * bend * gap * signal
            by_kk += count * bend * signal
    return value, by_a, by_k, by_aa, by_ak, by_kk


@compiled
def _step(
    a: float, k: float, by_a: float, by_k: float, by_aa: float, by_ak: float, by_kk: float
) -> tuple[float, float]:
    """Newton's step in k and a, or in a alone if k is at its bound or no signalled page had changed."""
    held: Bool = by_kk == 0.0 or (k == 0.0 and by_k <= 0.0)
    if held:
        return -by_a / by_aa, -k
    area = by_aa * by_kk - by_ak * by_ak
    if area <= 0.0:
        return -by_a / by_aa, -by_k / by_kk
    return (by_ak * by_k - by_kk * by_a) / area, (by_ak * by_a - by_aa * by_k) / area


@cached(types.void(readable(types.int64), _SUMS, _SUMS))
def _fit(slots: Rows, sums: Floats, fitted: Floats) -> None:
    """The maximum likelihood of each host, by Newton's method; steps that lower it are halved."""
    for slot in slots:
        host = sums[slot]
        scale = host[_GAP] / host[_FETCHES]
        a, k = 0.5, 0.5
        value, by_a, by_k, by_aa, by_ak, by_kk = _likelihood(host, scale, a, k)
        for _ in range(_ROUNDS):
            to_a, to_k = _step(a, k, by_a, by_k, by_aa, by_ak, by_kk)
            share, new = 1.0, -np.inf
            for _ in range(_HALVINGS):
                there_a, there_k = max(a + share * to_a, 0.1 * a), max(k + share * to_k, 0.0)
                new, by_a, by_k, by_aa, by_ak, by_kk = _likelihood(host, scale, there_a, there_k)
                if new >= value:
                    break
                share *= 0.5
            moved = abs(there_a - a) + abs(there_k - k)
            a, k, value = there_a, there_k, new
            if moved < _CLOSE:
                break
        fitted[slot, 0], fitted[slot, 1] = a / scale, k
