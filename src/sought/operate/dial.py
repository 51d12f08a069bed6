"""The budget dial: how many fetches a day are enough for a quality, and how sure is that?

The curve (dial_curve.py) is corrected by the crawl's own record.  Losses of known pages are scaled by what fetches of
known pages gained beside what was expected of them, losses of missing pages by the same of new pages.  Everything
uncertain is drawn many times:

    the record         its weeks, with replacement: what was gained beside what was expected
    the time ahead     as many weeks of the record: how much happens in them, beside an average week.  Half of a
                       year's loss may come in three weeks, and then halves of a year are unlike each other
    rates              of edits, deaths and births, by how many of each were seen: a Gamma distribution
    the model          what it neglects: in the laboratory it was off by a factor of e^±DOUBT

An interval has 80 % of the draws.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.death_rate import WEEK
from sought.beliefs.rate_history import YEAR
from sought.operate.dial_curve import BudgetCurve, TimeSpan, curve
from sought.operate.typed_report import OPTIONAL, TypedReport
from sought.operate.view import View
from sought.policy.worth.worth import Worth
from sought.record.config import pace
from sought.record.expectations import KEPT, KINDS, noted
from sought.record.gains import gains_since
from sought.record.store import Store
from sought.web.pages import Floats, Pages

LEVELS = (0.90, 0.95, 0.99)
FEWEST_FETCHES, FEWEST_WEEKS = 200, 2  # of a record that says anything
DOUBT = 0.5
_DRAWS, _TAIL = 400, 0.1
_DAY = 86400.0


class ExpectedAndMeasured(NamedTuple):
    """Fetches of which something was expected, and what was measured."""

    time: Floats
    expected: Floats
    gain: Floats
    is_new: NDArray[np.bool_]


class Estimate(NamedTuple):
    """With 80 % certainty between `low` and `high`; inf: no number of fetches is enough."""

    value: float
    low: float
    high: float


class EvidenceCounts(NamedTuple):
    """How many edits, deaths and births what is believed rests on."""

    edits: int
    deaths: int
    births: int


class DialReading(NamedTuple):
    """Quality as a share of what is attainable, by fetches a second: as expected, and one row a draw."""

    fetches: Floats
    expected: Floats
    drawn: Floats

    def quality(self, fetches: float) -> Estimate:
        return _estimate(self._at(self.expected, fetches), [self._at(each, fetches) for each in self.drawn])

    def fetches_for(self, level: float) -> Estimate:
        return _estimate(self._reaches(self.expected, level), [self._reaches(each, level) for each in self.drawn])

    def _at(self, quality: Floats, fetches: float) -> float:
        return float(np.interp(fetches, self.fetches, quality))

    def _reaches(self, quality: Floats, level: float) -> float:
        at = int(np.searchsorted(quality, level))
        if at == 0 or at == len(quality):
            return np.inf if at else 0.0
        low, high = quality[at - 1], quality[at]
        return float(np.interp(level, [low, high], self.fetches[at - 1 : at + 1]))


def _estimate(value: float, drawn: list[float]) -> Estimate:
    ordered = np.sort(drawn)  # of which some may be infinite, so that nothing must be put between two
    return Estimate(value, *(float(ordered[round(share * (len(ordered) - 1))]) for share in (_TAIL, 1.0 - _TAIL)))


def too_little(record: ExpectedAndMeasured) -> str:
    """Why a record says nothing; empty if it does."""
    fetches, weeks = len(record.time), len(np.unique(_week(record))) if len(record.time) else 0
    if fetches < FEWEST_FETCHES:
        return f"{fetches:,} measured fetches are on record, and {FEWEST_FETCHES} are needed"
    if weeks < FEWEST_WEEKS:
        return f"the record is of {weeks} week, and {FEWEST_WEEKS} are needed"
    return ""


def seen_of(pages: Pages, since: float) -> EvidenceCounts:
    known = ~pages.is_new
    edits = int(pages.changes[pages.live].sum()) - int(np.count_nonzero(pages.changes[pages.live]))
    deaths = int(np.count_nonzero(known & ~pages.live & (pages.changes > 0)))
    return EvidenceCounts(max(edits, 0), deaths, int(np.count_nonzero(pages.found > since)))


def reading(
    curve: BudgetCurve, record: ExpectedAndMeasured, seen: EvidenceCounts, ahead: float = YEAR / 2.0, seed: int = 0
) -> DialReading:
    dice, weekly = np.random.default_rng([seed, 0xD1A]), _weekly(record)
    weeks = len(weekly)
    scales = np.array([_scales(weekly[dice.integers(0, weeks, weeks)]) for _ in range(_DRAWS)])
    coming = np.array([_happens(weekly, dice, ahead) for _ in range(_DRAWS)])
    off = coming * np.exp(DOUBT * dice.standard_normal(_DRAWS))
    edits, deaths, births = (dice.gamma(count + 1.0, 1.0 / (count + 1.0), _DRAWS) * off for count in seen)
    known, new = _scales(weekly)
    losses = (
        np.outer(scales[:, 0] * edits, curve.edits)
        + np.outer(scales[:, 0] * deaths, curve.deaths)
        + np.outer(scales[:, 1] * births, curve.missing)
    )
    expected = known * (curve.edits + curve.deaths) + new * curve.missing
    return DialReading(curve.fetches, _quality(expected, curve.attainable), _quality(losses, curve.attainable))


def _quality(loss: Floats, attainable: float) -> Floats:
    return np.maximum(1.0 - loss / attainable, 0.0) if attainable > 0.0 else np.ones_like(loss)


def _week(record: ExpectedAndMeasured) -> NDArray[np.int64]:
    weeks: NDArray[np.int64] = ((record.time - record.time.min()) // WEEK).astype(np.int64)
    return weeks


def _weekly(record: ExpectedAndMeasured) -> Floats:
    """A row a week: gained and expected of known pages, and of new ones."""
    week = _week(record)
    columns = [
        np.bincount(week, np.where(record.is_new == is_new, each, 0.0), week.max() + 1)
        for is_new in (False, True)
        for each in (np.maximum(record.gain, 0.0), np.maximum(record.expected, 0.0))
    ]
    return np.stack(columns, 1)


def _scales(weekly: Floats) -> tuple[float, float]:
    """What came over what was expected, of known pages and of new ones."""
    gained, expected, gained_new, expected_new = weekly.sum(axis=0)
    known, new = gained / expected if expected > 0 else 1.0, gained_new / expected_new if expected_new > 0 else 1.0
    return float(known), float(new)


def _happens(weekly: Floats, dice: np.random.Generator, ahead: float) -> float:
    """In the weeks ahead, beside the same number of average ones."""
    gained = weekly[:, 0] + weekly[:, 2]
    mean = float(gained.mean())
    drawn = gained[dice.integers(0, len(gained), max(1, round(ahead / WEEK)))]
    return float(drawn.mean()) / mean if mean > 0.0 else 1.0


# ---- What the dial says of a crawl


@dataclass(frozen=True)
class QualityEstimate(TypedReport):
    """With 80 % certainty between `low` and `high`; None: never reached."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class BudgetPoint(TypedReport):
    """The quality at a number of fetches a day, as a share of what is attainable."""

    fetches_a_day: float
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class BudgetToday(TypedReport):
    """The present budget and the quality it buys."""

    fetches_a_day: float
    quality: QualityEstimate


