"""How many fetches does a quality take, and how sure is that?  The dial, set right by the crawl's own record.

Losses of known pages are scaled by what fetches of known pages brought beside what was expected of them, losses of
missing ones by the same of new pages.  What is not known is drawn many times over:

    the record         its weeks, with replacement: what came beside what was expected
    the time ahead     as many weeks of the record: how much happens in them, beside what did so far.  Half of a
                       year's loss may come in three weeks, and then halves of a year are unlike each other
    rates              of edits, deaths and births, by how many of each were seen: a Gamma
    the model          what it neglects: in the laboratory it was found to be off by a factor of e^±DOUBT

An interval has 80 % of the draws.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.death_rate import WEEK
from sought.beliefs.rate_history import YEAR
from sought.operate.dial_curve import BudgetCurve
from sought.web.pages import Floats, Pages

LEVELS = (0.90, 0.95, 0.99)
FEWEST_FETCHES, FEWEST_WEEKS = 200, 2  # of a record that says anything
DOUBT = 0.5
_DRAWS, _TAIL = 400, 0.1


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
