"""On a web whose clock runs faster a policy does what it would do if it lived there."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from sought.beliefs.bayes_rate import BayesRate
from sought.beliefs.belief import HasTerms, Supplied
from sought.lab.replay.samples import NOW, sample_pages
from sought.policy import ClusterSampling, Nutch, RoundRobin, Split, TimeLapse, Topical, Worth
from sought.policy.time_lapse import Lapsed
from sought.web.errors import BadInput
from sought.web.pages import NEVER, Pages
from sought.web.policy import Expecting, beliefs_of, explained
from tests.testing.fetch_logs import fetches

TIMES = 2.0**15  # a power of two: nothing is rounded otherwise
ROWS = 300
DAY = 86400.0


def log(lasts):
    """Three looks at every page, some changed, some gone, some with links nobody knew; the gaps `lasts` as long."""
    dice = np.random.default_rng(5)
    row = np.tile(np.arange(ROWS), 3)
    days = dice.integers(1, 60, 3 * ROWS)
    time = NOW - 200 * DAY + np.repeat([0.0, 60.0, 120.0], ROWS) * DAY
    gap = np.where(np.arange(3 * ROWS) < ROWS, np.inf, days * DAY)
    return fetches(
        *(row, time * lasts, gap * lasts, dice.random(3 * ROWS) < 0.4),
        gain=dice.random(3 * ROWS),
        seen_gap=gap * lasts,
        fate=dice.random(3 * ROWS) < 0.05,
        found=dice.poisson(0.3, 3 * ROWS),
    )


def pages_for(policy, lasts):
    """The same history in a web where everything `lasts` so much of its time, as the policy's beliefs have it."""
    pages = sample_pages(3, ROWS, [b for b in beliefs_of(policy) if isinstance(b, Supplied)])
    times = {name: getattr(pages, name) * lasts for name in ("found", "last_fetch", "last_change", "signal")}
    times |= {name: getattr(pages, name) * lasts for name in ("linked", "unlinked")}
    pages = replace(pages, pace=pages.pace / lasts, **times)
    learners = {belief: belief.learner() for belief in beliefs_of(policy) if not isinstance(belief, Supplied)}
    for learner in learners.values():
        learner.learn(log(lasts))
    columns = {belief: learner.column(pages) for belief, learner in learners.items()}
    return replace(pages, beliefs={**pages.beliefs, **columns})


@pytest.mark.parametrize("policy", [Worth(), Nutch()], ids=repr)
def test_a_policy_does_what_it_would_do_there(policy):
    """What it sees is that web, in that web's time: values are the same to the last bit, but for how long they last."""
    there = policy(pages_for(policy, 1.0), NOW)
    lapse = TimeLapse(policy, TIMES)
    shorter = TIMES if isinstance(policy, Expecting) else 1.0
    assert np.array_equal(lapse(pages_for(lapse, 1.0 / TIMES), NOW / TIMES), there / shorter)
    assert not np.array_equal(policy(pages_for(policy, 1.0 / TIMES), NOW / TIMES), there)  # it would be lost here


def test_what_is_expected_is_passed_on():
    """Gains, chances and purposes are those of the other policy; price and values last as long as they do here."""
    lapse = TimeLapse(Worth(), TIMES)
    pages = pages_for(lapse, 1.0 / TIMES)
    found = lapse.expects(pages, NOW / TIMES)
    there = Worth().expects(pages_for(Worth(), 1.0), NOW)
    assert found.price == there.price / TIMES > 0.0
    assert np.array_equal(found.value, there.value / TIMES)
    assert np.array_equal(found.value, lapse(pages, NOW / TIMES))
    for name in ("gain", "chance", "purpose"):
        assert np.array_equal(getattr(found, name), getattr(there, name))


def test_what_the_clocks_of_two_webs_make_of_a_price():
    """One in the other is the product of both, and a policy without a price keeps its values."""
    once, twice = TimeLapse(Worth(), 4.0), TimeLapse(TimeLapse(Worth(), 2.0), 2.0)
    found = [each.expects(pages_for(each, 1.0), NOW) for each in (once, twice)]
    assert found[0].price == found[1].price > 0.0
    plain, pages = TimeLapse(TimeLapse(RoundRobin(), 2.0), 2.0), pages_for(RoundRobin(), 1.0)
    assert np.array_equal(plain(pages, NOW), RoundRobin()(pages, NOW) * 4.0)


def test_a_policy_that_expects_nothing_says_nothing():
    """Values, and no numbers that nobody has thought of."""
    lapse = TimeLapse(RoundRobin(), TIMES)
    assert isinstance(lapse, Expecting)
    pages: Pages = pages_for(lapse, 1.0)
    found = lapse.expects(pages, NOW)
    assert np.array_equal(found.value, RoundRobin()(pages, NOW) * TIMES, equal_nan=True)
    assert (found.value > NEVER).any()
    assert np.isnan(found.gain).all()
    assert np.isnan(found.chance).all()


def test_what_beliefs_are_made_of_is_told():
    """As the estimator tells it, in that web's time."""
    lapse = TimeLapse(Worth(), TIMES)
    learner = Lapsed(BayesRate(), TIMES).learner()
    assert isinstance(learner, HasTerms)
    learner.learn(log(1.0 / TIMES))
    learner.column(pages_for(lapse, 1.0 / TIMES))
    assert learner.terms(0)["fetches"] == 2
    assert 1e-4 < learner.terms(0)["rate_a_day"] < 1.0


@pytest.mark.parametrize("policy", [Topical("bread"), ClusterSampling(), Split(Topical("bread"), Nutch())], ids=repr)
def test_a_value_is_explained(policy):
    """As the other policy, or its side, explains it there."""
    lapse = TimeLapse(policy, TIMES)
    here, there = pages_for(lapse, 1.0 / TIMES), pages_for(policy, 1.0)
    told = [explained(lapse, here, row, NOW / TIMES) for row in range(ROWS)]
    assert told == [explained(policy, there, row, NOW) for row in range(ROWS)]
    assert any(told)


def test_a_plain_value_is_not_explained():
    """There is nothing to say."""
    lapse = TimeLapse(Worth(), TIMES)
    assert explained(lapse, pages_for(lapse, 1.0 / TIMES), 0, NOW / TIMES) == {}


@dataclass(frozen=True)
class Doubled:
    """A belief about another that is learned, too."""

    beliefs = (BayesRate(),)

    def learner(self):
        return self

    def column(self, pages):
        return 2.0 * pages.belief(BayesRate())


def test_what_a_belief_reads_is_of_that_web():
    """Its own beliefs are learned in that web's time, and it finds them by the names it has for them."""
    outer, (inner, *_) = Lapsed(Doubled(), TIMES), beliefs_of(Lapsed(Doubled(), TIMES))
    assert inner == Lapsed(BayesRate(), TIMES)
    pages = replace(sample_pages(3, ROWS, []), beliefs={belief: np.arange(1.0 * ROWS) for belief in beliefs_of(outer)})
    assert np.array_equal(outer.learner().column(pages), 2.0 * np.arange(ROWS))


@pytest.mark.parametrize(("bad", "said"), [((Worth(), 0.0), "above 0"), (("Worth()", 2.0), "not a policy")])
def test_what_it_cannot_be_made_of(bad, said):
    """One clear line."""
    with pytest.raises(BadInput, match=said):
        TimeLapse(*bad)
