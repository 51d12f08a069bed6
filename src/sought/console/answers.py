"""How good are the answers, and in what unit does the console say so?

While a crawl runs, its pulse says so.  When none runs the tables are newer: queries may have been imported since
the last pulse.  What the policy expects is known to the pulse alone, and counts as long as the same queries are asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from sought.console.pulse import Condition, Pulse, PulseDemand
from sought.operate.outlook import NOBODY_ASKED
from sought.operate.searches import searches, searches_a_week

NOT_PLANNED = "known after the next crawl has planned with these queries"
_EXPECTED = ("price", "quality", "to_gain_new", "to_gain_known")


@dataclass(frozen=True)
class Unit:
    """Turns gains, and what lasts, into searches that are answered better."""

    report: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def by(report: Mapping[str, Any]) -> "Unit":
        """By what is known of the answers; None is for what is not."""
        return Unit({name: value for name, value in report.items() if value is not None})

    def a_week(self, gain: float | None) -> float | None:
        """A gain as searches a week."""
        return searches_a_week(gain, self.report) if "searches_a_week" in self.report else None

    def in_all(self, worth: float | None) -> float | None:
        """A gain times how long it lasts, such as a price, as searches."""
        return searches(worth, self.report) if "searches_a_week" in self.report else None


@dataclass(frozen=True)
class AnswerQuality:
    """What is known of the answers; `why` says what is missing, by the name of a figure."""

    demand: PulseDemand = field(default_factory=PulseDemand)
    price: float | None = None
    why: Mapping[str, str] = field(default_factory=dict)

    @property
    def unit(self) -> Unit:
        return Unit.by(msgspec.to_builtins(self.demand))


def answers(pulse: Pulse | None, condition: Condition, report: Mapping[str, Any] | None = None) -> AnswerQuality:
    """By the pulse, and by what the tables say (`Measuring.report`); None: they have not been read."""
    is_on = condition in ("running", "silent")
    if report is None or (pulse and is_on and (pulse.demand.queries or not report)):
        return _by_pulse(pulse)
    if not report:
        return _unasked()
    demand = msgspec.convert(report, PulseDemand, strict=False)
    if pulse and _is_same(pulse.demand, demand):
        known = {name: getattr(pulse.demand, name) for name in ("quality", "to_gain", "not_known")}
        return AnswerQuality(msgspec.structs.replace(demand, **known), pulse.price, pulse.demand.not_known)
    return AnswerQuality(demand, None, dict.fromkeys(_EXPECTED, NOT_PLANNED))


def _by_pulse(pulse: Pulse | None) -> AnswerQuality:
    if pulse is None or not pulse.demand.queries:
        return _unasked()
    return AnswerQuality(pulse.demand, pulse.price, pulse.demand.not_known)


def _unasked() -> AnswerQuality:
    return AnswerQuality(why=dict.fromkeys((*_EXPECTED, "unanswered", "poor", "worth_of_answers"), NOBODY_ASKED))


def _is_same(one: PulseDemand, other: PulseDemand) -> bool:
    """Whether the same is asked."""
    return one.queries == other.queries and abs(one.searches_a_week - other.searches_a_week) <= 1e-6 * (
        one.searches_a_week + other.searches_a_week
    )
