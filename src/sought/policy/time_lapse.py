"""Another policy on a web whose clock runs faster than ours, as in a demo, a simulation or a replay."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sought.beliefs.belief import Belief, Estimator, HasTerms, Learner, Supplied
from sought.policy.worth.worth import Worth
from sought.record.fetches import Fetches
from sought.web.checks import check_positive
from sought.web.errors import BadInput
from sought.web.expression import brief
from sought.web.pages import Floats, Pages
from sought.web.policy import (
    Expected,
    Policy,
    beliefs_of,
    expected_by,
    expecting,
    explained,
    needs_demand,
    order_matters,
    reads_links,
)

_OF_PAGES = ("found", "last_fetch", "last_change", "signal", "linked", "unlinked")
_OF_FETCHES = ("time", "gap", "modified", "base_gap", "seen_gap")


@brief
@dataclass(frozen=True)
class TimeLapse:
    """Another policy, which sees the time of that web: it passes `times` as fast, by default a day in a second.

    Policies and estimators have priors about the Web, such as that a page lives for years.  The inner policy sees all
    times and the budget in the time of the fast web.  A price is a gain times the time it lasts, so prices, and values
    that are compared with them, are converted back.
    """

    policy: Policy = field(default_factory=Worth)
    times: float = 86400.0

    def __post_init__(self) -> None:
        check_positive("TimeLapse: times", self.times)
        if not callable(self.policy):
            raise BadInput(f"TimeLapse: not a policy: {self.policy!r}")

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        return tuple(lapsed(belief, self.times) for belief in beliefs_of(self.policy))

    @property
    def order_matters(self) -> bool:
        return order_matters(self.policy)

    @property
    def reads_links(self) -> bool:
        return reads_links(self.policy)

    def __call__(self, pages: Pages, now: float) -> Floats:
        return self._slowed(self.policy(self._sped_up(pages), now * self.times))

    def explained(self, pages: Pages, row: int, now: float) -> dict[str, Any]:
        """What the inner policy says about a value."""
        return explained(self.policy, self._sped_up(pages), row, now * self.times)

    def expects(self, pages: Pages, now: float) -> Expected:
        """What the inner policy expects; NaN if it does not say."""
        if expected := expected_by(self.policy, self._sped_up(pages), now * self.times):
            return expected._replace(value=self._slowed(expected.value), price=expected.price / self.times)
        unknown = np.full(len(pages), np.nan)
        return Expected(self(pages, now), unknown, unknown)

    def _slowed(self, value: Floats) -> Floats:
        """Values in our time if they are worths; other values, such as ranks, do not depend on time."""
        return value / self.times if _has_price(self.policy) else value

    def _sped_up(self, pages: Pages) -> Pages:
        return _sped_up(pages, self.policy, self.times)


@brief
@dataclass(frozen=True)
class Lapsed:
    """An estimator that learns from fetches in the time of that web."""

    estimator: Estimator
    times: float

    @property
    def goes_by_demand(self) -> bool:
        return needs_demand(self.estimator)

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        return tuple(lapsed(belief, self.times) for belief in beliefs_of(self.estimator))

    def learner(self) -> Learner:
        return _Learner(self.estimator, self.times)


def lapsed(belief: Belief, times: float) -> Belief:
    """The belief in the time of that web; supplied beliefs do not depend on time."""
    return belief if isinstance(belief, Supplied) else Lapsed(belief, times)


class _Learner:
    def __init__(self, estimator: Estimator, times: float) -> None:
        self.estimator, self.times = estimator, times
        self.inner = estimator.learner()

    def learn(self, fetches: Fetches) -> None:
        self.inner.learn(replace(fetches, **{name: getattr(fetches, name) * self.times for name in _OF_FETCHES}))

    def column(self, pages: Pages) -> Floats:
        return self.inner.column(_sped_up(pages, self.estimator, self.times))

    def terms(self, row: int) -> dict[str, Any]:
        return self.inner.terms(row) if isinstance(self.inner, HasTerms) else {}


def _has_price(policy: Policy) -> bool:
    return _has_price(policy.policy) if isinstance(policy, TimeLapse) else expecting(policy) is not None


def _sped_up(pages: Pages, reader: Policy | Estimator, times: float) -> Pages:
    """The table in the time of that web, with each belief under the name that its reader uses."""
    columns = {name: getattr(pages, name) * times for name in _OF_PAGES}
    beliefs = {belief: pages.belief(lapsed(belief, times)) for belief in beliefs_of(reader)}
    return replace(pages, pace=pages.pace / times, beliefs=beliefs, **columns)
