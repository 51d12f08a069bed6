"""Every policy keeps its promises, and the suite finds those that do not."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from sought.beliefs.gain_rate import GainRate
from sought.beliefs.prospect import Prospect
from sought.lab.replay.conformance import PROMISES, check_policy
from sought.lab.replay.samples import NOW, extreme_pages, rearranged, sample_pages, table_of
from sought.policy import BreadthFirst, DemandFirst, Never, Random, RoundRobin, Split, UserCentric
from sought.web.pages import Pages
from tests.testing.every_policy import EVERY_POLICY

MORE = [
    RoundRobin(new=True),
    Split(DemandFirst(), UserCentric()),
    Split(Random(7), RoundRobin(), share=0.0),
    Split(BreadthFirst(), Split(Never(), UserCentric("paper", window=3), share=1.0), share=0.2),
]


@pytest.mark.slow
@pytest.mark.parametrize("policy", [*EVERY_POLICY, *MORE], ids=repr)
@pytest.mark.parametrize(("name", "kept"), PROMISES, ids=[name for name, _ in PROMISES])
def test_our_policies_keep_their_promises(policy, name, kept):
    """Every registered policy, alone and in combination."""
    kept(policy)


def age(pages):
    return np.where(pages.is_new, -np.inf, NOW - pages.last_fetch)


@dataclass(frozen=True)
class Broken:
    """A policy that is somebody else's rule, here a faulty one."""

    rule: Callable[[Pages], object] = field(repr=False)
    beliefs: tuple = ()

    def __call__(self, pages, now):
        return self.rule(pages)


def writes(pages):
    pages.signal[:] = 0.0
    return age(pages)


def writes_to_a_belief(pages):
    pages.belief(GainRate())[:] = 0.0
    return age(pages)


def makes_writable(pages):
    """What a crawl hands over are views, which may be made writable again."""
    pages.depth.flags.writeable = True
    pages.depth[0] += 1
    return age(pages)


def counts_its_calls():
    calls = itertools.count()
    return lambda pages: age(pages) + next(calls)


def remembers_the_table():
    seen: list[int] = []

    def rule(pages):
        value = age(pages) + (seen[-1] if seen else 0)
        seen.append(len(pages))
        return value

    return rule


def reads_whatever_there_is(pages):
    return sum(pages.beliefs.values(), start=age(pages))


def asks_for_what_it_did_not_name(pages):
    return age(pages) * np.mean(pages.beliefs.get(GainRate(), 1.0))


def fails_on_an_empty_table(pages):
    return age(pages) - pages.depth.max()


def fails_without_known_pages(pages):
    known = pages.last_fetch[~pages.is_new]
    return age(pages) + (0.0 if known.size and known.max() > 0 else np.nan)


def is_infinite_where_columns_are(pages):
    return np.where(pages.fetches == np.iinfo(np.uint16).max, np.inf, 0.0)


BROKEN = [
    ("one value a row", lambda pages: np.zeros(len(pages) + 1)),
    ("one value a row", lambda pages: 3.0),
    ("one value a row", lambda pages: age(pages).astype(np.float32)),
    ("one value a row", lambda pages: age(pages)[:, None]),
    ("one value a row", lambda pages: age(pages).tolist()),
    ("one value a row", lambda pages: 1 / 0),
    ("numbers below infinity", lambda pages: np.where(pages.fetches == 3, np.nan, 0.0)),
    ("numbers below infinity", lambda pages: NOW - pages.last_fetch),
    ("numbers below infinity", is_infinite_where_columns_are),
    ("any table will do", fails_on_an_empty_table),
    ("any table will do", fails_without_known_pages),
    ("inputs untouched", writes),
    ("inputs untouched", makes_writable),
    ("same inputs, same values", lambda pages: np.random.default_rng().random(len(pages))),
    ("same inputs, same values", counts_its_calls()),
    ("same inputs, same values", remembers_the_table()),
    ("rows in another order, values in that order", lambda pages: -np.arange(len(pages), dtype=float)),
    ("rows in another order, values in that order", lambda pages: np.cumsum(pages.inlinks, dtype=float)),
    ("it reads the beliefs it names", lambda pages: pages.belief(Prospect())),
    ("it reads the beliefs it names", asks_for_what_it_did_not_name),
    ("it reads the beliefs it names", reads_whatever_there_is),
    ("its repr is the policy", lambda pages: age(pages)),
]