@dataclass(frozen=True)
class BudgetReport(TypedReport):
    """What budgets bring.  While there is too little on record, `why_not` says so and the later fields are None.

    `levels` has the fetches a day for a quality, such as "0.95".
    """

    directory: str
    measured_fetches: int
    why_not: str | None = field(default=None, metadata=OPTIONAL)
    days_on_record: float | None = field(default=None, metadata=OPTIONAL)
    days_ahead: float | None = field(default=None, metadata=OPTIONAL)
    days_between_fetches: float | None = field(default=None, metadata=OPTIONAL)
    budget: BudgetToday | None = field(default=None, metadata=OPTIONAL)
    without_fetches: QualityEstimate | None = field(default=None, metadata=OPTIONAL)
    levels: Mapping[str, QualityEstimate] | None = field(default=None, metadata=OPTIONAL)
    curve: tuple[BudgetPoint, ...] = field(default=(), metadata=OPTIONAL)


def budget(view: View, now: float) -> BudgetReport:
    """What budgets bring, from the crawl's own record."""
    record = record_of(view.store, gains_since(view.config.demand.scorer, view.store, view.table))
    directory, measured = str(view.path), len(record.time)
    if why := too_little(record):
        hint = "Worth() puts on record what it expects of fetches, once people have asked for something"
        return BudgetReport(directory, measured, why_not=f"{why}; {hint}")
    span = TimeSpan(float(record.time.min()), now, least=max(view.config.revisit_after, 1.0))
    dial = read_off(view.pages(Worth()), record, span)
    today = pace(view.config) * _DAY
    return BudgetReport(
        directory,
        measured,
        days_on_record=span.past / _DAY,
        days_ahead=span.ahead / _DAY,
        days_between_fetches=span.least / _DAY,
        budget=BudgetToday(today, QualityEstimate(*_finite(dial.quality(today / _DAY)))),
        without_fetches=QualityEstimate(*_finite(dial.quality(0.0))),
        levels={f"{level:.2f}": QualityEstimate(*_finite(dial.fetches_for(level), _DAY)) for level in LEVELS},
        curve=tuple(_points(dial)),
    )


def record_of(store: Store, since: float) -> ExpectedAndMeasured:
    """Fetches of new and of known pages, from when both are on record: the store keeps the latest of each."""
    kinds = [noted(store, kind, since) for kind in KINDS]
    begin = max(each["time"].min() if len(each) >= KEPT else -np.inf for each in kinds)
    kept = [each[each["time"] >= begin] for each in kinds]
    both = np.concatenate(kept)
    is_new = np.repeat([True, False], [len(each) for each in kept])
    is_whole = np.isfinite(both["expected"]) & np.isfinite(both["gain"])
    time, expected, gain = (both[name][is_whole] for name in ("time", "expected", "gain"))
    return ExpectedAndMeasured(time, expected, gain, is_new[is_whole])


def read_off(pages: Pages, record: ExpectedAndMeasured, span: TimeSpan) -> DialReading:
    """From pages with the beliefs of Worth, and a record that says enough."""
    return reading(curve(pages, span), record, seen_of(pages, span.since), span.ahead)


def _points(dial: DialReading) -> list[BudgetPoint]:
    """The curve without the points that add nothing."""
    _, first = np.unique(dial.fetches, return_index=True)
    return [BudgetPoint(each * _DAY, *_finite(dial.quality(each))) for each in dial.fetches[first].tolist()]


def _finite(estimate: Estimate, times: float = 1.0) -> tuple[float | None, float | None, float | None]:
    """None for what is never reached."""
    value, low, high = (each * times if np.isfinite(each) else None for each in estimate)
    return value, low, high
