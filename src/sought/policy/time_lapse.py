"""A policy for a web whose clock runs faster than ours: a demonstration, a simulation, a recording that is played."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sought.beliefs.belief import Belief, Estimator, Learner, Supplied, Telling
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
    """Another policy that is told the time of that web, which passes `times` as fast; by default a day in a second.

    Policies and what they learn from know what is usual on the Web: that a page lives for years, that nothing is
    looked at every second.  Here the policy sees every time, and the budget, as they are over there.  A price is a gain
    times how long it lasts: it is told in the time of here, and so are the values that are compared with it.
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
        return self._here(self.policy(self._there(pages), now * self.times))

    def explained(self, pages: Pages, row: int, now: float) -> dict[str, Any]:
        """What the other policy, or its side, says of its value; nothing if that is plain."""
        return explained(self.policy, self._there(pages), row, now * self.times)

    def expects(self, pages: Pages, now: float) -> Expected:
        """What the other policy expects; NaN if it does not say."""
        if told := expected_by(self.policy, self._there(pages), now * self.times):
            return told._replace(value=self._here(told.value), price=told.price / self.times)
        unsaid = np.full(len(pages), np.nan)
        return Expected(self(pages, now), unsaid, unsaid)

    def _here(self, value: Floats) -> Floats:
        """Values that go by a price last a shorter time here; others, such as a rank, say nothing of time."""
        return value / self.times if _has_price(self.policy) else value

    def _there(self, pages: Pages) -> Pages:
        return _there(pages, self.policy, self.times)


@brief
@dataclass(frozen=True)
class Lapsed:
    """What an estimator makes of fetches of that web, in its time."""

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
    """The same in that web's time; what the crawl supplies does not go by time."""
    return belief if isinstance(belief, Supplied) else Lapsed(belief, times)


class _Learner:
    def __init__(self, estimator: Estimator, times: float) -> None:
        self.estimator, self.times = estimator, times
        self.inner = estimator.learner()

    def learn(self, fetches: Fetches) -> None:
        self.inner.learn(replace(fetches, **{name: getattr(fetches, name) * self.times for name in _OF_FETCHES}))

    def column(self, pages: Pages) -> Floats:
        return self.inner.column(_there(pages, self.estimator, self.times))

    def terms(self, row: int) -> dict[str, Any]:
        return self.inner.terms(row) if isinstance(self.inner, Telling) else {}


def _has_price(policy: Policy) -> bool:
    return _has_price(policy.policy) if isinstance(policy, TimeLapse) else expecting(policy) is not None


def _there(pages: Pages, reader: Policy | Estimator, times: float) -> Pages:
    """In that web's time, with each belief by the name that its reader has for it."""
    columns = {name: getattr(pages, name) * times for name in _OF_PAGES}
    beliefs = {belief: pages.belief(lapsed(belief, times)) for belief in beliefs_of(reader)}
    return replace(pages, pace=pages.pace / times, beliefs=beliefs, **columns)