@pytest.mark.parametrize(("promise", "rule"), BROKEN)
def test_a_broken_promise_is_named(promise, rule):
    """Each fault is found by the check of that promise alone, and by all together under its name."""
    with pytest.raises(AssertionError, match=f"^Broken breaks a promise, '{promise}': "):
        dict(PROMISES)[promise](Broken(rule))
    with pytest.raises(AssertionError, match=f"^Broken breaks a promise, '{promise}': "):
        check_policy(Broken(rule))


def test_beliefs_are_inputs_too():
    """They belong to the estimators; and the message says which was written to."""
    with pytest.raises(AssertionError, match="'inputs untouched': it writes to GainRate"):
        check_policy(Broken(writes_to_a_belief, beliefs=(GainRate(),)))


@dataclass(frozen=True)
class Queue:
    """As BreadthFirst, by another's hand: rows as they were found, whatever their depth."""

    by_depth: bool = False
    order_matters = True

    def __call__(self, pages, now):
        return (-1e7 * pages.depth if self.by_depth else 0.0) - np.arange(len(pages), dtype=float)


def test_the_order_of_discovery_may_decide_within_a_level_only():
    """A policy that says so may use it as BreadthFirst does, and not instead of everything else."""
    check_policy(Queue(by_depth=True))
    with pytest.raises(AssertionError, match="'rows in another order"):
        check_policy(Queue())


@dataclass(frozen=True)
class Forgetful:
    """Does not print its parameter."""

    power: float = field(default=1.0, repr=False)

    def __call__(self, pages, now):
        return np.where(pages.is_new, -np.inf, (now - pages.last_fetch) ** self.power)


@dataclass
class Changeable:
    """Not frozen: no hash."""

    power: float = 1.0

    def __call__(self, pages, now):
        return Forgetful(self.power)(pages, now)


class Nameless:
    """Prints where it is in memory."""

    def __call__(self, pages, now):
        return age(pages)


@pytest.mark.parametrize("policy", [Forgetful(2.0), Changeable(), Nameless(), lambda pages, now: age(pages)])
def test_a_policy_that_cannot_be_written_down(policy):
    """What it prints as must be all there is to it."""
    with pytest.raises(AssertionError, match="'its repr is the policy'"):
        check_policy(policy)


def test_a_policy_of_somebody_else_may_be_part_of_ours():
    """Its class need not be registered, also inside of a Split."""
    check_policy(Forgetful())
    check_policy(Split(known=Forgetful()))
    with pytest.raises(AssertionError, match="'its repr is the policy'"):
        check_policy(Split(known=Forgetful(2.0)))


def test_a_plan_that_takes_too_much_is_found(monkeypatch):
    """The last promise is about what is fetched in the end: a scheduler at fault would be seen."""

    def greedy(policy, table, pages, now, limits, excluded):
        return np.arange(len(table)), np.zeros(len(table))

    monkeypatch.setattr("sought.lab.replay.conformance.choose", greedy)
    with pytest.raises(AssertionError, match="'a budget is never exceeded': 400 rows where 0 are allowed"):
        check_policy(Random())


def test_samples_are_as_a_crawl_has_them():
    """What the table promises of its columns holds of made-up pages, and the same seed makes the same ones."""
    for pages in (sample_pages(1, 500, [GainRate()]), extreme_pages(1, 500, [GainRate()])):
        assert (pages.is_new == (pages.fetches == 0)).all()
        assert len(np.unique(pages.key)) == 500
        assert 0 < pages.is_new.sum() < 500
        table = table_of(pages, 1).pages(pages.beliefs)
        for name in Pages.column_names():
            assert getattr(table, name).tobytes() == getattr(pages, name).tobytes()
            assert getattr(table, name).dtype == getattr(pages, name).dtype
            assert not getattr(pages, name).flags.writeable
    again = rearranged(rearranged(sample_pages(5, 90), np.arange(90)[::-1]), np.arange(90)[::-1])
    assert all((getattr(again, name) == getattr(sample_pages(5, 90), name)).all() for name in Pages.column_names())
    assert (np.diff(sample_pages(2, 100).found) >= 0).all()
