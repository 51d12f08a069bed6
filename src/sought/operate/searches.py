"""Gains in a unit that people know: searches a week that are answered better.

Gains are in the unit of the scorer, weighted by shares of demand, which is hard to picture.  An ordinary answer is
worth what all answers are worth, divided by the share of searches that have one.  A gain of that much, times the
searches a week, is *one search a week answered better*: as if one more search a week had an ordinary answer in place of
none.  Many small improvements also add up to one.
"""

from collections.abc import Mapping
from typing import Any

WEEK = 7 * 86400.0


def searches_a_week(gain: float | None, report: Mapping[str, Any]) -> float | None:
    """A gain as searches a week that are answered better, by what `Measuring.report` says of the answers.

    None if the gain is not known, or nothing has an answer yet: then there is nothing to compare it with.

    >>> searches_a_week(0.3, {"searches_a_week": 1000.0, "unanswered": 0.25, "worth_of_answers": 1.5})
    150.0
    """
    worth = report.get("worth_of_answers") or 0.0
    answered = 1.0 - report.get("unanswered", 1.0)
    if gain is None or worth <= 0.0 or answered <= 0.0:
        return None
    return float(gain * answered / worth * report["searches_a_week"])


def improved_searches(gain: float, asked: float, report: Mapping[str, Any]) -> float | None:
    """How many of the searches a week for one query a gain improves: all of them, if it is worth more than as many.

    >>> improved_searches(0.3, 200.0, {"searches_a_week": 1000.0, "unanswered": 0.25, "worth_of_answers": 1.5})
    150.0
    >>> improved_searches(0.3, 15.0, {"searches_a_week": 1000.0, "unanswered": 0.25, "worth_of_answers": 1.5})
    15.0
    """
    improved = searches_a_week(gain, report)
    return None if improved is None else min(improved, asked)


def searches(worth: float | None, report: Mapping[str, Any]) -> float | None:
    """A gain × the seconds that it lasts, such as the price of a fetch, as searches that are answered better.

    >>> searches(0.3 * WEEK, {"searches_a_week": 1000.0, "unanswered": 0.25, "worth_of_answers": 1.5})
    150.0
    """
    return searches_a_week(None if worth is None else worth / WEEK, report)
