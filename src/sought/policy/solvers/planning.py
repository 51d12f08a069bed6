"""How does a planner get from beliefs to values?  Valid inputs for solvers, and values that follow their plans."""

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from sought.beliefs.ages import by_periods
from sought.policy.ranking import Keys
from sought.policy.solvers.allotment import allotted
from sought.policy.solvers.frequencies import optimal_frequencies
from sought.web.checks import check_choice, check_positive, check_whole
from sought.web.pages import Floats, Pages, Rows

Form = Literal["fractions", "integer"]
MOST_SLOTS = 10_000
_MONTH = 30 * 86400.0
_MAX_PACE = 1e12  # fetches a second
_FASTEST, _SLOWEST = 1e3, 1e-15  # changes a second; slower pages count as unchanging
_LIGHTEST = 1e-12  # of the largest weight; lighter pages do not count


def check_plan(name: str, form: object, slots: object, cycle: object) -> None:
    check_choice(f"{name}: form", form, get_args(Form))
    check_whole(f"{name}: slots", slots, 1, MOST_SLOTS)
    check_positive(f"{name}: cycle", cycle)


def planned(form: Form, slots: int, cycle: float, key: Keys) -> Callable[[Floats, Floats, float], Floats]:
    """A solver for `by_plan`: long-run frequencies, or whole fetches in a horizon of `slots` cycles."""

    def in_horizon(rate: Floats, weight: Floats, pace: float) -> Floats:
        total = round(min(pace * cycle, len(rate)) * slots)
        return allotted(rate * cycle, weight, total, slots, key) / (slots * cycle)

    return optimal_frequencies if form == "fractions" else in_horizon


def by_plan(
    pages: Pages, now: float, rate: Floats, weight: Floats, solve: Callable[[Floats, Floats, float], Floats]
) -> Floats:
    """Values that follow the plan that `solve` makes from rates, weights and pace; pages without a plan come last."""
    rows = known_rows(pages)
    fetches = np.zeros(len(pages))
    fetches[rows] = solve(sound_rates(rate[rows]), sound_weights(weight[rows]), pace_of(pages, len(rows)))
    return by_periods(pages, now, fetches)


def known_rows(pages: Pages) -> Rows:
    """Rows that have been fetched."""
    return np.flatnonzero(~pages.is_new)


def pace_of(pages: Pages, count: int) -> float:
    """The pace in fetches a second; while it is not known, one fetch of each of `count` pages a month."""
    return min(pages.pace, _MAX_PACE) if 0.0 < pages.pace < np.inf else count / _MONTH


def sound_rates(rate: Floats) -> Floats:
    """Changes a second: 0, or within the bounds of solvers."""
    return np.where(rate > _SLOWEST, np.minimum(rate, _FASTEST), 0.0)


def sound_weights(weight: Floats) -> Floats:
    """Weights as shares of the largest: 0, or within the bounds of solvers."""
    some = np.where(weight > 0.0, np.minimum(weight, 1e300), 0.0)
    some /= max(some.max(initial=0.0), 1e-300)
    return np.where(some > _LIGHTEST, some, 0.0)
