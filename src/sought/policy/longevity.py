"""Known pages by the divergence that a fetch removes, over the time its copy lasts."""

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from sought.beliefs.ages import ages, known_only
from sought.beliefs.belief import Belief
from sought.beliefs.divergence import Divergence
from sought.beliefs.divergence_bounds import DivergenceBounds
from sought.beliefs.drift_shapes import worth_of
from sought.policy.weights import Weight, check_weight, weight_beliefs, weights
from sought.web.checks import check_choice
from sought.web.errors import BadInput
from sought.web.expression import brief
from sought.web.pages import Floats, Pages, pieces

Form = Literal["curve", "bounds"]
_LONGEST = 1e12  # seconds: a bound that is never reached


@brief
@dataclass(frozen=True)
class Longevity:
    """U(t) = t·D(t) - ∫D, the divergence of a page from its copy, over time, that a fetch at age t removes.

    C. Olston, S. Pandey, Recrawl Scheduling Based on Information Longevity, WWW 2008.  A page is due when U reaches a
    threshold T (§2.2); always fetching the page of largest U keeps to the threshold that the budget allows.  D is the
    share of shingles that differ.  `curve` fits churn and scroll to the last `profiles` profiles of changes (§4.2,
    `Divergence`).  `bounds` takes the middle of the bounds of U (§4.3, `DivergenceBounds`): proportional to age up to
    the age that profiles reach, and beyond it as if D were anywhere between its last value and 1.  A fetch is due at
    the latest after `risk`·T seconds (ρ of §4.5): U counts as age/risk at least.

    Departures: the budget sets T.  The paper adjusts a period step by step with these bounds; here the bounds rank
    pages, so that a page which has changed little is tried at ever longer ages.  Bounds are averaged where each profile
    ends, not age by age.  Young pages are not refreshed by force: see the beliefs.
    """

    form: Form = "curve"
    weight: Weight = "same"
    profiles: int = 3
    risk: float = 100.0
    needs: ClassVar[str] = "scipy"

    def __post_init__(self) -> None:
        check_choice("Longevity: form", self.form, get_args(Form))
        check_weight("Longevity: weight", self.weight)
        if type(self.risk) not in (int, float) or not 1.0 <= self.risk < np.inf:
            raise BadInput(f"Longevity: risk is a number from 1 on, not {self.risk!r}")
        _ = self.beliefs  # says what is wrong with profiles

    @property
    def _terms(self) -> tuple[Divergence, ...] | tuple[DivergenceBounds, ...]:
        if self.form == "curve":
            return tuple(Divergence(term, self.profiles) for term in ("share", "rate", "life"))
        return tuple(DivergenceBounds(term, self.profiles) for term in ("reach", "worth", "share"))

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        return (*self._terms, *weight_beliefs(self.weight))

    def __call__(self, pages: Pages, now: float) -> Floats:
        age, value = ages(pages, now), weights(pages, self.weight)
        worth = curve_worth if self.form == "curve" else bounds_worth
        terms = [pages.belief(term) for term in self._terms]
        for piece in pieces(len(pages)):
            own = worth(age[piece], *(term[piece] for term in terms))
            with np.errstate(over="ignore"):
                value[piece] *= np.maximum(own, age[piece] / self.risk)
        return known_only(pages, value)


def curve_worth(age: Floats, share: Floats, rate: Floats, life: Floats) -> Floats:
    """U of a curve (see `Divergence`), in seconds."""
    age, share, rate, life = np.minimum(age, _LONGEST), *(np.nan_to_num(each) for each in (share, rate, life))
    life = np.clip(life, 1.0, 1e3)
    updates_a_second = np.clip(rate, 1e-30, 1e10) * life
    return np.clip(share, 0.0, 1.0) * worth_of(age * updates_a_second, life) / updates_a_second


def bounds_worth(age: Floats, reach: Floats, worth: Floats, share: Floats) -> Floats:
    """The middle of the bounds of U, in seconds.

    Beyond the reach D lies between its share there and 1: U grows by 0 at least, and at most as if all the rest of the
    page had changed at this moment.
    """
    age, reach, worth, share = (np.clip(np.nan_to_num(each), 0.0, _LONGEST) for each in (age, reach, worth, share))
    worth = np.minimum(worth, reach)
    inside = worth * np.minimum(age / np.maximum(reach, 1e-9), 1.0)
    return np.where(age > reach, worth + 0.5 * age * (1.0 - np.minimum(share, 1.0)), inside)
